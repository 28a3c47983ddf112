//! Kernels that compilers do not match: in assembly, or with registers that are pinned.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(target_env = "sgx")))]
pub(crate) mod groups512;
#[cfg(all(
    target_pointer_width = "64",
    any(
        all(target_arch = "x86_64", target_feature = "sse2", not(target_env = "sgx")),
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    )
))]
pub(crate) mod rounds;

use crate::pending_poly1305::PendingPoly1305;

/// The number of blocks that [`ChaCha20Rounds::nineteen_rounds_with_poly1305`] adds.
pub const POLY1305_BLOCKS_PER_PAIR: usize = 96;

/// The rounds of ChaCha in the vertical layout: each vector has one word of each of its blocks, one
/// block in each lane. An instruction set without its own kernel keeps the defaults.
pub trait ChaCha20Rounds: Sized {
    /// Computes `count` double rounds (RFC 8439, section 2.3) on the words `v` of the blocks, and
    /// adds some of the blocks of `pending` between them.
    ///
    /// Returns false, and does nothing, if there is no kernel, or none that is faster without
    /// blocks.
    #[inline(always)]
    fn double_rounds(_v: &mut [Self; 16], _count: u8, _pending: &mut PendingPoly1305<'_>) -> bool {
        false
    }

    /// Computes `count` double rounds on the words of two groups of blocks.
    ///
    /// Returns false, and does nothing, if there is no kernel.
    #[inline(always)]
    fn double_rounds_of_two(_v: &mut [Self; 16], _w: &mut [Self; 16], _count: u8) -> bool {
        false
    }

    /// Computes a diagonal round and nine double rounds on the words of two groups of blocks, which
    /// are the last 19 of 20 rounds. Starts two accumulators of Poly1305, adds the first half of
    /// `blocks` to one and the second half to the other, and returns them. `r` is that of
    /// [`PendingPoly1305`].
    ///
    /// Returns `None`, and does nothing, if there is no kernel.
    #[inline(always)]
    fn nineteen_rounds_with_poly1305(
        _v: &mut [Self; 16],
        _w: &mut [Self; 16],
        _r: [u64; 3],
        _blocks: &[[u8; 16]; POLY1305_BLOCKS_PER_PAIR],
    ) -> Option<[[u64; 3]; 2]> {
        None
    }

    /// Forces each of these words into a separate register at this point.
    ///
    /// If there are as many words as registers, the compiler would otherwise move and spill them.
    /// The default does nothing.
    #[inline(always)]
    fn pin_registers(_v: &mut [Self; 16], _w: &mut [Self; 16]) {}
}
