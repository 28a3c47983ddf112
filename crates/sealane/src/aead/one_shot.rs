//! Whole messages.
//!
//! One key stream call makes the one-time key (block 0) and the blocks of the message's head: a short message needs no
//! other. The rest goes through two passes, cipher and authenticator, in pieces that stay in the first-level cache, or, where
//! that is faster, through both at once, group by group.

use sealane_simd::{Horner, Output, Simd};

use super::short::{self, lengths, one_time_key};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, Beside, State, xor_bytes};
use crate::poly1305::{self, Accumulator, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// Bytes of key stream made before all else: block 0 and 7 blocks for the message's head.
const FIRST_BYTES: usize = 8 * BLOCK_BYTES;
/// As many for messages that are longer and still all head, where the vectors are wide enough for that.
const MANY_FIRST_BYTES: usize = 24 * BLOCK_BYTES;
/// Length of a message from which two passes are faster than authentication beside the cipher, as measured on Zen 3: a
/// vector of blocks takes fewer instructions than as many blocks on 64-bit integers.
const TWO_PASS_BYTES: usize = 12288;
/// Bytes that each pass works on before the other, where the passes are not one.
const PIECE_BYTES: usize = 16384;

/// A message and the place of the result, which may be one.
pub(crate) trait Message {
    /// The message; in place, only what was not asked for in [`Message::upto`] is still as it was before the work.
    fn input(&self) -> &[u8];
    /// The first `end` bytes of the result: what was not asked for before is still input.
    fn upto(&mut self, end: usize) -> &mut [u8];
    /// What is done with the whole result when the message turns out to be a forgery. `restore` makes it input again.
    fn take_back(&mut self, restore: impl FnOnce(&mut [u8]));
}

/// A message that is overwritten by the result.
pub(crate) struct InPlace<'a>(pub(crate) &'a mut [u8]);

impl Message for InPlace<'_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.0
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        &mut self.0[..end]
    }

    #[inline(always)]
    fn take_back(&mut self, restore: impl FnOnce(&mut [u8])) {
        restore(self.0);
    }
}

/// A message whose result goes elsewhere.
pub(crate) struct Copied<'a, 'o> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut Output<'o>,
}

impl Message for Copied<'_, '_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.input
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        let filled = self.output.capacity() - self.output.remaining();
        if filled < end {
            self.output.append(&self.input[filled..end]);
        }
        &mut self.output.filled_mut()[..end]
    }

    #[inline(always)]
    fn take_back(&mut self, _: impl FnOnce(&mut [u8])) {
        wipe(self.output.filled_mut());
    }
}

/// Whether a message of that length is all head if [`MANY_FIRST_BYTES`] are made.
#[inline(always)]
fn wants_many<S: Simd>(length: usize) -> bool {
    kernel::last_bytes::<S>() >= MANY_FIRST_BYTES
        && (head_bytes(FIRST_BYTES) + 1..=head_bytes(MANY_FIRST_BYTES)).contains(&length)
}

/// Bytes of the message that the start of the key stream is for.
const fn head_bytes(first_bytes: usize) -> usize {
    first_bytes - BLOCK_BYTES
}

/// Encrypts; returns the tag.
#[inline(always)]
pub(crate) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], message: impl Message) -> Tag {
    let length = message.input().len();
    if short::takes::<S>(aad, length) {
        short::seal(token, state, aad, message)
    } else if wants_many::<S>(length) {
        seal_with::<S, MANY_FIRST_BYTES>(token, state, aad, message)
    } else {
        seal_with::<S, FIRST_BYTES>(token, state, aad, message)
    }
}

#[inline(always)]
fn seal_with<S: Simd, const FIRST: usize>(token: S, state: &State, aad: &[u8], mut message: impl Message) -> Tag {
    let length = message.input().len();
    let head = length.min(head_bytes(FIRST));
    let mut first = [0; FIRST];
    first_key_stream(token, state, length, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    wipe(&mut first);
    if S::SCALAR_BESIDE && length < TWO_PASS_BYTES {
        // While a group is encrypted, the one before it is authenticated.
        let (mut start, mut end) = (0, head);
        while end < length {
            let next = length.min(end + kernel::group_bytes::<S>());
            let (before, group) = message.upto(next)[start..].split_at_mut(end - start);
            kernel::group::<_, _, 20, false>(token, state, counter(end), group, Authenticate(token, &mut mac, before));
            (start, end) = (end, next);
        }
        poly1305::padded(token, &mut mac, &message.upto(end)[start..]);
    } else {
        poly1305::padded(token, &mut mac, message.upto(head));
        let mut table = None;
        for start in (head..length).step_by(PIECE_BYTES) {
            let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
            kernel::apply::<_, 20, false>(token, state, counter(start), piece);
            poly1305::padded_piece(token, &mut mac, &mut table, piece);
        }
    }
    finish(&mut mac, aad.len(), length)
}

/// Decrypts if the tag is right; else leaves the message as it was.
///
/// A message that is longer than its head is decrypted piece by piece while it is authenticated, and encrypted again if it
/// turns out to be a forgery.
#[inline(always)]
pub(crate) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Message,
) -> Result<(), OpenError> {
    let length = message.input().len();
    if short::takes::<S>(aad, length) {
        short::open(token, state, aad, tag, message)
    } else if wants_many::<S>(length) {
        open_with::<S, MANY_FIRST_BYTES>(token, state, aad, tag, message)
    } else {
        open_with::<S, FIRST_BYTES>(token, state, aad, tag, message)
    }
}

