//! A sum that stays in lanes, and a buffer for the bytes after its rows.

use alloc::boxed::Box;

use sealane_simd::{Level, Simd, dispatch};

use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::accumulator::Accumulator;
use crate::poly1305::kernel::whole_blocks;
use crate::poly1305::lane_sum::{BUFFER_BYTES, LaneSum, Line};
use crate::poly1305::rows::LaneSum52;
use crate::poly1305::table::LaneSum26;
use crate::wipe::wipe;

/// The sum of the pieces of a message that follow the blocks in an accumulator, in the limbs of the
/// backend. It takes up to 4 KB, so it is kept in a box.
#[derive(Clone)]
pub(crate) enum BufferedSum {
    Limbs26(Box<Buffered<LaneSum26>>),
    Limbs52(Box<Buffered<LaneSum52>>),
}

impl BufferedSum {
    /// Starts with `data`, the bytes after the blocks in `accumulator`.
    #[inline(never)]
    pub(crate) fn new(level: Level, accumulator: &Accumulator, data: &[u8]) -> Self {
        let mut sum = dispatch!(level, token => Self::empty(token));
        sum.update(level, accumulator, data);
        sum
    }

    fn empty<S: Simd>(_: S) -> Self {
        if S::MUL_ADD_52 { Self::Limbs52(Buffered::boxed()) } else { Self::Limbs26(Buffered::boxed()) }
    }

    /// Adds a piece.
    #[inline]
    pub(crate) fn update(&mut self, level: Level, accumulator: &Accumulator, data: &[u8]) {
        match self {
            Self::Limbs26(sum) => sum.update(level, accumulator, data),
            Self::Limbs52(sum) => sum.update(level, accumulator, data),
        }
    }

    /// Adds all whole blocks to `accumulator`. Returns the bytes after them.
    pub(crate) fn finish(&self, level: Level, accumulator: &mut Accumulator) -> &[u8] {
        match self {
            Self::Limbs26(sum) => sum.finish(level, accumulator),
            Self::Limbs52(sum) => sum.finish(level, accumulator),
        }
    }
}

/// A sum, and a buffer for the bytes after its rows.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Buffered<L> {
    sum: L,
    buffer: [u8; BUFFER_BYTES],
    /// The number of bytes in `buffer`, which is never full.
    buffered: Line,
}

impl<L: LaneSum> Buffered<L> {
    fn boxed() -> Box<Self> {
        const { assert!(size_of::<Self>() == size_of::<L>() + BUFFER_BYTES + size_of::<Line>(), "no padding") };
        Box::new(Self { sum: L::new(), buffer: [0; BUFFER_BYTES], buffered: Line::zero() })
    }

    #[inline]
    fn update(&mut self, level: Level, accumulator: &Accumulator, data: &[u8]) {
        let buffered = self.buffered.get();
        let free = &mut self.buffer[buffered..];
        if data.len() < free.len() {
            copy(&mut free[..data.len()], data);
            self.buffered.set(buffered + data.len());
        } else {
            self.fill(level, accumulator, data);
        }
    }

    /// Adds a piece that fills the buffer.
    #[inline(never)]
    fn fill(&mut self, level: Level, accumulator: &Accumulator, mut data: &[u8]) {
        let buffered = self.buffered.get();
        if buffered > 0 {
            let (end, rest) = data.split_at(BUFFER_BYTES - buffered);
            self.buffer[buffered..].copy_from_slice(end);
            add(level, &mut self.sum, accumulator, &self.buffer);
            data = rest;
        }
        let (groups, rest) = data.split_at(data.len() - data.len() % BUFFER_BYTES);
        if !groups.is_empty() {
            add(level, &mut self.sum, accumulator, groups);
        }
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.buffered.set(rest.len());
    }

    #[inline(never)]
    fn finish(&self, level: Level, accumulator: &mut Accumulator) -> &[u8] {
        let mut data = &self.buffer[..self.buffered.get()];
        if self.sum.has_begun() {
            data = &data[dispatch!(level, token => finish_on(token, &self.sum, accumulator, data))..];
        }
        let (blocks, rest) = data.split_at(data.len() - data.len() % BLOCK_BYTES);
        whole_blocks(level, accumulator, blocks);
        rest
    }
}

fn add<L: LaneSum>(level: Level, sum: &mut L, accumulator: &Accumulator, data: &[u8]) {
    dispatch!(level, token => add_on(token, sum, accumulator, data));
}

#[inline(never)]
fn add_on<S: Simd, L: LaneSum>(token: S, sum: &mut L, accumulator: &Accumulator, data: &[u8]) {
    assert_limbs::<S, L>();
    token.enter(
        #[inline(always)]
        |token| sum.add(token, accumulator, data),
    );
}

#[inline(never)]
fn finish_on<S: Simd, L: LaneSum>(token: S, sum: &L, accumulator: &mut Accumulator, data: &[u8]) -> usize {
    assert_limbs::<S, L>();
    token.enter(
        #[inline(always)]
        |token| sum.finish(token, accumulator, data),
    )
}

/// Panics on backends without fast vectors, which never begin a sum, and on those that begin it in
/// other limbs.
#[inline(always)]
fn assert_limbs<S: Simd, L: LaneSum>() {
    if !S::TUNING.poly1305_keeps_sum_in_lanes || S::MUL_ADD_52 != L::MUL_ADD_52 {
        unreachable!("the sum of another backend");
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

impl<L> Drop for Buffered<L> {
    fn drop(&mut self) {
        // The sum wipes itself.
        wipe(&mut self.buffer);
        self.buffered.wipe();
    }
}
