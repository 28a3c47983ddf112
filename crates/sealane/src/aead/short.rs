//! Messages whose whole key stream, block 0 included, is made in one call. It stays in registers until it meets the message,
//! and so does the authenticator.

use sealane_simd::{CpuClass, Simd, Words};

use super::one_shot::Message;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, Rows, State, UseRows, xor_bytes, xor_rows};
use crate::poly1305::{self, Short, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// The longest associated data, in bytes, that are taken block by block.
pub(super) const MAX_AAD_BYTES: usize = 512;

/// Whether [`seal`] and [`open`] take such a message.
#[inline(always)]
pub(super) fn takes<S: Simd>(token: S, aad: &[u8], length: usize) -> bool {
    S::VECTORS && aad.len() <= MAX_AAD_BYTES && length <= max_bytes(token)
}

#[inline(always)]
fn max_bytes<S: Simd>(token: S) -> usize {
    if S::MUL_ADD_52 && S::Words::VERTICAL_SETS == 2 {
        // Two sets beside block 0 on integers, or a group with it.
        let beside = kernel::has_free_integer_units(token);
        return if beside { 2 * kernel::set_bytes::<S>() } else { kernel::group_bytes::<S>() - BLOCK_BYTES };
    }
    // Six sets, where a group has four. From there on, vectors authenticate faster.
    const {
        (if kernel::group_bytes::<S>() == 1024 {
            1536
        } else {
            max(kernel::group_bytes::<S>(), kernel::last_bytes::<S>())
        }) - BLOCK_BYTES
    }
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// As [`super::one_shot::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Message) -> Tag {
    let message = message.upto(message.input().len());
    let bytes = BLOCK_BYTES + message.len();
    if S::MUL_ADD_52 && kernel::has_free_integer_units(token) {
        return if message.len() <= kernel::set_bytes::<S>() {
            seal_beside_block_0::<S, 1>(token, state, aad, message)
        } else {
            // In a function of its own: the shortest message would wait for what the largest frame
            // costs.
            token.enter_apart(
                #[inline(always)]
                |token| seal_beside_block_0::<S, 2>(token, state, aad, message),
            )
        };
    }
    kernel::rows::<S, _, 20, false>(token, state, 0, bytes, Seal { token, aad, message })
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
    if S::MUL_ADD_52 && kernel::has_free_integer_units(token) {
        return if message.input().len() <= kernel::set_bytes::<S>() {
            open_beside_block_0::<S, 1>(token, state, aad, tag, message)
        } else {
            token.enter_apart(
                #[inline(always)]
                |token| open_beside_block_0::<S, 2>(token, state, aad, tag, message),
            )
        };
    }
    kernel::rows::<S, _, 20, false>(token, state, 0, bytes, Open { token, aad, tag, message })
}

/// As [`seal`], with the one-time key on integers, beside the key stream on vectors.
///
/// Like [`Short`], block 0 is a value in registers, not a place that could be wiped: to be one, it
/// would have to go into memory, which costs 25 to 100 cycles.
#[inline(always)]
fn seal_beside_block_0<S: Simd, const SETS: usize>(token: S, state: &State, aad: &[u8], message: &mut [u8]) -> Tag {
    let (block_0, rows) = kernel::block_and_sets::<S, SETS>(token, state);
    let mac = Short::from_words(&block_0).padded(aad);
    xor_rows(&rows, message);
    authenticate(token, mac, message, &lengths(aad.len(), message.len()))
}

/// As [`open`], with the one-time key on integers.
#[inline(always)]
fn open_beside_block_0<S: Simd, const SETS: usize>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Message,
) -> Result<(), OpenError> {
    let (block_0, rows) = kernel::block_and_sets::<S, SETS>(token, state);
    let input = message.input();
    let length = input.len();
    let mac = Short::from_words(&block_0).padded(aad);
    let result = tags_equal(&authenticate(token, mac, input, &lengths(aad.len(), length)), tag);
    if result.is_ok() {
        xor_rows(&rows, message.upto(length));
    }
    result
}

/// Length of a ciphertext from which vectors are faster than 64-bit integers, which have begun with
/// the associated data.
#[inline(always)]
fn min_vector_bytes<S: Simd>(token: S) -> usize {
    match token.cpu_class() {
        CpuClass::OneCycle => 256,
        CpuClass::TwoCycles => 177,
    }
}

/// The tag of a ciphertext, with the lengths behind it.
#[inline(always)]
fn authenticate<S: Simd>(token: S, mac: Short, ciphertext: &[u8], lengths: &[u8; 16]) -> Tag {
    if S::MUL_ADD_52 && ciphertext.len() >= min_vector_bytes(token) {
        return padded_and_lengths(token, mac, ciphertext, lengths);
    }
    mac.padded(ciphertext).block(lengths).tag()
}

/// One copy for all callers.
fn padded_and_lengths<S: Simd>(token: S, mac: Short, ciphertext: &[u8], lengths: &[u8; 16]) -> Tag {
    token.enter_apart(
        #[inline(always)]
        |token| poly1305::padded_and_lengths(token, mac, ciphertext, lengths).tag(),
    )
}

struct Seal<'a, S> {
    token: S,
    aad: &'a [u8],
    message: &'a mut [u8],
}

impl<S: Simd> UseRows for Seal<'_, S> {
    type Output = Tag;
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Tag {
        let (aad, message) = (self.aad, self.message);
        let mac = encrypt_head(&rows, message);
        authenticate(self.token, mac.padded(aad), message, &lengths(aad.len(), message.len()))
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

struct Open<'a, S, M> {
    token: S,
    aad: &'a [u8],
    tag: &'a Tag,
    message: M,
}

impl<S: Simd, M: Message> UseRows for Open<'_, S, M> {
    type Output = Result<(), OpenError>;
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(mut self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Self::Output {
        let (mut first, mut others) = in_memory(&rows);
        let input = self.message.input();
        let length = input.len();
        let mac = Short::new(one_time_key(first.as_ref())).padded(self.aad);
        let computed = authenticate(self.token, mac, input, &lengths(self.aad.len(), length));
        let result = tags_equal(&computed, self.tag);
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
