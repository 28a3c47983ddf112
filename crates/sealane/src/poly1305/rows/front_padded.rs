//! Complete rows after a first row that begins with zeros. [`super`] defines N and R.
//!
//! Zeros in the lanes of the first row add nothing to the sum. All other rows are complete, so at
//! the end the lanes are multiplied by the same powers for every length. The only other powers are
//! R and R^2, which are the same in all lanes. They are computed on integers, because with limbs of
//! 26 bits, products of vectors cost more.

use sealane_simd::{MAX_U64_LANES, U64Lanes};

use super::lanes::{FIRST_POWERS, LanesOf, first_powers, in_lanes, product, row_limbs, splat, with_higher_powers};
use super::limbs::{Limbs, TokenOf};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::{Element, Multiplier};

/// The last row: part of the message, or a copy whose last block was completed with a 1 bit.
pub(super) struct LastRow<'a> {
    pub(super) row: &'a [u8],
    /// Whether its last block has a 2^128, as all other blocks do.
    pub(super) ends_with_2_128: bool,
}

/// The powers of r that rows need.
pub(super) struct Powers<L: Limbs> {
    /// r^N … r^1, in the order of the blocks.
    lanes: L,
    /// R and R^2.
    rows: [L::Factor; 2],
}

/// Adds `blocks`, at least one, and the last row. Returns the new accumulator, not summed up.
#[inline(always)]
pub(super) fn add<W: U64Lanes, L: Limbs<Lanes = W>>(
    token: TokenOf<L>,
    h: Element,
    powers: Powers<L>,
    blocks: &[u8],
    last: &LastRow<'_>,
) -> L::Products {
    let row_bytes = W::LANES * BLOCK_BYTES;
    let (head, mut rows) = split_head::<W>(blocks);
    let mut sum = first_row::<W, L>(token, h, head);
    let last = last.limbs(token);
    if (rows.len() / row_bytes).is_multiple_of(2) {
        let Some((row, rest)) = rows.split_at_checked(row_bytes) else {
            sum = powers.one(token, sum, last);
            return powers.finish(token, sum);
        };
        sum = powers.one(token, sum, row_limbs(token, row));
        rows = rest;
    }
    while rows.len() > row_bytes {
        let (first, rest) = rows.split_at(row_bytes);
        let (second, rest) = rest.split_at(row_bytes);
        sum = powers.two(token, sum, row_limbs(token, first), row_limbs(token, second));
        rows = rest;
    }
    sum = powers.two(token, sum, row_limbs(token, rows), last);
    powers.finish(token, sum)
}

impl<W: U64Lanes, L: Limbs<Lanes = W>> Powers<L> {
    #[inline(always)]
    pub(super) fn new(token: TokenOf<L>, r: Multiplier) -> Self {
        let PowersOfR { lanes, step } = PowersOfR::new(token, r);
        let square = step.multiply_full(step);
        Self { lanes, rows: [splat::<W, L>(token, step).factor(), splat::<W, L>(token, square).factor()] }
    }

    /// Returns powers that all equal `power`.
    #[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
    pub(super) fn all(token: TokenOf<L>, power: Element) -> Self {
        let lanes = splat::<W, L>(token, power);
        Self { lanes, rows: [lanes.factor(), lanes.factor()] }
    }

    /// Returns `sum` R + `row`.
    #[inline(always)]
    fn one(&self, token: TokenOf<L>, sum: L, row: L) -> L {
        product(token, sum, &self.rows[0]).add(row)
    }

    /// Returns `sum` R^2 + `first` R + `second`.
    #[inline(always)]
    fn two(&self, token: TokenOf<L>, sum: L, first: L, second: L) -> L {
        // The product of the sum comes last, so that the other product does not wait for it.
        let products = first.add_product(token, L::no_products(token), &self.rows[0]);
        L::carry(token, sum.add_product(token, products, &self.rows[1])).add(second)
    }

    /// Multiplies each lane by its power, and wipes the powers.
    #[inline(always)]
    fn finish(mut self, token: TokenOf<L>, sum: L) -> L::Products {
        let h = sum.add_product(token, L::no_products(token), &self.lanes.factor());
        self.lanes = L::zero(token);
        self.rows = [L::zero(token).factor(), L::zero(token).factor()];
        zeroize::optimization_barrier(&self);
        h
    }
}

/// r^N … r^1 in the order of the blocks, and R.
pub(in crate::poly1305) struct PowersOfR<L> {
    pub(in crate::poly1305) lanes: L,
    pub(in crate::poly1305) step: Element,
}

impl<W: U64Lanes, L: Limbs<Lanes = W>> PowersOfR<L> {
    #[inline(always)]
    pub(in crate::poly1305) fn new(token: TokenOf<L>, r: Multiplier) -> Self {
        let powers = first_powers::<W>(r);
        let r4 = powers[FIRST_POWERS - 1];
        let lanes = with_higher_powers(token, in_lanes::<W, L>(token, &powers), r4);
        let step = if W::LANES > FIRST_POWERS { r4.multiply_full(r4) } else { powers[W::LANES - 1] };
        Self { lanes, step }
    }

    /// Overwrites all powers with zeros.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(in crate::poly1305) fn wipe(&mut self, token: TokenOf<L>) {
        self.lanes = L::zero(token);
        self.step = Element::default();
        zeroize::optimization_barrier(self);
    }
}

/// Splits `blocks` into the first row, of at least one block, and complete rows.
#[inline(always)]
pub(in crate::poly1305) fn split_head<W: U64Lanes>(blocks: &[u8]) -> (&[u8], &[u8]) {
    blocks.split_at((blocks.len() - 1) % (W::LANES * BLOCK_BYTES) + 1)
}

/// Returns the first row: zeros, and then `blocks`, which are at most a row. `h` is added to the
/// first block.
#[inline(always)]
pub(in crate::poly1305) fn first_row<W: U64Lanes, L: Limbs<Lanes = W>>(
    token: TokenOf<L>,
    h: Element,
    blocks: &[u8],
) -> L {
    let blocks = blocks.as_chunks::<BLOCK_BYTES>().0;
    let count = blocks.len();
    let mut row = [[0; BLOCK_BYTES]; MAX_U64_LANES];
    for (copy, block) in row[..W::LANES].iter_mut().rev().zip(blocks.iter().rev()) {
        *copy = *block;
    }
    let (low, high) = W::load_blocks(token, row.as_flattened());
    let ones = W::from_lanes(token, &const { &LanesOf::<W>::LAST_BLOCKS }[count]);
    let place = W::from_lanes(token, &const { &LanesOf::<W>::BLOCK_FROM_END }[count]);
    let h = L::of_elements(
        token,
        &[h],
        #[inline(always)]
        |[word]| W::splat(token, word).and(place),
    );
    L::of_words(token, low, high, ones).add(h)
}

impl LastRow<'_> {
    #[inline(always)]
    fn limbs<W: U64Lanes, L: Limbs<Lanes = W>>(&self, token: TokenOf<L>) -> L {
        let (low, high) = W::load_blocks(token, self.row);
        let without = usize::from(!self.ends_with_2_128);
        let ones = W::from_lanes(token, &const { &LanesOf::<W>::ALL_BLOCKS_BUT }[without]);
        L::of_words(token, low, high, ones)
    }
}
