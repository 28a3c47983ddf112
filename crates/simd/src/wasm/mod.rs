//! Backends of WebAssembly.
//!
//! An engine does not load a module with an instruction that it lacks, so there is nothing to
//! detect: these backends are compiled where the target has the feature `simd128` (`-C
//! target-feature=+simd128`).

mod gf8;
mod simd128;

pub use gf8::Simd128Bytes;
pub use simd128::{Simd128, Simd128U64Lanes, Simd128Words};
