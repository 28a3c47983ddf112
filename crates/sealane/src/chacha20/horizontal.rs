//! Horizontal ChaCha: a vector holds the same row (four words) of each block of a set, so that a
//! few blocks fill it. [`super::rows`] explains sets.

use sealane_simd::tuning::INTERLEAVED_BLOCKS;
use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Word, Words};

use super::rows::{Interleave, Rows, blocks};
use super::state::State;
use crate::wipe::wipe;

/// Computes the key stream of the `SETS * ROWS` blocks from block `counter` on. Adds blocks of
/// `pending` to its Poly1305 sum during the rounds.
#[inline(always)]
pub(super) fn key_stream<S: Simd, B: Interleave, const ROUNDS: usize, const SETS: usize>(
    token: S,
    state: &State,
    counter: u32,
    pending: &mut PendingPoly1305<'_>,
) -> [Rows<S::Words>; SETS] {
    block_function::<_, B, ROUNDS, SETS>(&before_rounds::<S, SETS>(token, state, counter), pending)
}

/// Returns the key stream of ChaCha20 of the `SETS * ROWS` blocks from block `counter` on. Does
/// `work` beside each double round.
#[inline(always)]
pub(super) fn key_stream_interleaved<S: Simd, const SETS: usize>(
    token: S,
    state: &State,
    counter: u32,
    mut work: impl FnMut(),
) -> [Rows<S::Words>; SETS] {
    let initial = before_rounds::<S, SETS>(token, state, counter);
    let (mut a, mut b, mut c, mut d) = columns(&initial);
    for _ in 0..10 {
        double_round_interleaved::<_, (), SETS>(&mut a, &mut b, &mut c, &mut d, &mut PendingPoly1305::none());
        work();
    }
    sums(&initial, &a, &b, &c, &d)
}

/// Returns the initial states of the sets from block `counter` on.
#[inline(always)]
pub(super) fn before_rounds<S: Simd, const SETS: usize>(
    token: S,
    state: &State,
    counter: u32,
) -> [Rows<S::Words>; SETS] {
    let row = |i: usize| S::Words::splat_row(token, [state[i], state[i + 1], state[i + 2], state[i + 3]]);
    let mut initial = [Rows(row(0), row(4), row(8), row(12)); SETS];
    for (set, rows) in initial.iter_mut().enumerate() {
        rows.3 = counters::<S>(token, state, counter, set * S::Words::ROWS);
    }
    initial
}

/// Returns the first rows of all sets, their second rows, and so on.
#[inline(always)]
pub(super) fn columns<W: Words, const SETS: usize>(
    sets: &[Rows<W>; SETS],
) -> ([W; SETS], [W; SETS], [W; SETS], [W; SETS]) {
    let Rows(a, b, c, d) = sets[0];
    let (mut a, mut b, mut c, mut d) = ([a; SETS], [b; SETS], [c; SETS], [d; SETS]);
    for i in 1..SETS {
        Rows(a[i], b[i], c[i], d[i]) = sets[i];
    }
    (a, b, c, d)
}

/// Returns the sums of the initial states and the states after the rounds.
#[inline(always)]
pub(super) fn sums<W: Words, const SETS: usize>(
    initial: &[Rows<W>; SETS],
    a: &[W; SETS],
    b: &[W; SETS],
    c: &[W; SETS],
    d: &[W; SETS],
) -> [Rows<W>; SETS] {
    let mut sums = *initial;
    for i in 0..SETS {
        sums[i] = Rows(a[i], b[i], c[i], d[i]).add(initial[i]);
    }
    sums
}

/// Computes a double round of one set.
#[inline(always)]
pub(super) fn double_round<W: Words>(Rows(a, b, c, d): Rows<W>) -> Rows<W> {
    let (mut a, mut b, mut c, mut d) = ([a], [b], [c], [d]);
    double_round_interleaved::<_, (), 1>(&mut a, &mut b, &mut c, &mut d, &mut PendingPoly1305::none());
    Rows(a[0], b[0], c[0], d[0])
}

/// Computes the first set of the key stream, with a 32-bit counter, for each of the states.
#[inline(always)]
pub(super) fn first_sets<S: Simd, const ROUNDS: usize, const SETS: usize>(
    token: S,
    states: &[State; SETS],
) -> [Rows<S::Words>; SETS] {
    let zero = S::Words::splat(token, 0);
    let mut initial = [Rows(zero, zero, zero, zero); SETS];
    for (rows, state) in initial.iter_mut().zip(states) {
        let row = |i: usize| S::Words::splat_row(token, [state[i], state[i + 1], state[i + 2], state[i + 3]]);
        *rows = Rows(row(0), row(4), row(8), counters::<S>(token, state, 0, 0));
    }
    block_function::<_, (), ROUNDS, SETS>(&initial, &mut PendingPoly1305::none())
}

#[inline(always)]
fn block_function<W: Words, B: Interleave, const ROUNDS: usize, const SETS: usize>(
    initial: &[Rows<W>; SETS],
    pending: &mut PendingPoly1305<'_>,
) -> [Rows<W>; SETS] {
    let (mut a, mut b, mut c, mut d) = columns(initial);
    rounds::<_, B, ROUNDS, SETS>(&mut a, &mut b, &mut c, &mut d, pending);
    sums(initial, &a, &b, &c, &d)
}

