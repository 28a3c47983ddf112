//! The scalar work that a ChaCha kernel may do between its rounds.

/// Blocks of Poly1305 (RFC 8439, section 2.5) to be added to an accumulator: for each, h ← (h + block + 2^128) r modulo
/// 2^130 - 5.
pub struct Horner<'a> {
    /// The accumulator, partly reduced: 64 bits in each limb but the last, which is at most 8.
    pub h: [u64; 3],
    /// The low and the high half of the clamped r, and 5/4 of the high half.
    pub r: [u64; 3],
    /// What is still to be added.
    pub blocks: &'a [[u8; 16]],
}

impl core::fmt::Debug for Horner<'_> {
    /// Without the accumulator and r, which are secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Horner").field("blocks", &self.blocks.len()).finish_non_exhaustive()
    }
}
