//! Authentication tags.

use subtle::ConstantTimeEq;

use crate::declassify::declassify;
use crate::error::OpenError;

/// Length of a tag in bytes.
pub const TAG_BYTES: usize = 16;
/// An authentication tag.
pub type Tag = [u8; TAG_BYTES];

/// Compares two tags in constant time, as one number: `subtle` takes ten times as long for a
/// comparison byte by byte.
#[inline]
pub(crate) fn tags_equal(a: &Tag, b: &Tag) -> Result<(), OpenError> {
    let difference = u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b);
    let difference = difference as u64 | (difference >> 64) as u64;
    if declassify(difference.ct_eq(&0).into()) { Ok(()) } else { Err(OpenError) }
}
