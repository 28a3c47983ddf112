//! Information from Linux about this process.

use std::fs::File;
use std::io::Read as _;

/// Reads the file `name` of proc(5) for this process, on systems that have it. Linux generates the
/// text anew for each read, so a large buffer takes it in as few reads as possible.
pub(crate) fn read(name: &str) -> Option<String> {
    let mut text = String::with_capacity(16 << 10);
    File::open(format!("/proc/self/{name}")).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}
