//! Combines data with a few sets of key stream, with one function for each number of sets. The
//! cipher alone and all plans for an AEAD message (see `crate::aead`) share these functions.
//! [`super::rows`] explains sets and groups.

use sealane_simd::{PendingPoly1305, Simd, Words};

use super::rows::{Rows, set_bytes, xor_rows};
use super::state::State;
use super::{BLOCK_BYTES, horizontal, vertical};

/// Returns the most sets that [`xor`] computes on these vectors: the four of a group, or more if
/// the registers hold more.
pub(crate) const fn most_sets<S: Simd>() -> usize {
    let most = S::TUNING.most_horizontal_sets;
    if most > 4 { most } else { 4 }
}

/// Combines `first` and then `rest` with the key stream from block `counter` on. `first` is one
/// set; both together are at most [`most_sets`].
pub(crate) fn xor<S: Simd, const ROUNDS: usize>(
    token: S,
    state: &State,
    counter: u32,
    first: &mut [u8],
    rest: &mut [u8],
) {
    macro_rules! sets {
        ($key_stream:expr) => {
            token.enter_apart(
                #[inline(always)]
                |token| {
                    assert!(first.len() == set_bytes::<S>(), "a set");
                    xor_split(token, &$key_stream(token, state, counter, &mut PendingPoly1305::none()), first, rest)
                },
            )
        };
    }
    match 1 + rest.len().div_ceil(set_bytes::<S>()) {
        5 if const { most_sets::<S>() >= 5 } => sets!(horizontal::key_stream::<S, (), ROUNDS, 5>),
        6 if const { most_sets::<S>() >= 6 } => sets!(horizontal::key_stream::<S, (), ROUNDS, 6>),
        7 if const { most_sets::<S>() >= 7 } => sets!(horizontal::key_stream::<S, (), ROUNDS, 7>),
        1 => sets!(horizontal::key_stream::<S, (), ROUNDS, 1>),
        2 if const { S::TUNING.horizontal_sets >= 2 } => sets!(horizontal::key_stream::<S, (), ROUNDS, 2>),
        3 if const { S::TUNING.horizontal_sets >= 3 } => sets!(horizontal::key_stream::<S, (), ROUNDS, 3>),
        _ => sets!(vertical::key_stream::<S, ROUNDS>),
    }
}

/// Combines `data` with ChaCha20's key stream after block 0. Block 0 and the data together are at
/// most [`most_sets`] sets. `first` is all zeros, and becomes the first set of the key stream.
#[inline(always)]
pub(crate) fn xor_behind_block_0<S: Simd>(token: S, state: &State, first: &mut [u8], data: &mut [u8]) {
    let (start, rest) = data.split_at_mut(data.len().min(set_bytes::<S>() - BLOCK_BYTES));
    xor::<S, 20>(token, state, 0, first, rest);
    S::Words::xor_bytes(token, start, &first[BLOCK_BYTES..]);
}

/// Combines `first`, which is one set, and then `rest` with a key stream.
#[inline(always)]
pub(super) fn xor_split<S: Simd>(token: S, rows: &[Rows<S::Words>], first: &mut [u8], rest: &mut [u8]) {
    let Some((&Rows(a, b, c, d), rows)) = rows.split_first() else { return };
    if S::Words::ROWS == 1 {
        S::Words::xor_rows(a, b, c, d, first);
        // A group may have more sets than the data needs.
        xor_rows(token, rows, rest);
    } else {
        let (whole, last) = split_last_set(rows, rest);
        S::Words::xor_rows(a, b, c, d, first);
        xor_whole_and_last(token, rows, whole, last);
    }
}

/// Combines `data` with a key stream. The data reaches into the last set.
#[inline(always)]
pub(crate) fn xor_sets<S: Simd>(token: S, rows: &[Rows<S::Words>], data: &mut [u8]) {
    let (whole, last) = split_last_set(rows, data);
    xor_whole_and_last(token, rows, whole, last);
}

/// Splits `data` into the part for all sets but the last one, and the part for the last one.
#[inline(always)]
fn split_last_set<'a, W: Words>(rows: &[Rows<W>], data: &'a mut [u8]) -> (&'a mut [u8], &'a mut [u8]) {
    data.split_at_mut(rows.len().saturating_sub(1) * W::ROWS * BLOCK_BYTES)
}

/// Combines whole sets, and then the last one, with a key stream.
///
/// There is no branch between the sets, and lengths are compared before the first one. Otherwise
/// the compiler would move parts of the transposition after a branch, and spill.
#[inline(always)]
fn xor_whole_and_last<S: Simd>(token: S, rows: &[Rows<S::Words>], whole: &mut [u8], last: &mut [u8]) {
    let Some((last_rows, rows)) = rows.split_last() else { return };
    let set_bytes = set_bytes::<S>();
    for (&Rows(a, b, c, d), set) in rows.iter().zip(whole.chunks_exact_mut(set_bytes)) {
        S::Words::xor_rows(a, b, c, d, set);
    }
    let &Rows(a, b, c, d) = last_rows;
    if last.len() == set_bytes {
        S::Words::xor_rows(a, b, c, d, last);
    } else {
        S::Words::xor_start_of_rows(token, a, b, c, d, last);
    }
}
