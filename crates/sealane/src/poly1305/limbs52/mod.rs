//! Poly1305 on vectors with an instruction that adds half of a 52-bit product to a sum (AVX-512
//! IFMA).
//!
//! A row is one block for each of the N lanes. Elements are three limbs of 44, 44 and 42 bits and
//! small carries. A product of limbs has a low and a high half of 52 bits, which are summed apart:
//! the high half is worth 2^52 = 2^8 · 2^44, so that it belongs to the next limb, shifted by 8.
//!
//! With R = r^N, K rows M(0) … M(K-1) turn the sum S into S R^K + M(0) R^(K-1) + … + M(K-1), with
//! one carry. The rows come first, the sum last: the products of the rows do not wait for the carry
//! before them. At the end the lanes have r^N … r^1 as factors; if the last row is incomplete, the
//! factors are moved so that its last block is multiplied by r.
//!
//! Sums stay below 2^64: limbs of a factor are below 2^45, 20 times them below 2^50, and limbs of a
//! row or sum below 2^46. Four rows of three products each have low halves below 12 · 2^52 < 2^56,
//! and high halves below 12 · 2^44 < 2^48.

use sealane_simd::tuning::{
    POLY1305_MIN_ROWS_FOR_FOUR as MIN_ROWS_FOR_FOUR, POLY1305_MIN_ROWS_FOR_TWO as MIN_ROWS_FOR_TWO,
};
use sealane_simd::{MAX_U64_LANES, Simd, Token, U64Lanes};

use super::BLOCK_BYTES;
use super::accumulator::Accumulator;
use super::field::{Element, LIMB_44, Multiplier};
use super::short::Short;
use crate::Tag;
use crate::frame::own_frame;

/// Bytes of a row of eight lanes.
pub(crate) const ROW_BYTES: usize = 8 * BLOCK_BYTES;

/// Adds blocks to `accumulator`: more than a row. A short last block gets a 1 bit after its last
/// byte: it is the end of the message.
#[inline(always)]
pub(super) fn blocks<S: Simd>(token: S, accumulator: &mut Accumulator, data: &[u8]) {
    let rows_before = (data.len() - 1) / (S::U64Lanes::LANES * BLOCK_BYTES);
    let (rows, tail) = data.split_at(rows_before * S::U64Lanes::LANES * BLOCK_BYTES);
    let (h, r) = (accumulator.h, accumulator.r);
    accumulator.h = match rows.len() / (S::U64Lanes::LANES * BLOCK_BYTES) {
        0..MIN_ROWS_FOR_TWO => Powers::<S::U64Lanes, 1>::new(token, r).whole(token, h, rows, tail, None),
        MIN_ROWS_FOR_TWO..MIN_ROWS_FOR_FOUR => {
            Powers::<S::U64Lanes, 2>::new(token, r).whole(token, h, rows, tail, None)
        }
        _ => Powers::<S::U64Lanes, 4>::new(token, r).whole(token, h, rows, tail, None),
    };
}

/// Adds at least a row of data, filled with zeros to a whole block, and the lengths (RFC 8439,
/// section 2.8).
#[inline(always)]
pub(crate) fn padded_and_lengths<S: Simd>(token: S, mac: Short, data: &[u8], lengths: &[u8; BLOCK_BYTES]) -> Short {
    let row_bytes = S::U64Lanes::LANES * BLOCK_BYTES;
    let (rows, tail) = data.split_at(data.len() - data.len() % row_bytes);
    let Short { h, r, s } = mac;
    let h = match data.len() / row_bytes {
        0..MIN_ROWS_FOR_TWO => Powers::<S::U64Lanes, 1>::new(token, r).whole(token, h, rows, tail, Some(lengths)),
        MIN_ROWS_FOR_TWO..MIN_ROWS_FOR_FOUR => {
            Powers::<S::U64Lanes, 2>::new(token, r).whole(token, h, rows, tail, Some(lengths))
        }
        _ => Powers::<S::U64Lanes, 4>::new(token, r).whole(token, h, rows, tail, Some(lengths)),
    };
    Short { h, r, s }
}

