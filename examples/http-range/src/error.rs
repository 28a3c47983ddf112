//! Errors of reading from a server.

use std::{error, fmt, io};

use hyper::StatusCode;

/// The reason why a range was not fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpError {
    /// The address has no host, has a user or a password, or is not `http`.
    Address,
    /// The object is no longer the one that was opened.
    Changed,
    /// The server answered with a status other than 206.
    Status(StatusCode),
    /// The response does not say how long the object is.
    NoLength,
    /// The response is longer than the range.
    TooLong,
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => f.write_str("the address is not http://HOST/PATH"),
            Self::Changed => f.write_str("the object was replaced while it was read"),
            Self::Status(status) => write!(f, "the server answered {status} to a request for a range"),
            Self::NoLength => f.write_str("the server does not say how long the object is"),
            Self::TooLong => f.write_str("the server sent more bytes than the range has"),
        }
    }
}

impl error::Error for HttpError {}

impl From<HttpError> for io::Error {
    fn from(error: HttpError) -> Self {
        Self::other(error)
    }
}
