//! Errors of writing.

use std::io;

use crate::error::Error;

/// Returns the error of an interrupted call unchanged, so that the caller tries again, and explains
/// any other error.
pub(crate) fn keep_retry(error: io::Error, explain: impl FnOnce(io::Error) -> Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted { error } else { explain(error).into_io() }
}

/// Explains an error of standard output.
pub(crate) fn stdout_error(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Error::broken_pipe()
    } else {
        Error::io("cannot write to standard output", &error)
    }
}
