//! How many blocks of Poly1305 each double round adds.

use crate::tuning::{POLY1305_BLOCKS_PER_DOUBLE_ROUND as FEWER, POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND as MOST};

const _: () = assert!(FEWER == if cfg!(target_arch = "aarch64") { 1 } else { 3 }, "a loop of the kernels");
const _: () = assert!(MOST == FEWER + 1, "the other loop of the kernels");

/// The number of double rounds that add [`MOST`] blocks, [`FEWER`], and none. Their sum fits in a
/// byte.
#[derive(Debug)]
pub(super) struct Plan {
    most: usize,
    fewer: usize,
    none: usize,
}

impl Plan {
    /// Plans to add as many of the blocks as fit in portions of [`FEWER`] and [`MOST`], with no
    /// more double rounds of [`MOST`] blocks than necessary.
    #[inline(always)]
    pub(super) fn new(double_rounds: u8, blocks: usize) -> Self {
        let double_rounds = usize::from(double_rounds);
        let mixed = double_rounds.min(blocks / FEWER);
        let most = mixed.min(blocks - mixed * FEWER);
        Self { most, fewer: mixed - most, none: double_rounds - mixed }
    }

    /// Returns the number of blocks that are added.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.most * MOST + self.fewer * FEWER
    }

    /// Returns the three numbers, each in a byte, with `most` in the lowest.
    #[inline(always)]
    pub(super) fn packed(&self) -> u64 {
        (self.most | self.fewer << 8 | self.none << 16) as u64
    }
}
