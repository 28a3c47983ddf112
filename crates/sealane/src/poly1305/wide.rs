//! Poly1305 on vectors: messages in raw 32-bit limbs, powers of r in 26-bit limbs.
//!
//! A *row* is as many blocks as a vector has lanes, N. Each lane is a Horner scheme in R = r^N of its own; the lanes are
//! combined at the end. K rows are summed before one carry: with M(j) the blocks of row j,
//!
//! H ← H R^K + M(0) R^(K-1) + … + M(K-2) R + M(K-1).
//!
//! A block is taken as it is, as four 32-bit limbs; what splitting it into limbs of 26 bits would cost, and the fifth
//! limb, is saved by a table of 2^(32 i) R^j mod p for i = 0 … 3: 20 multiplications a row instead of 25. The 2^128 that
//! each block is completed with (RFC 8439, section 2.5) are a constant for a given K, added once.
//!
//! Sums stay below 2^64: a limb of the table is at most 2^26, so a row adds at most 4 · 2^32 · 2^26 = 2^60 to a limb, and
//! [`MAX_ROWS`] - 1 rows, H R^K (below 2^60) and the constants at most 2^63.

use sealane_simd::{Simd, Wide};

use super::BLOCK_BYTES;
use super::field::{Element, LIMB};
use super::kernel::{Accumulator, Table};
use crate::wipe::wipe;

/// The most rows between two carries.
const MAX_ROWS: usize = 8;

/// Rows between two carries for a message of `count` rows. A power costs about 35 cycles, a carry 25: as measured on Zen 3.
/// One row at a time needs no table.
fn rows_per_carry(count: usize) -> usize {
    match count {
        0..56 => 1,
        _ => MAX_ROWS,
    }
}

type Limbs = [u32; 5];

/// What the rows are multiplied with, for as many powers of R as were needed so far.
#[derive(Clone)]
pub(crate) struct Powers {
    /// Number of powers computed.
    count: usize,
    /// `shifted[j][i]` is 2^(32 i) R^(j + 1).
    shifted: [[Limbs; 4]; MAX_ROWS],
    /// `times_5[j]` is five times each limb of R^(j + 1).
    times_5: [Limbs; MAX_ROWS],
    /// `ones[k]` is 2^128 (R^0 + … + R^(k - 1)), not reduced: its limbs are below 2^30.
    ones: [Limbs; MAX_ROWS + 1],
    /// R, and R^count.
    base: Element,
    last: Element,
}

impl Powers {
    fn new(r: Element, lanes: usize) -> Self {
        let base = to_the_lanes(r, lanes);
        let mut ones = [[0; 5]; MAX_ROWS + 1];
        ones[1][4] = 1 << 24; // 2^128
        Self {
            count: 0,
            shifted: [[[0; 5]; 4]; MAX_ROWS],
            times_5: [[0; 5]; MAX_ROWS],
            ones,
            base,
            last: Element([1, 0, 0]),
        }
    }

    /// Makes sure of the powers R^1 … R^count.
    #[inline(never)]
    fn extend(&mut self, count: usize) {
        while self.count < count {
            self.push();
        }
    }

    #[inline(always)]
    fn push(&mut self) {
        let j = self.count;
        self.last = if j == 0 { self.base } else { self.last.multiply_full(self.base) };
        let mut power = self.last;
        for limbs in &mut self.shifted[j] {
            *limbs = power.limbs().map(|limb| limb as u32);
            power = power.shift_32();
        }
        self.times_5[j] = self.shifted[j][0].map(|limb| 5 * limb);
        if j + 2 < self.ones.len() {
            let sum = self.ones[j + 1];
            for ((next, sum), limb) in self.ones[j + 2].iter_mut().zip(sum).zip(power.limbs()) {
                *next = sum + limb as u32;
            }
        }
        self.count += 1;
    }
}

impl Drop for Powers {
    fn drop(&mut self) {
        wipe(&mut self.shifted[..self.count]);
        wipe(&mut self.times_5[..self.count]);
        wipe(&mut self.ones);
        wipe(&mut self.base.0);
        wipe(&mut self.last.0);
    }
}

/// Adds whole rows to `accumulator`: at least two of them.
#[inline(always)]
pub(super) fn rows<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    let row_bytes = S::Wide::LANES * BLOCK_BYTES;
    let (first, rest) = data.split_at(row_bytes);
    let count = rest.len() / row_bytes;
    let r = accumulator.r;

    // The first row, and the message so far: that is added to the first block, which lane 0 holds.
    let (low, high) = S::Wide::load_blocks(token, first);
    let mut h = limbs(token, low, high);
    for (lane, limb) in h.iter_mut().zip(accumulator.h.limbs()) {
        *lane = lane.add(S::Wide::from_lanes(token, &[limb, 0, 0, 0, 0, 0, 0, 0]));
    }
    h[4] = h[4].add(S::Wide::splat(token, 1 << 24)); // 2^128
    // A piece of a longer message uses what the pieces before it have computed.
    let group_rows = rows_per_carry(count).max(table.as_ref().map_or(0, |powers| powers.count));
    if group_rows == 1 {
        let power = to_the_lanes(r.element(), S::Wide::LANES).limbs().map(|limb| limb as u32);
        let times_5 = power.map(|limb| 5 * limb);
        for row in rest.chunks_exact(row_bytes) {
            let product = multiply_limbs(token, &opaque(&h), &power, &times_5);
            h = carry(token, add_row(token, product, row));
            h[4] = h[4].add(S::Wide::splat(token, 1 << 24));
        }
    } else {
        let powers = table.get_or_insert_with(|| Powers::new(r.element(), S::Wide::LANES));
        powers.extend(group_rows.min(count));
        for rows in rest.chunks(group_rows * row_bytes) {
            h = group(token, powers, &h, rows);
        }
    }

    let mut lanes = h.map(|limb| limb.to_lanes());
    let mut in_order = [[0; 5]; sealane_simd::MAX_WIDE_LANES];
    for lane in 0..S::Wide::LANES {
        for limb in 0..5 {
            in_order[S::Wide::BLOCK_OF_LANE[lane]][limb] = lanes[limb][lane];
        }
    }
    // Lane i of N, in the order of the blocks, is left to be multiplied with r^(N-i).
    let mut sum = Element::default();
    for limbs in &in_order[..S::Wide::LANES] {
        sum = sum.add(Element::from_limbs(*limbs)).multiply(r);
    }
    accumulator.h = sum;
    wipe(lanes.as_flattened_mut());
    wipe(in_order.as_flattened_mut());
}

