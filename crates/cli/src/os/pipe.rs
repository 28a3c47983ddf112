//! Pipes on standard input and output.

use std::fs::File;

/// The capacity to ask for, in bytes: several chunks, so that both ends can work at the same time.
/// Linux's default of 64 KiB is less than one encrypted chunk.
#[cfg(target_os = "linux")]
const CAPACITY: usize = 512 << 10;

/// Enlarges `file` if it is a pipe, where the system allows it. Failure only costs speed.
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
