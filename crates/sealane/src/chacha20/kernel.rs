//! The ChaCha block function on vectors, in two layouts: [`horizontal`] for short inputs, [`vertical`] for long ones.
//!
//! Both end with rows in vectors, which [`Words::xor_rows`] combines with the data.

use sealane_simd::{CpuClass, Horner, Simd, Words};

use super::{BLOCK_BYTES, horizontal, portable, single, vertical};
use crate::wipe::wipe;

/// The input of the block function (RFC 8439, section 2.3): constants, key, block counter, nonce.
///
/// The counter word, or both of them in the layout with a 64-bit counter, are ignored: kernels are given the counter.
pub(crate) type State = [u32; 16];

/// Number of bytes that one call of [`group`] takes at most.
pub(crate) const fn group_bytes<S: Simd>() -> usize {
    if S::VECTORS { S::Words::LANES * BLOCK_BYTES } else { portable::GROUP_BYTES }
}

/// Number of bytes of key stream that are not made faster when fewer are wanted.
pub(crate) const fn set_bytes<S: Simd>() -> usize {
    S::Words::ROWS * BLOCK_BYTES
}

/// Exclusive or of `data` with the key stream from block `counter` on, with the features of `token`.
///
/// `WIDE` says that the counter has 64 bits (words 12 and 13) instead of 32 (word 12). The caller has checked that the
/// counter does not overflow before `data` ends.
pub(crate) fn apply<S: Simd, const ROUNDS: usize, const WIDE: bool>(
    token: S,
    state: &State,
    counter: u64,
    data: &mut [u8],
) {
    token.enter(
        #[inline(always)]
        |token| apply_inlined::<S, ROUNDS, WIDE>(token, state, counter, data),
    );
}

/// As [`apply`], in a function that has been compiled for the token.
#[inline(always)]
pub(crate) fn apply_inlined<S: Simd, const ROUNDS: usize, const WIDE: bool>(
    token: S,
    state: &State,
    mut counter: u64,
    data: &mut [u8],
) {
    let mut rest = vertical::xor_groups::<S, ROUNDS, WIDE>(token, state, &mut counter, data);
    while !rest.is_empty() {
        let piece_bytes = rest.len().min(group_bytes::<S>());
        let piece_bytes = if is_last(token, rest.len()) { rest.len() } else { piece_bytes };
        let (piece, after) = rest.split_at_mut(piece_bytes);
        group::<S, ROUNDS, WIDE>(token, state, counter, piece);
        counter = counter.wrapping_add((group_bytes::<S>() / BLOCK_BYTES) as u64);
        rest = after;
    }
}

/// Whether so many bytes are best made at once, although they are more than [`group_bytes`].
#[inline(always)]
pub(super) fn is_last<S: Simd>(token: S, bytes: usize) -> bool {
    // Where one group fills the vector units, it is followed by what is left; where it does not,
    // more sets fill them better.
    let pays = S::Words::VERTICAL_SETS == 1 || token.cpu_class() == CpuClass::TwoCycles;
    bytes > group_bytes::<S>() && bytes <= last_bytes::<S>() && pays
}

/// The most bytes for which that may be so.
pub(crate) const fn last_bytes<S: Simd>() -> usize {
    S::Words::LAST_HORIZONTAL_SETS * set_bytes::<S>()
}

/// Work of Poly1305 that other units of the CPU than those for vectors do while a key stream is made.
pub(crate) trait Beside {
    /// Whether there is any.
    const ACTIVE: bool = false;
    /// One block of it, if any are left.
    #[inline(always)]
    fn step(_: &mut Horner<'_>) {}
}

/// No such work.
impl Beside for () {}

/// No blocks.
pub(crate) fn nothing<'a>() -> Horner<'a> {
    Horner { h: [0; 3], r: [0; 3], blocks: &[] }
}

/// What becomes of a key stream in rows.
pub(crate) trait UseRows {
    /// What comes of that.
    type Output;
    /// The kind of work that is done while the key stream is made.
    type Beside: Beside;
    /// That work.
    #[inline(always)]
    fn beside(&self) -> Horner<'_> {
        nothing()
    }
    /// Takes `SETS` sets of rows. Of the work beside, `taken` blocks are done, with accumulator `h`.
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], h: [u64; 3], taken: usize) -> Self::Output;
}

