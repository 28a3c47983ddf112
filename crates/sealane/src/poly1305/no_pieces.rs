//! Takes the place of `pieces` in builds without an allocator, in which there is no sum of pieces.

use sealane_simd::Level;

use crate::poly1305::accumulator::Accumulator;

/// Has no sum of pieces: the caller adds each piece.
#[derive(Clone, Default)]
pub(crate) struct Pieces(());

impl Pieces {
    #[inline(always)]
    pub(crate) fn add(&mut self, _: Level, _: u64, _: &Accumulator, _: &[u8], _: &[u8]) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn has_begun(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn finish(&self, _: Level, _: &mut Accumulator) -> Option<&[u8]> {
        None
    }
}
