//! Entries of a directory.

use std::fs::File;
use std::io;

/// The kind of a directory entry. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// A device, a FIFO, a socket.
    Other,
}

/// Refuses a file that is not regular.
pub(super) fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}
