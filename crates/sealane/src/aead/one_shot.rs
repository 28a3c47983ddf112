//! Whole messages.
//!
//! One key stream call makes the one-time key (block 0) and the blocks of the message's head: a short message needs no
//! other. The rest goes through two passes, cipher and authenticator, in pieces that stay in the first-level cache.

use sealane_simd::{Output, Simd};

use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, State, xor_bytes};
use crate::poly1305::{self, Accumulator, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// Bytes of key stream made before all else: block 0 and 7 blocks for the message.
const FIRST_BYTES: usize = 8 * BLOCK_BYTES;
/// Bytes of the message that they are for.
const HEAD_BYTES: usize = FIRST_BYTES - BLOCK_BYTES;
/// Bytes that each pass works on before the other.
const PIECE_BYTES: usize = 8192;

/// A message that is read and written piece by piece.
pub(super) trait Pieces {
    /// The message as it is before the work.
    fn input(&self) -> &[u8];
    /// Hands out the input's pieces, the first of up to `HEAD_BYTES`, all others of up to `PIECE_BYTES`, where the result
    /// belongs.
    fn for_each(self, visit: impl FnMut(usize, &mut [u8]));
}

/// A message that is overwritten by the result.
pub(super) struct InPlace<'a>(pub(super) &'a mut [u8]);

impl Pieces for InPlace<'_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.0
    }

    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(usize, &mut [u8])) {
        let (head, rest) = self.0.split_at_mut(self.0.len().min(HEAD_BYTES));
        visit(0, head);
        let mut offset = HEAD_BYTES;
        for piece in rest.chunks_mut(PIECE_BYTES) {
            visit(offset, piece);
            offset += PIECE_BYTES;
        }
    }
}

/// A message whose result goes elsewhere.
pub(super) struct Copied<'a, 'o> {
    pub(super) input: &'a [u8],
    pub(super) output: &'a mut Output<'o>,
}

impl Pieces for Copied<'_, '_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.input
    }

    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(usize, &mut [u8])) {
        let (head, rest) = self.input.split_at(self.input.len().min(HEAD_BYTES));
        visit(0, self.output.append(head));
        let mut offset = HEAD_BYTES;
        for piece in rest.chunks(PIECE_BYTES) {
            visit(offset, self.output.append(piece));
            offset += PIECE_BYTES;
        }
    }
}

/// Encrypts; returns the tag.
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], message: impl Pieces) -> Tag {
    let length = message.input().len();
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, length, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    message.for_each(
        #[inline(always)]
        |offset, piece| {
            apply(token, state, &first, offset, piece);
            poly1305::padded(token, &mut mac, piece);
        },
    );
    wipe(&mut first);
    finish(&mut mac, aad.len(), length)
}

/// Decrypts if the tag is right; else does nothing.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Pieces,
) -> Result<(), OpenError> {
    let length = message.input().len();
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, length, &mut first);
    let mut mac = Accumulator::new(one_time_key(&first));
    poly1305::padded(token, &mut mac, aad);
    poly1305::padded(token, &mut mac, message.input());
    let result = tags_equal(&finish(&mut mac, aad.len(), length), tag);
    if result.is_ok() {
        message.for_each(
            #[inline(always)]
            |offset, piece| apply(token, state, &first, offset, piece),
        );
    }
    wipe(&mut first);
    result
}

/// Fills the start of the key stream: as many blocks as a message of that length needs, up to [`FIRST_BYTES`].
#[inline(always)]
fn first_key_stream<S: Simd>(token: S, state: &State, length: usize, first: &mut [u8; FIRST_BYTES]) {
    let needed = BLOCK_BYTES + length.min(HEAD_BYTES).next_multiple_of(BLOCK_BYTES);
    kernel::apply::<_, 20, false>(token, state, 0, &mut first[..needed]);
}

/// RFC 8439, section 2.6.
#[inline(always)]
fn one_time_key(first: &[u8; FIRST_BYTES]) -> &[u8; 32] {
    first.first_chunk().expect("half of block 0")
}

/// Exclusive or of a piece with its key stream.
#[inline(always)]
fn apply<S: Simd>(token: S, state: &State, first: &[u8; FIRST_BYTES], offset: usize, piece: &mut [u8]) {
    if offset == 0 {
        xor_bytes(piece, &first[BLOCK_BYTES..]);
    } else {
        kernel::apply::<_, 20, false>(token, state, (1 + offset / BLOCK_BYTES) as u64, piece);
    }
}

/// Adds the lengths (RFC 8439, section 2.8) and returns the tag.
#[inline(always)]
fn finish(mac: &mut Accumulator, aad_bytes: usize, message_bytes: usize) -> Tag {
    let lengths = u128::from(aad_bytes as u64) | (u128::from(message_bytes as u64) << 64);
    mac.block(&lengths.to_le_bytes());
    mac.tag()
}
