//! A sum that stays in lanes, and a buffer for the bytes that do not fill its rows.

use alloc::boxed::Box;

use sealane_simd::{Level, Simd, dispatch};

use crate::poly1305::accumulator::Accumulator;
use crate::poly1305::kernel::whole_blocks;
use crate::poly1305::{BLOCK_BYTES, rows, table};
use crate::wipe::wipe;

/// The number of bytes that are collected before they are added: whole groups of rows on every
/// backend.
pub(in crate::poly1305) const BUFFER_BYTES: usize = 1024;

/// The sum of the pieces of a message that follow the blocks in an accumulator, and a buffer for
/// the last bytes. It takes 4 KB, so it is kept in a box.
#[derive(Clone)]
pub(crate) struct BufferedSum {
    sum: LaneSum,
    buffer: [u8; BUFFER_BYTES],
    /// The number of bytes in `buffer`, which is never full.
    buffered: usize,
}

impl BufferedSum {
    /// Starts with `data`, the bytes after the blocks in `accumulator`.
    #[inline(never)]
    pub(crate) fn boxed(level: Level, accumulator: &Accumulator, data: &[u8]) -> Box<Self> {
        let mut sum = Box::new(Self { sum: LaneSum::new(level), buffer: [0; BUFFER_BYTES], buffered: 0 });
        sum.update(level, accumulator, data);
        sum
    }

    /// Adds a piece.
    #[inline]
    pub(crate) fn update(&mut self, level: Level, accumulator: &Accumulator, data: &[u8]) {
        let free = &mut self.buffer[self.buffered..];
        if data.len() < free.len() {
            copy(&mut free[..data.len()], data);
            self.buffered += data.len();
        } else {
            self.fill(level, accumulator, data);
        }
    }

    /// Adds a piece that fills the buffer.
    #[inline(never)]
    fn fill(&mut self, level: Level, accumulator: &Accumulator, mut data: &[u8]) {
        if self.buffered > 0 {
            let (end, rest) = data.split_at(BUFFER_BYTES - self.buffered);
            self.buffer[self.buffered..].copy_from_slice(end);
            self.sum.add(level, accumulator, &self.buffer);
            data = rest;
        }
        let (groups, rest) = data.split_at(data.len() - data.len() % BUFFER_BYTES);
        if !groups.is_empty() {
            self.sum.add(level, accumulator, groups);
        }
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.buffered = rest.len();
    }

    /// Adds all whole blocks to `accumulator`. Returns the bytes after them.
    #[inline(never)]
    pub(crate) fn finish(&self, level: Level, accumulator: &mut Accumulator) -> &[u8] {
        let mut data = &self.buffer[..self.buffered];
        if self.sum.has_begun() {
            data = &data[self.sum.finish(level, accumulator, data)..];
        }
        let (blocks, rest) = data.split_at(data.len() - data.len() % BLOCK_BYTES);
        whole_blocks(level, accumulator, blocks);
        rest
    }
}

/// The sum of rows, in the limbs of the backend, and the powers of r for further rows.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "the sum is in a box")]
enum LaneSum {
    Limbs26(table::LaneSum),
    Limbs52(rows::LaneSum),
}

impl LaneSum {
    #[inline(always)]
    fn new(level: Level) -> Self {
        dispatch!(level, token => Self::on(token))
    }

    fn on<S: Simd>(_: S) -> Self {
        if S::MUL_ADD_52 { Self::Limbs52(rows::LaneSum::new()) } else { Self::Limbs26(table::LaneSum::new()) }
    }

    fn has_begun(&self) -> bool {
        match self {
            Self::Limbs26(sum) => sum.has_begun(),
            Self::Limbs52(sum) => sum.has_begun(),
        }
    }

    /// Adds data whose length is a multiple of [`BUFFER_BYTES`]. The first call continues from
    /// `accumulator`.
    fn add(&mut self, level: Level, accumulator: &Accumulator, data: &[u8]) {
        dispatch!(level, token => self.add_on(token, accumulator, data));
    }

    /// Writes the sum with the whole rows or blocks of `data` to `accumulator`. Returns the number
    /// of bytes in these.
    fn finish(&self, level: Level, accumulator: &mut Accumulator, data: &[u8]) -> usize {
        dispatch!(level, token => self.finish_on(token, accumulator, data))
    }

    #[inline(never)]
    fn add_on<S: Simd>(&mut self, token: S, accumulator: &Accumulator, data: &[u8]) {
        assert_vectors::<S>();
        token.enter(
            #[inline(always)]
            |token| match self {
                Self::Limbs26(sum) if !S::MUL_ADD_52 => sum.add(token, accumulator, data),
                Self::Limbs52(sum) if S::MUL_ADD_52 => sum.add(token, accumulator, data),
                _ => unreachable!("the limbs of another backend"),
            },
        );
    }

    #[inline(never)]
    fn finish_on<S: Simd>(&self, token: S, accumulator: &mut Accumulator, data: &[u8]) -> usize {
        assert_vectors::<S>();
        token.enter(
            #[inline(always)]
            |token| match self {
                Self::Limbs26(sum) if !S::MUL_ADD_52 => sum.finish(token, accumulator, data),
                Self::Limbs52(sum) if S::MUL_ADD_52 => sum.finish(token, accumulator, data),
                _ => unreachable!("the limbs of another backend"),
            },
        )
    }
}

/// Panics on backends without fast vectors, which never begin a sum.
#[inline(always)]
fn assert_vectors<S: Simd>() {
    if !S::TUNING.poly1305_keeps_sum_in_lanes {
        unreachable!("vectors that are no faster");
    }
}

/// Copies `data`. For 16 to 32 bytes, two copies that overlap are faster than a call.
#[inline(always)]
fn copy(place: &mut [u8], data: &[u8]) {
    if data.len() <= 2 * BLOCK_BYTES
        && let (Some(first), Some(last)) = (data.first_chunk::<BLOCK_BYTES>(), data.last_chunk::<BLOCK_BYTES>())
    {
        let end = place.len() - BLOCK_BYTES;
        place[..BLOCK_BYTES].copy_from_slice(first);
        place[end..].copy_from_slice(last);
    } else {
        place.copy_from_slice(data);
    }
}

impl Drop for BufferedSum {
    fn drop(&mut self) {
        wipe(&mut self.buffer);
    }
}
