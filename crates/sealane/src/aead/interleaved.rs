//! Messages that are too long for [`super::short`], on CPUs that do vector and scalar work side by
//! side. While the key stream of a group of blocks is computed, ciphertext is authenticated: to
//! seal, the ciphertext of the group before; to open, the ciphertext of the group itself.
//! [`crate::chacha20::rows`] explains sets and groups.

use sealane_simd::tuning::{INTERLEAVED_HORIZONTAL_SETS, INTERLEAVED_MAX_HEAD_BLOCKS, SHORT_MAX_AAD_BYTES};
use sealane_simd::{AlignedBytes, Level, PendingPoly1305, Simd, Words};

use super::construction::{KEY_BLOCK, ROUNDS, begin_mac, finish_mac, lengths, message_block, undo_decryption, verify};
use super::payload::{Ciphertext, Payload};
use crate::chacha20::rows::{Interleave, group_bytes, set_bytes, xor_rows};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, kernel, sets};
use crate::error::OpenError;
use crate::poly1305::{self, Short, Tag, add_pending_block};
use crate::wipe::wipe;

/// Bytes of a group of eight blocks, on vectors of 256 bits. The plans of batches and of the pieces
/// of messages are for these vectors.
pub(super) const EIGHT_BLOCK_GROUP_BYTES: usize = 8 * BLOCK_BYTES;
/// To open: the most bytes of the message before its first group.
const MAX_HEAD_BYTES: usize = INTERLEAVED_MAX_HEAD_BLOCKS * BLOCK_BYTES;

/// Returns whether [`seal`] and [`open`] take a message that is too long for [`super::short`].
#[inline(always)]
pub(super) fn takes<S: Simd>(aad: &[u8]) -> bool {
    S::TUNING.authenticate_between_rounds && aad.len() <= SHORT_MAX_AAD_BYTES
}

/// Does the same as [`super::plan::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.length();
    // The message is encrypted up to `end`, and authenticated up to `start`. The first group starts
    // with block 0.
    let (mut start, mut end) = (0, group_bytes::<S>() - BLOCK_BYTES);
    let mut mac = first_group(token, state, aad, message.upto(end));
    while end < length {
        let next = length.min(end + group_bytes::<S>());
        let (before, group) = message.upto(next)[start..].split_at_mut(end - start);
        start += authenticate_and_xor(token, state, &mut mac, Some(before), message_block(end), group);
        end = next;
    }
    let tag = finish(token, mac, &message.upto(end)[start..], &lengths(aad.len(), length));
    mac.wipe();
    tag
}

/// Does the same as [`super::plan::open`]. Decrypts while it authenticates, and encrypts again
/// if the message turns out to be a forgery.
///
/// Each group needs the authenticator's key, and so block 0. The blocks that fill no group are
/// computed beside block 0, as the head of the message. If they take as long as a group, they are
/// the last one instead.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    level: Level,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Ciphertext,
) -> Result<(), OpenError> {
    let behind_groups = message.length().next_multiple_of(BLOCK_BYTES) % group_bytes::<S>();
    let head = if behind_groups <= MAX_HEAD_BYTES { behind_groups } else { 0 };
    let mac = open_head(token, state, aad, message.upto(head));
    let result = verify(&open_groups(token, state, mac, aad, head, &mut message), tag);
    if result.is_err() {
        undo_decryption(level, state, &mut message);
    }
    result
}

/// Decrypts and authenticates a message from the byte at `head` on. Returns the tag of the whole
/// message. `mac` has already processed the associated data and the bytes before `head`.
#[inline(always)]
pub(super) fn open_groups<S: Simd>(
    token: S,
    state: &State,
    mut mac: Short,
    aad: &[u8],
    head: usize,
    message: &mut impl Ciphertext,
) -> Tag {
    let length = message.length();
    // The ciphertext after the last whole block is kept, because it is decrypted with the last
    // group before it is authenticated.
    let mut last_block = [0; poly1305::BLOCK_BYTES];
    let rest = &mut last_block[..length % poly1305::BLOCK_BYTES];
    rest.copy_from_slice(&message.input()[length - rest.len()..]);
    for start in (head..length).step_by(group_bytes::<S>()) {
        let group = &mut message.upto(length.min(start + group_bytes::<S>()))[start..];
        authenticate_own_and_xor(token, state, &mut mac, message_block(start), group);
    }
    let tag = finish_mac(mac, rest, &lengths(aad.len(), length));
    mac.wipe();
    tag
}

