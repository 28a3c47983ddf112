//! The accumulator of one message.

use sealane_simd::PendingPoly1305;

use super::field::{Element, Multiplier};
use super::short::{Short, add_pending_block};
use crate::wipe::wipe;

/// The state of Poly1305 between blocks.
#[derive(Clone)]
pub(crate) struct Accumulator {
    pub(super) h: Element,
    pub(super) r: Multiplier,
    s: u128,
}

impl Accumulator {
    /// Starts an empty message under a one-time key.
    #[inline]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self::continuing(Short::new(key))
    }

    /// Continues the message of a [`Short`].
    #[inline(always)]
    pub(super) fn continuing(Short { h, r, s }: Short) -> Self {
        Self { h, r, s }
    }

    /// Adds one whole block.
    #[inline(always)]
    pub(crate) fn block(&mut self, block: &[u8; 16]) {
        self.h = self.h.add_block(block, 1).multiply(self.r);
    }

    /// Adds whole blocks. `work` may add some of them during other work, as with
    /// [`Short::pending`]. The blocks that it leaves are added afterwards.
    #[inline(always)]
    pub(crate) fn blocks_during<T>(&mut self, blocks: &[u8], work: impl FnOnce(&mut PendingPoly1305<'_>) -> T) -> T {
        let mut pending = PendingPoly1305 { h: self.h.0, r: self.r.words(), blocks: blocks.as_chunks().0 };
        let result = work(&mut pending);
        while !pending.blocks.is_empty() {
            add_pending_block(&mut pending);
        }
        self.h = Element(pending.h);
        result
    }

    /// Returns a copy of the state, which the caller must wipe.
    #[inline(always)]
    pub(crate) fn short(&self) -> Short {
        Short { h: self.h, r: self.r, s: self.s }
    }

    /// Continues from a copy that [`Accumulator::short`] returned, after blocks were added to it.
    #[inline(always)]
    pub(crate) fn continue_after(&mut self, short: &Short) {
        self.h = short.h;
    }

    /// Continues with the sum of all blocks so far.
    #[inline(always)]
    pub(crate) fn continue_with(&mut self, sum: Element) {
        self.h = sum;
    }

    /// Adds a last block that contains its own 1 bit.
    #[inline]
    pub(crate) fn last_block(&mut self, block: &[u8; 16]) {
        self.h = self.h.add_block(block, 0).multiply(self.r);
    }

    /// Returns the tag.
    #[inline]
    pub(crate) fn tag(&self) -> [u8; 16] {
        self.h.finish(self.s)
    }
}

impl Drop for Accumulator {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.h.0);
        self.r.wipe();
        wipe(core::slice::from_mut(&mut self.s));
    }
}
