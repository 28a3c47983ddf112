//! A sum that stays in lanes from one piece of a message to the next. [`super`] defines rows, N and
//! R.

use alloc::boxed::Box;
use core::marker::PhantomData;

use sealane_simd::{Level, MAX_U64_LANES, Simd, U64Lanes, dispatch};

use super::powers::{Factors, Powers, Sums};
use super::{Element, Limbs26, MAX_ROWS, PowersOfR, combine, first_row, group};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::accumulator::Accumulator;
use crate::poly1305::kernel::whole_blocks;
use crate::wipe::wipe;

/// The number of bytes that are collected before they are added: whole groups of rows on every
/// backend.
const BUFFER_BYTES: usize = 1024;

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
        let mut sum = Box::new(Self { sum: LaneSum::new(), buffer: [0; BUFFER_BYTES], buffered: 0 });
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

/// The sum of rows, and the powers of r for further rows.
#[derive(Clone)]
pub(in crate::poly1305) struct LaneSum {
    limbs: [[u64; MAX_U64_LANES]; 5],
    /// Empty before the first row.
    powers: Powers,
    /// The factors for a whole group.
    factors: Factors,
}

impl LaneSum {
    pub(in crate::poly1305) fn new() -> Self {
        Self { limbs: [[0; MAX_U64_LANES]; 5], powers: Powers::zeroed(), factors: Factors::new([0; 5], [0; 5]) }
    }

    fn has_begun(&self) -> bool {
        !self.powers.rows().is_empty()
    }

    /// Adds data whose length is a multiple of [`BUFFER_BYTES`]. The first call continues from
    /// `accumulator`.
    fn add(&mut self, level: Level, accumulator: &Accumulator, data: &[u8]) {
        dispatch!(level, token => self.add_on(token, accumulator, data));
    }

    /// Writes the sum with the whole rows of `data` to `accumulator`. Returns the number of bytes
    /// in these rows.
    fn finish(&self, level: Level, accumulator: &mut Accumulator, data: &[u8]) -> usize {
        dispatch!(level, token => self.finish_on(token, accumulator, data))
    }

    #[inline(never)]
    fn add_on<S: Simd>(&mut self, token: S, accumulator: &Accumulator, data: &[u8]) {
        assert_vectors::<S>();
        token.enter(
            #[inline(always)]
            |token| {
                if self.has_begun() {
                    return self.add_rows(token, data);
                }
                let (first, rest) = data.split_at(Group::<S>::ROW_BYTES);
                let mut powers = PowersOfR::new(token, accumulator.r.loaded());
                self.begin(token, &powers.lanes, first_row(token, accumulator.h.loaded(), first));
                powers.wipe(token);
                self.add_rows(token, rest);
            },
        );
    }

    #[inline(never)]
    fn finish_on<S: Simd>(&self, token: S, accumulator: &mut Accumulator, data: &[u8]) -> usize {
        assert_vectors::<S>();
        token.enter(
            #[inline(always)]
            |token| {
                let rows = &data[..data.len() - data.len() % Group::<S>::ROW_BYTES];
                let mut powers = PowersOfR::new(token, accumulator.r.loaded());
                accumulator.h = Element::from_limbs(self.sum_with(token, &powers.lanes, rows));
                powers.wipe(token);
                rows.len()
            },
        )
    }

    /// Computes the powers of R from `lanes`, which has r^N … r^1, and starts with a row.
    #[inline(always)]
    pub(in crate::poly1305) fn begin<S: Simd>(
        &mut self,
        token: S,
        lanes: &Limbs26<S::U64Lanes>,
        row: Limbs26<S::U64Lanes>,
    ) {
        self.powers.fill(token, &lanes.0, Group::<S>::ROWS);
        self.factors = Factors::of(self.powers.rows(), Group::<S>::ROWS, &mut Sums::new());
        self.store(row.0);
    }

    /// Adds rows.
    #[inline(always)]
    pub(in crate::poly1305) fn add_rows<S: Simd>(&mut self, token: S, rows: &[u8]) {
        let h = self.after_rows(token, rows);
        self.store(h);
    }

    /// Returns the sum of all lanes after further rows. `lanes` has r^N … r^1.
    #[inline(always)]
    pub(in crate::poly1305) fn sum_with<S: Simd>(
        &self,
        token: S,
        lanes: &Limbs26<S::U64Lanes>,
        rows: &[u8],
    ) -> [u64; 5] {
        combine(token, &self.after_rows(token, rows), &lanes.0)
    }

    #[inline(always)]
    fn after_rows<S: Simd>(&self, token: S, rows: &[u8]) -> [S::U64Lanes; 5] {
        let powers = self.powers.rows();
        let mut h = self.load(token);
        // An incomplete group comes first, with its own factors.
        let (few, groups) = rows.split_at(rows.len() % Group::<S>::BYTES);
        if !few.is_empty() {
            let factors = Factors::of(powers, few.len() / Group::<S>::ROW_BYTES, &mut Sums::new());
            h = group(token, powers, &factors, &h, few);
        }
        for rows in groups.chunks_exact(Group::<S>::BYTES) {
            h = group(token, powers, &self.factors, &h, rows);
        }
        h
    }

    #[inline(always)]
    fn load<S: Simd>(&self, token: S) -> [S::U64Lanes; 5] {
        let limb = |i: usize| S::U64Lanes::from_lanes(token, &self.limbs[i]);
        [limb(0), limb(1), limb(2), limb(3), limb(4)]
    }

    #[inline(always)]
    fn store<W: U64Lanes>(&mut self, h: [W; 5]) {
        for (limb, lanes) in self.limbs.iter_mut().zip(h) {
            *limb = lanes.to_lanes();
        }
    }
}

impl Drop for LaneSum {
    fn drop(&mut self) {
        // The other fields wipe themselves.
        wipe(&mut self.limbs);
    }
}

/// The rows between two carries, on the backend of `S`.
struct Group<S>(PhantomData<S>);

impl<S: Simd> Group<S> {
    const ROW_BYTES: usize = S::U64Lanes::LANES * BLOCK_BYTES;
    const ROWS: usize = {
        let rows = BUFFER_BYTES / Self::ROW_BYTES;
        if rows < MAX_ROWS { rows } else { MAX_ROWS }
    };
    const BYTES: usize = {
        let bytes = Self::ROWS * Self::ROW_BYTES;
        assert!(BUFFER_BYTES.is_multiple_of(bytes), "the buffer has whole groups");
        bytes
    };
}

/// Panics on backends without fast vectors, which never begin a sum.
#[inline(always)]
fn assert_vectors<S: Simd>() {
    if S::TUNING.poly1305_max_bytes_of_pieces == 0 {
        unreachable!("vectors that are no faster");
    }
}