/// Exclusive or with data.
struct Xor<'a>(&'a mut [u8]);

impl UseRows for Xor<'_> {
    type Output = ();
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) {
        xor_rows(&rows, self.0);
    }
}

/// As [`apply`], for up to [`group_bytes`], or bytes that [`is_last`] takes, but not none.
#[inline(always)]
fn group<S: Simd, const ROUNDS: usize, const WIDE: bool>(token: S, state: &State, counter: u64, data: &mut [u8]) {
    if S::VECTORS {
        let bytes = data.len();
        if bytes <= BLOCK_BYTES + set_bytes::<S>() && has_free_integer_units(token) {
            if bytes <= BLOCK_BYTES {
                return single::xor::<ROUNDS, WIDE>(state, counter, data);
            }
            let (first, rows) = horizontal::block_and_sets::<S, ROUNDS, WIDE, 1>(token, state, counter);
            let (head, rest) = data.split_at_mut(BLOCK_BYTES);
            single::xor_words(&first, head);
            xor_rows(&rows, rest);
        } else if const { <S::OneBlock as Simd>::Words::ROWS < S::Words::ROWS } && bytes <= BLOCK_BYTES {
            rows::<S::OneBlock, _, ROUNDS, WIDE>(token.for_one_block(), state, counter, bytes, Xor(data));
        } else {
            rows::<S, _, ROUNDS, WIDE>(token, state, counter, bytes, Xor(data));
        }
    } else {
        portable::apply::<ROUNDS, WIDE>(state, counter, data);
    }
}

/// Whether a block on integers takes less time than on vectors, and next to none beside vectors.
#[inline(always)]
pub(crate) fn has_free_integer_units<S: Simd>(token: S) -> bool {
    S::Words::VERTICAL_SETS == 2 && token.cpu_class() == CpuClass::TwoCycles
}

/// Block 0 of ChaCha20 on integers, and beside it the rows of the `SETS` sets that follow.
#[inline(always)]
pub(crate) fn block_and_sets<S: Simd, const SETS: usize>(token: S, state: &State) -> (State, [Rows<S::Words>; SETS]) {
    horizontal::block_and_sets::<S, 20, false, SETS>(token, state, 0)
}

/// The key stream for so many bytes, which [`group`] would take, in rows: in the layout that makes it fastest.
#[inline(always)]
pub(crate) fn rows<S: Simd, U: UseRows, const ROUNDS: usize, const WIDE: bool>(
    token: S,
    state: &State,
    counter: u64,
    bytes: usize,
    then: U,
) -> U::Output {
    macro_rules! rows {
        ($key_stream:expr) => {{
            let mut horner = then.beside();
            let blocks = horner.blocks.len();
            let rows = $key_stream(token, state, counter, &mut horner);
            let (h, taken) = (horner.h, blocks - horner.blocks.len());
            then.with(rows, h, taken)
        }};
    }
    // With work beside it, the vertical layout takes little longer and does more of that work than three sets.
    let horizontal_sets = if U::Beside::ACTIVE { 2 } else { S::Words::HORIZONTAL_SETS };
    match bytes.div_ceil(set_bytes::<S>()) {
        // Only for the instruction sets that want as many.
        5 if const { S::Words::LAST_HORIZONTAL_SETS >= 5 } => {
            rows!(horizontal::key_stream::<S, U::Beside, ROUNDS, WIDE, 5>)
        }
        6 if const { S::Words::LAST_HORIZONTAL_SETS >= 6 } => {
            rows!(horizontal::key_stream::<S, U::Beside, ROUNDS, WIDE, 6>)
        }
        7 if const { S::Words::LAST_HORIZONTAL_SETS >= 7 } => {
            rows!(horizontal::key_stream::<S, U::Beside, ROUNDS, WIDE, 7>)
        }
        sets if sets > horizontal_sets => rows!(vertical::key_stream::<S, ROUNDS, WIDE>),
        0 | 1 => rows!(horizontal::key_stream::<S, U::Beside, ROUNDS, WIDE, 1>),
        2 => rows!(horizontal::key_stream::<S, U::Beside, ROUNDS, WIDE, 2>),
        _ => rows!(horizontal::key_stream::<S, U::Beside, ROUNDS, WIDE, 3>),
    }
}

