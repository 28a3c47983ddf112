//! Kernels written once, run on every CPU: proof tokens, run-time detection and vector types.
//!
//! - A **token** ([`Scalar`], and on x86 [`x86::Ssse3`], [`x86::Avx2`], [`x86::Avx512`], on Arm
//!   `arm::Neon`) is a zero-sized proof that the CPU has a set of features. Only detection makes
//!   one, or a token of more features.
//! - A **vector** holds its token privately, so safe code cannot use an instruction that the CPU
//!   lacks.
//! - A **kernel** is generic over a trait of tokens such as [`Simd`] and works with the
//!   capabilities [`Words`] (32-bit lanes) and [`U64Lanes`] (64-bit lanes with a 32×32→64
//!   multiply). Every function between the entry and a vector operation is `#[inline(always)]`: a
//!   single function without it turns each operation into a call.
//! - [`dispatch!`] branches on the CPU, once, and enters a function compiled with the features of
//!   the chosen token.
//!
//! This crate contains all `unsafe` code of the library. Its interface is safe: no call with any
//! argument breaks memory safety.
//!
//! ```
//! use sealane_simd::{Level, LevelList, Simd, Words, dispatch};
//!
//! #[inline(always)]
//! fn double<S: Simd>(token: S, word: u32) -> u32 {
//!     let x = S::Words::splat(token, word);
//!     x.add(x).first()
//! }
//!
//! let level = Level::detect();
//! assert_eq!(dispatch!(level, token => double(token, 21)), 42);
//! ```
#![no_std]
// Marks items that need a feature, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The vectors of 32-bit Arm, which are unstable.
#![cfg_attr(all(target_arch = "arm", feature = "armv7"), feature(arm_target_feature, stdarch_arm_neon_intrinsics))]
#![cfg_attr(all(target_arch = "arm", feature = "armv7", feature = "std"), feature(stdarch_arm_feature_detection))]

#[cfg(feature = "std")]
extern crate std;

mod class;
#[macro_use]
mod level;
mod aes;
#[cfg(any(test, feature = "bounds"))]
mod bounds;
mod clmul;
mod gf8;
#[cfg(all(unix, any(test, feature = "guarded")))]
mod guarded;
mod kernels;
mod output;
mod pairs;
mod pending_poly1305;
mod scalar;
pub mod tuning;
mod u64_lanes;
mod words;

#[cfg(all(
    target_endian = "little",
    any(all(target_arch = "aarch64", target_feature = "neon"), all(target_arch = "arm", feature = "armv7"))
))]
pub mod arm;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod wasm;
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
pub mod x86;

pub use aes::{AesBlocks, AesLevel, AesToken, Block, Columns, SlicedBlocks};
#[cfg(feature = "bounds")]
#[doc(hidden)]
pub use bounds::{Bounds, NoWords, U64Bounds};
pub use class::CpuClass;
pub use clmul::{Clmul, ClmulLanes, ClmulLevel, MAX_CLMUL_LANES, ScalarLane};
pub use gf8::{Gf8, Gf8Bytes, Gf8Level, NIBBLE_PRODUCTS, gf8_mul, gf8_mul_modulo, gf8_multiples};
#[cfg(all(unix, feature = "guarded"))]
#[doc(hidden)]
pub use guarded::Guarded;
pub use kernels::ChaCha20Rounds;
pub use level::{CachedLevel, Level, LevelList, Simd, Token};
pub use output::Output;
pub use pairs::{Pair, PairTable};
pub use pending_poly1305::PendingPoly1305;
pub use scalar::{Scalar, ScalarBytes};
pub use tuning::Tuning;
pub use u64_lanes::{MAX_U64_LANES, U64Lanes};
pub use words::{MAX_WORDS_LANES, Words};

/// A word of an integer register.
///
/// ```
/// use sealane_simd::Word;
///
/// assert_eq!(7_u32.opaque(), 7);
/// ```
pub trait Word: Copy {
    /// Returns the word, hidden from the compiler, so that it makes no vectors of such words.
    #[must_use]
    fn opaque(self) -> Self;
}

macro_rules! word {
    ($word:ident, $register:literal) => {
        impl Word for $word {
            #[inline(always)]
            fn opaque(self) -> Self {
                #[cfg(target_arch = "x86_64")]
                {
                    let mut opaque = self;
                    // SAFETY: the assembly is empty.
                    unsafe {
                        core::arch::asm!($register, inout(reg) opaque, options(pure, nomem, nostack, preserves_flags))
                    };
                    opaque
                }
                #[cfg(not(target_arch = "x86_64"))]
                self
            }
        }
    };
}

word!(u32, "/* {0:e} */");
word!(u64, "/* {0:r} */");

mod sealed {
    /// Seals [`crate::Token`] and [`crate::LevelList`], because kernels rely on the proof of a
    /// token.
    pub trait Sealed {}

    /// Makes a token again that was made before.
    pub(crate) trait Assume: Sealed + Sized {
        /// Returns the token.
        ///
        /// # Safety
        /// The CPU has the features, and the operating system saves their registers.
        unsafe fn assume() -> Self;
    }
}

/// Runs the example of the README with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
