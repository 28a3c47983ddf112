//! The ChaCha block function on vectors, in two layouts.
//!
//! - *Horizontal*: a vector holds one row (four words) of each of its blocks. Short inputs: few blocks fill it.
//! - *Vertical*: a vector holds one word of as many blocks as it has lanes. Long inputs: no shuffles in the rounds.
//!
//! Both end with rows in vectors, which [`Words::xor_rows`] combines with the data.

use sealane_simd::{MAX_WORDS_LANES, Simd, Words};

use super::{BLOCK_BYTES, portable};
use crate::wipe::wipe;

/// The input of the block function (RFC 8439, section 2.3): constants, key, block counter, nonce.
///
/// The counter word, or both of them in the layout with a 64-bit counter, are ignored: kernels are given the counter.
pub(crate) type State = [u32; 16];

/// Key stream bytes of the most blocks that one vertical group makes.
const MAX_GROUP_BYTES: usize = MAX_WORDS_LANES * BLOCK_BYTES;
/// Key stream bytes of the most blocks that one horizontal set makes.
const MAX_SET_BYTES: usize = MAX_GROUP_BYTES / 4;

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
        || apply_inlined::<S, ROUNDS, WIDE>(token, state, counter, data),
    );
}

#[inline(always)]
fn apply_inlined<S: Simd, const ROUNDS: usize, const WIDE: bool>(
    token: S,
    state: &State,
    mut counter: u64,
    data: &mut [u8],
) {
    if !S::VECTORS {
        return apply_portable::<S, ROUNDS, WIDE>(token, state, counter, data);
    }
    let group_bytes = S::Words::LANES * BLOCK_BYTES;
    let mut groups = data.chunks_exact_mut(group_bytes);
    for group in groups.by_ref() {
        vertical::<S, ROUNDS, WIDE>(token, state, counter, group);
        counter = counter.wrapping_add(S::Words::LANES as u64);
    }
    let rest = groups.into_remainder();
    let sets = rest.len().div_ceil(S::Words::ROWS * BLOCK_BYTES);
    if sets > S::Words::HORIZONTAL_SETS {
        let mut key_stream = [0; MAX_GROUP_BYTES];
        vertical::<S, ROUNDS, WIDE>(token, state, counter, &mut key_stream[..group_bytes]);
        xor_bytes(rest, &key_stream);
        wipe(&mut key_stream[..group_bytes]);
        return;
    }
    match sets {
        0 => {}
        1 => horizontal::<S, ROUNDS, WIDE, 1>(token, state, counter, rest),
        2 => horizontal::<S, ROUNDS, WIDE, 2>(token, state, counter, rest),
        _ => horizontal::<S, ROUNDS, WIDE, 3>(token, state, counter, rest),
    }
}

/// As [`apply`], where there are no vectors: long pieces the way the compiler vectorises best, single blocks else.
#[inline(always)]
fn apply_portable<S: Simd, const ROUNDS: usize, const WIDE: bool>(
    token: S,
    state: &State,
    mut counter: u64,
    data: &mut [u8],
) {
    for group in data.chunks_mut(portable::GROUP_BYTES) {
        if group.len() >= portable::MIN_BYTES {
            portable::group::<ROUNDS, WIDE>(state, counter, group);
            counter = counter.wrapping_add((portable::GROUP_BYTES / BLOCK_BYTES) as u64);
        } else {
            for block in group.chunks_mut(BLOCK_BYTES) {
                horizontal::<S, ROUNDS, WIDE, 1>(token, state, counter, block);
                counter = counter.wrapping_add(1);
            }
        }
    }
}

/// `a += b; d ^= a; d <<<= 16; …` (RFC 8439, section 2.1) on vectors, for two independent quarter rounds step by step.
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

/// One vertical group: as many blocks as a vector has lanes. `data` is exactly that long.
#[inline(always)]
fn vertical<S: Simd, const ROUNDS: usize, const WIDE: bool>(token: S, state: &State, counter: u64, data: &mut [u8]) {
    let (counter_low, counter_high) = vertical_counters::<S, WIDE>(token, state, counter);
    let mut initial = [S::Words::splat(token, 0); 16];
    for i in 0..16 {
        initial[i] = S::Words::splat(token, state[i]);
    }
    initial[12] = counter_low;
    initial[13] = counter_high;

    let mut v = initial;
    vertical_rounds::<_, ROUNDS>(&mut v);
    for i in 0..16 {
        v[i] = v[i].add(initial[i]);
    }
    xor_vertical(&v, data);
}

