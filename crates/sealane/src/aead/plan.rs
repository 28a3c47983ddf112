//! The choice of a plan for a whole message, by its length, the length of its associated data, and
//! the backend. Long associated data leads to the plan [`two_pass`]. On some backends, short
//! messages have the plan of narrower vectors.
//!
//! | plan | messages | where |
//! |---|---|---|
//! | [`short`] | so short that one call computes the key stream | all vectors |
//! | [`one_call`] | longer: one call computes the key stream, and a second one authenticates on vectors | vectors with products of 52 bits |
//! | [`portions`] | longer | vectors with products of 52 bits |
//! | [`interleaved`] | longer | where Poly1305 on integers fits between the rounds |
//! | [`two_pass`] | all others | everywhere |

use sealane_simd::{Level, Simd, Token};

use super::payload::{Ciphertext, Payload};
use super::{interleaved, one_call, portions, short, two_pass};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::rows::set_bytes;
use crate::chacha20::state::State;
use crate::error::OpenError;
use crate::poly1305::Tag;

/// Encrypts. Returns the tag. `level` is the backend's level, and `token` is its token or the
/// narrower one.
#[inline(always)]
pub(crate) fn seal<S: Simd>(token: S, level: Level, state: &State, aad: &[u8], message: impl Payload) -> Tag {
    let length = message.length();
    if is_for_narrower(token, length) {
        return on_narrower!(token => seal(token, level, state, aad, message));
    }
    if let Some(class) = short::takes(token, aad, length) {
        short::seal(token, class, state, aad, message)
    } else if let Some(class) = one_call::takes(token, aad, length) {
        // This is a separate function because its frame is large, and short messages need not set
        // it up.
        token.enter_apart(
            #[inline(always)]
            |token| one_call::seal(token, class, state, aad, message),
        )
    } else if portions::takes::<S>(aad) {
        token.enter_apart(
            #[inline(always)]
            |token| portions::seal(token, state, aad, message),
        )
    } else if interleaved::takes::<S>(aad) {
        interleaved::seal(token, state, aad, message)
    } else {
        two_pass::seal(level, set_bytes::<S>(), state, aad, message)
    }
}

/// Decrypts if the tag is right. Otherwise a message in place is unchanged, and a separate output
/// holds no plaintext. `level` and `token` are as in [`seal`].
#[inline(always)]
pub(crate) fn open<S: Simd>(
    token: S,
    level: Level,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Ciphertext,
) -> Result<(), OpenError> {
    let length = message.length();
    if is_for_narrower(token, length) {
        return on_narrower!(token => open(token, level, state, aad, tag, message));
    }
    if let Some(class) = short::takes(token, aad, length) {
        short::open(token, class, state, aad, tag, message)
    } else if let Some(class) = one_call::takes(token, aad, length) {
        token.enter_apart(
            #[inline(always)]
            |token| one_call::open(token, class, state, aad, tag, message),
        )
    } else if portions::takes::<S>(aad) {
        token.enter_apart(
            #[inline(always)]
            |token| portions::open(token, level, state, aad, tag, message),
        )
    } else if interleaved::takes::<S>(aad) {
        interleaved::open(token, level, state, aad, tag, message)
    } else {
        two_pass::open(level, set_bytes::<S>(), state, aad, tag, message)
    }
}

/// Returns whether a message of `length` bytes is faster on the vectors of `Simd::Narrower`.
#[inline(always)]
pub(super) fn is_for_narrower<S: Simd>(token: S, length: usize) -> bool {
    let tuning = S::TUNING;
    match length.div_ceil(BLOCK_BYTES) {
        _ if tuning.narrower_max_bytes.is_some_and(|max| length <= max) => true,
        0 | 1 => tuning.one_block_messages_on_narrower_vectors.of(token.cpu_class()),
        5 | 6 => tuning.five_and_six_block_messages_on_narrower_vectors.of(token.cpu_class()),
        _ => false,
    }
}
