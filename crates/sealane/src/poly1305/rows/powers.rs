//! Powers of r, and the rows that are multiplied by them, in limbs of 44 bits. The last row is
//! filled with zeros, and multiplied by powers that are selected for its length. [`super`] defines
//! N and R.

#[cfg(feature = "alloc")]
use sealane_simd::MAX_U64_LANES;
use sealane_simd::U64Lanes;
use sealane_simd::tuning::{
    POLY1305_MIN_ROWS_FOR_FOUR as MIN_ROWS_FOR_FOUR, POLY1305_MIN_ROWS_FOR_TWO as MIN_ROWS_FOR_TWO,
};

use super::front_padded::PowersOfR;
use super::lanes::{LanesOf, product, row_limbs, splat};
use super::limbs::Limbs;
use super::limbs52::{Factor, Limbs52};
use crate::frame::own_frame;
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::{Element, Multiplier};
use crate::poly1305::short::Short;
#[cfg(feature = "alloc")]
use crate::wipe::wipe;

/// Powers of r. The first two fields are arrays of limbs, not [`Limbs52`], because the compiler
/// then creates empty powers in place, without a copy.
struct LanePowers<W> {
    /// r^N … r^1, in the order of the blocks.
    lanes: [W; 3],
    /// r^N … r^1 times R.
    lanes_above: [W; 3],
    /// R.
    first: Factor<W>,
}

/// The powers that are kept while a message is authenticated.
pub(crate) struct Powers<W> {
    lanes: LanePowers<W>,
    /// R^2.
    second: Factor<W>,
    /// R^3 and R^4.
    higher: [Factor<W>; 2],
    /// R^13: moves the sum past 12 integer rows and the next vector row.
    thirteenth: Factor<W>,
}

/// [`Powers`] in memory, without the thirteenth power of R. Their type does not depend on the
/// backend.
#[cfg(feature = "alloc")]
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct StoredPowers {
    lanes: [[[u64; MAX_U64_LANES]; 3]; 2],
    factors: [[[u64; MAX_U64_LANES]; 5]; 4],
}

/// How rows are added.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// Two between two carries.
    Twos,
    /// Four between two carries.
    Fours,
    /// The same, and 12 on integers beside each pair of groups.
    FoursAndIntegers,
}

/// Adds all `rows`, at least one, and then `tail`. If there are `lengths`, a short last block is
/// filled with zeros, and the lengths follow.
#[inline(always)]
pub(super) fn add<W: U64Lanes>(
    token: W::Token,
    Short { h, r, .. }: Short,
    rows: &[u8],
    tail: &[u8],
    lengths: Option<&[u8; BLOCK_BYTES]>,
) -> Element {
    let (mut powers, step) = LanePowers::new(token, r);
    let row_bytes = W::LANES * BLOCK_BYTES;
    let mut sum: Limbs52<W> = in_lane_0(token, h).add(row_limbs(token, rows));
    let rest = &rows[row_bytes..];
    let count = rows.len() / row_bytes;
    if count < MIN_ROWS_FOR_TWO {
        for row in rest.chunks_exact(row_bytes) {
            sum = add_rows(token, sum, row, [&powers.first]);
        }
    } else {
        let second_limbs = second_power(token, step);
        let mut second = second_limbs.factor();
        if count < MIN_ROWS_FOR_FOUR {
            sum = in_twos(token, sum, rest, [&powers.first, &second]);
        } else {
            let mut higher = higher_powers(token, second_limbs, &powers.first, &second);
            sum = in_fours(token, sum, rest, [&powers.first, &second, &higher[0], &higher[1]]);
            wipe_factors(token, &mut higher);
        }
        wipe_factors(token, core::slice::from_mut(&mut second));
    }
    let h = powers.finish(token, sum, tail, lengths);
    powers.wipe(token);
    h
}

/// Returns R^2, computed on integers: a product of vectors would have to wait until R is in all
/// lanes.
#[inline(always)]
fn second_power<W: U64Lanes>(token: W::Token, step: Element) -> Limbs52<W> {
    splat(token, step.multiply_full(step))
}

/// Returns R^3 and R^4.
#[inline(always)]
fn higher_powers<W: U64Lanes>(
    token: W::Token,
    second_limbs: Limbs52<W>,
    first: &Factor<W>,
    second: &Factor<W>,
) -> [Factor<W>; 2] {
    [product(token, second_limbs, first).factor(), product(token, second_limbs, second).factor()]
}

/// Adds whole rows, two between two carries.
#[inline(always)]
fn in_twos<W: U64Lanes>(
    token: W::Token,
    mut sum: Limbs52<W>,
    rows: &[u8],
    powers @ [first, _]: [&Factor<W>; 2],
) -> Limbs52<W> {
    let row_bytes = W::LANES * BLOCK_BYTES;
    let (odd, rows) = rows.split_at(rows.len() / row_bytes % 2 * row_bytes);
    if !odd.is_empty() {
        sum = add_rows(token, sum, odd, [first]);
    }
    for rows in rows.chunks_exact(2 * row_bytes) {
        sum = add_rows(token, sum, rows, powers);
    }
    sum
}