/// Powers of r.
pub(crate) struct Powers<W, const K: usize> {
    /// r^N … r^1, in the order of the blocks.
    lanes: [W; 3],
    /// The same times R.
    lanes_above: [W; 3],
    /// R, R^2, R^3 and R^4, or the first K of them.
    rows: [Factor<W>; K],
}

impl<W: U64Lanes, const K: usize> Powers<W, K> {
    /// The exponent of r in each lane.
    const EXPONENTS: [usize; MAX_U64_LANES] = {
        let mut exponents = [0; MAX_U64_LANES];
        let mut lane = 0;
        while lane < W::LANES {
            exponents[lane] = W::LANES - W::BLOCK_OF_LANE[lane];
            lane += 1;
        }
        exponents
    };

    /// The lanes whose exponent is 1, 2, 3 or 4 modulo 4.
    const MODULO_4: [[u64; MAX_U64_LANES]; 4] = {
        let mut masks = [[0; MAX_U64_LANES]; 4];
        let mut lane = 0;
        while lane < W::LANES {
            masks[(Self::EXPONENTS[lane] - 1) % 4][lane] = u64::MAX;
            lane += 1;
        }
        masks
    };

    /// The lanes whose exponent is above 4, and the others.
    const ABOVE_4: [[u64; MAX_U64_LANES]; 2] = {
        let mut masks = [[0; MAX_U64_LANES]; 2];
        let mut lane = 0;
        while lane < W::LANES {
            masks[if Self::EXPONENTS[lane] > 4 { 0 } else { 1 }][lane] = u64::MAX;
            lane += 1;
        }
        masks
    };

    /// The lane of the highest exponent, for all lanes.
    const HIGHEST: [u64; MAX_U64_LANES] = {
        let mut lane = 0;
        while Self::EXPONENTS[lane] < W::LANES {
            lane += 1;
        }
        [lane as u64; MAX_U64_LANES]
    };

    #[inline(always)]
    fn new(token: W::Token, r: Multiplier) -> Self {
        let mut powers = Self::empty(token);
        powers.fill(token, r, K);
        powers
    }

    #[inline(always)]
    fn empty(token: W::Token) -> Self {
        let zero = W::splat(token, 0);
        let factor = Factor { limbs: [zero; 3], times_20: [zero; 2] };
        Self { lanes: [zero; 3], lanes_above: [zero; 3], rows: [factor; K] }
    }

    #[inline(always)]
    fn fill(&mut self, token: W::Token, r: Multiplier, rows_together: usize) {
        // The powers up to r^4 are computed on integers. As products of vectors they would be twice
        // as many, and wait for each other.
        let r1 = r.element();
        let r2 = r1.multiply(r);
        let (r3, r4) = (r2.multiply(r), r2.multiply_full(r2));
        let powers = [r1, r2, r3, r4].map(
            #[inline(always)]
            |power| power.limbs_44(),
        );
        let masks = const { &Self::MODULO_4 };
        let mut lanes = [W::splat(token, 0); 3];
        for k in 0..3 {
            for e in 0..4 {
                let lane = W::splat(token, powers[e][k]).and(W::from_lanes(token, &masks[e]));
                lanes[k] = lanes[k].or(lane);
            }
        }
        if W::LANES > 4 {
            let (one, r4) = (splat(token, [1, 0, 0]), splat(token, powers[3]));
            lanes = product(token, lanes, &Factor::of(blend(token, const { &Self::ABOVE_4 }, one, r4)));
        }
        let mut power = lanes;
        for k in 0..3 {
            power[k] = lanes[k].select_lanes(token, lanes[k], const { &Self::HIGHEST });
        }
        let first = Factor::of(power);
        self.lanes = lanes;
        self.lanes_above = product(token, lanes, &first);
        self.rows[0] = first;
        if K > 1 {
            let square = product(token, power, &first);
            let second = Factor::of(square);
            self.rows[1] = second;
            if K > 2 && rows_together > 2 {
                self.rows[2] = Factor::of(product(token, square, &first));
                self.rows[3] = Factor::of(product(token, square, &second));
            }
        }
    }

