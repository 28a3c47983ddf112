//! Pipes on standard input and output.

use std::fs::File;

/// What a pipe should hold, in bytes: some chunks, so that both ends can work at the same time. Linux gives 64 KiB, which is less than a
/// sealed chunk.
#[cfg(target_os = "linux")]
const CAPACITY: usize = 512 << 10;

/// Makes more room in `file`, if it is a pipe, and there is such a thing here. That it cannot be done is no reason to fail.
pub(crate) fn enlarge(file: &File) {
    #[cfg(target_os = "linux")]
    {
        use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
        if fcntl_getpipe_size(file).is_ok_and(|size| size < CAPACITY) {
            let _ = fcntl_setpipe_size(file, CAPACITY);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}
