//! Poly1305 of short messages: block after block on 64-bit integers, by value.

use sealane_simd::{PendingPoly1305, Word};

use super::BLOCK_BYTES;
use super::field::{Element, Multiplier};
use crate::wipe::wipe;

/// The state between blocks. It is passed by value, so the compiler keeps it in registers from the
/// first block to the tag. It is not wiped there, because wiping would force it into memory.
/// Registers that the compiler spills stay on the stack, as with every value. Code that keeps it in
/// memory wipes it with [`Short::wipe`].
#[derive(Clone, Copy)]
pub(crate) struct Short {
    pub(super) h: Element,
    pub(super) r: Multiplier,
    pub(super) s: u128,
}

impl Short {
    /// Starts an empty message under a one-time key.
    #[inline(always)]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let words = key.as_chunks().0;
        // See `Multiplier::loaded`.
        let word = |i: usize| u64::from_le_bytes(words[i]).opaque();
        let s = u128::from(word(2)) | u128::from(word(3)) << 64;
        Self { h: Element::default(), r: Multiplier::clamp([word(0), word(1)]), s }
    }

    /// Starts an empty message. The first half of the block `words` is the one-time key.
    #[inline(always)]
    pub(crate) fn from_words(words: &[u32; 16]) -> Self {
        let pair = |i: usize| u64::from(words[i]) | u64::from(words[i + 1]) << 32;
        let s = u128::from(pair(4)) | u128::from(pair(6)) << 64;
        Self { h: Element::default(), r: Multiplier::clamp([pair(0), pair(2)]), s }
    }

    /// Wipes a state that has been in memory.
    #[inline(always)]
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.h.0);
        self.r.wipe();
        wipe(core::slice::from_mut(&mut self.s));
    }

    /// Adds one whole block.
    #[inline(always)]
    #[must_use]
    pub(crate) fn block(mut self, block: &[u8; BLOCK_BYTES]) -> Self {
        self.h = self.h.add_block(block, 1).multiply(self.r);
        self
    }

    /// Adds blocks, and fills a short last one with zeros (RFC 8439, section 2.8: `pad16`).
    #[inline(always)]
    #[must_use]
    pub(crate) fn padded(mut self, data: &[u8]) -> Self {
        let (whole, rest) = data.as_chunks();
        for block in whole {
            self = self.block(block);
        }
        if rest.is_empty() { self } else { self.block(&filled_with_zeros(rest)) }
    }

    /// Adds the blocks of a message that ends here.
    #[inline(always)]
    #[must_use]
    pub(crate) fn message(mut self, message: &[u8]) -> Self {
        let (whole, rest) = message.as_chunks();
        for block in whole {
            self = self.block(block);
        }
        if !rest.is_empty() {
            self.h = self.h.add_block(&ended(rest), 0).multiply(self.r);
        }
        self
    }

    /// Returns the whole blocks of `data`, to be added during other work.
    #[inline(always)]
    pub(crate) fn pending<'a>(&self, data: &'a [u8]) -> PendingPoly1305<'a> {
        PendingPoly1305 { h: self.h.0, r: self.r.words(), blocks: data.as_chunks().0 }
    }

    /// Continues after some blocks of [`Short::pending`] were added.
    #[inline(always)]
    pub(crate) fn continue_after(&mut self, pending: &PendingPoly1305<'_>) {
        self.set_accumulator(pending.h);
    }

    /// Continues with the accumulator of a [`Short::pending`].
    #[inline(always)]
    pub(crate) fn set_accumulator(&mut self, h: [u64; 3]) {
        self.h = Element(h);
    }

    /// Returns the tag.
    #[inline(always)]
    pub(crate) fn tag(self) -> [u8; BLOCK_BYTES] {
        self.h.finish(self.s)
    }
}

/// Adds the next block, if one is left.
#[inline(always)]
pub(crate) fn add_pending_block(pending: &mut PendingPoly1305<'_>) {
    if let Some((block, rest)) = pending.blocks.split_first() {
        pending.h = Element(pending.h).add_block(block, 1).multiply(Multiplier::from_words(pending.r)).0;
        pending.blocks = rest;
    }
}

/// Returns a block that starts with `bytes`, 1 to 15 of them, and is filled with zeros. It uses two
/// loads that may overlap, because a copy of a variable length would be a call.
#[inline(always)]
pub(super) fn filled_with_zeros(bytes: &[u8]) -> [u8; BLOCK_BYTES] {
    let len = bytes.len();
    let (low, high) = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The low half already has the first 16 - len of the last eight bytes. If len is 8, it has
        // all of them.
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last) >> 8 >> (8 * (15 - len)))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        (u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4)), 0)
    } else {
        // One to three bytes: the first one; the middle one (of two, the last; of one, the first);
        // the last one.
        let byte = |i: usize| u64::from(bytes[i]) << (8 * i);
        (byte(0) | byte(len / 2) | byte(len - 1), 0)
    };
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}

/// Returns the last block of a message, with a 1 bit after its 1 to 15 bytes (RFC 8439, section
/// 2.5.1).
#[inline(always)]
pub(super) fn ended(bytes: &[u8]) -> [u8; BLOCK_BYTES] {
    (u128::from_le_bytes(filled_with_zeros(bytes)) | 1 << (8 * bytes.len())).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_block_is_filled_with_zeros() {
        for len in 1..BLOCK_BYTES {
            let mut expected = [0; BLOCK_BYTES];
            for (i, byte) in expected[..len].iter_mut().enumerate() {
                *byte = 0xf0 + i as u8;
            }
            assert_eq!(filled_with_zeros(&expected[..len]), expected, "{len} bytes");
        }
    }
}