/// The rounds of the block function on as many states as a vector has lanes: `v[i]` holds word i of each.
#[inline(always)]
pub(super) fn vertical_rounds<W: Words, const ROUNDS: usize>(v: &mut [W; 16]) {
    for _ in 0..ROUNDS / 2 {
        two_quarter_rounds!(v, [0 4 8 12] [1 5 9 13]);
        two_quarter_rounds!(v, [2 6 10 14] [3 7 11 15]);
        two_quarter_rounds!(v, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(v, [2 7 8 13] [3 4 9 14]);
    }
}

/// Exclusive or of `data`, one block for each lane, with the states of which `v[i]` holds word i. The transposition deals
/// block `ROWS * column + row` to lane `4 * row + column`.
#[inline(always)]
pub(super) fn xor_vertical<W: Words>(v: &[W; 16], data: &mut [u8]) {
    let (a0, a1, a2, a3) = W::transpose(v[0], v[1], v[2], v[3]);
    let (b0, b1, b2, b3) = W::transpose(v[4], v[5], v[6], v[7]);
    let (c0, c1, c2, c3) = W::transpose(v[8], v[9], v[10], v[11]);
    let (d0, d1, d2, d3) = W::transpose(v[12], v[13], v[14], v[15]);
    let quarter = W::ROWS * BLOCK_BYTES;
    let (data0, data) = data.split_at_mut(quarter);
    W::xor_rows(a0, b0, c0, d0, data0);
    let (data1, data) = data.split_at_mut(quarter);
    W::xor_rows(a1, b1, c1, d1, data1);
    let (data2, data3) = data.split_at_mut(quarter);
    W::xor_rows(a2, b2, c2, d2, data2);
    W::xor_rows(a3, b3, c3, d3, data3);
}

/// State words 12 and 13 of a vertical group. The transposition deals block `ROWS * column + row` to lane
/// `4 * row + column`.
#[inline(always)]
fn vertical_counters<S: Simd, const WIDE: bool>(token: S, state: &State, counter: u64) -> (S::Words, S::Words) {
    let rows = S::Words::ROWS;
    let mut low = [0; MAX_WORDS_LANES];
    if WIDE && (counter as u32).checked_add(S::Words::LANES as u32).is_none() {
        let mut high = [0; MAX_WORDS_LANES];
        for lane in 0..S::Words::LANES {
            let block = counter.wrapping_add((rows * (lane % 4) + lane / 4) as u64);
            low[lane] = block as u32;
            high[lane] = (block >> 32) as u32;
        }
        return (S::Words::from_lanes(token, &low), S::Words::from_lanes(token, &high));
    }
    for (lane, block) in low.iter_mut().enumerate().take(S::Words::LANES) {
        *block = (rows * (lane % 4) + lane / 4) as u32;
    }
    let low = S::Words::from_lanes(token, &low).add(S::Words::splat(token, counter as u32));
    (low, S::Words::splat(token, if WIDE { (counter >> 32) as u32 } else { state[13] }))
}

/// Up to `SETS * ROWS` blocks. `data` is not empty and not longer than that.
#[inline(always)]
fn horizontal<S: Simd, const ROUNDS: usize, const WIDE: bool, const SETS: usize>(
    token: S,
    state: &State,
    counter: u64,
    data: &mut [u8],
) {
    let row = |i: usize| S::Words::splat_row(token, [state[i], state[i + 1], state[i + 2], state[i + 3]]);
    let (a0, b0, c0) = (row(0), row(4), row(8));
    let mut d0 = [row(12); SETS];
    for (set, d) in d0.iter_mut().enumerate() {
        let first = counter.wrapping_add((set * S::Words::ROWS) as u64);
        *d = horizontal_counters::<S, WIDE>(token, state, first);
    }

    let (mut a, mut b, mut c, mut d) = ([a0; SETS], [b0; SETS], [c0; SETS], d0);
    horizontal_rounds::<_, ROUNDS, SETS>(&mut a, &mut b, &mut c, &mut d);

    let set_bytes = S::Words::ROWS * BLOCK_BYTES;
    let mut rest = data;
    for i in 0..SETS {
        let (a, b, c, d) = (a[i].add(a0), b[i].add(b0), c[i].add(c0), d[i].add(d0[i]));
        if rest.len() >= set_bytes {
            let (set, after) = rest.split_at_mut(set_bytes);
            S::Words::xor_rows(a, b, c, d, set);
            rest = after;
        } else {
            let mut key_stream = [0; MAX_SET_BYTES];
            S::Words::xor_rows(a, b, c, d, &mut key_stream[..set_bytes]);
            xor_bytes(rest, &key_stream);
            wipe(&mut key_stream[..set_bytes]);
            return;
        }
    }
}

/// The rounds of the block function on states whose rows are in `a`, `b`, `c` and `d`.
#[inline(always)]
fn horizontal_rounds<W: Words, const ROUNDS: usize, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
) {
    for _ in 0..ROUNDS / 2 {
        quarter_rounds(a, b, c, d);
        for i in 0..SETS {
            b[i] = b[i].rotate_columns_1();
            c[i] = c[i].rotate_columns_2();
            d[i] = d[i].rotate_columns_3();
        }
        quarter_rounds(a, b, c, d);
        for i in 0..SETS {
            b[i] = b[i].rotate_columns_3();
            c[i] = c[i].rotate_columns_2();
            d[i] = d[i].rotate_columns_1();
        }
    }
}