/// R: r to the power of the number of lanes.
#[inline(always)]
fn to_the_lanes(r: Element, lanes: usize) -> Element {
    let mut power = r;
    for _ in 0..lanes.trailing_zeros() {
        power = power.multiply_full(power);
    }
    power
}

/// Values that the compiler knows nothing of.
#[inline(always)]
fn opaque<W: Wide>(h: &[W; 5]) -> [W; 5] {
    [h[0].opaque(), h[1].opaque(), h[2].opaque(), h[3].opaque(), h[4].opaque()]
}

/// Numbers of 128 bits, in two halves, in limbs of 26 bits.
#[inline(always)]
pub(super) fn limbs<S: Simd>(token: S, low: S::Wide, high: S::Wide) -> [S::Wide; 5] {
    let limb = S::Wide::splat(token, LIMB);
    [
        low.and(limb),
        low.shr::<26>().and(limb),
        low.shr::<52>().or(high.shl::<12>()).and(limb),
        high.shr::<14>().and(limb),
        high.shr::<40>(),
    ]
}

/// The sum with a row of blocks, without their 2^128.
#[inline(always)]
fn add_row<S: Simd>(token: S, sum: [S::Wide; 5], row: &[u8]) -> [S::Wide; 5] {
    let (low, high) = S::Wide::load_blocks(token, row);
    let mut limbs = limbs(token, low, high);
    for i in 0..5 {
        limbs[i] = limbs[i].add(sum[i]);
    }
    limbs
}

/// Up to as many rows as there are powers, and one carry.
#[inline(always)]
fn group<S: Simd>(token: S, powers: &Powers, h: &[S::Wide; 5], data: &[u8]) -> [S::Wide; 5] {
    let row_bytes = S::Wide::LANES * BLOCK_BYTES;
    let (rows, last_row) = data.split_at(data.len() - row_bytes);
    let count = data.len() / row_bytes;

    let mut sum = multiply_limbs(token, &opaque(h), &powers.shifted[count - 1][0], &powers.times_5[count - 1]);
    let ones = &powers.ones[count];
    for i in 0..5 {
        sum[i] = sum[i].add(S::Wide::splat(token, u64::from(ones[i])));
    }
    let table = powers.shifted[..count - 1].iter().rev();
    for (row, power) in rows.chunks_exact(row_bytes).zip(table) {
        let (m0, m2) = S::Wide::load_blocks(token, row);
        let (m1, m3) = (m0.shr::<32>(), m2.shr::<32>());
        for i in 0..5 {
            let term0 = m0.mul_low(S::Wide::splat_low(token, power[0][i]));
            let term1 = m1.mul_low(S::Wide::splat_low(token, power[1][i]));
            let term2 = m2.mul_low(S::Wide::splat_low(token, power[2][i]));
            let term3 = m3.mul_low(S::Wide::splat_low(token, power[3][i]));
            sum[i] = sum[i].add(term0.add(term1)).add(term2.add(term3));
        }
    }

    // The last row has the factor 1.
    carry(token, add_row(token, sum, last_row))
}

/// The product with an element in five limbs, of which `times_5` has five times each. The limbs of `h` are below 2^28.
#[inline(always)]
fn multiply_limbs<S: Simd>(token: S, h: &[S::Wide; 5], limbs: &Limbs, times_5: &Limbs) -> [S::Wide; 5] {
    let mut sum = [S::Wide::splat(token, 0); 5];
    // Limb i of h times limb j of r goes to limb i + j; from limb 5 on, 2^130 = 5.
    for i in 0..5 {
        sum[i] = h[0].mul_low(S::Wide::splat_low(token, limbs[i]));
        for j in 1..5 {
            let factor = if j <= i { limbs[i - j] } else { times_5[i + 5 - j] };
            sum[i] = sum[i].add(h[j].mul_low(S::Wide::splat_low(token, factor)));
        }
    }
    sum
}

/// Carries limbs below 2^64 - 2^40 so that they are at most 2^26 + 2^16.
#[inline(always)]
pub(super) fn carry<S: Simd>(token: S, mut h: [S::Wide; 5]) -> [S::Wide; 5] {
    let limb = S::Wide::splat(token, LIMB);
    let carry = |h: &mut [S::Wide; 5], i: usize| {
        let above = h[i].shr::<26>();
        h[i] = h[i].and(limb);
        h[i + 1] = h[i + 1].add(above);
    };
    // Two chains side by side: 0 1 2 3 and 3 4 0 1.
    carry(&mut h, 0);
    carry(&mut h, 3);
    carry(&mut h, 1);
    let above = h[4].shr::<26>();
    h[4] = h[4].and(limb);
    h[0] = h[0].add(above).add(above.shl::<2>());
    carry(&mut h, 2);
    carry(&mut h, 0);
    carry(&mut h, 3);
    h
}
