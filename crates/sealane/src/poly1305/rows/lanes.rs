//! The first powers of r in the lanes of a row, for any representation of elements. [`super`]
//! defines N and R.

use sealane_simd::{MAX_U64_LANES, U64Lanes};

use super::limbs::{Limbs, TokenOf};
use crate::poly1305::field::{Element, Multiplier};

/// The number of powers of r that are computed on integers.
pub(super) const FIRST_POWERS: usize = 4;

/// Constants for the lanes of vectors `W`.
pub(super) struct LanesOf<W>(core::marker::PhantomData<W>);

impl<W: U64Lanes> LanesOf<W> {
    /// The exponent of r in each lane.
    pub(super) const EXPONENTS: [usize; MAX_U64_LANES] = {
        let mut exponents = [0; MAX_U64_LANES];
        let mut lane = 0;
        while lane < W::LANES {
            exponents[lane] = W::LANES - W::BLOCK_OF_LANE[lane];
            lane += 1;
        }
        exponents
    };

    /// Four masks: the lanes whose exponent is 1, 2, 3 and 4 modulo 4.
    const MODULO_4: [[u64; MAX_U64_LANES]; FIRST_POWERS] = {
        let mut masks = [[0; MAX_U64_LANES]; FIRST_POWERS];
        let mut lane = 0;
        while lane < W::LANES {
            masks[(Self::EXPONENTS[lane] - 1) % FIRST_POWERS][lane] = u64::MAX;
            lane += 1;
        }
        masks
    };

    /// Two vectors: a mask of the lanes whose exponent is above 4, and a 1 in each of the other
    /// lanes.
    const ABOVE_4: [[u64; MAX_U64_LANES]; 2] = {
        let mut masks = [[0; MAX_U64_LANES]; 2];
        let mut lane = 0;
        while lane < W::LANES {
            if Self::EXPONENTS[lane] > FIRST_POWERS {
                masks[0][lane] = u64::MAX;
            } else {
                masks[1][lane] = 1;
            }
            lane += 1;
        }
        masks
    };

    /// For each number n, a vector with 1 in the lanes of the last n blocks of a row.
    pub(super) const LAST_BLOCKS: [[u64; MAX_U64_LANES]; MAX_U64_LANES + 1] = {
        let mut ones = [[0; MAX_U64_LANES]; MAX_U64_LANES + 1];
        let mut lane = 0;
        while lane < W::LANES {
            let mut count = W::LANES - W::BLOCK_OF_LANE[lane];
            while count <= MAX_U64_LANES {
                ones[count][lane] = 1;
                count += 1;
            }
            lane += 1;
        }
        ones
    };

    /// For each distance from the end of a row, a mask of the lane with the block at that distance.
    /// The last block has the distance 1.
    pub(super) const BLOCK_FROM_END: [[u64; MAX_U64_LANES]; MAX_U64_LANES + 1] = {
        let mut masks = [[0; MAX_U64_LANES]; MAX_U64_LANES + 1];
        let mut lane = 0;
        while lane < W::LANES {
            masks[W::LANES - W::BLOCK_OF_LANE[lane]][lane] = u64::MAX;
            lane += 1;
        }
        masks
    };

    /// Two vectors: 1 in all lanes, and 1 in all lanes except the lane of the last block.
    pub(super) const ALL_BLOCKS_BUT: [[u64; MAX_U64_LANES]; 2] = {
        let mut ones = [[1; MAX_U64_LANES]; 2];
        let mut lane = 0;
        while lane < W::LANES {
            if W::BLOCK_OF_LANE[lane] + 1 == W::LANES {
                ones[1][lane] = 0;
            }
            lane += 1;
        }
        ones
    };

