//! Messages whose whole key stream, block 0 included, is made in one call. It stays in registers until it meets the message,
//! and so does the authenticator.

use sealane_simd::{Simd, Words};

use super::one_shot::Message;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, Rows, State, UseRows, xor_bytes, xor_rows};
use crate::poly1305::{Short, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// The longest associated data, in bytes, that are taken block by block.
pub(super) const MAX_AAD_BYTES: usize = 512;

/// Whether [`seal`] and [`open`] take such a message.
#[inline(always)]
pub(super) fn takes<S: Simd>(aad: &[u8], length: usize) -> bool {
    S::VECTORS && aad.len() <= MAX_AAD_BYTES && length <= max_bytes::<S>()
}

const fn max_bytes<S: Simd>() -> usize {
    let (group, last) = (kernel::group_bytes::<S>(), kernel::last_bytes::<S>());
    (if group > last { group } else { last }) - BLOCK_BYTES
}

/// As [`super::one_shot::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Message) -> Tag {
    let message = message.upto(message.input().len());
    kernel::rows::<S, _, 20, false>(token, state, 0, BLOCK_BYTES + message.len(), Seal { aad, message })
}

/// As [`super::one_shot::open`].
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Message,
) -> Result<(), OpenError> {
    let bytes = BLOCK_BYTES + message.input().len();
    kernel::rows::<S, _, 20, false>(token, state, 0, bytes, Open { aad, tag, message })
}

struct Seal<'a> {
    aad: &'a [u8],
    message: &'a mut [u8],
}

impl UseRows for Seal<'_> {
    type Output = Tag;
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Tag {
        let (aad, message) = (self.aad, self.message);
        let mac = encrypt_head(&rows, message);
        mac.padded(aad).padded(message).block(&lengths(aad.len(), message.len())).tag()
    }
}

/// Exclusive or of the head of a message with the key stream from block 1 on; returns the authenticator that block 0 is for.
#[inline(always)]
pub(super) fn encrypt_head<W: Words, const SETS: usize>(rows: &[Rows<W>; SETS], head: &mut [u8]) -> Short {
    let (mut first, mut others) = in_memory(rows);
    let mac = Short::new(one_time_key(first.as_ref()));
    apply((&first, &others), rows, head);
    wipe_blocks::<W, SETS>(&mut first, &mut others);
    mac
}

struct Open<'a, M> {
    aad: &'a [u8],
    tag: &'a Tag,
    message: M,
}

impl<M: Message> UseRows for Open<'_, M> {
    type Output = Result<(), OpenError>;
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(mut self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Self::Output {
        let (mut first, mut others) = in_memory(&rows);
        let input = self.message.input();
        let length = input.len();
        let mac = Short::new(one_time_key(first.as_ref())).padded(self.aad).padded(input);
        let result = tags_equal(&mac.block(&lengths(self.aad.len(), length)).tag(), self.tag);
        if result.is_ok() {
            apply((&first, &others), &rows, self.message.upto(length));
        }
        wipe_blocks::<W, SETS>(&mut first, &mut others);
        result
    }
}

/// The first set of blocks, of which half a block is a key, in memory; and all others too, where the rows are as many as the CPU
/// has registers: the compiler would move some of the transposition behind each branch to come, and what it needs for that
/// through memory.
#[inline(always)]
fn in_memory<W: Words, const SETS: usize>(rows: &[Rows<W>; SETS]) -> (W::Blocks, [W::Blocks; SETS]) {
    let mut others = [W::ZERO_BLOCKS; SETS];
    if is_large::<SETS>() {
        for set in 1..SETS {
            others[set] = kernel::blocks(&rows[set]);
        }
    }
    (kernel::blocks(&rows[0]), others)
}

const fn is_large<const SETS: usize>() -> bool {
    SETS > 3
}

/// Exclusive or of the message with the key stream from block 1 on.
#[inline(always)]
fn apply<W: Words, const SETS: usize>(
    (first, others): (&W::Blocks, &[W::Blocks; SETS]),
    rows: &[Rows<W>; SETS],
    message: &mut [u8],
) {
    let first = &first.as_ref()[BLOCK_BYTES..];
    let (head, mut rest) = message.split_at_mut(message.len().min(first.len()));
    xor_bytes(head, first);
    if is_large::<SETS>() {
        for set in &others[1..] {
            let (head, after) = rest.split_at_mut(rest.len().min(W::ROWS * BLOCK_BYTES));
            xor_bytes(head, set.as_ref());
            rest = after;
        }
    } else {
        xor_rows(&rows[1..], rest);
    }
}

#[inline(always)]
fn wipe_blocks<W: Words, const SETS: usize>(first: &mut W::Blocks, others: &mut [W::Blocks; SETS]) {
    wipe(first.as_mut());
    if is_large::<SETS>() {
        for set in &mut others[1..] {
            wipe(set.as_mut());
        }
    }
}

/// RFC 8439, section 2.6.
#[inline(always)]
pub(super) fn one_time_key(key_stream: &[u8]) -> &[u8; 32] {
    key_stream.first_chunk().expect("half of block 0")
}

/// The last block that is authenticated: the lengths of the associated data and of the message (RFC 8439, section 2.8).
#[inline(always)]
pub(super) fn lengths(aad_bytes: usize, message_bytes: usize) -> [u8; 16] {
    (u128::from(aad_bytes as u64) | (u128::from(message_bytes as u64) << 64)).to_le_bytes()
}