    /// Adds all rows, and the data after them.
    #[inline(always)]
    fn whole(
        mut self,
        token: W::Token,
        h: Element,
        rows: &[u8],
        tail: &[u8],
        lengths: Option<&[u8; BLOCK_BYTES]>,
    ) -> Element {
        let mut sum = self.first_row(token, h, rows);
        self.rows(token, &mut sum, &rows[W::LANES * BLOCK_BYTES..], K);
        let h = match lengths {
            Some(lengths) => self.finish_with_lengths(token, sum, tail, lengths),
            None => self.finish(token, sum, tail, None),
        };
        self.wipe(token);
        h
    }

    /// Overwrites all powers with zeros.
    #[inline(always)]
    pub(crate) fn wipe(&mut self, token: W::Token) {
        let zero = W::splat(token, 0);
        let factor = Factor { limbs: [zero; 3], times_20: [zero; 2] };
        // This works in pieces. For all powers at once, the compiler makes a call, around which
        // every vector goes through memory.
        (self.lanes, self.lanes_above) = ([zero; 3], [zero; 3]);
        zeroize::optimization_barrier(self);
        for row in &mut self.rows {
            *row = factor;
            zeroize::optimization_barrier(row);
        }
    }

    /// The first row, and the accumulator so far, which is added to the first block in lane 0.
    #[inline(always)]
    pub(crate) fn first_row(&self, token: W::Token, h: Element, data: &[u8]) -> [W; 3] {
        let (h, row): ([W; 3], [W; 3]) = (in_lane_0(token, h), row_limbs(token, data));
        [h[0].add(row[0]), h[1].add(row[1]), h[2].add(row[2])]
    }

    /// Adds whole rows.
    #[inline(always)]
    fn rows(&self, token: W::Token, sum: &mut [W; 3], rest: &[u8], rows_together: usize) {
        let row_bytes = W::LANES * BLOCK_BYTES;
        let count = rest.len() / row_bytes;
        if K == 1 {
            for row in rest.chunks_exact(row_bytes) {
                *sum = self.group::<1>(token, *sum, row);
            }
        } else if K == 4 && rows_together == 4 {
            let (odd, rest) = rest.split_at(count % 4 * row_bytes);
            *sum = match count % 4 {
                0 => *sum,
                1 => self.group::<1>(token, *sum, odd),
                2 => self.group::<2>(token, *sum, odd),
                _ => self.group::<3>(token, *sum, odd),
            };
            for rows in rest.chunks_exact(4 * row_bytes) {
                *sum = self.group::<4>(token, *sum, rows);
            }
        } else {
            let (odd, rest) = rest.split_at(count % 2 * row_bytes);
            if !odd.is_empty() {
                *sum = self.group::<1>(token, *sum, odd);
            }
            for rows in rest.chunks_exact(2 * row_bytes) {
                *sum = self.group::<2>(token, *sum, rows);
            }
        }
    }

    /// Adds less than a row, filled with zeros, and the lengths.
    #[inline(always)]
    fn finish_with_lengths(
        &self,
        token: W::Token,
        mut sum: [W; 3],
        tail: &[u8],
        lengths: &[u8; BLOCK_BYTES],
    ) -> Element {
        let mut tail = tail;
        if tail.len() > (W::LANES - 1) * BLOCK_BYTES {
            // The lengths begin a row.
            let (low, high) = W::load_padded(token, tail);
            let row = limbs_of(token, low, high, W::splat(token, 1 << 40));
            let h = Products::zero(token).add(token, &sum, &self.rows[0]).carry(token);
            sum = [h[0].add(row[0]), h[1].add(row[1]), h[2].add(row[2])];
            tail = &tail[..0];
        }
        self.finish(token, sum, tail, Some(lengths))
    }

