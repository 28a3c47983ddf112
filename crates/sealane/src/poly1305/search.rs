//! Finds messages of an AEAD without associated data (RFC 8439, section 2.8) in longer data, by
//! their tags.
//!
//! A tag is a polynomial in r, and the blocks are its coefficients. The tag of a message that
//! starts one block later therefore follows from the previous tag with a few multiplications,
//! however long the message is.

use super::BLOCK_BYTES;
use super::field::{Element, Multiplier};
use super::short::Short;
use super::tag::tags_equal;
use crate::wipe::wipe;

/// The one-time key of the messages.
pub(crate) struct Search {
    r: Multiplier,
    s: u128,
}

impl Drop for Search {
    fn drop(&mut self) {
        self.r.wipe();
        wipe(core::slice::from_mut(&mut self.s));
    }
}

impl Search {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let Short { r, s, .. } = Short::new(key);
        Self { r, s }
    }

    /// Returns the length of the message that starts `data` and is followed by its tag. If several
    /// lengths fit, returns the longest.
    pub(crate) fn end(&self, data: &[u8]) -> Option<usize> {
        let last = data.len().checked_sub(BLOCK_BYTES)?;
        let mut blocks = Element::default();
        let mut found = None;
        for start in (0..=last).step_by(BLOCK_BYTES) {
            for len in start..=last.min(start + BLOCK_BYTES - 1) {
                if self.is_tag(self.add(blocks, &data[start..len]), len, data) {
                    found = Some(len);
                }
            }
            blocks = self.add(blocks, &data[start..data.len().min(start + BLOCK_BYTES)]);
        }
        found
    }

    /// Returns the position in `data` of a message of `len` bytes (whole blocks, at least one) that
    /// is followed by its tag. If there are several, returns any of them.
    pub(crate) fn window(&self, data: &[u8], len: usize) -> Option<usize> {
        assert!(len > 0 && len.is_multiple_of(BLOCK_BYTES), "whole blocks");
        let last = data.len().checked_sub(len)?.checked_sub(BLOCK_BYTES)?;
        // In the sum over a message, the first block has the factor r^k, where k is the number of
        // blocks.
        let leaving = self.r.power(len / BLOCK_BYTES).negate();
        (0..=last.min(BLOCK_BYTES - 1)).find_map(|first| {
            let mut blocks =
                data[first..first + len].chunks(BLOCK_BYTES).fold(Element::default(), |h, b| self.add(h, b));
            for start in (first..=last).step_by(BLOCK_BYTES) {
                if self.is_tag(blocks, len, &data[start..]) {
                    return Some(start);
                }
                if start + BLOCK_BYTES <= last {
                    let old = Element::default().add_block(block(&data[start..]), 1).multiply_full(leaving);
                    blocks = blocks.add_folded(old).add_block(block(&data[start + len..]), 1).multiply(self.r);
                }
            }
            None
        })
    }

    /// Returns the position in `data` of the message whose tag is at the end of `data`. If several
    /// positions fit, returns the first.
    pub(crate) fn start(&self, data: &[u8]) -> Option<usize> {
        let text = data.len().checked_sub(BLOCK_BYTES)?;
        let mut found = None;
        for rest in 0..BLOCK_BYTES.min(text + 1) {
            // Only the last block may be short, so all blocks before it are whole.
            let mut blocks = self.add(Element::default(), &data[text - rest..text]);
            let mut power = if rest == 0 { self.r.element() } else { self.r.power(2) };
            for start in (0..=text - rest).rev().step_by(BLOCK_BYTES) {
                if found.is_none_or(|found| start < found) && self.is_tag(blocks, text - start, &data[start..]) {
                    found = Some(start);
                }
                if let Some(before) = start.checked_sub(BLOCK_BYTES) {
                    let new = Element::default().add_block(block(&data[before..]), 1).multiply_full(power);
                    blocks = blocks.add_folded(new);
                    power = power.multiply(self.r);
                }
            }
        }
        found
    }

    /// Adds up to one block, padded with zeros. Adds nothing if `bytes` is empty.
    fn add(&self, blocks: Element, bytes: &[u8]) -> Element {
        if bytes.is_empty() {
            return blocks;
        }
        let mut block = [0; BLOCK_BYTES];
        block[..bytes.len()].copy_from_slice(bytes);
        blocks.add_block(&block, 1).multiply(self.r)
    }

    /// Returns whether the first `len` bytes of `data` are followed by their tag. `blocks` is the
    /// sum of their blocks.
    fn is_tag(&self, blocks: Element, len: usize, data: &[u8]) -> bool {
        let lengths = ((len as u128) << 64).to_le_bytes();
        let tag = blocks.add_block(&lengths, 1).multiply(self.r).finish(self.s);
        tags_equal(&tag, block(&data[len..])).is_ok()
    }
}

fn block(data: &[u8]) -> &[u8; BLOCK_BYTES] {
    data.first_chunk().expect("a whole block")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_message_of_several() {
        // With r = 0, every message has the tag s.
        let mut key = [0; 32];
        key[BLOCK_BYTES..].copy_from_slice(&[7; BLOCK_BYTES]);
        let search = Search::new(&key);
        for len in 0..70 {
            let mut data = [7; 90];
            data[len + BLOCK_BYTES..].fill(0);
            assert_eq!(search.end(&data), Some(len));
            assert_eq!(search.start(&data[..len + BLOCK_BYTES]), Some(0), "{len}");
        }
    }
}
