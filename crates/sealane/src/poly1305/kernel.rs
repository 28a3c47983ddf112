//! The choice between scalar and vector code.

use sealane_simd::tuning::{POLY1305_LEAST_MIN_BYTES, POLY1305_MIN_BLOCKS_FOR_TWO_CHAINS as MIN_BLOCKS_FOR_TWO_CHAINS};
use sealane_simd::{CpuClass, Level, Simd, dispatch};

use super::accumulator::Accumulator;
use super::field::{Element, Multiplier};
use super::short::{Short, ended, filled_with_zeros};
use super::table::{self, Table};
use super::{BLOCK_BYTES, rows};

/// Adds whole blocks to `accumulator`.
///
/// # Panics
/// In debug builds, if the length of `data` is not a multiple of 16.
fn blocks(level: Level, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    debug_assert!(data.len().is_multiple_of(BLOCK_BYTES), "whole blocks");
    dispatch!(level, token => blocks_on(token, accumulator, table, data));
}

/// Does the same as [`blocks`], with the features of `token`.
fn blocks_on<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    token.enter(
        #[inline(always)]
        |token| blocks_inlined(token, accumulator, table, data),
    );
}

/// Adds any number of blocks of one message in a batch (see [`super::many`]).
#[inline(always)]
pub(super) fn run<S: Simd>(token: S, accumulator: &mut Accumulator, blocks: &[[u8; BLOCK_BYTES]]) {
    if blocks.len() < min_call_blocks::<S>() {
        for block in blocks {
            accumulator.block(block);
        }
    } else {
        blocks_on(token, accumulator, &mut None, blocks.as_flattened());
    }
}

/// Adds a whole message, which has at least [`min_call_bytes`] bytes.
pub(super) fn message<S: Simd>(token: S, accumulator: &mut Accumulator, message: &[u8]) {
    token.enter(
        #[inline(always)]
        |token| {
            if pays_in_rows(token, &None, message) {
                return in_rows(token, accumulator, message);
            }
            let (whole, rest) = message.as_chunks::<BLOCK_BYTES>();
            blocks_on(token, accumulator, &mut None, whole.as_flattened());
            if !rest.is_empty() {
                accumulator.last_block(&ended(rest));
            }
        },
    );
}

/// Adds a single piece of data. A short last block is filled with zeros (RFC 8439, section 2.8:
/// `pad16`).
pub(crate) fn padded(level: Level, accumulator: &mut Accumulator, data: &[u8]) {
    padded_piece(level, accumulator, &mut None, data);
}

/// Does the same as [`padded`], for a piece of a longer message.
pub(crate) fn padded_piece(level: Level, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    let (whole, rest) = data.split_at(data.len() - data.len() % BLOCK_BYTES);
    whole_blocks_of_piece(level, accumulator, table, whole);
    if !rest.is_empty() {
        accumulator.block(&filled_with_zeros(rest));
    }
}

/// Does the same as [`blocks`] for any number of blocks, without a table.
#[inline(always)]
pub(super) fn whole_blocks(level: Level, accumulator: &mut Accumulator, data: &[u8]) {
    whole_blocks_of_piece(level, accumulator, &mut None, data);
}

/// Does the same as [`blocks`] for any number of blocks.
#[inline(always)]
fn whole_blocks_of_piece(level: Level, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    if data.len() < POLY1305_LEAST_MIN_BYTES || data.len() < min_call_bytes(level) {
        for block in data.as_chunks().0 {
            accumulator.block(block);
        }
    } else {
        blocks(level, accumulator, table, data);
    }
}

/// Adds the end of a ciphertext to `mac`, which already has the associated data and the ciphertext
/// before it. A short last block is filled with zeros.
#[inline(always)]
pub(crate) fn padded_end<S: Simd>(token: S, mut mac: Short, data: &[u8]) -> Short {
    let (whole, rest) = data.split_at(data.len() - data.len() % BLOCK_BYTES);
    if !pays_in_rows(token, &None, whole) {
        return mac.padded(data);
    }
    let mut accumulator = Accumulator::continuing(mac);
    in_rows(token, &mut accumulator, whole);
    mac.h = accumulator.h;
    mac.padded(rest)
}

#[inline(always)]
fn blocks_inlined<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    if pays_in_rows(token, table, data) {
        in_rows(token, accumulator, data);
    } else {
        with_table(token, accumulator, table, data);
    }
}

/// Adds whole blocks for which [`rows`] do not pay: with a table, or on integers.
#[inline(always)]
fn with_table<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    if !S::MUL_ADD_52 && data.len() >= S::TUNING.poly1305_min_bytes.of(token.cpu_class()) {
        table::blocks(token, accumulator, table, data);
        return;
    }
    let blocks = data.as_chunks().0;
    accumulator.h = if S::TUNING.poly1305_min_bytes.least() == usize::MAX {
        scalar_for_all(accumulator.h, accumulator.r, blocks)
    } else {
        scalar(accumulator.h, accumulator.r, blocks)
    };
}

/// Adds blocks in rows. All callers share one copy of this function. It is separate, because rows
/// and tables in one function would leave fewer registers to both.
fn in_rows<S: Simd>(token: S, accumulator: &mut Accumulator, data: &[u8]) {
    token.enter_apart(
        #[inline(always)]
        |token| rows::blocks(token, accumulator, data),
    );
}

/// Returns whether [`rows`] are fastest. If earlier pieces of the message have computed a table,
/// the table is used instead of rows of 26-bit limbs.
#[inline(always)]
fn pays_in_rows<S: Simd>(token: S, table: &Table, data: &[u8]) -> bool {
    data.len() >= S::TUNING.poly1305_min_bytes.of(token.cpu_class())
        && (S::MUL_ADD_52 || data.len() < S::TUNING.poly1305_min_bytes_for_table && table.is_none())
}

/// Processes blocks for all backends whose vectors are no faster for Poly1305. They share one copy,
/// because separate copies would differ in speed by chance.
#[inline(never)]
fn scalar_for_all(h: Element, r: Multiplier, blocks: &[[u8; BLOCK_BYTES]]) -> Element {
    scalar(h, r, blocks)
}

/// Returns the length in bytes from which a call of [`blocks`] pays. For less data, block after
/// block is as fast.
#[inline(always)]
pub(super) fn min_call_bytes(level: Level) -> usize {
    level.tuning().poly1305_min_bytes.of(CpuClass::detect()).min(MIN_BLOCKS_FOR_TWO_CHAINS * BLOCK_BYTES)
}

/// Does the same as [`min_call_bytes`], in blocks, for the class of CPUs with the lowest threshold.
const fn min_call_blocks<S: Simd>() -> usize {
    let rows = S::TUNING.poly1305_min_bytes.least() / BLOCK_BYTES;
    if rows < MIN_BLOCKS_FOR_TWO_CHAINS { rows } else { MIN_BLOCKS_FOR_TWO_CHAINS }
}

/// Processes blocks on 64-bit integers. The multiplications of one chain wait for each other, so
/// the two halves of the blocks are processed side by side: h becomes a r^k + b, where a is the
/// result for h and the first half, b is the result for the second half alone, and k is the number
/// of blocks in the second half.
#[inline(always)]
fn scalar(mut h: Element, r: Multiplier, blocks: &[[u8; BLOCK_BYTES]]) -> Element {
    let step = |h: Element, block| h.add_block(block, 1).multiply(r);
    if blocks.len() < MIN_BLOCKS_FOR_TWO_CHAINS {
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
