//! The authenticated data of many messages, arranged in rows: a row is one block of each message.

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::super::limbs26::limbs;
use super::super::short::filled_with_zeros;
use super::super::{BLOCK_BYTES, lengths};

pub(super) type Block = [u8; BLOCK_BYTES];

/// Block 0 of a message's key stream, which begins with the message's one-time key.
pub(crate) type KeyBlock = [u8; 64];

/// The number of rows that are gathered before they are processed. It is even, because rows are
/// processed in pairs. These rows take 3 KiB, which stay in the first-level cache.
pub(super) const TILE_ROWS: usize = 16;

/// Returns the lanes, with the number of the message that each belongs to.
#[inline(always)]
pub(super) fn lanes_and_messages<S: Simd>() -> impl Iterator<Item = (usize, usize)> {
    S::U64Lanes::BLOCK_OF_LANE.into_iter().take(S::U64Lanes::LANES).enumerate()
}

/// The associated data and the ciphertext of a message, or what is left of them. Blocks are taken
/// as if both were padded with zeros (RFC 8439, section 2.8). The block of their lengths is not
/// among these blocks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Input<'a> {
    pub(crate) aad: &'a [u8],
    pub(crate) ciphertext: &'a [u8],
}

impl<'a> Input<'a> {
    /// Takes the next `count` times `N` bytes, which must be ciphertext.
    #[inline(always)]
    pub(super) fn take_ciphertext<const N: usize>(&mut self, count: usize) -> &'a [[u8; N]] {
        let (taken, rest) = self.ciphertext.split_at(count * N);
        (self.aad, self.ciphertext) = (&[], rest);
        taken.as_chunks().0
    }

    /// Returns the block of the lengths, before any block is taken.
    #[inline(always)]
    pub(super) fn lengths(&self) -> Block {
        lengths(self.aad.len() as u64, self.ciphertext.len() as u64)
    }

    /// Returns the number of blocks before the block of the lengths.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> usize {
        self.aad.len().div_ceil(BLOCK_BYTES) + self.ciphertext.len().div_ceil(BLOCK_BYTES)
    }

    /// Takes the next block. There must be one.
    #[inline(always)]
    fn take_block(&mut self) -> Block {
        let part = if self.aad.is_empty() { &mut self.ciphertext } else { &mut self.aad };
        if let Some((block, rest)) = part.split_first_chunk() {
            *part = rest;
            *block
        } else {
            filled_with_zeros(core::mem::take(part))
        }
    }

    /// Takes up to `count` further blocks, and passes them to `visit` in runs.
    #[inline(always)]
    pub(super) fn take(&mut self, mut count: usize, mut visit: impl FnMut(&[Block])) {
        for part in [&mut self.aad, &mut self.ciphertext] {
            let (whole, rest) = part.as_chunks::<BLOCK_BYTES>();
            let taken = whole.len().min(count);
            if taken > 0 {
                visit(&whole[..taken]);
                *part = &part[taken * BLOCK_BYTES..];
                count -= taken;
            }
            if count > 0 && !rest.is_empty() {
                visit(&[filled_with_zeros(rest)]);
                *part = &[];
                count -= 1;
            }
        }
    }
}

/// The fifth limb of 2^128, which completes a block (RFC 8439, section 2.5).
pub(super) const ONE: u64 = 1 << 24;

/// One block of each message.
pub(super) struct Row {
    pub(super) blocks: [Block; MAX_U64_LANES],
    /// For each lane, `ONE`, or 0 if the lane's message has not begun yet.
    pub(super) ones: [u64; MAX_U64_LANES],
}

/// The rows to process next.
pub(in crate::poly1305) struct Tile {
    pub(super) rows: [Row; TILE_ROWS],
    /// Whether some of the rows' `ones` are 0.
    partial: bool,
}

impl Tile {
    pub(in crate::poly1305) fn new() -> Self {
        const ROW: Row = Row { blocks: [[0; BLOCK_BYTES]; MAX_U64_LANES], ones: [ONE; MAX_U64_LANES] };
        Self { rows: [ROW; TILE_ROWS], partial: false }
    }

    /// Fills the tile with the next `count` rows, when `left` rows are left. `messages` has the
    /// number of each lane's message. A lane without a message is not changed, because its
    /// accumulator is not used.
    // Not inlined: between the kernels, the registers are taken, and its few values would live in
    // memory.
    #[inline(never)]
    pub(super) fn fill(&mut self, messages: &[usize], inputs: &mut [Input<'_>], left: usize, count: usize) {
        if self.partial {
            self.rows.iter_mut().for_each(|row| row.ones = [ONE; MAX_U64_LANES]);
            self.partial = false;
        }
        let rows = &mut self.rows[..count];
        for (lane, &i) in messages.iter().enumerate() {
            let Some(input) = inputs.get_mut(i) else { continue };
            if let [row] = rows
                && input.blocks() == left
            {
                row.blocks[i] = input.take_block();
                continue;
            }
            let nothing = (left - input.blocks()).min(count);
            let (before, mut rows) = rows.split_at_mut(nothing);
            for row in before {
                row.blocks[i] = [0; BLOCK_BYTES];
                row.ones[lane] = 0;
                self.partial = true;
            }
            input.take(
                count - nothing,
                #[inline(always)]
                |run| {
                    let (now, later) = core::mem::take(&mut rows).split_at_mut(run.len());
                    for (row, block) in now.iter_mut().zip(run) {
                        row.blocks[i] = *block;
                    }
                    rows = later;
                },
            );
        }
    }
}

impl Row {
    #[inline(always)]
    pub(super) fn limbs<S: Simd>(&self, token: S) -> [S::U64Lanes; 5] {
        let (low, high) = S::U64Lanes::load_blocks(token, self.blocks.as_flattened());
        complete(limbs(token, low, high), S::U64Lanes::from_lanes(token, &self.ones))
    }
}

/// Adds 2^128 where `ones` is [`ONE`].
#[inline(always)]
pub(super) fn complete<W: U64Lanes>(m: [W; 5], ones: W) -> [W; 5] {
    [m[0], m[1], m[2], m[3], m[4].or(ones)]
}
