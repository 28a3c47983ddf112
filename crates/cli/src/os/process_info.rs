//! What Linux says of this process.

use std::fs::File;
use std::io::Read as _;

/// The file `name` of proc(5) for this process, where there is such a thing. These files are short, and each read of one is made anew: so one read
/// with room for all of it.
pub(crate) fn read(name: &str) -> Option<String> {
    let mut text = String::with_capacity(16 << 10);
    File::open(format!("/proc/self/{name}")).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}