    /// For a last row of each number of blocks, from 0 on: the exponents of the lanes before and in that row,
    /// as places in both vectors of powers; bit 128 of its lanes; the lane of its last block.
    const LAST: [Last; MAX_U64_LANES + 1] = {
        let mut place = [0; MAX_U64_LANES];
        let mut lane = 0;
        while lane < W::LANES {
            place[W::BLOCK_OF_LANE[lane]] = lane;
            lane += 1;
        }
        let mut all = [Last { before: [0; 8], within: [0; 8], ones: [0; 8], end: [0; 8] }; MAX_U64_LANES + 1];
        let mut blocks = 1;
        while blocks <= W::LANES {
            let last = &mut all[blocks];
            let mut lane = 0;
            while lane < W::LANES {
                let block = W::BLOCK_OF_LANE[lane];
                let exponent = W::LANES - block + blocks;
                last.before[lane] = (if exponent > W::LANES {
                    W::LANES + place[2 * W::LANES - exponent]
                } else {
                    place[W::LANES - exponent]
                }) as u64;
                if block < blocks {
                    last.within[lane] = place[W::LANES - (blocks - block)] as u64;
                    last.ones[lane] = 1 << 40;
                }
                if block + 1 == blocks {
                    last.end[lane] = u64::MAX;
                }
                lane += 1;
            }
            blocks += 1;
        }
        all
    };

    #[inline(always)]
    fn pick(&self, token: W::Token, indices: &[u64; MAX_U64_LANES]) -> Factor<W> {
        Factor::of([
            self.lanes[0].select_lanes(token, self.lanes_above[0], indices),
            self.lanes[1].select_lanes(token, self.lanes_above[1], indices),
            self.lanes[2].select_lanes(token, self.lanes_above[2], indices),
        ])
    }

    /// Adds up to a row of blocks. If there are `lengths`, they are the last block, and a short
    /// block before them is filled with zeros. Otherwise a short last block gets a 1 bit after its
    /// last byte, and no 2^128 (RFC 8439, section 2.5.1).
    #[inline(always)]
    fn finish(&self, token: W::Token, sum: [W; 3], tail: &[u8], lengths: Option<&[u8; BLOCK_BYTES]>) -> Element {
        let table = const { &Self::LAST };
        let blocks = tail.len().div_ceil(BLOCK_BYTES) + usize::from(lengths.is_some());
        let (end, blocks_with_2_128) = match (lengths, tail.len() % BLOCK_BYTES) {
            (Some(lengths), _) => (u128::from_le_bytes(*lengths), blocks),
            (None, 0) => (0, blocks),
            (None, bytes) => (1 << (8 * bytes), blocks - 1),
        };
        let last = &table[blocks];
        let (low, high) = W::load_padded(token, tail);
        let mask = W::from_lanes(token, &last.end);
        let low = low.or(W::splat(token, end as u64).and(mask));
        let high = high.or(W::splat(token, (end >> 64) as u64).and(mask));
        let row = limbs_of(token, low, high, W::from_lanes(token, &table[blocks_with_2_128].ones));
        let (within, before) = (self.pick(token, &last.within), self.pick(token, &last.before));
        let products = Products::zero(token).add(token, &row, &within).add(token, &sum, &before);
        // Without carries: the sums of all lanes stay below 2^60.
        let high = products.high;
        let l0 = products.low[0].add(high[2].shl::<10>()).add(high[2].shl::<12>());
        let l1 = products.low[1].add(high[0].shl::<8>());
        let l2 = products.low[2].add(high[1].shl::<8>());
        Element::from_limbs_44([l0.sum_lanes(), l1.sum_lanes(), l2.sum_lanes()])
    }

    /// Returns `sum` R^K + M(0) R^(K-1) + … + M(K-1).
    #[inline(always)]
    fn group<const N: usize>(&self, token: W::Token, sum: [W; 3], data: &[u8]) -> [W; 3] {
        own_frame!(token => {
            let row_bytes = W::LANES * BLOCK_BYTES;
            let (rows, last_row) = data.split_at((N - 1) * row_bytes);
            let mut products = Products::zero(token);
            for i in 0..N - 1 {
                let limbs = row_limbs(token, &rows[i * row_bytes..]);
                products = products.add(token, &limbs, &self.rows[N - 2 - i]);
            }
            // This comes last, so that the other products do not wait for it.
            let h = products.add(token, &sum, &self.rows[N - 1]).carry(token);
            let last = row_limbs(token, last_row);
            [h[0].add(last[0]), h[1].add(last[1]), h[2].add(last[2])]
        })
    }
}

