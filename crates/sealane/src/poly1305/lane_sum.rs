//! A sum that stays in lanes from one piece of a message to the next, in limbs of any size.

use sealane_simd::Simd;

use super::accumulator::Accumulator;
use crate::wipe::wipe;

/// The number of bytes that are collected before they are added: whole groups of rows on every
/// backend.
pub(super) const BUFFER_BYTES: usize = 1024;

/// The sum of rows, and the powers of r for further rows.
pub(crate) trait LaneSum: Clone {
    /// Whether this is for backends with 52-bit products, or for the others.
    const MUL_ADD_52: bool;

    fn new() -> Self;

    fn has_begun(&self) -> bool;

    /// Adds data whose length is a multiple of [`BUFFER_BYTES`]. The first call continues from
    /// `accumulator`.
    fn add<S: Simd>(&mut self, token: S, accumulator: &Accumulator, data: &[u8]);

    /// Writes the sum with the whole rows or blocks of `data` to `accumulator`. Returns the number
    /// of bytes in these. The sum must have begun.
    fn finish<S: Simd>(&self, token: S, accumulator: &mut Accumulator, data: &[u8]) -> usize;
}

/// A number that fills a cache line. It is for values on the heap: after a shorter number, their
/// last bytes would be padding, which takes what the stack held before, and which nothing wipes.
#[derive(Clone)]
pub(super) struct Line([u64; 8]);

impl Line {
    pub(super) fn zero() -> Self {
        Self([0; 8])
    }

    #[inline(always)]
    pub(super) fn get(&self) -> usize {
        // `set` took it from a `usize`.
        self.0[0] as usize
    }

    #[inline(always)]
    pub(super) fn set(&mut self, number: usize) {
        self.0[0] = number as u64;
    }

    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        wipe(&mut self.0);
    }
}
