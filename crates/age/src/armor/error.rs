//! Errors of armored files.

use std::io;

/// An armored age file is malformed, or cannot be read or written as requested.
///
/// Readers and writers wrap this error in an [`io::Error`]; [`ArmorError::of`] finds it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArmorError {
    /// Something other than white space comes before the `BEGIN` line, or there is no such line.
    #[error("malformed armor: there is no \"-----BEGIN AGE ENCRYPTED FILE-----\" line at the start")]
    NoBegin,
    /// The input ends before the `END` line.
    #[error("malformed armor: the file is cut short: there is no \"-----END AGE ENCRYPTED FILE-----\" line")]
    Truncated,
    /// A line is malformed.
    #[error("malformed armor: line {line}: {fault}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// The fault.
        fault: ArmorFault,
    },
    /// Something other than white space comes after the `END` line.
    #[error("malformed armor: there is data after the END line")]
    TrailingData,
    /// Seeking in an armored file is not possible.
    #[error("an armored file can only be read from its start to its end; decode the armor first")]
    NotSeekable,
    /// An earlier write failed, so it is not known how much of the text was written.
    #[error("an earlier operation on this file failed")]
    EarlierFailure,
}

/// A fault in a line of an armored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArmorFault {
    /// The first line is not exactly the `BEGIN` line.
    #[error("not exactly \"-----BEGIN AGE ENCRYPTED FILE-----\"")]
    Begin,
    /// A line begins with two dashes, but is not exactly the `END` line.
    #[error("not exactly \"-----END AGE ENCRYPTED FILE-----\"")]
    End,
    /// A line between `BEGIN` and `END` is empty.
    #[error("an empty line")]
    Empty,
    /// A line is longer than 64 columns.
    #[error("longer than 64 columns")]
    TooLong,
    /// The line follows one that is shorter than 64 columns or padded.
    #[error("data after a short or padded line, which must be the last one")]
    AfterShortLine,
    /// The line is not padded canonical base64.
    #[error("not canonical padded base64")]
    Base64,
}

impl ArmorError {
    /// Returns the armor error that `error` wraps, if there is one.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<ArmorError> for io::Error {
    fn from(error: ArmorError) -> Self {
        let kind = match error {
            ArmorError::Truncated => io::ErrorKind::UnexpectedEof,
            ArmorError::NotSeekable => io::ErrorKind::Unsupported,
            ArmorError::EarlierFailure => io::ErrorKind::Other,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
