//! How many blocks of Poly1305 each double round adds.

use crate::tuning::{POLY1305_BLOCKS_BESIDE_DOUBLE_ROUND as FEWER, POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND as MOST};

const _: () = assert!(FEWER == 3 && MOST == 4, "the kernel has these two loops");

/// The number of double rounds that add four blocks, three, and none. Their sum fits in a byte.
#[derive(Debug)]
pub(super) struct Plan {
    four: usize,
    three: usize,
    none: usize,
}

impl Plan {
    /// Plans to add as many of the blocks as fit in threes and fours, with no more double rounds of
    /// four blocks than necessary.
    #[inline(always)]
    pub(super) fn new(double_rounds: u8, blocks: usize) -> Self {
        let double_rounds = usize::from(double_rounds);
        let mixed = double_rounds.min(blocks / FEWER);
        let four = mixed.min(blocks - mixed * FEWER);
        Self { four, three: mixed - four, none: double_rounds - mixed }
    }

    /// Returns the number of blocks that are added.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.four * MOST + self.three * FEWER
    }

    /// Returns the three numbers, each in a byte, with `four` in the lowest.
    #[inline(always)]
    pub(super) fn packed(&self) -> u64 {
        (self.four | self.three << 8 | self.none << 16) as u64
    }
}