/// The rounds alone, without the final addition: `state` becomes the permuted state (for HChaCha).
pub(crate) fn permute<S: Simd, const ROUNDS: usize>(token: S, state: &mut State) {
    token.enter(
        #[inline(always)]
        || permute_inlined::<S, ROUNDS>(token, state),
    );
}

#[inline(always)]
fn permute_inlined<S: Simd, const ROUNDS: usize>(token: S, state: &mut State) {
    let row = |i: usize| [S::Words::splat_row(token, [state[i], state[i + 1], state[i + 2], state[i + 3]])];
    let (mut a, mut b, mut c, mut d) = (row(0), row(4), row(8), row(12));
    horizontal_rounds::<_, ROUNDS, 1>(&mut a, &mut b, &mut c, &mut d);
    let mut bytes = [0; MAX_SET_BYTES];
    S::Words::xor_rows(a[0], b[0], c[0], d[0], &mut bytes[..S::Words::ROWS * BLOCK_BYTES]);
    for (word, bytes) in state.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    wipe(&mut bytes);
}

/// The last row of consecutive blocks: counter and nonce.
#[inline(always)]
fn horizontal_counters<S: Simd, const WIDE: bool>(token: S, state: &State, counter: u64) -> S::Words {
    let mut rows = [0; MAX_WORDS_LANES];
    for row in 0..S::Words::ROWS {
        let block = counter.wrapping_add(row as u64);
        rows[4 * row] = block as u32;
        rows[4 * row + 1] = if WIDE { (block >> 32) as u32 } else { state[13] };
        rows[4 * row + 2] = state[14];
        rows[4 * row + 3] = state[15];
    }
    S::Words::from_lanes(token, &rows)
}

/// The four quarter rounds of a column round, or of a diagonal round when the columns have been rotated.
#[inline(always)]
fn quarter_rounds<W: Words, const SETS: usize>(
    a: &mut [W; SETS],
    b: &mut [W; SETS],
    c: &mut [W; SETS],
    d: &mut [W; SETS],
) {
    for i in 0..SETS {
        a[i] = a[i].add(b[i]);
        d[i] = d[i].xor(a[i]).rotate_left_16();
    }
    for i in 0..SETS {
        c[i] = c[i].add(d[i]);
        b[i] = b[i].xor(c[i]).rotate_left_12();
    }
    for i in 0..SETS {
        a[i] = a[i].add(b[i]);
        d[i] = d[i].xor(a[i]).rotate_left_8();
    }
    for i in 0..SETS {
        c[i] = c[i].add(d[i]);
        b[i] = b[i].xor(c[i]).rotate_left_7();
    }
}

/// Exclusive or of `data` with the start of `key_stream`.
#[inline(always)]
pub(crate) fn xor_bytes(data: &mut [u8], key_stream: &[u8]) {
    for (byte, key) in data.iter_mut().zip(key_stream) {
        *byte ^= key;
    }
}