    /// For each number of blocks from 0 on, the constants for a last row with that number of
    /// blocks.
    pub(super) const LAST: [Last; MAX_U64_LANES + 1] = {
        let mut place = [0; MAX_U64_LANES];
        let mut lane = 0;
        while lane < W::LANES {
            place[W::BLOCK_OF_LANE[lane]] = lane;
            lane += 1;
        }
        let mut all = [Last { before: [0; 8], within: [0; 8], ones: [0; 8], end: [0; 8] }; MAX_U64_LANES + 1];
        let mut blocks = 0;
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
                    last.ones[lane] = 1;
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
}

/// The constants for a last row with a certain number of blocks.
#[derive(Clone, Copy)]
pub(super) struct Last {
    /// The power for each lane of the sum before the last row, as an index into the lanes of two
    /// vectors: r^N … r^1, and the same times R.
    pub(super) before: [u64; MAX_U64_LANES],
    /// The power for each lane of the last row, as an index of the same kind.
    pub(super) within: [u64; MAX_U64_LANES],
    /// 1 in the lanes of the last row that have a block.
    pub(super) ones: [u64; MAX_U64_LANES],
    /// A mask of the lane that has the last block.
    pub(super) end: [u64; MAX_U64_LANES],
}

/// Returns r^1 to r^4, or only r^1 and r^2 if there are two lanes (the other elements are then
/// unused). They are computed on integers: on vectors, there would be twice as many products, and
/// they would wait for each other.
#[inline(always)]
pub(super) fn first_powers<W: U64Lanes>(r: Multiplier) -> [Element; FIRST_POWERS] {
    let r1 = r.element();
    let r2 = r1.multiply(r);
    if W::LANES > 2 { [r1, r2, r2.multiply(r), r2.multiply_full(r2)] } else { [r1, r2, r1, r1] }
}

/// Multiplies the lanes whose exponent is above 4, if there are any, by r^4.
#[inline(always)]
pub(super) fn with_higher_powers<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, lanes: L, r4: Element) -> L {
    if W::LANES <= FIRST_POWERS {
        return lanes;
    }
    let [mask, ones] = const { &LanesOf::<W>::ABOVE_4 };
    let r4 = splat::<W, L>(token, r4).masked_or_one(W::from_lanes(token, mask), W::from_lanes(token, ones));
    product(token, lanes, &r4.factor())
}

#[inline(always)]
pub(super) fn product<L: Limbs>(token: TokenOf<L>, a: L, b: &L::Factor) -> L {
    L::carry(token, a.add_product(token, L::no_products(token), b))
}

/// Returns r^1 to r^4, each in the lanes whose exponent is equal to its own modulo 4.
#[inline(always)]
pub(super) fn in_lanes<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, powers: &[Element; FIRST_POWERS]) -> L {
    L::of_elements(
        token,
        powers,
        #[inline(always)]
        |words| in_lanes_of_exponents(token, words),
    )
}

#[inline(always)]
fn in_lanes_of_exponents<W: U64Lanes>(token: W::Token, words: [u64; FIRST_POWERS]) -> W {
    if W::LANES <= FIRST_POWERS {
        let mut lanes = [0; MAX_U64_LANES];
        for (lane, exponent) in lanes.iter_mut().zip(const { &LanesOf::<W>::EXPONENTS }).take(W::LANES) {
            *lane = words[exponent - 1];
        }
        return W::from_lanes(token, &lanes);
    }
    let masks = const { &LanesOf::<W>::MODULO_4 };
    let mut lanes = W::splat(token, 0);
    for (word, mask) in words.into_iter().zip(masks) {
        lanes = lanes.or(W::splat(token, word).and(W::from_lanes(token, mask)));
    }
    lanes
}

/// Returns the same element in all lanes.
#[inline(always)]
pub(in crate::poly1305) fn splat<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, element: Element) -> L {
    L::of_elements(
        token,
        &[element],
        #[inline(always)]
        |[word]| W::splat(token, word),
    )
}

/// Returns a row of blocks with their 2^128.
#[inline(always)]
pub(super) fn row_limbs<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, row: &[u8]) -> L {
    let (low, high) = W::load_blocks(token, row);
    L::of_blocks(token, low, high, W::splat(token, 1 << L::BIT_128))
}