/// Adds whole rows, four between two carries.
#[inline(always)]
fn in_fours<W: U64Lanes>(
    token: W::Token,
    mut sum: Limbs52<W>,
    rows: &[u8],
    powers @ [first, second, third, _]: [&Factor<W>; 4],
) -> Limbs52<W> {
    let row_bytes = W::LANES * BLOCK_BYTES;
    let odd_rows = rows.len() / row_bytes % 4;
    let (odd, rows) = rows.split_at(odd_rows * row_bytes);
    sum = match odd_rows {
        0 => sum,
        1 => add_rows(token, sum, odd, [first]),
        2 => add_rows(token, sum, odd, [first, second]),
        _ => add_rows(token, sum, odd, [first, second, third]),
    };
    for rows in rows.chunks_exact(4 * row_bytes) {
        sum = add_rows(token, sum, rows, powers);
    }
    sum
}

/// Adds K rows M(0) … M(K-1) with one carry: returns `sum` R^K + M(0) R^(K-1) + … + M(K-1), where
/// `powers` are R … R^K.
#[inline(always)]
fn add_rows<W: U64Lanes, const K: usize>(
    token: W::Token,
    sum: Limbs52<W>,
    data: &[u8],
    powers: [&Factor<W>; K],
) -> Limbs52<W> {
    own_frame!(token => {
        let row_bytes = W::LANES * BLOCK_BYTES;
        let (rows, last_row) = data.split_at((K - 1) * row_bytes);
        let mut products = Limbs52::no_products(token);
        for i in 0..K - 1 {
            let limbs: Limbs52<W> = row_limbs(token, &rows[i * row_bytes..]);
            products = limbs.add_product(token, products, powers[K - 2 - i]);
        }
        // The product of the sum comes last, so that the other products do not wait for it.
        let products = sum.add_product(token, products, powers[K - 1]);
        Limbs52::carry(token, products).add(row_limbs(token, last_row))
    })
}

impl<W: U64Lanes> Powers<W> {
    #[inline(always)]
    pub(crate) fn empty(token: W::Token) -> Self {
        let zero = W::splat(token, 0);
        let factor = Factor::zero(zero);
        let lanes = LanePowers { lanes: [zero; 3], lanes_above: [zero; 3], first: factor };
        Self { lanes, second: factor, higher: [factor; 2], thirteenth: factor }
    }

    /// Computes the powers. Returns r^48 if there will be [`Rows::FoursAndIntegers`]: the power of
    /// the first half of the blocks of 12 rows.
    #[inline(always)]
    pub(super) fn fill(&mut self, token: W::Token, r: Multiplier, rows: Rows) -> Element {
        let (lanes, step) = LanePowers::new(token, r);
        let second_limbs = second_power(token, step);
        self.second = second_limbs.factor();
        if !matches!(rows, Rows::Twos) {
            self.higher = higher_powers(token, second_limbs, &lanes.first, &self.second);
        }
        self.lanes = lanes;
        if !matches!(rows, Rows::FoursAndIntegers) {
            return Element::default();
        }
        // On integers, beside the products of vectors above.
        let r_16 = step.multiply_full(step);
        let r_48 = r_16.multiply_full(r_16).multiply_full(r_16);
        let r_104 = r_48.multiply_full(r_48).multiply_full(step);
        self.thirteenth = splat::<W, Limbs52<W>>(token, r_104).factor();
        r_48
    }

    /// Adds whole rows.
    #[inline(always)]
    pub(super) fn rows(&self, token: W::Token, sum: &mut Limbs52<W>, data: &[u8], rows: Rows) {
        let [third, fourth] = &self.higher;
        *sum = match rows {
            Rows::Twos => in_twos(token, *sum, data, [&self.lanes.first, &self.second]),
            _ => in_fours(token, *sum, data, [&self.lanes.first, &self.second, third, fourth]),
        };
    }

    /// Adds three rows.
    #[inline(always)]
    pub(super) fn three_rows(&self, token: W::Token, sum: Limbs52<W>, rows: &[u8]) -> Limbs52<W> {
        add_rows(token, sum, rows, [&self.lanes.first, &self.second, &self.higher[0]])
    }

    /// Adds four rows.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(super) fn four_rows(&self, token: W::Token, sum: Limbs52<W>, rows: &[u8]) -> Limbs52<W> {
        let [third, fourth] = &self.higher;
        add_rows(token, sum, rows, [&self.lanes.first, &self.second, third, fourth])
    }

    /// Returns `sum` R^13.
    #[inline(always)]
    pub(super) fn skip(&self, token: W::Token, sum: Limbs52<W>) -> Limbs52<W> {
        product(token, sum, &self.thirteenth)
    }

    /// Adds the end, and combines the lanes: see [`LanePowers::finish`].
    #[inline(always)]
    pub(super) fn finish(
        &self,
        token: W::Token,
        sum: Limbs52<W>,
        tail: &[u8],
        lengths: Option<&[u8; BLOCK_BYTES]>,
    ) -> Element {
        self.lanes.finish(token, sum, tail, lengths)
    }

    /// Overwrites all powers with zeros.
    #[inline(always)]
    pub(super) fn wipe(&mut self, token: W::Token) {
        self.lanes.wipe(token);
        wipe_factors(token, core::slice::from_mut(&mut self.second));
        wipe_factors(token, &mut self.higher);
        wipe_factors(token, core::slice::from_mut(&mut self.thirteenth));
    }
}

