//! The accumulator of one message.

use super::field::{Element, Multiplier};
use super::short::Short;
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

    /// Continues a message.
    #[inline(always)]
    pub(super) fn continuing(Short { h, r, s }: Short) -> Self {
        Self { h, r, s }
    }

    /// Adds one whole block.
    #[inline(always)]
    pub(crate) fn block(&mut self, block: &[u8; 16]) {
        self.h = self.h.add_block(block, 1).multiply(self.r);
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
