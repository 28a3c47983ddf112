//! Vertical ChaCha: a vector holds the same word of each block of a group, with one block in each
//! lane. The rounds have no shuffles. [`super::rows`] explains groups.

use sealane_simd::{PendingPoly1305, Simd, Words};

use super::BLOCK_BYTES;
use super::rows::{Rows, block_numbers, is_last, transpose, xor_rows};
use super::state::State;

/// `a += b; d ^= a; d <<<= 16; …` (RFC 8439, section 2.1) on vectors: two independent quarter
/// rounds, step by step.
macro_rules! two_quarter_rounds {
    ($v:ident, [$a:literal $b:literal $c:literal $d:literal] [$e:literal $f:literal $g:literal $h:literal]) => {
        $v[$a] = $v[$a].add($v[$b]);
        $v[$e] = $v[$e].add($v[$f]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_left_16();
        $v[$h] = $v[$h].xor($v[$e]).rotate_left_16();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$g] = $v[$g].add($v[$h]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_left_12();
        $v[$f] = $v[$f].xor($v[$g]).rotate_left_12();
        $v[$a] = $v[$a].add($v[$b]);
        $v[$e] = $v[$e].add($v[$f]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_left_8();
        $v[$h] = $v[$h].xor($v[$e]).rotate_left_8();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$g] = $v[$g].add($v[$h]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_left_7();
        $v[$f] = $v[$f].xor($v[$g]).rotate_left_7();
    };
}

/// Computes one quarter round.
macro_rules! quarter_round {
    ($v:ident, [$a:literal $b:literal $c:literal $d:literal]) => {
        $v[$a] = $v[$a].add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_left_16();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_left_12();
        $v[$a] = $v[$a].add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_left_8();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_left_7();
    };
}

/// Computes the key stream of a group, with one block in each lane. Adds blocks of `pending` to its
/// Poly1305 sum during the rounds.
#[inline(always)]
pub(super) fn key_stream<S: Simd, const ROUNDS: usize>(
    token: S,
    state: &State,
    counter: u32,
    pending: &mut PendingPoly1305<'_>,
) -> [Rows<S::Words>; 4] {
    let mut initial = [S::Words::splat(token, 0); 16];
    for i in 0..16 {
        initial[i] = S::Words::splat(token, state[i]);
    }
    initial[12] = counters::<S>(token, counter);

    let mut v = initial;
    rounds::<_, ROUNDS>(&mut v, pending);
    for i in 0..16 {
        v[i] = v[i].add(initial[i]);
    }
    transpose(&v)
}

/// If `data` has many whole groups, combines them with the key stream from block `counter` on.
/// Returns the data that is left, and moves `counter` to its first block.
///
/// In the first column round, the groups differ only in the column with the counter, so the other
/// three columns are computed once.
#[inline(always)]
pub(super) fn xor_groups<'a, S: Simd, const ROUNDS: usize>(
    token: S,
    state: &State,
    counter: &mut u32,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    let group_bytes = S::Words::LANES * BLOCK_BYTES;
    if !S::VECTORS || data.len() < S::TUNING.min_prepared_groups * group_bytes {
        return data;
    }
    let mut initial = [S::Words::splat(token, 0); 16];
    for i in (0..12).chain(13..16) {
        initial[i] = S::Words::splat(token, state[i]);
    }
    let mut prepared = initial;
    two_quarter_rounds!(prepared, [1 5 9 13] [2 6 10 14]);
    quarter_round!(prepared, [3 7 11 15]);

    let mut whole = data.len() - data.len() % group_bytes;
    if is_last(token, data.len() - whole + group_bytes) {
        // The last group is best computed together with the data after it.
        whole -= group_bytes;
    }
    let (groups, rest) = data.split_at_mut(whole);
    for group in groups.chunks_exact_mut(group_bytes) {
        initial[12] = counters::<S>(token, *counter);
        let mut v = prepared;
        v[12] = initial[12];
        quarter_round!(v, [0 4 8 12]);
        two_quarter_rounds!(v, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(v, [2 7 8 13] [3 4 9 14]);
        double_rounds(&mut v, double_round_count::<ROUNDS>() - 1, &mut PendingPoly1305::none());
        for i in 0..16 {
            v[i] = v[i].add(initial[i]);
        }
        xor_rows(token, &transpose(&v), group);
        *counter = counter.wrapping_add(S::Words::LANES as u32);
    }
    rest
}

/// Computes the rounds of the block function on one state for each lane of a vector: `v[i]` holds
/// word i of each state. Adds blocks of `pending` to its Poly1305 sum during the rounds, if the
/// instruction set has a kernel for that.
#[inline(always)]
pub(super) fn rounds<W: Words, const ROUNDS: usize>(v: &mut [W; 16], pending: &mut PendingPoly1305<'_>) {
    double_rounds(v, double_round_count::<ROUNDS>(), pending);
}

/// Returns the number of double rounds in `ROUNDS` rounds.
const fn double_round_count<const ROUNDS: usize>() -> u8 {
    const { assert!(ROUNDS / 2 <= u8::MAX as usize) };
    (ROUNDS / 2) as u8
}

/// Does the same as [`rounds`] for `count` double rounds.
#[inline(always)]
pub(super) fn double_rounds<W: Words>(v: &mut [W; 16], count: u8, pending: &mut PendingPoly1305<'_>) {
    if W::double_rounds(v, count, pending) {
        return;
    }
    // A counter of eight bits would take one more instruction on AArch64.
    for _ in 0..u32::from(count) {
        two_quarter_rounds!(v, [0 4 8 12] [1 5 9 13]);
        two_quarter_rounds!(v, [2 6 10 14] [3 7 11 15]);
        two_quarter_rounds!(v, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(v, [2 7 8 13] [3 4 9 14]);
    }
}

/// Returns word 12, the block counter, of each block of the group from block `counter` on.
#[inline(always)]
fn counters<S: Simd>(token: S, counter: u32) -> S::Words {
    block_numbers::<S::Words>(token).add(S::Words::splat(token, counter))
}
