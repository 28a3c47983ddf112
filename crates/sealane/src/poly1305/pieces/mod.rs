//! The pieces of a message, and the choice to keep their sum in lanes.

mod buffered_sum;

use sealane_simd::Level;
use sealane_simd::tuning::{POLY1305_MIN_BYTES_BEFORE_LANES, POLY1305_MIN_PIECES_BEFORE_LANES};

use super::accumulator::Accumulator;
use crate::backend::{PiecesFamily, SelfTestOf};
pub(crate) use buffered_sum::BufferedSum;

/// The pieces of a message: at first only their number. Once there are many, also a sum of the
/// further ones, which follow the blocks in an accumulator.
#[derive(Clone, Default)]
pub(crate) struct Pieces {
    count: u64,
    sum: Option<BufferedSum>,
}

impl Pieces {
    /// Adds a piece, which follows the first `bytes` bytes of the message, to the sum, and returns
    /// true. If there is no sum and it would not make further pieces faster, only counts the piece,
    /// and returns false.
    ///
    /// A new sum begins with `waiting`, the bytes after the blocks in `accumulator`.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        level: Level,
        bytes: u64,
        accumulator: &Accumulator,
        waiting: &[u8],
        piece: &[u8],
    ) -> bool {
        if bytes >= POLY1305_MIN_BYTES_BEFORE_LANES {
            if self.sum.is_none() {
                self.begin(level, accumulator, waiting);
            }
            if let Some(sum) = &mut self.sum {
                sum.update(level, accumulator, piece);
                return true;
            }
        }
        self.count += 1;
        false
    }

    #[inline(never)]
    fn begin(&mut self, level: Level, accumulator: &Accumulator, waiting: &[u8]) {
        if self.count >= u64::from(POLY1305_MIN_PIECES_BEFORE_LANES)
            && level.tuning().poly1305_keeps_sum_in_lanes
            && SelfTestOf::<PiecesFamily>::of(level).passed()
        {
            self.sum = Some(BufferedSum::new(level, accumulator, waiting));
        }
    }

    /// Returns whether there is a sum.
    pub(crate) fn has_begun(&self) -> bool {
        self.sum.is_some()
    }

    /// Adds all whole blocks of the sum to `accumulator`. Returns the bytes after them, or `None`
    /// if there is no sum.
    #[inline(always)]
    pub(crate) fn finish(&self, level: Level, accumulator: &mut Accumulator) -> Option<&[u8]> {
        self.sum.as_ref().map(|sum| sum.finish(level, accumulator))
    }
}
