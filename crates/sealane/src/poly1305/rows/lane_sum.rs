//! A sum that stays in lanes from one piece of a message to the next, in limbs of 44 bits.
//! [`super`] defines rows, N and R.

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::lanes::row_limbs;
use super::limbs::Limbs;
use super::limbs52::Limbs52;
use super::mac::fill;
use super::powers::{Powers, Rows, StoredPowers, in_lane_0};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::accumulator::Accumulator;
use crate::poly1305::lane_sum::{LaneSum, Line};
use crate::wipe::wipe;

/// The sum of rows, and the powers of r for further rows. They are in memory, so that a message has
/// the same type on every backend.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct LaneSum52 {
    sum: [[u64; MAX_U64_LANES]; 3],
    powers: StoredPowers,
    /// Whether there is a sum, 0 or 1.
    begun: Line,
}

const _: () = assert!(
    size_of::<LaneSum52>() == size_of::<[[u64; MAX_U64_LANES]; 3]>() + size_of::<StoredPowers>() + size_of::<Line>(),
    "no padding"
);

impl LaneSum for LaneSum52 {
    const MUL_ADD_52: bool = true;

    fn new() -> Self {
        Self { sum: [[0; MAX_U64_LANES]; 3], powers: StoredPowers::zeroed(), begun: Line::zero() }
    }

    fn has_begun(&self) -> bool {
        self.begun.get() != 0
    }

    /// Adds data whose length is a multiple of four rows. The first call continues from
    /// `accumulator`.
    #[inline(always)]
    fn add<S: Simd>(&mut self, token: S, accumulator: &Accumulator, mut data: &[u8]) {
        let row_bytes = S::U64Lanes::LANES * BLOCK_BYTES;
        debug_assert!(data.len().is_multiple_of(4 * row_bytes), "whole groups of four rows");
        if !self.has_begun() {
            let (first, rest) = data.split_at(4 * row_bytes);
            self.begin(token, accumulator, first);
            data = rest;
        }
        // The compiler may copy some of the vectors to the stack, as in all kernels.
        let powers = self.powers.load(token);
        let mut sum = self.load(token);
        for rows in data.chunks_exact(4 * row_bytes) {
            sum = powers.four_rows(token, sum, rows);
        }
        self.store(sum);
    }

    /// Writes the sum with the whole blocks of `data` to `accumulator`. Returns the number of bytes
    /// in these blocks. At least four rows must have been added.
    #[inline(always)]
    fn finish<S: Simd>(&self, token: S, accumulator: &mut Accumulator, data: &[u8]) -> usize {
        let blocks = &data[..data.len() - data.len() % BLOCK_BYTES];
        let (rows, tail) = blocks.split_at(blocks.len() - blocks.len() % (S::U64Lanes::LANES * BLOCK_BYTES));
        let mut sum = self.load(token);
        let powers = self.powers.load(token);
        powers.rows(token, &mut sum, rows, Rows::Fours);
        accumulator.h = powers.finish(token, sum, tail, None);
        blocks.len()
    }
}

impl LaneSum52 {
    /// Computes the powers of r, and starts with four rows.
    #[inline(always)]
    fn begin<S: Simd>(&mut self, token: S, accumulator: &Accumulator, rows: &[u8]) {
        let mut powers = Powers::<S::U64Lanes>::empty(token);
        fill(token, &mut powers, accumulator.r.loaded(), Rows::Fours);
        self.powers.store(&powers);
        let (first, rest) = rows.split_at(S::U64Lanes::LANES * BLOCK_BYTES);
        let sum: Limbs52<S::U64Lanes> = in_lane_0(token, accumulator.h.loaded()).add(row_limbs(token, first));
        self.store(powers.three_rows(token, sum, rest));
        powers.wipe(token);
        self.begun.set(1);
    }

    #[inline(always)]
    fn load<S: Simd>(&self, token: S) -> Limbs52<S::U64Lanes> {
        let limb = |i: usize| S::U64Lanes::from_lanes(token, &self.sum[i]);
        Limbs52([limb(0), limb(1), limb(2)])
    }

    #[inline(always)]
    fn store<W: U64Lanes>(&mut self, Limbs52(sum): Limbs52<W>) {
        self.sum = sum.map(
            #[inline(always)]
            |limb| limb.to_lanes(),
        );
    }
}

impl Drop for LaneSum52 {
    fn drop(&mut self) {
        // The powers wipe themselves.
        wipe(&mut self.sum);
        self.begun.wipe();
    }
}
