//! Tables of factors for [`U64Lanes::mul_low`].

use core::mem::MaybeUninit;

use crate::pair::Pair;
use crate::simd::U64Lanes;

/// A table that grows towards its front, by one row for each lane of a vector. On the stack, its
/// memory is not cleared first, so that each row is written only once.
///
/// ```
/// use sealane_simd::{Pair, PairTable, Scalar, Simd, U64Lanes};
///
/// type Lanes = <Scalar as Simd>::U64Lanes;
/// let token = Scalar::new();
/// let mut table = PairTable::<8, 1>::new();
/// table.push(&[(Lanes::splat(token, 3), Lanes::splat(token, 5))]);
/// let pair: Pair = table.rows()[0][0];
/// assert_eq!((pair.even(), pair.odd()), (3, 5));
/// ```
#[derive(Clone)]
pub struct PairTable<const ROWS: usize, const COLUMNS: usize> {
    rows: [[MaybeUninit<Pair>; COLUMNS]; ROWS],
    /// The number of rows that have been written. They are the last ones.
    count: Count,
}

/// A number of rows, as wide as a pair is aligned: after a shorter number there would be padding,
/// which [`PairTable::zeroed`] could not clear.
#[cfg(not(any(target_arch = "aarch64", target_arch = "arm")))]
type Count = u128;
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
type Count = u64;

impl<const ROWS: usize, const COLUMNS: usize> PairTable<ROWS, COLUMNS> {
    /// Returns an empty table.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self { rows: [[MaybeUninit::uninit(); COLUMNS]; ROWS], count: 0 }
    }

    /// Returns an empty table whose memory is cleared. A table that is moved to the heap takes the
    /// bytes of rows that have not been written with it, and without this they are whatever was on
    /// the stack before.
    #[inline(always)]
    #[must_use]
    pub fn zeroed() -> Self {
        const { assert!(size_of::<Self>() == ROWS * size_of::<[Pair; COLUMNS]>() + size_of::<Count>(), "no padding") };
        Self { rows: [[MaybeUninit::zeroed(); COLUMNS]; ROWS], count: 0 }
    }

    #[inline(always)]
    fn count(&self) -> usize {
        // `push` took it from a `usize`.
        self.count as usize
    }

    /// Adds a row for each lane. The row takes its pairs from the two vectors of each column. The
    /// lanes are below 2^32 if the rows are for [`U64Lanes::splat_pair`]. The new rows come before
    /// the existing ones, in the order of [`U64Lanes::BLOCK_OF_LANE`].
    ///
    /// # Panics
    /// If there is no room for [`U64Lanes::LANES`] rows.
    #[inline(always)]
    pub fn push<W: U64Lanes>(&mut self, columns: &[(W, W); COLUMNS]) {
        const { assert!(is_permutation(&W::BLOCK_OF_LANE, W::LANES), "each row is one lane's") };
        let count = self.count() + W::LANES;
        let rows = &mut self.rows[ROWS - count..][..W::LANES];
        for column in 0..COLUMNS {
            let (even, odd) = columns[column];
            let pairs = W::to_pairs(even, odd);
            for lane in 0..W::LANES {
                rows[W::BLOCK_OF_LANE[lane]][column].write(pairs[lane]);
            }
        }
        self.count = count as Count;
    }

    /// Returns the rows. Those that were added last come first.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> &[[Pair; COLUMNS]] {
        let rows = &self.rows[ROWS - self.count()..];
        // SAFETY: these rows have been written in whole, by `push`, which deals each lane to a row
        // of its own, and `MaybeUninit<Pair>` has the layout of `Pair`.
        unsafe { core::slice::from_raw_parts(rows.as_ptr().cast(), rows.len()) }
    }

    /// Removes all rows and gives them to `wipe`, one by one, to be overwritten.
    #[inline(always)]
    pub fn clear(&mut self, mut wipe: impl FnMut(&mut [Pair; COLUMNS])) {
        let count = self.count();
        for row in &mut self.rows[ROWS - count..] {
            // SAFETY: `push` has written these rows in whole, as in `rows`, and the exclusive
            // reference is passed on.
            wipe(unsafe { &mut *row.as_mut_ptr().cast() });
        }
        self.count = 0;
    }
}

impl<const ROWS: usize, const COLUMNS: usize> Default for PairTable<ROWS, COLUMNS> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns whether the first `count` of `blocks` are the numbers below `count`, in any order.
const fn is_permutation(blocks: &[usize], count: usize) -> bool {
    let (mut seen, mut lane) = (0_u32, 0);
    while lane < count {
        seen |= 1 << blocks[lane];
        lane += 1;
    }
    seen == (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::PairTable;
    use crate::level::Level;
    use crate::level_list::LevelList;
    use crate::simd::{MAX_U64_LANES, Simd, U64Lanes};

    fn vector<S: Simd>(token: S, first: u64) -> S::U64Lanes {
        let mut lanes = [0; MAX_U64_LANES];
        for (lane, value) in lanes.iter_mut().zip(first..) {
            *lane = value;
        }
        S::U64Lanes::from_lanes(token, &lanes)
    }

    /// The pairs of each lane are stored in a separate row, from which even and odd lanes read
    /// them.
    #[test]
    fn rows_are_lanes() {
        for level in Level::available() {
            dispatch!(level, token => check(token));
        }
    }

    #[inline(always)]
    fn check<S: Simd>(token: S) {
        let lanes = S::U64Lanes::LANES;
        let mut table = PairTable::<16, 2>::new();
        assert_eq!(table.rows().len(), 0);
        for start in [1000, 5000] {
            table.push(&[
                (vector(token, start), vector(token, start + 100)),
                (vector(token, start + 200), vector(token, start + 300)),
            ]);
        }
        assert_eq!(table.rows().len(), 2 * lanes);
        for (i, row) in table.rows().iter().enumerate() {
            let lane =
                S::U64Lanes::BLOCK_OF_LANE.iter().position(|block| *block == i % lanes).expect("a lane for each");
            let start = if i < lanes { 5000 } else { 1000 } + lane as u64;
            for (column, start) in [(0, start), (1, start + 200)] {
                assert_eq!(row[column].even(), start);
                let product =
                    S::U64Lanes::splat_pair(token, &row[column]).mul_low(S::U64Lanes::splat(token, 3)).to_lanes();
                for (lane, product) in product[..lanes].iter().enumerate() {
                    assert_eq!(*product, 3 * (start + 100 * (lane as u64 % 2)), "lane {lane} of row {i}");
                }
            }
        }
        let mut cleared = 0;
        table.clear(|row| cleared += row.len());
        assert_eq!((cleared, table.rows().len()), (4 * lanes, 0));
    }
}
