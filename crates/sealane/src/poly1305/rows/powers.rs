//! Powers of r, and the rows that they multiply, in limbs of 44 bits. The last row is filled with
//! zeros and multiplied by powers selected for its length.

use sealane_simd::U64Lanes;

use super::lanes::{FIRST_POWERS, LanesOf, first_powers, in_lanes, product, row_limbs, splat, with_higher_powers};
use super::limbs::Limbs;
use super::limbs52::{Factor, Limbs52};
use crate::frame::own_frame;
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::{Element, Multiplier};

/// Powers of r. The first two are arrays of limbs, not [`Limbs52`], because the compiler then makes
/// empty powers where they stay, without a copy.
pub(crate) struct Powers<W, const K: usize> {
    /// r^N … r^1, in the order of the blocks.
    lanes: [W; 3],
    /// The same times R.
    lanes_above: [W; 3],
    /// R, R^2, R^3 and R^4, or the first K of them.
    rows: [Factor<W>; K],
}

impl<W: U64Lanes, const K: usize> Powers<W, K> {
    #[inline(always)]
    pub(super) fn new(token: W::Token, r: Multiplier) -> Self {
        let mut powers = Self::empty(token);
        powers.fill(token, r, K);
        powers
    }

    #[inline(always)]
    pub(crate) fn empty(token: W::Token) -> Self {
        let zero = W::splat(token, 0);
        Self { lanes: [zero; 3], lanes_above: [zero; 3], rows: [Factor::zero(zero); K] }
    }

    #[inline(always)]
    pub(super) fn fill(&mut self, token: W::Token, r: Multiplier, rows_together: usize) {
        let powers = first_powers::<W>(r);
        let lanes: Limbs52<W> = with_higher_powers(token, in_lanes(token, &powers), powers[FIRST_POWERS - 1]);
        let highest = if W::LANES > FIRST_POWERS {
            lanes.select_lanes(token, lanes, const { &LanesOf::<W>::HIGHEST })
        } else {
            splat(token, powers[W::LANES - 1])
        };
        let first = highest.factor();
        self.lanes = lanes.0;
        self.lanes_above = product(token, lanes, &first).0;
        self.rows[0] = first;
        if K > 1 {
            let square = product(token, highest, &first);
            let second = square.factor();
            self.rows[1] = second;
            if K > 2 && rows_together > 2 {
                self.rows[2] = product(token, square, &first).factor();
                self.rows[3] = product(token, square, &second).factor();
            }
        }
    }

    /// Adds all rows, and the data after them.
    #[inline(always)]
    pub(super) fn whole(
        mut self,
        token: W::Token,
        h: Element,
        rows: &[u8],
        tail: &[u8],
        lengths: Option<&[u8; BLOCK_BYTES]>,
    ) -> Element {
        let mut sum = in_lane_0(token, h).add(row_limbs(token, rows));
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
    pub(super) fn wipe(&mut self, token: W::Token) {
        // This works in pieces. For all powers at once, the compiler makes a call, around which
        // every vector goes through memory.
        let zero = W::splat(token, 0);
        (self.lanes, self.lanes_above) = ([zero; 3], [zero; 3]);
        zeroize::optimization_barrier(self);
        for row in &mut self.rows {
            *row = Factor::zero(zero);
            zeroize::optimization_barrier(row);
        }
    }

    /// Adds whole rows.
    #[inline(always)]
    pub(super) fn rows(&self, token: W::Token, sum: &mut Limbs52<W>, rest: &[u8], rows_together: usize) {
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
    pub(super) fn finish_with_lengths(
        &self,
        token: W::Token,
        mut sum: Limbs52<W>,
        mut tail: &[u8],
        lengths: &[u8; BLOCK_BYTES],
    ) -> Element {
        if tail.len() > (W::LANES - 1) * BLOCK_BYTES {
            // The lengths begin a row.
            let (low, high) = W::load_padded(token, tail);
            let row = Limbs52::of_blocks(token, low, high, W::splat(token, 1 << Limbs52::<W>::BIT_128));
            sum = product(token, sum, &self.rows[0]).add(row);
            tail = &tail[..0];
        }
        self.finish(token, sum, tail, Some(lengths))
    }

    /// Adds up to a row of blocks. If there are `lengths`, they are the last block, and a short
    /// block before them is filled with zeros. Otherwise a short last block gets a 1 bit after its
    /// last byte, and no 2^128 (RFC 8439, section 2.5.1).
    #[inline(always)]
    fn finish(&self, token: W::Token, sum: Limbs52<W>, tail: &[u8], lengths: Option<&[u8; BLOCK_BYTES]>) -> Element {
        let table = const { &LanesOf::<W>::LAST };
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
        let ones = W::from_lanes(token, &table[blocks_with_2_128].ones);
        let row = Limbs52::of_words(token, low, high, ones);
        let within = Limbs52(self.lanes).select_lanes(token, Limbs52(self.lanes_above), &last.within).factor();
        let before = Limbs52(self.lanes).select_lanes(token, Limbs52(self.lanes_above), &last.before).factor();
        let products = row.add_product(token, Limbs52::no_products(token), &within);
        Limbs52::sum_of_lanes(sum.add_product(token, products, &before))
    }

    /// Returns `sum` R^K + M(0) R^(K-1) + … + M(K-1).
    #[inline(always)]
    fn group<const N: usize>(&self, token: W::Token, sum: Limbs52<W>, data: &[u8]) -> Limbs52<W> {
        own_frame!(token => {
            let row_bytes = W::LANES * BLOCK_BYTES;
            let (rows, last_row) = data.split_at((N - 1) * row_bytes);
            let mut products = Limbs52::no_products(token);
            for i in 0..N - 1 {
                let limbs: Limbs52<W> = row_limbs(token, &rows[i * row_bytes..]);
                products = limbs.add_product(token, products, &self.rows[N - 2 - i]);
            }
            // This comes last, so that the other products do not wait for it.
            let products = sum.add_product(token, products, &self.rows[N - 1]);
            Limbs52::carry(token, products).add(row_limbs(token, last_row))
        })
    }
}

/// Returns an element in lane 0, which holds the first block of a row, and zeros.
#[inline(always)]
pub(super) fn in_lane_0<W: U64Lanes>(token: W::Token, element: Element) -> Limbs52<W> {
    Limbs52::of_elements(
        token,
        &[element],
        #[inline(always)]
        |[limb]| W::from_lanes(token, &[limb, 0, 0, 0, 0, 0, 0, 0]),
    )
}
