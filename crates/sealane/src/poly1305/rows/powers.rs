//! Powers of r, and the rows that they multiply.

use sealane_simd::{MAX_U64_LANES, U64Lanes};

use super::limbs::{Limbs, TokenOf};
use crate::frame::own_frame;
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::{Element, Multiplier};

/// Powers of r.
pub(super) struct Powers<L: Limbs, const K: usize> {
    /// r^N … r^1, in the order of the blocks.
    lanes: L,
    /// The same times R.
    lanes_above: L,
    /// R, R^2, R^3 and R^4, or the first K of them.
    rows: [L::Factor; K],
}

/// The first powers of r, on integers.
pub(super) const FIRST_POWERS: usize = 4;

/// Constants for the lanes of W.
pub(super) struct LanesOf<W>(core::marker::PhantomData<W>);

impl<W: U64Lanes> LanesOf<W> {
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
    const MODULO_4: [[u64; MAX_U64_LANES]; FIRST_POWERS] = {
        let mut masks = [[0; MAX_U64_LANES]; FIRST_POWERS];
        let mut lane = 0;
        while lane < W::LANES {
            masks[(Self::EXPONENTS[lane] - 1) % FIRST_POWERS][lane] = u64::MAX;
            lane += 1;
        }
        masks
    };

    /// All bits of the lanes whose exponent is above 4, and 1 in the others.
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

    /// The lane of the highest exponent, for all lanes.
    const HIGHEST: [u64; MAX_U64_LANES] = {
        let mut lane = 0;
        while Self::EXPONENTS[lane] < W::LANES {
            lane += 1;
        }
        [lane as u64; MAX_U64_LANES]
    };

    /// 1 in the lanes of the last blocks of a row, for each number of them.
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

    /// All bits of the lane that has the block so many places from the end of a row: 1 is the last.
    pub(super) const BLOCK_FROM_END: [[u64; MAX_U64_LANES]; MAX_U64_LANES + 1] = {
        let mut masks = [[0; MAX_U64_LANES]; MAX_U64_LANES + 1];
        let mut lane = 0;
        while lane < W::LANES {
            masks[W::LANES - W::BLOCK_OF_LANE[lane]][lane] = u64::MAX;
            lane += 1;
        }
        masks
    };

    /// 1 in all lanes, and in all but that of the last block.
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

    /// The constants for a last row of each number of blocks, from 0 on.
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

/// The constants for a last row.
#[derive(Clone, Copy)]
struct Last {
    /// The exponents of the lanes of the sum before that row, as places in both vectors of powers.
    before: [u64; MAX_U64_LANES],
    /// The exponents of the lanes of that row.
    within: [u64; MAX_U64_LANES],
    /// 1 in the lanes that have a block.
    ones: [u64; MAX_U64_LANES],
    /// All bits of the lane that has the last block.
    end: [u64; MAX_U64_LANES],
}

impl<W: U64Lanes, L: Limbs<Lanes = W>, const K: usize> Powers<L, K> {
    #[inline(always)]
    pub(super) fn new(token: TokenOf<L>, r: Multiplier) -> Self {
        let mut powers = Self::empty(token);
        powers.fill(token, r, K);
        powers
    }

    #[inline(always)]
    pub(super) fn empty(token: TokenOf<L>) -> Self {
        Self { lanes: L::zero(token), lanes_above: L::zero(token), rows: [L::zero_factor(token); K] }
    }

