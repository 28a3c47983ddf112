//! The accumulator of one message, and the choice between scalar and vector code.

use sealane_simd::{CpuClass, Simd, Wide};

use super::BLOCK_BYTES;
use super::field::{Element, Multiplier};
use super::limbs52;
use super::short::{Short, filled_with_zeros};
use super::wide::{self, Powers};
use crate::wipe::wipe;

/// The state of Poly1305 between blocks.
#[derive(Clone)]
pub(crate) struct Accumulator {
    pub(super) h: Element,
    pub(super) r: Multiplier,
    s: u128,
}

impl Accumulator {
    /// An empty message under a one-time key.
    #[inline]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let Short { h, r, s } = Short::new(key);
        Self { h, r, s }
    }

    /// Adds one whole block.
    #[inline(always)]
    pub(crate) fn block(&mut self, block: &[u8; BLOCK_BYTES]) {
        self.h = self.h.add_block(block, 1).multiply(self.r);
    }

    /// Adds a last block that holds its own 1 bit.
    #[inline]
    pub(crate) fn last_block(&mut self, block: &[u8; BLOCK_BYTES]) {
        self.h = self.h.add_block(block, 0).multiply(self.r);
    }

    /// The tag.
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

/// Powers of r for vectors: computed when a message is long enough, and only as many as it needs; kept from one piece of a
/// message to the next.
pub(crate) type Table = Option<Powers>;

/// Adds whole blocks to `accumulator`, with the features of `token`.
///
/// # Panics
/// In debug builds, if the length of `data` is not a multiple of 16.
pub(crate) fn blocks<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    debug_assert!(data.len().is_multiple_of(BLOCK_BYTES), "whole blocks");
    token.enter(
        #[inline(always)]
        |token| blocks_inlined(token, accumulator, table, data),
    );
}

/// As [`blocks`], for a piece that comes alone; a short last block is filled with zeros (RFC 8439, section 2.8: `pad16`).
#[inline(always)]
pub(crate) fn padded<S: Simd>(token: S, accumulator: &mut Accumulator, data: &[u8]) {
    padded_piece(token, accumulator, &mut None, data);
}

/// As [`padded`], for a piece of a longer message.
#[inline(always)]
pub(crate) fn padded_piece<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    let (whole, rest) = data.as_chunks::<BLOCK_BYTES>();
    if whole.len() < min_call_blocks::<S>() {
        for block in whole {
            accumulator.block(block);
        }
    } else {
        blocks(token, accumulator, table, whole.as_flattened());
    }
    if !rest.is_empty() {
        accumulator.block(&filled_with_zeros(rest));
    }
}

#[inline(always)]
fn blocks_inlined<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    if S::MUL_ADD_52 && data.len() >= limbs52::min_bytes_of(token.cpu_class()) {
        return limbs52::blocks(token, accumulator, data);
    }
    if data.len() >= S::Wide::MIN_POLY1305_BYTES {
        // What does not fill a row comes first: it is done while the powers of r are still being computed.
        let (odd, rows) = data.split_at(data.len() % (S::Wide::LANES * BLOCK_BYTES));
        for block in odd.as_chunks().0 {
            accumulator.block(block);
        }
        wide::rows(token, accumulator, table, rows);
        return;
    }
    let blocks = data.as_chunks().0;
    accumulator.h = if S::Wide::MIN_POLY1305_BYTES == usize::MAX {
        scalar_for_all(accumulator.h, accumulator.r, blocks)
    } else {
        scalar(accumulator.h, accumulator.r, blocks)
    };
}

/// Once for all backends whose vectors do nothing for Poly1305: compiled for each of them, it would differ by chance.
#[inline(never)]
fn scalar_for_all(h: Element, r: Multiplier, blocks: &[[u8; BLOCK_BYTES]]) -> Element {
    scalar(h, r, blocks)
}

/// Length in bytes from which [`blocks`] may be worth its call: below, block after block is as fast on all backends.
#[inline(always)]
pub(super) fn min_call_bytes() -> usize {
    limbs52::min_bytes_of(CpuClass::detect())
}

/// Blocks from which it is, on this backend.
const fn min_call_blocks<S: Simd>() -> usize {
    let rows = (if S::MUL_ADD_52 { limbs52::LEAST_MIN_BYTES } else { S::Wide::MIN_POLY1305_BYTES }) / BLOCK_BYTES;
    if rows < MIN_TWO_CHAINS { rows } else { MIN_TWO_CHAINS }
}
/// Blocks from which two chains, whose combination needs a power of r, are faster than one, as measured on Zen 3.
const MIN_TWO_CHAINS: usize = 48;

/// Blocks on 64-bit integers. The multiplications of one chain wait for each other, so both halves of the blocks are taken
/// side by side: h becomes (h, first half) r^k + (second half), k being the number of blocks in the second half.
#[inline(always)]
fn scalar(mut h: Element, r: Multiplier, blocks: &[[u8; BLOCK_BYTES]]) -> Element {
    let step = |h: Element, block| h.add_block(block, 1).multiply(r);
    if blocks.len() < MIN_TWO_CHAINS {
        return blocks.iter().fold(h, step);
    }
    let (first, second) = blocks.split_at(blocks.len().div_ceil(2));
    let (odd, first) = first.split_at(first.len() - second.len());
    let power = r.power(second.len());
    h = odd.iter().fold(h, step);
    let mut other = Element::default();
    for (block, other_block) in first.iter().zip(second) {
        h = step(h, block);
        other = step(other, other_block);
    }
    h.multiply_full(power).add_folded(other)
}