/// A message that is authenticated row by row while it is encrypted. It continues a [`Short`],
/// which has the associated data.
pub(crate) struct RowsMac<W> {
    powers: Powers<W, 4>,
    sum: [W; 3],
    /// Bytes of the message that have been added.
    done: usize,
    /// Rows between two carries: 2 or 4.
    rows_together: usize,
}

impl<W: U64Lanes> RowsMac<W> {
    /// Returns a message without a key, to be [started](Self::start). Returning a filled value
    /// would copy it, because it is large.
    #[inline(always)]
    pub(crate) fn empty(token: W::Token) -> Self {
        Self { powers: Powers::empty(token), sum: [W::splat(token, 0); 3], done: 0, rows_together: 4 }
    }

    /// Computes the powers of r that a message of `length` bytes needs.
    #[inline(always)]
    pub(crate) fn start(&mut self, token: W::Token, short: &Short, length: usize) {
        self.rows_together = {
            let min_bytes = W::Token::TUNING.poly1305_min_bytes_for_four_rows.of(token.cpu_class());
            if length < min_bytes { 2 } else { 4 }
        };
        self.powers.fill(token, short.r, self.rows_together);
        self.sum = in_lane_0(token, short.h);
        self.done = 0;
    }

    /// Adds the new bytes of `message`, which begins with all bytes that were added before, up to a
    /// whole row.
    #[inline(always)]
    pub(crate) fn add_rows(&mut self, token: W::Token, message: &[u8]) {
        let end = message.len() - message.len() % ROW_BYTES;
        if self.done == 0 && end > 0 {
            // No multiplication has begun yet.
            let first = row_limbs(token, message);
            for (sum, limb) in self.sum.iter_mut().zip(first) {
                *sum = sum.add(limb);
            }
            self.done = ROW_BYTES;
        }
        if end > self.done {
            add_rows(token, self, &message[self.done..end]);
            self.done = end;
        }
    }

    /// Adds less than a row, filled with zeros, and the lengths. Returns the tag.
    #[inline(always)]
    pub(crate) fn finish(&mut self, token: W::Token, short: Short, tail: &[u8], lengths: &[u8; BLOCK_BYTES]) -> Tag {
        let h = self.powers.finish_with_lengths(token, self.sum, tail, lengths);
        self.powers.wipe(token);
        Short { h, ..short }.tag()
    }
}

/// Adds whole rows. All callers share one copy of this function.
fn add_rows<W: U64Lanes>(token: W::Token, mac: &mut RowsMac<W>, rows: &[u8]) {
    token.enter_apart(
        #[inline(always)]
        |token| mac.powers.rows(token, &mut mac.sum, rows, mac.rows_together),
    );
}

/// Returns the limbs of an element in lane 0, which holds the first block of a row.
#[inline(always)]
fn in_lane_0<W: U64Lanes>(token: W::Token, h: Element) -> [W; 3] {
    let [h0, h1, h2] = h.limbs_44();
    let limb = |limb| W::from_lanes(token, &[limb, 0, 0, 0, 0, 0, 0, 0]);
    [limb(h0), limb(h1), limb(h2)]
}

/// Blocks and their 2^128, in three limbs of 44, 44 and 41 bits.
#[inline(always)]
fn row_limbs<W: U64Lanes>(token: W::Token, row: &[u8]) -> [W; 3] {
    let (low, high) = W::load_blocks(token, row);
    limbs_of(token, low, high, W::splat(token, 1 << 40))
}

#[inline(always)]
fn limbs_of<W: U64Lanes>(token: W::Token, low: W, high: W, ones: W) -> [W; 3] {
    let limb = W::splat(token, LIMB_44);
    [low.and(limb), low.shr::<44>().or(high.shl::<20>()).and(limb), high.shr::<24>().or(ones)]
}

