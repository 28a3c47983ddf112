//! The error of the functions in [`super::aead`].

use core::array::TryFromSliceError;
use core::fmt;

use crate::error::OpenError;

/// An error without details: a message is not authentic, an input has a wrong length, or a sequence
/// of nonces has ended.
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
