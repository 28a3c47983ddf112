//! Kernels that compilers do not match: in assembly, or with registers that are pinned.

#[cfg(all(target_arch = "x86_64", target_pointer_width = "64", target_feature = "sse2", not(target_env = "sgx")))]
pub(crate) mod rounds;

use crate::pending_poly1305::PendingPoly1305;

/// The rounds of ChaCha in the vertical layout: each vector has one word of each of its blocks, one
/// block in each lane. An instruction set without its own kernel keeps the defaults.
pub trait ChaCha20Rounds: Sized {
    /// Computes `count` double rounds (RFC 8439, section 2.3) on the words `v` of the blocks, and
    /// adds some of the blocks of `pending` between them.
    ///
    /// Returns false, and does nothing, if there is no kernel.
    #[inline(always)]
    fn double_rounds(_v: &mut [Self; 16], _count: u8, _pending: &mut PendingPoly1305<'_>) -> bool {
        false
    }

    /// Forces each of these words into a separate register at this point.
    ///
    /// If there are as many words as registers, the compiler would otherwise move and spill them.
    /// The default does nothing.
    #[inline(always)]
    fn pin_registers(_v: &mut [Self; 16], _w: &mut [Self; 16]) {}
}
