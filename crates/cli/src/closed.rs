//! Standard streams that are closed.
//!
//! Before `main`, Rust's std opens `/dev/null` for reading and writing in place of standard streams that are closed: what
//! is written there is lost, and what is read is empty, both without an error. `> /dev/null` and `< /dev/null` open it
//! for one of the two only, so they can be told apart. A parent that opened it for both by itself cannot.

use crate::error::{Error, Result};

/// Refuses to write to a standard output that is closed.
pub(crate) fn check_stdout() -> Result<()> {
    if is_stand_in(&std::io::stdout()) {
        return Err(Error::new("standard output is closed")
            .hint("-o FILE writes to a file; -o /dev/null throws the result away, and so does > /dev/null"));
    }
    Ok(())
}

/// Refuses to read from a standard input that is closed.
pub(crate) fn check_stdin() -> Result<()> {
    if is_stand_in(&std::io::stdin()) {
        return Err(Error::new("standard input is closed").hint("< /dev/null is how to say that it is empty"));
    }
    Ok(())
}

#[cfg(unix)]
fn is_stand_in(stream: &impl std::os::fd::AsFd) -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, stat};
    let for_both = fcntl_getfl(stream).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR);
    let is_device = |mode| FileType::from_raw_mode(mode) == FileType::CharacterDevice;
    for_both
        && match (fstat(stream), stat("/dev/null")) {
            (Ok(it), Ok(null)) => is_device(it.st_mode) && is_device(null.st_mode) && it.st_rdev == null.st_rdev,
            _ => false,
        }
}

#[cfg(not(unix))]
fn is_stand_in<T>(_stream: &T) -> bool {
    false
}
