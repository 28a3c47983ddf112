//! Poly1305 on vectors with an instruction that adds half of a 52-bit product to a sum: messages in raw 52-bit limbs, powers of r in
//! 44-bit limbs.
//!
//! Rows, lanes and powers are those of [`super::wide`]. Here a block is three limbs, of which the instruction takes the low 52 bits,
//! so that none is masked, and the table has 2^(52 i) R^j mod p for i = 0, 1, 2, each in three limbs: 9 products a row, whose low and
//! high halves are summed apart. A high half is worth 2^52 = 2^8 2^44: shifted by 8, it belongs to the next limb.
//!
//! Sums stay below 2^64: limbs of the table are below 2^45, those of a block below 2^52. [`MAX_ROWS`] rows of three products are
//! less than 2^58 in low halves and less than 2^51 in high ones; 20 · 2^8 times the latter are less than 2^63.

use sealane_simd::{MAX_WIDE_LANES, Simd, Wide};

use super::BLOCK_BYTES;
use super::field::{Element, LIMB_44};
use super::kernel::{Accumulator, Table};
use super::wide::{Powers, Shifted, lane_powers};
use crate::wipe::wipe;

/// The most rows between two carries: a multiple of the lanes.
const MAX_ROWS: usize = 16;

/// Rows from which a table pays. Not measured yet: estimated from the latency of a row at a time and the length of the table's setup.
const MIN_ROWS_FOR_TABLE: usize = 32;

/// Computes all powers of R. Lanes of `r` are r^N … r^1, in the order of the blocks.
///
/// In a row of the table, pair k has limb k of R^j and of 2^52 R^j, and pair 3 + k limb k of 2^104 R^j.
#[inline(always)]
fn fill<S: Simd>(powers: &mut Powers, token: S, r: &[S::Wide; 3]) {
    // r^j to the power of N is R^j.
    let mut power = *r;
    for _ in 0..S::Wide::LANES.ilog2() {
        power = carry(token, Products::zero(token).add(token, &power, &Factors::of(power)).sum());
    }
    powers.push(&multiples(token, power));
    // Each of them multiplied with R^N is the next N powers.
    let step = Factors::of_power(token, &powers.rows()[0]);
    while powers.rows().len() < MAX_ROWS {
        power = carry(token, Products::zero(token).add(token, &power, &step).sum());
        powers.push(&multiples(token, power));
    }
}

/// The multiples of a power for each lane.
#[inline(always)]
fn multiples<S: Simd>(token: S, power: [S::Wide; 3]) -> [(S::Wide, S::Wide); 10] {
    let by_52 = times_2_52(token, power);
    let by_104 = times_2_52(token, by_52);
    let zero = S::Wide::splat(token, 0);
    let mut columns = [(zero, zero); 10];
    for k in 0..3 {
        columns[k] = (power[k], by_52[k]);
        columns[3 + k] = (by_104[k], zero);
    }
    columns
}

/// Adds whole rows to `accumulator`: at least two of them.
#[inline(always)]
pub(super) fn rows<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    let row_bytes = S::Wide::LANES * BLOCK_BYTES;
    let (first, rest) = data.split_at(row_bytes);
    let count = rest.len() / row_bytes;
    let (mut powers_of_r, mut elements) = lane_powers::<S>(accumulator.r);
    let lanes = from_elements(token, &elements);
    wipe(&mut elements[..S::Wide::LANES]);

    // The first row, and the message so far: that is added to the first block, which lane 0 holds.
    let mut h = add_row(token, [S::Wide::splat(token, 0); 3], first);
    for (lane, limb) in h.iter_mut().zip(accumulator.h.limbs_44()) {
        *lane = lane.add(S::Wide::from_lanes(token, &[limb, 0, 0, 0, 0, 0, 0, 0]));
    }
    if count < MIN_ROWS_FOR_TABLE && table.is_none() {
        // One row at a time needs no table.
        let factors = Factors::splat(token, powers_of_r[S::Wide::LANES - 1].limbs_44());
        for row in rest.chunks_exact(row_bytes) {
            h = carry(token, add_row(token, Products::zero(token).add(token, &h, &factors).sum(), row));
        }
    } else {
        // A piece of a longer message uses what the pieces before it have computed.
        let table = table.get_or_insert_with(Powers::new);
        if table.rows().is_empty() {
            fill(table, token, &lanes);
        }
        let powers = table.rows();
        let (partial, groups) = rest.split_at(count % MAX_ROWS * row_bytes);
        if !partial.is_empty() {
            h = group(token, powers, &h, partial);
        }
        for rows in groups.chunks_exact(MAX_ROWS * row_bytes) {
            h = group(token, powers, &h, rows);
        }
    }
    wipe(&mut powers_of_r[..S::Wide::LANES]);

    // Lane i is left to be multiplied with r^(N-i).
    let h = carry(token, Products::zero(token).add(token, &h, &Factors::of(lanes)).sum());
    accumulator.h = Element::from_limbs_44([h[0].sum_lanes(), h[1].sum_lanes(), h[2].sum_lanes()]);
}

