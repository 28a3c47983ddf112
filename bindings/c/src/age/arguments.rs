//! Arguments that functions for recipients and for identities take.

use sealane_age::DEFAULT_MAX_WORK_FACTOR;

use super::failure::Failure;
use crate::status::sealane_status::*;

/// Returns bytes as a text, which must be UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, Failure> {
    str::from_utf8(bytes).map_err(|_| Failure::new(SEALANE_INVALID_TEXT, "the text is not UTF-8"))
}

/// Checks a work factor for scrypt, and returns it. 0 stands for `default`.
pub(super) fn work_factor(work_factor: u32, default: u8) -> Result<u8, Failure> {
    match u8::try_from(work_factor) {
        Ok(0) => Ok(default),
        Ok(work_factor @ 1..=DEFAULT_MAX_WORK_FACTOR) => Ok(work_factor),
        _ => Err(Failure::new(SEALANE_OUT_OF_RANGE, "the scrypt work factor must be from 1 to 22")),
    }
}
