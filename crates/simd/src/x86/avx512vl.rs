//! 256-bit vectors with rotations.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::avx2::{Avx2, Avx2U64Lanes, Avx2Words, ProvesAvx2, Rotations};
use super::feature_sets;
use super::macros::{double_rounds, simd, token, unary, with_features};
use crate::kernels::ChaCha20Rounds;
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
use crate::map_array::map_array;

token! {
    /// Proof of all that [`Avx512`](super::Avx512) proves, for kernels on vectors of 256 bits.
    ///
    /// On some CPUs, vectors of 512 bits lower the clock frequency of the core, for a millisecond
    /// after a single instruction. Compilers use such vectors to copy and clear memory wherever
    /// they may. Functions are therefore compiled for AVX2, and rotations are in assembly.
    Avx512Vl: "avx2,bmi2", feature_sets::AVX512
}

simd! { Avx512Vl: Avx2Words<Self>, Avx2U64Lanes<Self>, Avx512Vl, Avx512Vl, AVX512_VL }

impl ProvesAvx2 for Avx512Vl {
    #[inline(always)]
    fn avx2(self) -> Avx2 {
        const { assert!(Self::BITS.contains(Avx2::BITS), "a token does not prove another") };
        Avx2::implied_by(self)
    }
}

macro_rules! avx2 {
    ($proof:expr, $($rest:tt)*) => { with_features!(Avx512Vl, "avx2", $proof, $($rest)*) };
}

macro_rules! rotated {
    ($vector:ident, $left:literal) => {{
        // SAFETY: the vector belongs to words whose token proves AVX-512VL.
        unsafe { rotate_left::<$left>($vector) }
    }};
}

impl Rotations for Avx2Words<Avx512Vl> {
    unary! { avx2, __m256i:
        rotate_left_16 = |a| rotated!(a, 16);
        rotate_left_12 = |a| rotated!(a, 12);
        rotate_left_8 = |a| rotated!(a, 8);
        rotate_left_7 = |a| rotated!(a, 7);
    }
}

/// Rotates each word to the left.
///
/// # Safety
/// The CPU has AVX-512VL, which the attribute does not enable.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn rotate_left<const LEFT: u32>(words: __m256i) -> __m256i {
    let rotated;
    // SAFETY: the caller guarantees AVX-512VL, which has the instruction. It reads and writes only
    // its operands.
    unsafe {
        core::arch::asm!(
            "vprold {}, {}, {}",
            lateout(ymm_reg) rotated,
            in(ymm_reg) words,
            const LEFT,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    rotated
}

impl ChaCha20Rounds for Avx2Words<Avx512Vl> {
    double_rounds! { Avx512Vl, "avx2,bmi2", avx512vl }
}
