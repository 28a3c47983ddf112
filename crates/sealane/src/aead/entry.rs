//! The functions that pass a whole message to the kernels of a backend.
//!
//! Nothing here depends on the length of a nonce or on the type of an output, so each function is
//! compiled once, with this crate. Kernels in a generic function would be compiled again for each
//! type, in each crate that calls it.

use sealane_simd::{Level, Output, dispatch};

use super::payload::{Copied, Gathered, InPlace};
use super::plan;
use crate::chacha20::State;
use crate::error::OpenError;
use crate::poly1305::Tag;

pub(super) fn seal_in_place(level: Level, state: &State, aad: &[u8], buffer: &mut [u8]) -> Tag {
    let tag = dispatch!(level, token => plan::seal(token, level, state, aad, InPlace(&mut *buffer)));
    crate::fault::flip("aead", level, buffer);
    tag
}

pub(super) fn open_in_place(
    level: Level,
    state: &State,
    aad: &[u8],
    buffer: &mut [u8],
    tag: &Tag,
) -> Result<(), OpenError> {
    dispatch!(level, token => plan::open(token, level, state, aad, tag, InPlace(buffer)))
}

/// Seals a message in slices. Their total length is exactly the capacity of `output`, which is
/// empty.
pub(super) fn seal_gathered(level: Level, state: &State, aad: &[u8], input: &[&[u8]], output: &mut Output<'_>) -> Tag {
    dispatch!(level, token => plan::seal(token, level, state, aad, Gathered::new(input, output)))
}

pub(super) fn open_copied(
    level: Level,
    state: &State,
    aad: &[u8],
    input: &[u8],
    tag: &Tag,
    output: &mut Output<'_>,
) -> Result<(), OpenError> {
    dispatch!(level, token => plan::open(token, level, state, aad, tag, Copied { input, output }))
}
