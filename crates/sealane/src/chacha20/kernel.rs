//! The ChaCha block function on vectors, in two layouts: [`horizontal`], which computes sets of
//! blocks, for short inputs, and [`vertical`], which computes groups, for long ones.
//! [`super::rows`] explains sets and groups.
//!
//! Both return the key stream as rows in vectors, which [`Words::xor_rows`] combines with the data.

#[cfg(doc)]
use sealane_simd::Tuning;
use sealane_simd::{CpuClass, PendingPoly1305, Simd, Token, Words};

use super::rows::{Interleave, Rows, blocks, group_bytes, is_last, set_bytes, xor_rows};
use super::state::State;
use super::{BLOCK_BYTES, horizontal, paired, portable, sets, single, vertical};
use crate::wipe::wipe;

/// Combines `data` with the key stream from block `counter` on, with the features of the token of
/// [`Simd::Cipher`].
///
/// The caller has checked that the counter does not overflow before `data` ends. For a counter of
/// 64 bits, see [`with_word_13`].
pub(crate) fn apply<S: Simd, const ROUNDS: usize>(token: S, state: &State, counter: u32, data: &mut [u8]) {
    token.for_cipher().enter(
        #[inline(always)]
        |token| apply_inlined::<_, ROUNDS>(token, state, counter, data),
    );
}

/// Does the same as [`apply`], for callers that are already compiled with the token's features.
#[inline(always)]
pub(crate) fn apply_inlined<S: Simd, const ROUNDS: usize>(token: S, state: &State, mut counter: u32, data: &mut [u8]) {
    let mut rest = if S::TUNING.vertical_sets == 2 {
        paired::xor_pairs::<S, ROUNDS>(token, state, &mut counter, data)
    } else {
        vertical::xor_groups::<S, ROUNDS>(token, state, &mut counter, data)
    };
    while !rest.is_empty() {
        let piece_bytes = rest.len().min(group_bytes::<S>());
        let piece_bytes = if is_last(token, rest.len()) { rest.len() } else { piece_bytes };
        let (piece, after) = rest.split_at_mut(piece_bytes);
        group::<S, ROUNDS>(token, state, counter, piece);
        counter = counter.wrapping_add((group_bytes::<S>() / BLOCK_BYTES) as u32);
        rest = after;
    }
}

/// Calls `apply` for `data` in the layout with a 64-bit counter, whose high half is word 13: once,
/// and again at each multiple of 256 GiB of key stream. The kernels count in word 12 alone.
#[inline(always)]
pub(crate) fn with_word_13(
    state: &mut State,
    mut counter: u64,
    mut data: &mut [u8],
    mut apply: impl FnMut(&State, u32, &mut [u8]),
) {
    while !data.is_empty() {
        let (word_12, word_13) = (counter as u32, (counter >> 32) as u32);
        let blocks_left = (1 << 32) - u64::from(word_12);
        let blocks = (data.len().div_ceil(BLOCK_BYTES) as u64).min(blocks_left);
        let (piece, rest) = data.split_at_mut(data.len().min((blocks * BLOCK_BYTES as u64) as usize));
        state[13] = word_13;
        apply(state, word_12, piece);
        counter = counter.wrapping_add(blocks);
        data = rest;
    }
}

/// Does the same as [`apply`], for 1 to [`group_bytes`] bytes, or for lengths that [`is_last`]
/// accepts.
#[inline(always)]
fn group<S: Simd, const ROUNDS: usize>(token: S, state: &State, counter: u32, data: &mut [u8]) {
    if S::VECTORS {
        let bytes = data.len();
        if bytes <= BLOCK_BYTES + set_bytes::<S>() && computes_block_on_integers::<S>(token.cpu_class(), bytes) {
            if bytes <= BLOCK_BYTES {
                return single::xor::<ROUNDS>(state, counter, data);
            }
            let (first, rows) = if S::TUNING.slow_integers_beside_vectors.of(token.cpu_class()) {
                single::block_and_sets::<S, ROUNDS, 1, true>(token, state, counter)
            } else {
                single::block_and_sets::<S, ROUNDS, 1, false>(token, state, counter)
            };
            let (head, rest) = data.split_at_mut(BLOCK_BYTES);
            single::xor_words(&first, head);
            xor_rows(token, &rows, rest);
        } else if S::TUNING.one_set_on_narrower_vectors && bytes <= set_bytes::<S::Narrower>() {
            if bytes <= BLOCK_BYTES && S::TUNING.block_on_integers.here() {
                return single::xor::<ROUNDS>(state, counter, data);
            }
            let (token, pending) = (token.for_narrower(), &mut PendingPoly1305::none());
            let rows = horizontal::key_stream::<S::Narrower, (), ROUNDS, 1>(token, state, counter, pending);
            xor_rows(token, &rows, data);
        } else if let Some((first, rest)) = data.split_at_mut_checked(set_bytes::<S>()) {
            sets::xor::<S, ROUNDS>(token, state, counter, first, rest);
        } else {
            let mut set = S::Words::ZERO_BLOCKS;
            sets::xor::<S, ROUNDS>(token, state, counter, set.as_mut(), &mut []);
            S::Words::xor_bytes(token, data, set.as_ref());
            wipe(set.as_mut());
        }
    } else {
        portable::apply::<ROUNDS>(state, counter, data);
    }
}

