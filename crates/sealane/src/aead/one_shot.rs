//! Whole messages: short ones ([`short`]), those of middle length where a CPU is best at both halves of the work at once
//! ([`beside`]), and all others, here.
//!
//! One key stream call makes the one-time key (block 0) and the blocks of the message's head. The rest goes through two passes,
//! cipher and authenticator, in pieces that stay in the first-level cache.

use sealane_simd::{Output, Simd};

use super::short::{lengths, one_time_key};
use super::{beside, portions, short};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, State, xor_bytes};
use crate::poly1305::{self, Accumulator, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// Bytes of key stream made before all else: block 0 and 7 blocks for the message's head.
const FIRST_BYTES: usize = 8 * BLOCK_BYTES;
/// Bytes that each pass works on before the other.
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

/// Bytes of the message that the start of the key stream is for.
const HEAD_BYTES: usize = FIRST_BYTES - BLOCK_BYTES;

/// Encrypts; returns the tag.
#[inline(always)]
pub(crate) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Message) -> Tag {
    let length = message.input().len();
    if short::takes(token, aad, length) {
        return short::seal(token, state, aad, message);
    }
    if portions::takes::<S>(aad) {
        // Its frame is large: in a function of its own, short messages do not wait for that.
        return token.enter_apart(
            #[inline(always)]
            |token| portions::seal(token, state, aad, message),
        );
    }
    if beside::takes::<S>(aad, length) {
        return beside::seal(token, state, aad, message);
    }
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, head, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    wipe(&mut first);
    poly1305::padded(token, &mut mac, message.upto(head));
    let mut table = None;
    for start in (head..length).step_by(PIECE_BYTES) {
        let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
        kernel::apply::<_, 20, false>(token, state, counter(start), piece);
        poly1305::padded_piece(token, &mut mac, &mut table, piece);
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
    mut message: impl Message,
) -> Result<(), OpenError> {
    let length = message.input().len();
    if short::takes(token, aad, length) {
        return short::open(token, state, aad, tag, message);
    }
    if portions::takes::<S>(aad) {
        return token.enter_apart(
            #[inline(always)]
            |token| portions::open(token, state, aad, tag, message),
        );
    }
    if beside::takes::<S>(aad, length) {
        return beside::open(token, state, aad, tag, message);
    }
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, head, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    poly1305::padded(token, &mut mac, &message.input()[..head]);
    let is_longer = length > head;
    if is_longer {
        xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
        let mut table = None;
        for start in (head..length).step_by(PIECE_BYTES) {
            let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
            poly1305::padded_piece(token, &mut mac, &mut table, piece);
            kernel::apply::<_, 20, false>(token, state, counter(start), piece);
        }
    }
    let result = tags_equal(&finish(&mut mac, aad.len(), length), tag);
    if result.is_ok() && !is_longer {
        xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    } else if result.is_err() && is_longer {
        message.take_back(
            #[inline(always)]
            |message| kernel::apply::<_, 20, false>(token, state, counter(0), message),
        );
    }
    wipe(&mut first);
    result
}

/// The block of key stream for the byte of the message at `offset`, a multiple of 64.
#[inline(always)]
pub(super) fn counter(offset: usize) -> u64 {
    (1 + offset / BLOCK_BYTES) as u64
}

/// Fills the start of the key stream: block 0 and what so many bytes need, and what comes with them at no cost.
#[inline(always)]
fn first_key_stream<S: Simd>(token: S, state: &State, bytes: usize, first: &mut [u8; FIRST_BYTES]) {
    let needed = (BLOCK_BYTES + bytes).next_multiple_of(kernel::set_bytes::<S>()).min(FIRST_BYTES);
    kernel::apply::<_, 20, false>(token, state, 0, &mut first[..needed]);
}

/// Adds the lengths (RFC 8439, section 2.8) and returns the tag.
#[inline(always)]
fn finish(mac: &mut Accumulator, aad_bytes: usize, message_bytes: usize) -> Tag {
    mac.block(&lengths(aad_bytes, message_bytes));
    mac.tag()
}