/// As many rows as fit, and one carry: with M(j) the blocks of row j, h R^K + M(0) R^(K-1) + … + M(K-1).
#[inline(always)]
fn group<S: Simd>(token: S, powers: &[Shifted], h: &[S::Wide; 3], data: &[u8]) -> [S::Wide; 3] {
    let row_bytes = S::Wide::LANES * BLOCK_BYTES;
    let (rows, last_row) = data.split_at(data.len() - row_bytes);
    let count = rows.len() / row_bytes;
    // R^(count + 1), and those below it.
    let (power, powers) = powers[powers.len() - count - 1..].split_first().expect("there are more than rows");
    let mut products = Products::zero(token).add(token, h, &Factors::of_power(token, power));
    for (row, power) in rows.chunks_exact(row_bytes).zip(powers) {
        let [l0, l1, l2] = raw_limbs(token, row);
        for k in 0..3 {
            products.add_product(token, k, l0, S::Wide::splat(token, power[k].even()));
            products.add_product(token, k, l1, S::Wide::splat(token, power[k].odd()));
            products.add_product(token, k, l2, S::Wide::splat(token, power[3 + k].even()));
        }
    }
    // The last row has the factor 1.
    carry(token, add_row(token, products.sum(), last_row))
}

/// Blocks with their 2^128, in three limbs of which the low 52 bits count.
#[inline(always)]
fn raw_limbs<S: Simd>(token: S, row: &[u8]) -> [S::Wide; 3] {
    let (low, high) = S::Wide::load_blocks(token, row);
    [low, low.shr::<52>().or(high.shl::<12>()), high.shr::<40>().or(S::Wide::splat(token, 1 << 24))]
}

/// The sum with a row of blocks and their 2^128.
#[inline(always)]
fn add_row<S: Simd>(token: S, sum: [S::Wide; 3], row: &[u8]) -> [S::Wide; 3] {
    let (low, high) = S::Wide::load_blocks(token, row);
    let [l0, l1, l2] = limbs_44(token, low, high);
    [sum[0].add(l0), sum[1].add(l1), sum[2].add(l2.or(S::Wide::splat(token, 1 << 40)))]
}

/// Numbers of 128 bits, in two halves, in limbs of 44 bits.
#[inline(always)]
fn limbs_44<S: Simd>(token: S, low: S::Wide, high: S::Wide) -> [S::Wide; 3] {
    let limb = S::Wide::splat(token, LIMB_44);
    [low.and(limb), low.shr::<44>().or(high.shl::<20>()).and(limb), high.shr::<24>()]
}

/// An element for each lane.
#[inline(always)]
fn from_elements<S: Simd>(token: S, elements: &[Element; MAX_WIDE_LANES]) -> [S::Wide; 3] {
    let mut limbs = [[0; MAX_WIDE_LANES]; 3];
    for i in 0..S::Wide::LANES {
        [limbs[0][i], limbs[1][i], limbs[2][i]] = elements[i].limbs_44();
    }
    let [l0, l1, l2] = &limbs;
    let vectors = [S::Wide::from_lanes(token, l0), S::Wide::from_lanes(token, l1), S::Wide::from_lanes(token, l2)];
    wipe(limbs.as_flattened_mut());
    vectors
}

