//! Opens files for reading, without waiting.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens `path` for reading, whatever is there. Returns at once if it is a FIFO. Without
/// `O_NONBLOCK`, the system would wait for a writer.
pub(super) fn open_any(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    options.open(path)
}

/// Opens the regular file at `path` for reading.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_any(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}
