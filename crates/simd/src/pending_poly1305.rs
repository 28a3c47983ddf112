//! Scalar work that a ChaCha kernel may do between its rounds.

/// Blocks of Poly1305 (RFC 8439, section 2.5) to add to an accumulator: for each,
/// h ← (h + block + 2^128) r modulo 2^130 - 5.
///
/// ```
/// use sealane_simd::{ChaCha20Rounds, PendingPoly1305, Scalar, Simd, Words};
///
/// type Vector = <Scalar as Simd>::Words;
/// let mut words = [Vector::splat(Scalar::new(), 1); 16];
/// // Portable code has no kernel of its own for the rounds.
/// assert!(!Vector::double_rounds(&mut words, 10, &mut PendingPoly1305::none()));
/// ```
pub struct PendingPoly1305<'a> {
    /// The accumulator, partly reduced: 64 bits in each limb but the last, which is at most 8.
    pub h: [u64; 3],
    /// The low and the high half of the clamped r, and 5/4 of the high half.
    pub r: [u64; 3],
    /// The blocks that are not added yet.
    pub blocks: &'a [[u8; 16]],
}

impl PendingPoly1305<'_> {
    /// Returns a value without blocks.
    #[must_use]
    #[inline(always)]
    pub const fn none() -> Self {
        Self { h: [0; 3], r: [0; 3], blocks: &[] }
    }
}

impl core::fmt::Debug for PendingPoly1305<'_> {
    /// Omits the accumulator and r, which are secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("PendingPoly1305").field("blocks", &self.blocks.len()).finish_non_exhaustive()
    }
}