#[inline(always)]
fn open_with<S: Simd, const FIRST: usize>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Message,
) -> Result<(), OpenError> {
    let length = message.input().len();
    // `first`, from `ready_from` on, has the key stream of the bytes from `start` to `end`; those before have been decrypted.
    let (mut start, mut end) = (0, length.min(head_bytes(FIRST)));
    let mut first = [0; FIRST];
    first_key_stream(token, state, length, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    let mut ready_from = BLOCK_BYTES;
    const { assert!(!S::SCALAR_BESIDE || kernel::group_bytes::<S>() <= FIRST_BYTES, "a group fits into each buffer") };
    if S::SCALAR_BESIDE && length < TWO_PASS_BYTES {
        if end < length {
            // While a group is authenticated, the key stream of the next is made.
            let mut other = [0; FIRST_BYTES];
            let (mut ready, mut spare) = (&mut first[..], &mut other[..]);
            let mut ready_is_other = false;
            while end < length {
                let next = length.min(end + kernel::group_bytes::<S>());
                let group = &mut message.upto(end)[start..];
                let key_stream = &mut spare[..(next - end).next_multiple_of(kernel::set_bytes::<S>())];
                key_stream.fill(0);
                let authenticate = Authenticate(token, &mut mac, group);
                kernel::group::<_, _, 20, false>(token, state, counter(end), key_stream, authenticate);
                xor_bytes(group, &ready[ready_from..]);
                core::mem::swap(&mut ready, &mut spare);
                ready_is_other = !ready_is_other;
                (start, end, ready_from) = (end, next, 0);
            }
            if ready_is_other {
                first[..FIRST_BYTES].copy_from_slice(&other);
            }
            wipe(&mut other);
        }
        poly1305::padded(token, &mut mac, &message.input()[start..end]);
    } else {
        poly1305::padded(token, &mut mac, &message.input()[..end]);
        if length > end {
            xor_bytes(message.upto(end), &first[ready_from..]);
            let mut table = None;
            for start in (end..length).step_by(PIECE_BYTES) {
                let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
                poly1305::padded_piece(token, &mut mac, &mut table, piece);
                kernel::apply::<_, 20, false>(token, state, counter(start), piece);
            }
            (start, end) = (length, length);
        }
    }
    let result = tags_equal(&finish(&mut mac, aad.len(), length), tag);
    if result.is_ok() {
        xor_bytes(&mut message.upto(end)[start..], &first[ready_from..]);
    } else if start > 0 {
        message.take_back(
            #[inline(always)]
            |message| kernel::apply::<_, 20, false>(token, state, counter(0), &mut message[..start]),
        );
    }
    wipe(&mut first);
    result
}

/// Authentication of ciphertext beside the cipher.
struct Authenticate<'a, S>(S, &'a mut Accumulator, &'a [u8]);

impl<S: Simd> Beside for Authenticate<'_, S> {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn start(&self) -> Horner<'_> {
        self.1.horner(self.2)
    }

    #[inline(always)]
    fn step(horner: &mut Horner<'_>) {
        poly1305::horner_step(horner);
    }

    #[inline(always)]
    fn finish(self, h: [u64; 3], taken: usize) {
        self.1.finish_horner(self.0, h, taken, self.2);
    }
}

/// The block of key stream for the byte of the message at `offset`, a multiple of 64.
#[inline(always)]
fn counter(offset: usize) -> u64 {
    (1 + offset / BLOCK_BYTES) as u64
}

/// Fills the start of the key stream: as many blocks as a message of that length needs, and what comes with them at no cost.
#[inline(always)]
fn first_key_stream<S: Simd, const FIRST: usize>(token: S, state: &State, length: usize, first: &mut [u8; FIRST]) {
    let needed = (BLOCK_BYTES + length.min(head_bytes(FIRST))).next_multiple_of(kernel::set_bytes::<S>()).min(FIRST);
    kernel::apply::<_, 20, false>(token, state, 0, &mut first[..needed]);
}

/// Adds the lengths (RFC 8439, section 2.8) and returns the tag.
#[inline(always)]
fn finish(mac: &mut Accumulator, aad_bytes: usize, message_bytes: usize) -> Tag {
    mac.block(&lengths(aad_bytes, message_bytes));
    mac.tag()
}
