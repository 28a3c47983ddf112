//! Messages of middle length on CPUs that do vector and scalar work side by side. While the key
//! stream of a group of blocks is computed, ciphertext is authenticated: to seal, that of the group
//! before, and to open, also that of the group itself.
//!
//! A double round takes as long as four blocks of Poly1305, so a group has time for 40 blocks and
//! brings 32. To open, the groups after the first one make up for it, which has no time.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{Level, PendingPoly1305, Simd, Words};

use super::construction::{begin_mac, finish_mac, lengths, message_block, undo_decryption, verify};
use super::payload::{Ciphertext, Payload};
use crate::chacha20::rows::{self, Interleave};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, kernel, sets};
use crate::error::OpenError;
use crate::poly1305::{self, Short, Tag, add_pending_block};
use crate::wipe::wipe;

/// Bytes of a group.
pub(super) const GROUP_BYTES: usize = 512;
/// Bytes of the message in the first group, behind block 0.
const FIRST_BYTES: usize = GROUP_BYTES - BLOCK_BYTES;

/// Returns whether [`seal`] and [`open`] take a message that is too long for [`super::short`].
#[inline(always)]
pub(super) fn takes<S: Simd>(aad: &[u8]) -> bool {
    const { assert!(!S::TUNING.authenticate_between_rounds || rows::group_bytes::<S>() == GROUP_BYTES, "one group is kept") };
    S::TUNING.authenticate_between_rounds && aad.len() <= SHORT_MAX_AAD_BYTES
}

/// Does the same as [`super::one_shot::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.length();
    // The message is encrypted up to `end`, and authenticated up to `start`.
    let (mut start, mut end) = (0, FIRST_BYTES);
    let mut mac = first_group(token, state, aad, message.upto(end));
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let (before, group) = message.upto(next)[start..].split_at_mut(end - start);
        start += authenticate_and_xor(token, state, &mut mac, before, message_block(end), group);
        end = next;
    }
    let tag = finish(token, mac, &message.upto(end)[start..], &lengths(aad.len(), length));
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
    mut message: impl Ciphertext,
) -> Result<(), OpenError> {
    let length = message.length();
    let mut end = FIRST_BYTES;
    let mut pending = PendingCiphertext { bytes: [0; 2 * GROUP_BYTES], start: 0, end: 0 };
    pending.append(&message.input()[..end]);
    let mut mac = first_group(token, state, aad, message.upto(end));
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        // A group has time for more blocks than its own: it also adds some of the first group.
        pending.append(&message.input()[end..next]);
        let group = &mut message.upto(next)[end..];
        pending.start += authenticate_and_xor(token, state, &mut mac, pending.rest(), message_block(end), group);
        end = next;
    }
    let result = verify(&finish(token, mac, pending.rest(), &lengths(aad.len(), length)), tag);
    mac.wipe();
    if result.is_err() {
        undo_decryption(level, state, &mut message);
    }
    result
}

/// Combines the start of the message with the key stream. Returns the authenticator of the
/// associated data.
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
fn finish<S: Simd>(token: S, mac: Short, rest: &[u8], lengths: &[u8; 16]) -> Tag {
    finish_mac(poly1305::padded_end(token, mac, rest), &[], lengths)
}

/// A copy of ciphertext that was decrypted, but not authenticated: at most [`FIRST_BYTES`], and the
/// next group. The first group leaves that many bytes, and each whole group after it authenticates
/// at least as many bytes as it brings.
struct PendingCiphertext {
    bytes: [u8; 2 * GROUP_BYTES],
    start: usize,
    end: usize,
}

impl PendingCiphertext {
    /// Adds up to a group.
    #[inline(always)]
    fn append(&mut self, group: &[u8]) {
        let rest = self.end - self.start;
        debug_assert!(rest <= FIRST_BYTES && group.len() <= GROUP_BYTES, "both fit");
        if rest > 0 && self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
        }
        (self.start, self.end) = (0, rest + group.len());
        let place = &mut self.bytes[rest..self.end];
        if let (Some(group), Some(place)) = (group.first_chunk(), place.first_chunk_mut::<GROUP_BYTES>()) {
            // Its length is a constant: the copy needs no call.
            *place = *group;
        } else {
            place.copy_from_slice(group);
        }
    }

    #[inline(always)]
    fn rest(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }
}

/// Authentication beside the cipher.
pub(super) enum Authenticate {}

impl Interleave for Authenticate {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn step(pending: &mut PendingPoly1305<'_>) {
        add_pending_block(pending);
    }
}

/// Combines `data`, up to a group, with the key stream from block `counter` on. At the same time,
/// adds as many blocks of `ciphertext` to the authenticator as there is time for: for a group, all
/// blocks of another. Returns their bytes. All callers share one copy of this function.
pub(super) fn authenticate_and_xor<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Short,
    ciphertext: &[u8],
    counter: u32,
    data: &mut [u8],
) -> usize {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let mut pending = mac.pending(ciphertext);
            let blocks = pending.blocks.len();
            kernel::xor_interleaved::<S, Authenticate>(token, state, counter, &mut pending, data);
            mac.continue_after(&pending);
            (blocks - pending.blocks.len()) * poly1305::BLOCK_BYTES
        },
    )
}