/// Returns whether, on this class of CPUs, the first of the blocks for `bytes` of key stream is
/// computed on integers, and the others, if there are any, on vectors at the same time.
#[inline(always)]
pub(crate) const fn computes_block_on_integers<S: Simd>(class: CpuClass, bytes: usize) -> bool {
    let fits_into_set = bytes <= set_bytes::<S>();
    S::TUNING.block_on_integers.of(class) || !fits_into_set && S::TUNING.block_beside_sets.of(class)
}

/// Computes block 0 of ChaCha20 on integers, and at the same time the next `SETS` sets on vectors.
/// [`Tuning::slow_integers_beside_vectors`] says where `SLOWLY` should be true.
#[inline(always)]
pub(crate) fn block_0_and_sets<S: Simd, const SETS: usize, const SLOWLY: bool>(
    token: S,
    state: &State,
) -> (State, [Rows<S::Words>; SETS]) {
    single::block_and_sets::<S, 20, SETS, SLOWLY>(token, state, 0)
}

/// Computes block 0 of ChaCha20 on integers, and at the same time the next group on vectors.
#[inline(always)]
pub(crate) fn block_0_and_group<S: Simd>(token: S, state: &State) -> (State, [Rows<S::Words>; 4]) {
    single::block_0_and_group(token, state)
}

/// Does the same as [`block_0_and_group`], and computes the set after the group on the vectors of
/// [`Simd::Narrower`].
#[inline(always)]
pub(crate) fn block_0_and_group_and_set<S: Simd>(token: S, state: &State) -> (State, single::GroupAndSet<S>) {
    single::block_0_and_group_and_set(token, state)
}

/// Returns the first set of ChaCha20's key stream.
#[inline(always)]
pub(crate) fn first_set<S: Simd>(token: S, state: &State) -> <S::Words as Words>::Blocks {
    let [rows] = horizontal::key_stream::<S, (), 20, 1>(token, state, 0, &mut PendingPoly1305::none());
    blocks(&rows)
}

/// Returns `SETS` sets of ChaCha20's key stream from block `counter` on, and adds blocks of
/// `pending` to its Poly1305 sum during the rounds.
#[inline(always)]
pub(crate) fn sets_interleaved<S: Simd, B: Interleave, const SETS: usize>(
    token: S,
    state: &State,
    counter: u32,
    pending: &mut PendingPoly1305<'_>,
) -> [Rows<S::Words>; SETS] {
    horizontal::key_stream::<S, B, 20, SETS>(token, state, counter, pending)
}

/// Does the same as [`sets_interleaved`] for a group.
#[inline(always)]
pub(crate) fn group_interleaved<S: Simd>(
    token: S,
    state: &State,
    counter: u32,
    pending: &mut PendingPoly1305<'_>,
) -> [Rows<S::Words>; 4] {
    vertical::key_stream::<S, 20>(token, state, counter, pending)
}

/// Computes the first set of ChaCha20's key stream, in the layout of RFC 8439, for each of the
/// states. On some CPUs, one state leaves vector units idle, and three states keep them busy.
#[inline(always)]
pub(crate) fn first_sets<S: Simd, const SETS: usize>(token: S, states: &[State; SETS]) -> [Rows<S::Words>; SETS] {
    horizontal::first_sets::<S, 20, SETS>(token, states)
}

/// Computes the rounds without the final addition: `state` becomes the permuted state (for
/// HChaCha).
pub(crate) fn permute<S: Simd, const ROUNDS: usize>(token: S, state: &mut State) {
    if S::TUNING.narrower_max_bytes.is_some() {
        return permute_on::<S::Narrower, ROUNDS>(token.for_narrower(), state);
    }
    permute_on::<S::Cipher, ROUNDS>(token.for_cipher(), state);
}

fn permute_on<S: Simd, const ROUNDS: usize>(token: S, state: &mut State) {
    token.enter_apart(
        #[inline(always)]
        |token| horizontal::permute::<S, ROUNDS>(token, state),
    );
}