/// Decrypts and authenticates whole blocks, up to [`MAX_HEAD_BYTES`], at the start of the message.
/// Returns the authenticator, which has processed the associated data and the head.
#[inline(always)]
fn open_head<S: Simd>(token: S, state: &State, aad: &[u8], head: &mut [u8]) -> Short {
    const {
        let longest = (BLOCK_BYTES + MAX_HEAD_BYTES).next_multiple_of(set_bytes::<S>());
        assert!(!S::TUNING.authenticate_between_rounds || longest <= 384, "a buffer for the longest head");
    };
    if head.is_empty() {
        let mut first = kernel::first_set(token, state);
        let mac = begin_mac(first.as_ref(), aad);
        wipe(first.as_mut());
        return mac;
    }
    // A buffer of constant length is cleared without a call.
    let mut key_stream = AlignedBytes([0; 384]);
    let needed = (BLOCK_BYTES + head.len()).next_multiple_of(set_bytes::<S>());
    let (first, others) = key_stream.0[..needed].split_at_mut(set_bytes::<S>());
    sets::xor::<_, ROUNDS>(token, state, KEY_BLOCK, first, others);
    let mac = begin_mac(&key_stream.0, aad).padded(head);
    S::Words::xor_bytes(token, head, &key_stream.0[BLOCK_BYTES..]);
    wipe(&mut key_stream.0);
    mac
}

/// Combines the start of the message with the key stream. Returns the authenticator, which has
/// processed the associated data.
#[inline(always)]
fn first_group<S: Simd>(token: S, state: &State, aad: &[u8], data: &mut [u8]) -> Short {
    let mut first = S::Words::ZERO_BLOCKS;
    sets::xor_behind_block_0(token, state, first.as_mut(), data);
    let mac = begin_mac(first.as_ref(), aad);
    wipe(first.as_mut());
    mac
}

/// Returns the tag, once all of the ciphertext except `rest` is in `mac`.
#[inline(always)]
pub(super) fn finish<S: Simd>(token: S, mac: Short, rest: &[u8], lengths: &[u8; 16]) -> Tag {
    finish_mac(poly1305::padded_end(token, mac, rest), &[], lengths)
}

/// Decrypts a group, from block `counter` on. At the same time, adds the group's whole blocks of
/// Poly1305 to the authenticator.
#[inline(always)]
pub(super) fn authenticate_own_and_xor<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Short,
    counter: u32,
    group: &mut [u8],
) {
    let done = authenticate_and_xor(token, state, mac, None, counter, group);
    debug_assert!(done == group.as_chunks::<{ poly1305::BLOCK_BYTES }>().0.as_flattened().len(), "a group has time");
}

/// Interleaves Poly1305 with the cipher.
pub(super) enum Authenticate {}

impl Interleave for Authenticate {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn step(pending: &mut PendingPoly1305<'_>) {
        add_pending_block(pending);
    }
}

/// Combines `data`, up to a group, with the key stream from block `counter` on. At the same time,
/// adds as many blocks of `ciphertext` to the authenticator as there is time for. A whole group has
/// time for the blocks of another whole one. A shorter `ciphertext` may have one or two blocks
/// left, because some kernels add blocks in threes and fours. Without a `ciphertext`, adds the
/// blocks of `data`, before it is decrypted. Returns the number of bytes that were added. All
/// callers share one copy of this function.
pub(super) fn authenticate_and_xor<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Short,
    ciphertext: Option<&[u8]>,
    counter: u32,
    data: &mut [u8],
) -> usize {
    token.enter_apart(
        #[inline(always)]
        |token| {
            macro_rules! interleaved {
                ($key_stream:expr) => {{
                    let mut pending = mac.pending(ciphertext.unwrap_or(data));
                    let blocks = pending.blocks.len();
                    let rows = $key_stream(token, state, counter, &mut pending);
                    mac.continue_after(&pending);
                    let done = blocks - pending.blocks.len();
                    xor_rows(token, &rows, data);
                    done * poly1305::BLOCK_BYTES
                }};
            }
            match data.len().div_ceil(set_bytes::<S>()) {
                0 | 1 => interleaved!(kernel::sets_interleaved::<S, Authenticate, 1>),
                2 if const { INTERLEAVED_HORIZONTAL_SETS >= 2 } => {
                    interleaved!(kernel::sets_interleaved::<S, Authenticate, 2>)
                }
                _ => interleaved!(kernel::group_interleaved),
            }
        },
    )
}