/// See [`Powers::LAST`].
#[derive(Clone, Copy)]
struct Last {
    before: [u64; MAX_U64_LANES],
    within: [u64; MAX_U64_LANES],
    ones: [u64; MAX_U64_LANES],
    end: [u64; MAX_U64_LANES],
}

/// Returns `b` where the first mask has ones, and `a` where the second has.
#[inline(always)]
fn blend<W: U64Lanes>(token: W::Token, [mask, other]: &[[u64; MAX_U64_LANES]; 2], a: [W; 3], b: [W; 3]) -> [W; 3] {
    let (mask, other) = (W::from_lanes(token, mask), W::from_lanes(token, other));
    [a[0].and(other).or(b[0].and(mask)), a[1].and(other).or(b[1].and(mask)), a[2].and(other).or(b[2].and(mask))]
}

#[inline(always)]
fn splat<W: U64Lanes>(token: W::Token, limbs: [u64; 3]) -> [W; 3] {
    [W::splat(token, limbs[0]), W::splat(token, limbs[1]), W::splat(token, limbs[2])]
}

#[inline(always)]
fn product<W: U64Lanes>(token: W::Token, a: [W; 3], b: &Factor<W>) -> [W; 3] {
    Products::zero(token).add(token, &a, b).carry(token)
}

/// A factor in three limbs below 2^45, and 20 times the limbs that wrap around: 2^132 = 4 · 2^130 =
/// 20.
#[derive(Clone, Copy)]
struct Factor<W> {
    limbs: [W; 3],
    /// Of limbs 1 and 2.
    times_20: [W; 2],
}

impl<W: U64Lanes> Factor<W> {
    #[inline(always)]
    fn of(limbs: [W; 3]) -> Self {
        Self { limbs, times_20: [times_20(limbs[1]), times_20(limbs[2])] }
    }
}

#[inline(always)]
fn times_20<W: U64Lanes>(limb: W) -> W {
    // Opaque, because compilers combine both shifts into one multiplication, which takes 15 cycles
    // on Intel's CPUs.
    limb.shl::<4>().opaque().add(limb.shl::<2>())
}

/// Sums of the low and of the high halves of products, by limb.
struct Products<W> {
    low: [W; 3],
    high: [W; 3],
}

impl<W: U64Lanes> Products<W> {
    #[inline(always)]
    fn zero(token: W::Token) -> Self {
        let zero = W::splat(token, 0);
        Self { low: [zero; 3], high: [zero; 3] }
    }

    /// Adds the product with limbs of `h` below 2^46.
    #[inline(always)]
    fn add(mut self, token: W::Token, h: &[W; 3], factor: &Factor<W>) -> Self {
        for (i, h) in h.iter().enumerate() {
            for j in 0..3 {
                let (k, factor) =
                    if i + j < 3 { (i + j, factor.limbs[j]) } else { (i + j - 3, factor.times_20[j - 1]) };
                self.low[k] = token.add_low_52(self.low[k], *h, factor);
                self.high[k] = token.add_high_52(self.high[k], *h, factor);
            }
        }
        self
    }

    /// In limbs of at most 44, 44 and 42 bits and a carry of up to 2^16.
    #[inline(always)]
    fn carry(self, token: W::Token) -> [W; 3] {
        let (limb, top) = (W::splat(token, LIMB_44), W::splat(token, (1 << 42) - 1));
        let (l0, l1, l2) =
            (self.low[0], self.low[1].add(self.high[0].shl::<8>()), self.low[2].add(self.high[1].shl::<8>()));
        // All limbs are carried at once; bits above 2^130 = 2^88 2^42 count five times.
        let above = l2.shr::<42>().add(self.high[2].shl::<10>());
        let h0 = l0.and(limb).add(above.shl::<2>()).add(above);
        let h1 = l1.and(limb).add(l0.shr::<44>());
        let h2 = l2.and(top).add(l1.shr::<44>());
        [h0.and(limb), h1.add(h0.shr::<44>()), h2]
    }
}

// Factors in the tables of Arm have 32 bits.
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
mod tests;
