//! Kernels written once, run on every CPU: proof tokens, run-time detection and vector types.
//!
//! - A **token** (such as [`Scalar`], on x86 [`x86::Avx2`], on Arm `arm::Neon`, on WebAssembly
//!   `wasm::Simd128`) is a zero-sized proof that the CPU has a set of features. Apart from
//!   [`Scalar`], which needs none, a token comes only from detection, or from a token with more
//!   features.
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
#![allow(missing_debug_implementations, reason = "vectors hold secrets, and nothing prints them: see `redaction`")]
// On docs.rs, marks the items that need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The vector intrinsics of 32-bit Arm are unstable.
#![cfg_attr(all(target_arch = "arm", feature = "armv7"), feature(arm_target_feature, stdarch_arm_neon_intrinsics))]
#![cfg_attr(all(target_arch = "arm", feature = "armv7", feature = "std"), feature(stdarch_arm_feature_detection))]

#[cfg(feature = "std")]
extern crate std;

#[macro_use]
mod level_list;
#[macro_use]
mod level;
mod map_array;

mod aes;
mod aligned;
#[cfg(any(test, feature = "bounds"))]
mod bounds;
mod class;
mod clmul;
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
mod cpuid;
#[cfg(all(any(unix, windows, target_family = "wasm"), feature = "guarded"))]
mod freed;
mod gf8;
#[cfg(all(unix, any(test, feature = "guarded")))]
mod guarded;
mod kernels;
mod output;
mod pair;
mod pair_table;
mod pending_poly1305;
#[cfg(test)]
mod redaction;
mod scalar;
mod sealed;
mod simd;
mod token;
pub mod tuning;
mod word;
mod words;
mod xor;

#[cfg(all(
    target_endian = "little",
    any(all(target_arch = "aarch64", target_feature = "neon"), all(target_arch = "arm", feature = "armv7"))
))]
pub mod arm;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod wasm;
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
pub mod x86;

pub use aes::{AesBlocks, AesToken, Block, Columns};
pub use aligned::AlignedBytes;
#[cfg(feature = "bounds")]
#[doc(hidden)]
pub use bounds::{Bounds, NoWords, U64Bounds};
pub use class::CpuClass;
pub use clmul::{Clmul, ClmulLanes, MAX_CLMUL_LANES};
#[cfg(all(any(unix, windows, target_family = "wasm"), feature = "guarded"))]
#[doc(hidden)]
pub use freed::{Freed, FreedBlocks};
pub use gf8::{Gf8, Gf8Bytes, NIBBLE_PRODUCTS, gf8_mul, gf8_mul_modulo, gf8_multiples};
#[cfg(all(unix, feature = "guarded"))]
#[doc(hidden)]
pub use guarded::Guarded;
pub use kernels::{ChaCha20Rounds, POLY1305_BLOCKS_PER_PAIR};
pub use level::{AesLevel, ClmulLevel, Gf8Level, Level};
pub use level_list::{CachedLevel, LevelList};
pub use map_array::map_array;
pub use output::Output;
pub use pair::Pair;
pub use pair_table::PairTable;
pub use pending_poly1305::PendingPoly1305;
pub use scalar::{Scalar, ScalarBytes, ScalarLane, SlicedBlocks};
pub use simd::{MAX_U64_LANES, Simd, U64Lanes};
pub use token::Token;
pub use tuning::Tuning;
pub use word::Word;
pub use words::{MAX_WORDS_LANES, Words};
pub use xor::xor_bytes;

/// Runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