#[cfg(feature = "alloc")]
impl StoredPowers {
    pub(super) const fn zeroed() -> Self {
        Self { lanes: [[[0; MAX_U64_LANES]; 3]; 2], factors: [[[0; MAX_U64_LANES]; 5]; 4] }
    }

    #[inline(always)]
    pub(super) fn store<W: U64Lanes>(&mut self, powers: &Powers<W>) {
        let LanePowers { lanes, lanes_above, first } = &powers.lanes;
        let [third, fourth] = &powers.higher;
        for (place, lanes) in self.lanes.iter_mut().zip([lanes, lanes_above]) {
            *place = [lanes[0].to_lanes(), lanes[1].to_lanes(), lanes[2].to_lanes()];
        }
        for (place, factor) in self.factors.iter_mut().zip([first, &powers.second, third, fourth]) {
            *place = factor.to_lanes();
        }
    }

    #[inline(always)]
    pub(super) fn load<W: U64Lanes>(&self, token: W::Token) -> Powers<W> {
        let lanes = |i: usize| {
            let limb = |k: usize| W::from_lanes(token, &self.lanes[i][k]);
            [limb(0), limb(1), limb(2)]
        };
        let factor = |i: usize| Factor::from_lanes(token, &self.factors[i]);
        Powers {
            lanes: LanePowers { lanes: lanes(0), lanes_above: lanes(1), first: factor(0) },
            second: factor(1),
            higher: [factor(2), factor(3)],
            thirteenth: Factor::zero(W::splat(token, 0)),
        }
    }
}

#[cfg(feature = "alloc")]
impl Drop for StoredPowers {
    fn drop(&mut self) {
        wipe(self.lanes.as_flattened_mut().as_flattened_mut());
        wipe(self.factors.as_flattened_mut().as_flattened_mut());
    }
}

/// Overwrites factors with zeros, one by one. For all factors at once, the compiler makes a call,
/// around which every vector goes through memory.
#[inline(always)]
fn wipe_factors<W: U64Lanes>(token: W::Token, factors: &mut [Factor<W>]) {
    for factor in factors {
        *factor = Factor::zero(W::splat(token, 0));
        zeroize::optimization_barrier(factor);
    }
}

impl<W: U64Lanes> LanePowers<W> {
    /// Returns the powers, and R as an element.
    #[inline(always)]
    fn new(token: W::Token, r: Multiplier) -> (Self, Element) {
        let PowersOfR { lanes, step } = PowersOfR::<Limbs52<W>>::new(token, r);
        let first = splat::<W, Limbs52<W>>(token, step).factor();
        (Self { lanes: lanes.0, lanes_above: product(token, lanes, &first).0, first }, step)
    }

    #[inline(always)]
    fn wipe(&mut self, token: W::Token) {
        let zero = W::splat(token, 0);
        (self.lanes, self.lanes_above) = ([zero; 3], [zero; 3]);
        zeroize::optimization_barrier(self);
        wipe_factors(token, core::slice::from_mut(&mut self.first));
    }

    /// Adds the data after the last whole row, and combines the lanes.
    ///
    /// If there are `lengths`, the data is less than a row, a short last block is filled with
    /// zeros, and the lengths follow. Otherwise the data is at most a row, and a short last block
    /// gets a 1 bit after its last byte instead of 2^128 (RFC 8439, section 2.5.1).
    #[inline(always)]
    fn finish(
        &self,
        token: W::Token,
        mut sum: Limbs52<W>,
        mut tail: &[u8],
        lengths: Option<&[u8; BLOCK_BYTES]>,
    ) -> Element {
        if lengths.is_some() && tail.len() > (W::LANES - 1) * BLOCK_BYTES {
            // The lengths begin a row.
            let (low, high) = W::load_padded(token, tail);
            let row = Limbs52::of_blocks(token, low, high, W::splat(token, 1 << Limbs52::<W>::BIT_128));
            sum = product(token, sum, &self.first).add(row);
            tail = &tail[..0];
        }
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
}

/// Returns an element in lane 0, which holds the first block of a row, and zeros in the other
/// lanes.
#[inline(always)]
pub(super) fn in_lane_0<W: U64Lanes>(token: W::Token, element: Element) -> Limbs52<W> {
    Limbs52::of_elements(
        token,
        &[element],
        #[inline(always)]
        |[limb]| W::from_lanes(token, &[limb, 0, 0, 0, 0, 0, 0, 0]),
    )
}
