//! The lists of backends, and the macros that branch on the instruction set.

use crate::level_list::LevelList;
use crate::tuning::{self, Tuning};

// `by_architecture!` and `by_width!` select the backends that are compiled. On x86, kernels,
// firmware and enclaves do not save the vector registers, or have no cpuid: their targets lack
// SSE2, or name SGX. On AArch64, only bare-metal targets with soft floats lack NEON, and the vector
// types assume little-endian.
levels! { $
    /// An instruction set for the arithmetic of [`Simd`](crate::Simd) that this CPU was found to
    /// have, as a token.
    ///
    /// Variants differ by architecture; use [`dispatch!`](crate::dispatch) rather than a `match`.
    pub enum Level;
    /// Runs a kernel on the instruction set of a [`Level`]: `dispatch!(level, token =>
    /// kernel(token, …))`.
    ///
    /// The kernel has no other branch on the instruction set. The expression is inlined into a
    /// function compiled with the token's features, so the kernel it calls must be
    /// `#[inline(always)]` throughout.
    macro dispatch;
    portable {
        Scalar(Scalar) "scalar" "Portable code. The compiler may still use vectors that the target always has.";
    }
    x86 {
        128 { Ssse3(x86::Ssse3) "ssse3" "128-bit vectors with byte shuffles."; }
        256 { Avx2(x86::Avx2) "avx2" "256-bit vectors."; }
        512 {
            Avx512(x86::Avx512) "avx512" "512-bit vectors.";
            Avx512Ifma(x86::Avx512Ifma) "avx512ifma" "512-bit vectors with sums of 52-bit products.";
        }
    }
    wasm {
        Simd128(wasm::Simd128) "simd128" "128-bit vectors of WebAssembly.";
    }
    arm {
        Neon(arm::Neon) "neon" "128-bit vectors of Arm.";
    }
}

levels! { $
    /// An instruction set for rounds of AES ([`AesToken`](crate::AesToken)) that this CPU was found
    /// to have, as a token.
    ///
    /// Variants differ by architecture; use [`dispatch_aes!`](crate::dispatch_aes) rather than a
    /// `match`.
    pub enum AesLevel;
    /// Runs a kernel on the instruction set of an [`AesLevel`]: `dispatch_aes!(level, token =>
    /// kernel(token, …))`.
    ///
    /// Works like [`dispatch!`](crate::dispatch), for this list.
    macro dispatch_aes;
    portable {
        Scalar(Scalar) "scalar" "Portable code: eight blocks bit by bit, in constant time.";
    }
    x86 {
        128 { AesNi(x86::AesNi) "aesni" "AES instructions on one block."; }
        256 { Vaes(x86::Vaes) "vaes" "AES instructions on two blocks."; }
        512 { Vaes512(x86::Vaes512) "vaes512" "AES instructions on four blocks."; }
    }
    wasm {}
    arm {
        NeonAes(arm::NeonAes) "neon-aes" "AES instructions of Arm, on one block.";
    }
}

levels! { $
    /// An instruction set for carry-less products that this CPU was found to have, as a token.
    ///
    /// Variants differ by architecture; use [`dispatch_clmul!`](crate::dispatch_clmul) rather than
    /// a `match`.
    pub enum ClmulLevel;
    /// Runs a kernel on the instruction set of a [`ClmulLevel`]: `dispatch_clmul!(level, token =>
    /// kernel(token, …))`.
    ///
    /// Works like [`dispatch!`](crate::dispatch): the kernel must be `#[inline(always)]`
    /// throughout.
    macro dispatch_clmul;
    portable {
        Scalar(Scalar) "scalar" "Portable code: integer products of operands with holes.";
    }
    x86 {
        128 { Pclmulqdq(x86::Pclmulqdq) "pclmulqdq" "A product of 64 by 64 bits per instruction."; }
        256 { Vpclmulqdq(x86::Vpclmulqdq) "vpclmulqdq" "Two products per instruction, on AVX2."; }
        512 { Vpclmulqdq512(x86::Vpclmulqdq512) "vpclmulqdq512" "Four products per instruction, on AVX-512."; }
    }
    wasm {}
    arm {
        Pmull(arm::Pmull) "pmull" "A product of 64 by 64 bits per instruction of Arm.";
    }
}

levels! { $
    /// An instruction set for arithmetic of [`Gf8`](crate::Gf8) that this CPU was found to have, as
    /// a token.
    ///
    /// Variants differ by architecture; use [`dispatch_gf8!`](crate::dispatch_gf8) rather than a
    /// `match`.
    pub enum Gf8Level;
    /// Runs a kernel on the instruction set of a [`Gf8Level`]: see [`dispatch!`](crate::dispatch).
    macro dispatch_gf8;
    portable {
        Scalar(Scalar) "scalar" "Portable code, eight elements in an integer.";
    }
    x86 {
        128 { Ssse3(x86::Ssse3) "ssse3" "Shuffles of 128 bits."; }
        256 {
            Avx2(x86::Avx2) "avx2" "Shuffles in vectors of 256 bits.";
            Gfni(x86::Gfni) "gfni" "An instruction for products, in vectors of 256 bits.";
        }
        512 {
            Avx512(x86::Avx512) "avx512" "Shuffles in vectors of 512 bits.";
            Gfni512(x86::Gfni512) "gfni512" "An instruction for products, in vectors of 512 bits.";
        }
    }
    wasm {
        Simd128(wasm::Simd128) "simd128" "Table look-ups in vectors of WebAssembly.";
    }
    arm {
        Neon(arm::Neon) "neon" "Table look-ups in vectors of Arm.";
    }
}

impl Level {
    /// Returns the level of [`Simd::Cipher`](crate::Simd::Cipher).
    #[must_use]
    #[inline]
    pub fn for_cipher(self) -> Self {
        by_architecture! {
            x86 {
                by_width! {
                    512 {
                        match self {
                            Self::Avx512Ifma(token) => Self::Avx512(crate::simd::Simd::for_cipher(token)),
                            other => other,
                        }
                    }
                    256 { self }
                    128 { self }
                }
            }
            wasm { self }
            arm { self }
            other { self }
        }
    }

    /// Returns the thresholds of this level.
    #[must_use]
    pub fn tuning(self) -> &'static Tuning {
        &TUNINGS[self.index()]
    }
}

/// The thresholds of all levels, in the order of [`Level`]. A build without the features `avx2` or
/// `avx512` has no level for the last ones.
const TUNINGS: &[Tuning] = by_architecture! {
    x86 { &[tuning::SCALAR, tuning::SSSE3, tuning::AVX2, tuning::AVX512, tuning::AVX512_IFMA] }
    wasm { &[tuning::SCALAR, tuning::OTHER_VECTORS_OF_128_BITS] }
    arm { &[tuning::SCALAR, tuning::NEON] }
    other { &[tuning::SCALAR] }
};
