//! Messages of middle length on CPUs that do vector and scalar work side by side. While the key
//! stream of a group of blocks is computed, the group before it is authenticated.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{PendingPoly1305, Simd, Words};

use super::construction::{KEY_BLOCK, ROUNDS, begin_mac, finish_mac, lengths, message_block, verify};
use super::payload::Payload;
use crate::chacha20::rows::{self, Interleave, set_bytes};
use crate::chacha20::state::{State, xor_bytes};
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
        mac = authenticate_and_xor(token, state, mac, before, end, group);
        (start, end) = (end, next);
    }
    finish_mac(mac, &message.upto(end)[start..], &lengths(aad.len(), length))
}

/// Does the same as [`super::one_shot::open`]. Decrypts while it authenticates, and encrypts again
/// if the message turns out to be a forgery.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Payload,
) -> Result<(), OpenError> {
    let length = message.input().len();
    let (mut start, mut end) = (0, GROUP_BYTES - BLOCK_BYTES);
    // From `ready_from` on, `ready` is the key stream of the bytes from `start` to `end`. The bytes
    // before are decrypted.
    let (mut ready, mut next_ready) = (&mut [0; GROUP_BYTES], &mut [0; GROUP_BYTES]);
    let mut ready_from = BLOCK_BYTES;
    let (first, rest) = ready.split_at_mut(set_bytes::<S>());
    sets::xor::<_, ROUNDS>(token, state, KEY_BLOCK, first, rest);
    let mut mac = begin_mac(ready, aad);
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        next_ready.fill(0);
        let before = &mut message.upto(end)[start..];
        let key_stream = &mut next_ready[..(next - end).next_multiple_of(set_bytes::<S>())];
        mac = authenticate_and_xor(token, state, mac, before, end, key_stream);
        xor_bytes(before, &ready[ready_from..]);
        (start, end, ready_from) = (end, next, 0);
        (ready, next_ready) = (next_ready, ready);
    }
    let result = verify(&finish_mac(mac, &message.input()[start..], &lengths(aad.len(), length)), tag);
    if result.is_ok() {
        xor_bytes(&mut message.upto(end)[start..], &ready[ready_from..]);
    } else {
        // The last group is not decrypted yet.
        message.undo_decryption(
            #[inline(always)]
            |message| kernel::apply::<_, ROUNDS>(token, state, message_block(0), &mut message[..start]),
        );
    }
    wipe(ready);
    wipe(next_ready);
    result
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
    mac: Short,
    before: &[u8],
    offset: usize,
    data: &mut [u8],
) -> Short {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let mut pending = mac.pending(before);
            let blocks = pending.blocks.len();
            kernel::xor_interleaved::<S, Authenticate>(token, state, message_block(offset), &mut pending, data);
            mac.after_pending(pending.h, blocks - pending.blocks.len(), before)
        },
    )
}
