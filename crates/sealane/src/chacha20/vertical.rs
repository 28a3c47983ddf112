//! Vertical ChaCha: a vector holds one word of each block, and each lane belongs to a block. The
//! rounds have no shuffles.

use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Words};

use super::BLOCK_BYTES;
use super::paired::{self, Groups};
use super::rows::{Rows, block_numbers, is_last, transpose, xor_rows};
use super::state::State;

/// `a += b; d ^= a; d <<<= 16; …` (RFC 8439, section 2.1) on vectors, for two independent quarter
/// rounds step by step.
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

/// Computes the same for one quarter round.
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

/// Computes the key stream of a group: one block for each lane. Adds blocks of `pending` during the
/// rounds.
#[inline(always)]
pub(super) fn key_stream<S: Simd, const ROUNDS: usize, const COUNTER_64: bool>(
    token: S,
    state: &State,
    counter: u64,
    pending: &mut PendingPoly1305<'_>,
) -> [Rows<S::Words>; 4] {
    let (counter_low, counter_high) = counters::<S, COUNTER_64>(token, state, counter);
    let mut initial = [S::Words::splat(token, 0); 16];
    for i in 0..16 {
        initial[i] = S::Words::splat(token, state[i]);
    }
    initial[12] = counter_low;
    initial[13] = counter_high;

    let mut v = initial;
    rounds::<_, ROUNDS>(&mut v, pending);
    for i in 0..16 {
        v[i] = v[i].add(initial[i]);
    }
    transpose(&v)
}

/// Does the same as [`xor_groups`] on instruction sets whose registers hold two groups.
#[inline(always)]
fn xor_pairs<'a, S: Simd, const ROUNDS: usize, const COUNTER_64: bool>(
    token: S,
    state: &State,
    counter: &mut u64,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    let pair_bytes = 2 * S::Words::LANES * BLOCK_BYTES;
    if !needs_all_sets::<S>(data.len()) {
        return data;
    }
    let mut groups = Groups::empty(token);
    groups.fill(token, state, if COUNTER_64 { (*counter >> 32) as u32 } else { state[13] });
    let last = data.len() % pair_bytes;
    let (pairs, rest) = data.split_at_mut(data.len() - if needs_all_sets::<S>(last) { 0 } else { last });
    for pair in pairs.chunks_mut(pair_bytes) {
        paired::xor_two(token, &groups, *counter as u32, ROUNDS, pair);
        *counter = counter.wrapping_add((pair_bytes / BLOCK_BYTES) as u64);
    }
    groups.wipe(token);
    rest
}

/// Returns whether a message of that many bytes needs all sets of a pair of groups, at least part
/// of the last one.
#[inline(always)]
fn needs_all_sets<S: Simd>(bytes: usize) -> bool {
    bytes > (2 * S::Words::LANES - S::Words::ROWS) * BLOCK_BYTES
}

/// Combines the whole groups in `data` with the key stream from block `counter` on, if there are
/// many. Returns the rest of the data, and moves `counter` there.
///
/// In the first column round, the groups differ only in the column with the counter, so the other
/// three columns are computed once. (This does not apply if a 64-bit counter carries into the other
/// word, which is in another column.)
#[inline(always)]
pub(super) fn xor_groups<'a, S: Simd, const ROUNDS: usize, const COUNTER_64: bool>(
    token: S,
    state: &State,
    counter: &mut u64,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    let group_bytes = S::Words::LANES * BLOCK_BYTES;
    let blocks = data.len().div_ceil(BLOCK_BYTES) as u64;
    let carries = COUNTER_64 && u64::from(*counter as u32) + blocks > 1 << 32;
    if S::TUNING.vertical_sets == 2 && !carries {
        return xor_pairs::<S, ROUNDS, COUNTER_64>(token, state, counter, data);
    }
    if !S::VECTORS || data.len() < S::TUNING.min_prepared_groups * group_bytes || carries {
        return data;
    }
    let splat = |i: usize| S::Words::splat(token, state[i]);
    let word_13 = if COUNTER_64 { S::Words::splat(token, (*counter >> 32) as u32) } else { splat(13) };
    let mut initial = [word_13; 16];
    for i in (0..12).chain(14..16) {
        initial[i] = splat(i);
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
        (initial[12], _) = counters::<S, COUNTER_64>(token, state, *counter);
        let mut v = prepared;
        v[12] = initial[12];
        quarter_round!(v, [0 4 8 12]);
        two_quarter_rounds!(v, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(v, [2 7 8 13] [3 4 9 14]);
        double_rounds(&mut v, ROUNDS / 2 - 1, &mut PendingPoly1305::none());
        for i in 0..16 {
            v[i] = v[i].add(initial[i]);
        }
        xor_rows(&transpose(&v), group);
        *counter = counter.wrapping_add(S::Words::LANES as u64);
    }
    rest
}

/// Computes the rounds of the block function on one state for each lane of a vector: `v[i]` holds
/// word i of each state. Adds blocks of `pending` during the rounds if the instruction set has a
/// kernel for that.
#[inline(always)]
pub(super) fn rounds<W: Words, const ROUNDS: usize>(v: &mut [W; 16], pending: &mut PendingPoly1305<'_>) {
    double_rounds(v, ROUNDS / 2, pending);
}

#[inline(always)]
fn double_rounds<W: Words>(v: &mut [W; 16], count: usize, pending: &mut PendingPoly1305<'_>) {
    if W::double_rounds(v, count, pending) {
        return;
    }
    for _ in 0..count {
        two_quarter_rounds!(v, [0 4 8 12] [1 5 9 13]);
        two_quarter_rounds!(v, [2 6 10 14] [3 7 11 15]);
        two_quarter_rounds!(v, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(v, [2 7 8 13] [3 4 9 14]);
    }
}

/// Returns state words 12 and 13 of a vertical group. The transposition assigns block `ROWS *
/// column + row` to lane `4 * row + column`.
#[inline(always)]
fn counters<S: Simd, const COUNTER_64: bool>(token: S, state: &State, counter: u64) -> (S::Words, S::Words) {
    let rows = S::Words::ROWS;
    let mut low = [0; MAX_WORDS_LANES];
    if COUNTER_64 && (counter as u32).checked_add(S::Words::LANES as u32).is_none() {
        let mut high = [0; MAX_WORDS_LANES];
        for lane in 0..S::Words::LANES {
            let block = counter.wrapping_add((rows * (lane % 4) + lane / 4) as u64);
            low[lane] = block as u32;
            high[lane] = (block >> 32) as u32;
        }
        return (S::Words::from_lanes(token, &low), S::Words::from_lanes(token, &high));
    }
    let low = block_numbers::<S::Words>(token).add(S::Words::splat(token, counter as u32));
    (low, S::Words::splat(token, if COUNTER_64 { (counter >> 32) as u32 } else { state[13] }))
}
