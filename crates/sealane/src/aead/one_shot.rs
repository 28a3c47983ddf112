//! The choice of a plan for a whole message, by its length and the instruction set.
//!
//! | plan | messages | where |
//! |---|---|---|
//! | [`short`] | whose key stream one call makes | all vectors |
//! | [`portions`] | longer | vectors with products of 52 bits |
//! | [`interleaved`] | longer, to some kilobytes | where Poly1305 on integers fits between the rounds |
//! | [`two_pass`] | all others | everywhere |

use sealane_simd::Simd;

use super::payload::{Copied, Payload};
use super::{interleaved, portions, short, two_pass};
use crate::aead::construction::Tag;
use crate::chacha20::state::State;
use crate::error::OpenError;

/// The longest message whose input is copied as a whole: the result then comes from the kernels that
/// work in place. A longer message is copied piece by piece, while the pieces are in the first-level
/// cache.
pub(super) const MAX_COPIED_BYTES: usize = 8192;

/// Encrypts. Returns the tag.
#[inline(always)]
pub(crate) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], message: impl Payload) -> Tag {
    let length = message.input().len();
    if short::takes(token, aad, length) {
        short::seal(token, state, aad, message)
    } else if portions::takes::<S>(aad) {
        // This is a separate function because its frame is large, and short messages need not set
        // it up.
        token.enter_apart(
            #[inline(always)]
            |token| portions::seal(token, state, aad, message),
        )
    } else if interleaved::takes::<S>(aad, length) {
        interleaved::seal(token, state, aad, message)
    } else {
        two_pass::seal(token, state, aad, message)
    }
}

/// Decrypts if the tag is right. Otherwise leaves the message unchanged.
#[inline(always)]
pub(crate) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Payload,
) -> Result<(), OpenError> {
    let length = message.input().len();
    if short::takes(token, aad, length) {
        short::open(token, state, aad, tag, message)
    } else if portions::takes::<S>(aad) {
        token.enter_apart(
            #[inline(always)]
            |token| portions::open(token, state, aad, tag, message),
        )
    } else if interleaved::takes::<S>(aad, length) {
        interleaved::open(token, state, aad, tag, message)
    } else {
        two_pass::open(token, state, aad, tag, message)
    }
}

/// Does the same as [`seal`] for more than [`MAX_COPIED_BYTES`]: a program need not contain the
/// plans for shorter messages a second time.
#[inline(always)]
pub(super) fn seal_long<S: Simd>(token: S, state: &State, aad: &[u8], message: Copied<'_, '_>) -> Tag {
    const { assert!(only_long_plans::<S>()) };
    if portions::takes::<S>(aad) {
        token.enter_apart(
            #[inline(always)]
            |token| portions::seal(token, state, aad, message),
        )
    } else {
        two_pass::seal(token, state, aad, message)
    }
}

/// Does the same as [`open`] for more than [`MAX_COPIED_BYTES`].
#[inline(always)]
pub(super) fn open_long<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: Copied<'_, '_>,
) -> Result<(), OpenError> {
    const { assert!(only_long_plans::<S>()) };
    if portions::takes::<S>(aad) {
        token.enter_apart(
            #[inline(always)]
            |token| portions::open(token, state, aad, tag, message),
        )
    } else {
        two_pass::open(token, state, aad, tag, message)
    }
}

/// Returns whether no plan for shorter messages takes more than [`MAX_COPIED_BYTES`].
const fn only_long_plans<S: Simd>() -> bool {
    S::TUNING.short_max_bytes.most() <= MAX_COPIED_BYTES && S::TUNING.interleaved_below_bytes <= MAX_COPIED_BYTES
}
