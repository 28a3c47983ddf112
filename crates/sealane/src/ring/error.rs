//! The error of the functions in [`super::aead`].

use core::array::TryFromSliceError;
use core::fmt;

use crate::error::OpenError;

/// An error without details: a message is not authentic, or an input has a length that the
/// algorithm does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unspecified;

impl fmt::Display for Unspecified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sealane::ring::error::Unspecified")
    }
}

impl core::error::Error for Unspecified {}

impl From<TryFromSliceError> for Unspecified {
    fn from(_: TryFromSliceError) -> Self {
        Self
    }
}

impl From<OpenError> for Unspecified {
    fn from(_: OpenError) -> Self {
        Self
    }
}