/// Computes the rounds of the block function on states whose rows are in `a`, `b`, `c` and `d`.
#[inline(always)]
fn rounds<W: Words, B: Interleave, const ROUNDS: usize, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
    pending: &mut PendingPoly1305<'_>,
) {
    // The count is opaque. Otherwise the compiler unrolls the rounds of one set, which gains
    // nothing.
    for _ in 0..(ROUNDS as u32 / 2).opaque() {
        double_round_interleaved::<_, B, SETS>(a, b, c, d, pending);
    }
}

/// Computes a double round of all sets. Adds blocks of `pending` to its Poly1305 sum.
#[inline(always)]
fn double_round_interleaved<W: Words, B: Interleave, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
    pending: &mut PendingPoly1305<'_>,
) {
    quarter_rounds(a, b, c, d);
    to_diagonals(a, c, d);
    if B::ACTIVE {
        // The blocks are added at one point: a double round is too short for the compiler's order
        // of instructions to do harm.
        for _ in 0..INTERLEAVED_BLOCKS {
            B::step(pending);
        }
    }
    quarter_rounds(a, b, c, d);
    to_columns(a, c, d);
}

/// Rotates the rows for a diagonal round.
///
/// These are `a`, `c` and `d`, not `b`. A round ends with `b` and the next one begins with it, so
/// rotating `b` would make the chain of dependent operations longer.
#[inline(always)]
pub(super) fn to_diagonals<W: Words, const SETS: usize>(a: &mut [W; SETS], c: &mut [W; SETS], d: &mut [W; SETS]) {
    for i in 0..SETS {
        a[i] = a[i].rotate_columns_3();
        d[i] = d[i].rotate_columns_2();
        c[i] = c[i].rotate_columns_1();
    }
}

/// Rotates the rows back after a diagonal round.
#[inline(always)]
pub(super) fn to_columns<W: Words, const SETS: usize>(a: &mut [W; SETS], c: &mut [W; SETS], d: &mut [W; SETS]) {
    for i in 0..SETS {
        a[i] = a[i].rotate_columns_1();
        d[i] = d[i].rotate_columns_2();
        c[i] = c[i].rotate_columns_3();
    }
}

/// Computes the rounds without the final addition: `state` becomes the permuted state (for
/// HChaCha).
#[inline(always)]
pub(super) fn permute<S: Simd, const ROUNDS: usize>(token: S, state: &mut State) {
    let row = |i: usize| [S::Words::splat_row(token, [state[i], state[i + 1], state[i + 2], state[i + 3]])];
    let (mut a, mut b, mut c, mut d) = (row(0), row(4), row(8), row(12));
    rounds::<_, (), ROUNDS, 1>(&mut a, &mut b, &mut c, &mut d, &mut PendingPoly1305::none());
    let mut blocks = blocks(&Rows(a[0], b[0], c[0], d[0]));
    for (word, bytes) in state.iter_mut().zip(blocks.as_ref().as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    wipe(blocks.as_mut());
}

/// Returns the last rows, with block counter and nonce, of the set that begins `blocks` blocks
/// after block `counter`.
#[inline(always)]
pub(super) fn counters<S: Simd>(token: S, state: &State, counter: u32, blocks: usize) -> S::Words {
    let mut rows = [0; MAX_WORDS_LANES];
    // All blocks share one last row. `rows` has the numbers to add to its first word.
    for row in 0..S::Words::ROWS {
        rows[4 * row] = (blocks + row) as u32;
    }
    S::Words::splat_row(token, [counter, state[13], state[14], state[15]]).add(S::Words::from_lanes(token, &rows))
}

/// Computes the four quarter rounds of a column round, or of a diagonal round if the rows have been
/// rotated.
#[inline(always)]
fn quarter_rounds<W: Words, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
) {
    first_half(a, b, c, d);
    second_half(a, b, c, d);
}

/// Computes the first two of the four lines of a quarter round (RFC 8439, section 2.1).
#[inline(always)]
pub(super) fn first_half<W: Words, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
) {
    two_lines(a, b, c, d, W::rotate_left_16, W::rotate_left_12);
}

/// Computes the last two of the four lines of a quarter round.
#[inline(always)]
pub(super) fn second_half<W: Words, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
) {
    two_lines(a, b, c, d, W::rotate_left_8, W::rotate_left_7);
}

/// Computes two lines of a quarter round, with their rotations.
#[inline(always)]
fn two_lines<W: Words, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
    rotate_d: impl Fn(W) -> W,
    rotate_b: impl Fn(W) -> W,
) {
    for i in 0..SETS {
        a[i] = a[i].add(b[i]);
        d[i] = rotate_d(d[i].xor(a[i]));
    }
    for i in 0..SETS {
        c[i] = c[i].add(d[i]);
        b[i] = rotate_b(b[i].xor(c[i]));
    }
}
