//! Messages of middle length on CPUs that do vector and scalar work side by side. While the key
//! stream of a group of blocks is computed, the group before it is authenticated.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{PendingPoly1305, Simd, Words};

use super::construction::{KEY_BLOCK, ROUNDS, begin_mac, finish_mac, lengths, message_block, verify};
use super::head::encrypt_head;
use super::payload::Payload;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel;
use crate::chacha20::rows::{self, Interleave, KeyStreamConsumer, Rows, xor_rows};
use crate::chacha20::state::{State, xor_bytes};
use crate::error::OpenError;
use crate::poly1305::Tag;
use crate::poly1305::{Short, add_pending_block};
use crate::wipe::wipe;

/// The key stream of a group, which opening keeps.
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
    let head = SealHead(message.upto(end));
    let mut mac = kernel::rows::<S, _, ROUNDS>(token, state, KEY_BLOCK, GROUP_BYTES, head).padded(aad);
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let (before, group) = message.upto(next)[start..].split_at_mut(end - start);
        let work = Seal { mac, before, group };
        mac = kernel::rows::<S, _, ROUNDS>(token, state, message_block(end), next - end, work);
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
    // From `ready_from` on, holds the key stream of the bytes from `start` to `end`. The bytes
    // before are decrypted.
    let mut ready = [0; GROUP_BYTES];
    let mut ready_from = BLOCK_BYTES;
    kernel::rows::<S, _, ROUNDS>(token, state, KEY_BLOCK, GROUP_BYTES, Keep(&mut ready));
    let mut mac = begin_mac(&ready, aad);
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let work = Open { mac, before: &mut message.upto(end)[start..], ready: &mut ready, ready_from };
        mac = kernel::rows::<S, _, ROUNDS>(token, state, message_block(end), next - end, work);
        (start, end, ready_from) = (end, next, 0);
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
    wipe(&mut ready);
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

struct SealHead<'a>(&'a mut [u8]);

impl KeyStreamConsumer for SealHead<'_> {
    type Output = Short;
    type Interleave = ();

    #[inline(always)]
    fn consume<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Short {
        encrypt_head(&rows, self.0)
    }
}

/// Encrypts `group` while `before` is authenticated.
struct Seal<'a> {
    mac: Short,
    before: &'a [u8],
    group: &'a mut [u8],
}

impl KeyStreamConsumer for Seal<'_> {
    type Output = Short;
    type Interleave = Authenticate;

    #[inline(always)]
    fn pending(&self) -> PendingPoly1305<'_> {
        self.mac.pending(self.before)
    }

    #[inline(always)]
    fn consume<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], h: [u64; 3], taken: usize) -> Short {
        xor_rows(&rows, self.group);
        self.mac.after_pending(h, taken, self.before)
    }
}

/// Decrypts `before` once it is authenticated, and computes the key stream of the next group.
struct Open<'a> {
    mac: Short,
    before: &'a mut [u8],
    ready: &'a mut [u8; GROUP_BYTES],
    ready_from: usize,
}

impl KeyStreamConsumer for Open<'_> {
    type Output = Short;
    type Interleave = Authenticate;

    #[inline(always)]
    fn pending(&self) -> PendingPoly1305<'_> {
        self.mac.pending(self.before)
    }

    #[inline(always)]
    fn consume<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], h: [u64; 3], taken: usize) -> Short {
        let mac = self.mac.after_pending(h, taken, self.before);
        xor_bytes(self.before, &self.ready[self.ready_from..]);
        Keep(self.ready).consume(rows, h, taken);
        mac
    }
}

/// Only the key stream.
struct Keep<'a>(&'a mut [u8; GROUP_BYTES]);

impl KeyStreamConsumer for Keep<'_> {
    type Output = ();
    type Interleave = ();

    #[inline(always)]
    fn consume<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) {
        for (&Rows(a, b, c, d), set) in rows.iter().zip(self.0.chunks_exact_mut(W::ROWS * BLOCK_BYTES)) {
            set.fill(0);
            W::xor_rows(a, b, c, d, set);
        }
    }
}
