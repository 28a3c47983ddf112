//! Messages of middle length on CPUs that do vector and scalar work side by side. While the key
//! stream of a group of blocks is computed, the group before it is authenticated.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{Level, PendingPoly1305, Simd, Words};

use super::construction::{begin_mac, finish_mac, lengths, message_block, undo_decryption, verify};
use super::payload::Payload;
use crate::chacha20::rows::{self, Interleave};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, kernel, sets};
use crate::error::OpenError;
use crate::poly1305::Tag;
use crate::poly1305::{Short, add_pending_block};
use crate::wipe::wipe;

/// Bytes of a group.
const GROUP_BYTES: usize = 512;

/// Returns whether [`seal`] and [`open`] take a message of this length, which is longer than
/// [`super::short::takes`].
#[inline(always)]
pub(super) fn takes<S: Simd>(aad: &[u8], length: usize) -> bool {
    let below = const {
        let below = S::TUNING.interleaved_below_bytes;
        assert!(below == 0 || rows::group_bytes::<S>() == GROUP_BYTES, "one group is kept");
        below
    };
    aad.len() <= SHORT_MAX_AAD_BYTES && length < below
}

/// Does the same as [`super::one_shot::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.input().len();
    let (mut start, mut end) = (0, GROUP_BYTES - BLOCK_BYTES);
    let mut first = S::Words::ZERO_BLOCKS;
    sets::xor_behind_block_0(token, state, first.as_mut(), message.upto(end));
    let mut mac = begin_mac(first.as_ref(), aad);
    wipe(first.as_mut());
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let (before, group) = message.upto(next)[start..].split_at_mut(end - start);
        authenticate_and_xor(token, state, &mut mac, before, end, group);
        (start, end) = (end, next);
    }
    let tag = finish_mac(mac, &message.upto(end)[start..], &lengths(aad.len(), length));
    mac.wipe();
    tag
}

/// Does the same as [`super::one_shot::open`]. Decrypts while it authenticates copies of the
/// ciphertext, and encrypts again if the message turns out to be a forgery.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    level: Level,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Payload,
) -> Result<(), OpenError> {
    let length = message.input().len();
    let mut end = GROUP_BYTES - BLOCK_BYTES;
    // The ciphertext of the last group that was decrypted, and the place of the next one's.
    let (mut before, mut next_before) = (&mut [0; GROUP_BYTES], &mut [0; GROUP_BYTES]);
    let mut before_bytes = copy_group(message.input(), 0, end, before);
    let mut first = S::Words::ZERO_BLOCKS;
    sets::xor_behind_block_0(token, state, first.as_mut(), message.upto(end));
    let mut mac = begin_mac(first.as_ref(), aad);
    wipe(first.as_mut());
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let next_bytes = copy_group(message.input(), end, next, next_before);
        let group = &mut message.upto(next)[end..];
        authenticate_and_xor(token, state, &mut mac, &before[..before_bytes], end, group);
        (before, next_before) = (next_before, before);
        (end, before_bytes) = (next, next_bytes);
    }
    let result = verify(&finish_mac(mac, &before[..before_bytes], &lengths(aad.len(), length)), tag);
    mac.wipe();
    if result.is_err() {
        undo_decryption(level, state, &mut message);
    }
    result
}

/// Copies the bytes from `start` to `end`. Returns their number.
#[inline(always)]
fn copy_group(message: &[u8], start: usize, end: usize, copy: &mut [u8; GROUP_BYTES]) -> usize {
    let group = &message[start..end];
    if let Some(group) = group.first_chunk() {
        // Its length is a constant: the copy needs no call.
        *copy = *group;
    } else {
        copy[..group.len()].copy_from_slice(group);
    }
    group.len()
}

/// Authentication beside the cipher.
enum Authenticate {}

impl Interleave for Authenticate {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn step(pending: &mut PendingPoly1305<'_>) {
        add_pending_block(pending);
    }
}

/// Adds `before` to the authenticator. At the same time, combines `data`, up to a group, with the
/// key stream for the byte of the message at `offset`. All callers share one copy of this function.
fn authenticate_and_xor<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Short,
    before: &[u8],
    offset: usize,
    data: &mut [u8],
) {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let mut pending = mac.pending(before);
            let blocks = pending.blocks.len();
            kernel::xor_interleaved::<S, Authenticate>(token, state, message_block(offset), &mut pending, data);
            *mac = mac.after_pending(pending.h, blocks - pending.blocks.len(), before);
        },
    )
}