/// The first [`set_bytes`] of as many key streams of ChaCha20, in the layout of RFC 8439, as there are states: three fill the
/// units of a CPU that one leaves waiting.
#[inline(always)]
pub(crate) fn first_sets<S: Simd, const SETS: usize>(token: S, states: &[State; SETS]) -> [Rows<S::Words>; SETS] {
    horizontal::first_sets::<S, 20, SETS>(token, states)
}

/// The rows of as many blocks as a vector has rows: first rows, second rows and so on.
#[derive(Clone, Copy)]
pub(crate) struct Rows<W>(pub(crate) W, pub(crate) W, pub(crate) W, pub(crate) W);

/// The blocks of a set.
#[inline(always)]
pub(crate) fn blocks<W: Words>(&Rows(a, b, c, d): &Rows<W>) -> W::Blocks {
    let mut blocks = W::ZERO_BLOCKS;
    W::xor_rows(a, b, c, d, blocks.as_mut());
    blocks
}

/// Exclusive or of `data` with the key stream in `rows`, which may be longer.
#[inline(always)]
pub(crate) fn xor_rows<W: Words>(rows: &[Rows<W>], data: &mut [u8]) {
    let set_bytes = W::ROWS * BLOCK_BYTES;
    if data.len() == rows.len() * set_bytes {
        // Without a branch between the sets: the compiler would move half of each transposition behind it, and spill.
        for (&Rows(a, b, c, d), set) in rows.iter().zip(data.chunks_exact_mut(set_bytes)) {
            W::xor_rows(a, b, c, d, set);
        }
        return;
    }
    let mut rest = data;
    for rows @ &Rows(a, b, c, d) in rows {
        if rest.is_empty() {
            return;
        }
        if rest.len() >= set_bytes {
            let (set, after) = rest.split_at_mut(set_bytes);
            W::xor_rows(a, b, c, d, set);
            rest = after;
        } else {
            let mut key_stream = blocks(rows);
            xor_bytes(rest, key_stream.as_ref());
            wipe(key_stream.as_mut());
            return;
        }
    }
}

/// The rounds alone, without the final addition: `state` becomes the permuted state (for HChaCha).
pub(crate) fn permute<S: Simd, const ROUNDS: usize>(token: S, state: &mut State) {
    token.enter(
        #[inline(always)]
        |token| horizontal::permute::<S, ROUNDS>(token, state),
    );
}

/// Exclusive or of `data` with the start of `key_stream`, which is at least as long.
#[inline(always)]
pub(crate) fn xor_bytes(data: &mut [u8], key_stream: &[u8]) {
    // In whole vectors, then one piece of each size: as one loop over bytes it would begin with a comparison of the addresses
    // and end with up to 31 turns.
    let key_stream = &key_stream[..data.len()];
    let (blocks, rest) = data.as_chunks_mut::<32>();
    let (keys, rest_keys) = key_stream.as_chunks::<32>();
    for (block, key) in blocks.iter_mut().zip(keys) {
        xor_array(block, key);
    }
    let (blocks, rest) = rest.as_chunks_mut::<16>();
    let (keys, rest_keys) = rest_keys.as_chunks::<16>();
    for (block, key) in blocks.iter_mut().zip(keys) {
        xor_array(block, key);
    }
    for (byte, key) in rest.iter_mut().zip(rest_keys) {
        *byte ^= key;
    }
}

#[inline(always)]
fn xor_array<const N: usize>(data: &mut [u8; N], key: &[u8; N]) {
    // All is read before anything is written: so the compiler need not ask whether they overlap.
    let mut result = *key;
    for (key, data) in result.as_chunks_mut::<8>().0.iter_mut().zip(data.as_chunks::<8>().0) {
        *key = (u64::from_ne_bytes(*data) ^ u64::from_ne_bytes(*key)).to_ne_bytes();
    }
    *data = result;
}
