//! Whole messages.
//!
//! One key stream call makes the one-time key (block 0) and the blocks of the message's head: a short message needs no
//! other. The rest goes through two passes, cipher and authenticator, in pieces that stay in the first-level cache.

use sealane_simd::{Horner, Output, Simd};

use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, Beside, State, xor_bytes};
use crate::poly1305::{self, Accumulator, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// Bytes of key stream made before all else: block 0 and 7 blocks for the message.
const FIRST_BYTES: usize = 8 * BLOCK_BYTES;
/// Bytes of the message that they are for.
const HEAD_BYTES: usize = FIRST_BYTES - BLOCK_BYTES;
/// Length of a message from which two passes are faster than authentication beside the cipher, as measured on Zen 3: a
/// vector of blocks takes fewer instructions than as many blocks on 64-bit integers.
const TWO_PASS_BYTES: usize = 12288;
/// Bytes that each pass works on before the other, where the passes are not one.
const PIECE_BYTES: usize = 16384;

/// A message and the place of the result, which may be one.
pub(crate) trait Message {
    /// The message as it is before the work.
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

/// Encrypts; returns the tag.
#[inline(always)]
pub(crate) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Message) -> Tag {
    let length = message.input().len();
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
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
            let authenticate = Authenticate { token, mac: &mut mac, other: Some(before) };
            kernel::group::<_, _, 20, false>(token, state, counter(end), group, authenticate);
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
    mut message: impl Message,
) -> Result<(), OpenError> {
    let length = message.input().len();
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, length, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    poly1305::padded(token, &mut mac, &message.input()[..head]);
    if S::SCALAR_BESIDE && length < TWO_PASS_BYTES {
        for start in (head..length).step_by(kernel::group_bytes::<S>()) {
            let group = &mut message.upto(length.min(start + kernel::group_bytes::<S>()))[start..];
            let authenticate = Authenticate { token, mac: &mut mac, other: None };
            kernel::group::<_, _, 20, false>(token, state, counter(start), group, authenticate);
        }
    } else {
        let mut table = None;
        for start in (head..length).step_by(PIECE_BYTES) {
            let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
            poly1305::padded_piece(token, &mut mac, &mut table, piece);
            kernel::apply::<_, 20, false>(token, state, counter(start), piece);
        }
    }
    let result = tags_equal(&finish(&mut mac, aad.len(), length), tag);
    if result.is_ok() {
        xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    } else if length > head {
        message.take_back(
            #[inline(always)]
            |message| kernel::apply::<_, 20, false>(token, state, counter(head), &mut message[head..]),
        );
    }
    wipe(&mut first);
    result
}

/// Authentication of ciphertext beside the cipher.
struct Authenticate<'a, S> {
    token: S,
    mac: &'a mut Accumulator,
    /// The ciphertext, if it is not what the cipher works on.
    other: Option<&'a [u8]>,
}

impl<S: Simd> Beside for Authenticate<'_, S> {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn start<'a>(&'a self, input: &'a [u8]) -> Horner<'a> {
        self.mac.horner(self.other.unwrap_or(input))
    }

    #[inline(always)]
    fn step(horner: &mut Horner<'_>) {
        poly1305::horner_step(horner);
    }

    #[inline(always)]
    fn finish(self, h: [u64; 3], taken: usize, input: &[u8]) {
        self.mac.finish_horner(self.token, h, taken, self.other.unwrap_or(input));
    }
}

/// The block of key stream for the byte of the message at `offset`, a multiple of 64.
#[inline(always)]
fn counter(offset: usize) -> u64 {
    (1 + offset / BLOCK_BYTES) as u64
}

/// Fills the start of the key stream: as many blocks as a message of that length needs, and what comes
/// with them at no cost, up to [`FIRST_BYTES`].
#[inline(always)]
fn first_key_stream<S: Simd>(token: S, state: &State, length: usize, first: &mut [u8; FIRST_BYTES]) {
    let needed = (BLOCK_BYTES + length.min(HEAD_BYTES)).next_multiple_of(kernel::set_bytes::<S>()).min(FIRST_BYTES);
    kernel::apply::<_, 20, false>(token, state, 0, &mut first[..needed]);
}

/// RFC 8439, section 2.6.
#[inline(always)]
fn one_time_key(first: &[u8; FIRST_BYTES]) -> &[u8; 32] {
    first.first_chunk().expect("half of block 0")
}

/// Adds the lengths (RFC 8439, section 2.8) and returns the tag.
#[inline(always)]
fn finish(mac: &mut Accumulator, aad_bytes: usize, message_bytes: usize) -> Tag {
    let lengths = u128::from(aad_bytes as u64) | (u128::from(message_bytes as u64) << 64);
    mac.block(&lengths.to_le_bytes());
    mac.tag()
}