    #[inline(always)]
    pub(super) fn fill(&mut self, token: TokenOf<L>, r: Multiplier, rows_together: usize) {
        let powers = first_powers::<W>(r);
        let lanes = with_higher_powers(token, in_lanes::<W, L>(token, &powers), powers[FIRST_POWERS - 1]);
        let highest = if W::LANES > FIRST_POWERS {
            lanes.select_lanes(token, lanes, const { &LanesOf::<W>::HIGHEST })
        } else {
            splat(token, powers[W::LANES - 1])
        };
        let first = highest.factor();
        self.lanes = lanes;
        self.lanes_above = product(token, lanes, &first);
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
        token: TokenOf<L>,
        h: Element,
        rows: &[u8],
        tail: &[u8],
        lengths: Option<&[u8; BLOCK_BYTES]>,
    ) -> Element {
        let mut sum = in_lane_0::<W, L>(token, h).add(row_limbs(token, rows));
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
    pub(super) fn wipe(&mut self, token: TokenOf<L>) {
        // This works in pieces. For all powers at once, the compiler makes a call, around which
        // every vector goes through memory.
        (self.lanes, self.lanes_above) = (L::zero(token), L::zero(token));
        zeroize::optimization_barrier(self);
        for row in &mut self.rows {
            *row = L::zero_factor(token);
            zeroize::optimization_barrier(row);
        }
    }

    /// Adds whole rows.
    #[inline(always)]
    pub(super) fn rows(&self, token: TokenOf<L>, sum: &mut L, rest: &[u8], rows_together: usize) {
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
        token: TokenOf<L>,
        mut sum: L,
        mut tail: &[u8],
        lengths: &[u8; BLOCK_BYTES],
    ) -> Element {
        if tail.len() > (W::LANES - 1) * BLOCK_BYTES {
            // The lengths begin a row.
            let (low, high) = W::load_padded(token, tail);
            let row = L::of_blocks(token, low, high, W::splat(token, 1 << L::BIT_128));
            sum = product(token, sum, &self.rows[0]).add(row);
            tail = &tail[..0];
        }
        self.finish(token, sum, tail, Some(lengths))
    }

    /// Adds up to a row of blocks. If there are `lengths`, they are the last block, and a short
    /// block before them is filled with zeros. Otherwise a short last block gets a 1 bit after its
    /// last byte, and no 2^128 (RFC 8439, section 2.5.1).
    #[inline(always)]
    fn finish(&self, token: TokenOf<L>, sum: L, tail: &[u8], lengths: Option<&[u8; BLOCK_BYTES]>) -> Element {
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
        let row = L::of_words(token, low, high, ones);
        let within = self.lanes.select_lanes(token, self.lanes_above, &last.within).factor();
        let before = self.lanes.select_lanes(token, self.lanes_above, &last.before).factor();
        let products = row.add_product(token, L::no_products(token), &within);
        L::sum_of_lanes(sum.add_product(token, products, &before))
    }

    /// Returns `sum` R^K + M(0) R^(K-1) + … + M(K-1).
    #[inline(always)]
    fn group<const N: usize>(&self, token: TokenOf<L>, sum: L, data: &[u8]) -> L {
        own_frame!(token => {
            let row_bytes = W::LANES * BLOCK_BYTES;
            let (rows, last_row) = data.split_at((N - 1) * row_bytes);
            let mut products = L::no_products(token);
            for i in 0..N - 1 {
                let limbs: L = row_limbs(token, &rows[i * row_bytes..]);
                products = limbs.add_product(token, products, &self.rows[N - 2 - i]);
            }
            // This comes last, so that the other products do not wait for it.
            let products = sum.add_product(token, products, &self.rows[N - 1]);
            L::carry(token, products).add(row_limbs(token, last_row))
        })
    }
}

/// Returns r^1 to r^4, as far as there are lanes. They are computed on integers: as products of
/// vectors they would be twice as many, and wait for each other.
#[inline(always)]
pub(super) fn first_powers<W: U64Lanes>(r: Multiplier) -> [Element; FIRST_POWERS] {
    let r1 = r.element();
    let r2 = r1.multiply(r);
    if W::LANES > 2 { [r1, r2, r2.multiply(r), r2.multiply_full(r2)] } else { [r1, r2, r1, r1] }
}

/// Multiplies the lanes whose exponent is above 4, if there are any, with r^4.
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

/// Returns r^1 to r^4, each in the lanes whose exponent is that modulo 4.
#[inline(always)]
pub(super) fn in_lanes<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, powers: &[Element; FIRST_POWERS]) -> L {
    let word = |k| word_in_lanes(token, [powers[0].0[k], powers[1].0[k], powers[2].0[k], powers[3].0[k]]);
    L::of_words(token, word(0), word(1), word(2))
}

#[inline(always)]
fn word_in_lanes<W: U64Lanes>(token: W::Token, words: [u64; FIRST_POWERS]) -> W {
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
pub(in crate::poly1305) fn splat<W: U64Lanes, L: Limbs<Lanes = W>>(
    token: TokenOf<L>,
    Element([low, high, top]): Element,
) -> L {
    L::of_words(token, W::splat(token, low), W::splat(token, high), W::splat(token, top))
}

/// Returns an element in lane 0, which holds the first block of a row, and zeros.
#[inline(always)]
pub(super) fn in_lane_0<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, Element(words): Element) -> L {
    let word = |word| W::from_lanes(token, &[word, 0, 0, 0, 0, 0, 0, 0]);
    L::of_words(token, word(words[0]), word(words[1]), word(words[2]))
}

/// Returns blocks and their 2^128.
#[inline(always)]
pub(super) fn row_limbs<W: U64Lanes, L: Limbs<Lanes = W>>(token: TokenOf<L>, row: &[u8]) -> L {
    let (low, high) = W::load_blocks(token, row);
    L::of_blocks(token, low, high, W::splat(token, 1 << L::BIT_128))
}