/// A factor in three limbs below 2^45, and 20 times those that come round: 2^132 = 4 · 2^130 = 20.
struct Factors<W> {
    limbs: [W; 3],
    times_20: [W; 3],
}

impl<W: Wide> Factors<W> {
    #[inline(always)]
    fn of(limbs: [W; 3]) -> Self {
        Self { limbs, times_20: [times_20(limbs[0]), times_20(limbs[1]), times_20(limbs[2])] }
    }

    /// That power of R in all lanes.
    #[inline(always)]
    fn of_power(token: W::Token, power: &Shifted) -> Self {
        Self::splat(token, [power[0].even(), power[1].even(), power[2].even()])
    }

    /// The same factor in all lanes.
    #[inline(always)]
    fn splat(token: W::Token, limbs: [u64; 3]) -> Self {
        Self::of([W::splat(token, limbs[0]), W::splat(token, limbs[1]), W::splat(token, limbs[2])])
    }
}

#[inline(always)]
fn times_20<W: Wide>(limb: W) -> W {
    limb.shl::<4>().add(limb.shl::<2>())
}

/// Sums of the low and of the high halves of products, by limb.
struct Products<W> {
    low: [W; 3],
    high: [W; 3],
}

impl<W: Wide> Products<W> {
    #[inline(always)]
    fn zero(token: W::Token) -> Self {
        let zero = W::splat(token, 0);
        Self { low: [zero; 3], high: [zero; 3] }
    }

    /// Adds the product of 52-bit limbs to limb `k`.
    #[inline(always)]
    fn add_product(&mut self, token: W::Token, k: usize, a: W, b: W) {
        self.low[k] = token.add_low_52(self.low[k], a, b);
        self.high[k] = token.add_high_52(self.high[k], a, b);
    }

    /// Adds the product with limbs of `h` below 2^46.
    #[inline(always)]
    fn add(mut self, token: W::Token, h: &[W; 3], factors: &Factors<W>) -> Self {
        for (i, h) in h.iter().enumerate() {
            for j in 0..3 {
                let (k, factor) = if i + j < 3 { (i + j, factors.limbs[j]) } else { (i + j - 3, factors.times_20[j]) };
                self.add_product(token, k, *h, factor);
            }
        }
        self
    }

    /// The sum of everything, not carried: limbs below 2^63.
    #[inline(always)]
    fn sum(self) -> [W; 3] {
        let [h0, h1, h2] = [self.high[0].shl::<8>(), self.high[1].shl::<8>(), self.high[2].shl::<8>()];
        [self.low[0].add(times_20(h2)), self.low[1].add(h0), self.low[2].add(h1)]
    }
}

/// The product with 2^52, in limbs of at most 2^44 + 2^20.
#[inline(always)]
fn times_2_52<S: Simd>(token: S, h: [S::Wide; 3]) -> [S::Wide; 3] {
    // 2^52 = 2^44 2^8: limbs move up.
    carry(token, [times_20(h[2]).shl::<8>(), h[0].shl::<8>(), h[1].shl::<8>()])
}

/// Carries limbs below 2^63 so that they are at most 44, 44 and 42 bits, but for a carry of up to 2^20 in the middle one.
#[inline(always)]
fn carry<S: Simd>(token: S, [h0, h1, h2]: [S::Wide; 3]) -> [S::Wide; 3] {
    let (limb, top) = (S::Wide::splat(token, LIMB_44), S::Wide::splat(token, (1 << 42) - 1));
    let (h1, h0) = (h1.add(h0.shr::<44>()), h0.and(limb));
    let (h2, h1) = (h2.add(h1.shr::<44>()), h1.and(limb));
    // 2^130 = 5.
    let (above, h2) = (h2.shr::<42>(), h2.and(top));
    let h0 = h0.add(above).add(above.shl::<2>());
    [h0.and(limb), h1.add(h0.shr::<44>()), h2]
}

// Factors in the tables of Arm have 32 bits.
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
mod tests;
