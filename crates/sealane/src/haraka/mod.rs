//! Haraka v2, which hashes 32 or 64 bytes to 32 bytes in a few nanoseconds (Kölbl, Lauridsen,
//! Mendel and Rechberger, "Haraka v2 – Efficient Short-Input Hashing for Post-Quantum
//! Applications", ePrint 2016/098), and HarakaS, the sponge of SPHINCS+.
//!
//! It is for hash-based signatures and similar constructions, whose inputs are short and all have
//! the same length. **It is not a general hash function**: with 5 rounds, it was designed to resist
//! second preimages only; with 6, it was designed to resist collisions too. Haraka-512 has up to
//! 256 bits of security.
//!
//! - [`haraka256`], [`haraka512`]: one input. The number of rounds is 5 or 6; no other compiles.
//! - [`haraka256_x4`] and similar functions: 4 or 8 inputs at once, which hardly take longer than
//!   2.
//! - [`haraka256_batch`], [`haraka512_batch`]: any number of inputs, on the widest vectors.
//! - [`Haraka`]: the functions above on a chosen backend.
//! - [`HarakaS`]: a sponge with the permutation of Haraka-512. It absorbs and squeezes any number
//!   of bytes.
//! - [`TweakedHaraka`]: all of these, with 5 rounds and round constants from a public seed, as in
//!   SPHINCS+ (round 3, section 7.2.3).
//!
//! The backends use AES instructions on 1, 2 or 4 blocks, or portable bit-sliced code on 8 blocks.
//! All of them run in constant time. See [`AesBackend`].
//!
//! ```
//! use sealane::haraka::{haraka256, haraka256_batch, haraka512};
//!
//! let leaf = haraka256::<5>(&[1; 32]);
//! let parent = haraka512::<6>(&[leaf, leaf].concat().try_into().unwrap());
//!
//! let mut hashes = [[0; 32]; 100];
//! haraka256_batch::<5>(&[[1; 32]; 100], &mut hashes);
//! assert_eq!(hashes, [leaf; 100]);
//! # assert_ne!(leaf, parent);
//! ```
//!
//! ```compile_fail
//! sealane::haraka::haraka256::<4>(&[0; 32]);
//! ```
//!
//! ```compile_fail
//! sealane::haraka::haraka512_batch::<7>(&[[0; 64]], &mut [[0; 32]]);
//! ```

mod constants;
pub(crate) mod kernel;
mod sponge;
mod tweaked;

use sealane_simd::{AesLevel, Block, dispatch_aes};

pub use crate::backend::AesBackend;
pub(crate) use constants::{ROUND_CONSTANTS, constants_of_5_rounds};
pub use sponge::{HarakaS, Squeezer};
pub use tweaked::TweakedHaraka;

/// Haraka v2 on a chosen backend.
///
/// ```
/// use sealane::haraka::{AesBackend, Haraka, haraka256};
///
/// for backend in AesBackend::available() {
///     assert_eq!(Haraka::with_backend(backend).haraka256::<5>(&[1; 32]), haraka256::<5>(&[1; 32]));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Haraka {
    backend: AesBackend,
}

/// Calls a kernel's entry point for 5 or for 6 rounds. Other numbers do not compile.
macro_rules! by_rounds {
    ($rounds:ident: $size:ident::{$five:ident, $six:ident}($haraka:expr, $($argument:expr),*)) => {{
        const { assert!($rounds == 5 || $rounds == 6, "Haraka v2 has 5 or 6 rounds") };
        if $rounds == 5 {
            $size::$five($haraka.backend.level(), constants_of_5_rounds(), $($argument),*)
        } else {
            $size::$six($haraka.backend.level(), &ROUND_CONSTANTS, $($argument),*)
        }
    }};
}

/// Writes the methods for one size of input, and the functions that run them on the widest backend.
macro_rules! methods {
    ($name:literal, $bytes:literal: $one:ident, $x4:ident, $x8:ident, $batch:ident, $size:ident) => {
        impl Haraka {
            #[doc = concat!($name, " of one input.")]
            #[must_use]
            #[inline]
            pub fn $one<const ROUNDS: usize>(self, input: &[u8; $bytes]) -> [u8; 32] {
                by_rounds!(ROUNDS: $size::{one_5, one_6}(self, input))
            }

            #[doc = concat!($name, " of each of 4 inputs.")]
            #[must_use]
            #[inline]
            pub fn $x4<const ROUNDS: usize>(self, inputs: &[[u8; $bytes]; 4]) -> [[u8; 32]; 4] {
                by_rounds!(ROUNDS: $size::{four_5, four_6}(self, inputs))
            }

            #[doc = concat!($name, " of each of 8 inputs.")]
            #[must_use]
            #[inline]
            pub fn $x8<const ROUNDS: usize>(self, inputs: &[[u8; $bytes]; 8]) -> [[u8; 32]; 8] {
                by_rounds!(ROUNDS: $size::{eight_5, eight_6}(self, inputs))
            }

            #[doc = concat!($name, " of each input, as many at a time as the backend can.")]
            ///
            /// # Panics
            /// If the numbers of outputs and inputs differ.
            #[inline]
            pub fn $batch<const ROUNDS: usize>(self, inputs: &[[u8; $bytes]], outputs: &mut [[u8; 32]]) {
                by_rounds!(ROUNDS: $size::{many_5, many_6}(self, inputs, outputs))
            }
        }

        #[doc = concat!($name, " of one input.")]
        #[must_use]
        #[inline]
        pub fn $one<const ROUNDS: usize>(input: &[u8; $bytes]) -> [u8; 32] {
            Haraka::new().$one::<ROUNDS>(input)
        }

        #[doc = concat!($name, " of each of 4 inputs.")]
        #[must_use]
        #[inline]
        pub fn $x4<const ROUNDS: usize>(inputs: &[[u8; $bytes]; 4]) -> [[u8; 32]; 4] {
            Haraka::new().$x4::<ROUNDS>(inputs)
        }

        #[doc = concat!($name, " of each of 8 inputs.")]
        #[must_use]
        #[inline]
        pub fn $x8<const ROUNDS: usize>(inputs: &[[u8; $bytes]; 8]) -> [[u8; 32]; 8] {
            Haraka::new().$x8::<ROUNDS>(inputs)
        }

        #[doc = concat!($name, " of each input, as many at a time as the widest backend can.")]
        ///
        /// # Panics
        /// If the numbers of outputs and inputs differ.
        #[inline]
        pub fn $batch<const ROUNDS: usize>(inputs: &[[u8; $bytes]], outputs: &mut [[u8; 32]]) {
            Haraka::new().$batch::<ROUNDS>(inputs, outputs);
        }
    };
}

methods!("Haraka-256 v2", 32: haraka256, haraka256_x4, haraka256_x8, haraka256_batch, bytes_32);
methods!("Haraka-512 v2", 64: haraka512, haraka512_x4, haraka512_x8, haraka512_batch, bytes_64);

impl Haraka {
    /// Returns Haraka on the widest backend.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self { backend: AesBackend::detect() }
    }

    /// Returns Haraka on the given backend.
    #[must_use]
    #[inline]
    pub const fn with_backend(backend: AesBackend) -> Self {
        Self { backend }
    }

    /// Returns the backend.
    #[must_use]
    pub const fn backend(self) -> AesBackend {
        self.backend
    }
}

impl Default for Haraka {
    fn default() -> Self {
        Self::new()
    }
}

/// Writes the kernels' entry points for each size of input. They have no generic parameters, so
/// they are compiled once, with this crate, and not with each crate that calls them.
macro_rules! entries {
    ($($size:ident: $bytes:literal, $blocks:literal;)*) => {$(
        pub(crate) mod $size {
            use sealane_simd::{AesLevel, Block, dispatch_aes};

            use super::kernel;

            entries!(@rounds one_5, four_5, eight_5, many_5: $bytes, $blocks, 5);
            entries!(@rounds one_6, four_6, eight_6, many_6: $bytes, $blocks, 6);
        }
    )*};
    (@rounds $one:ident, $four:ident, $eight:ident, $many:ident: $bytes:literal, $blocks:literal, $rounds:literal) => {
        pub(crate) fn $one(level: AesLevel, constants: &[Block; 8 * $rounds], input: &[u8; $bytes]) -> [u8; 32] {
            dispatch_aes!(level, token => kernel::one::<_, $bytes, $blocks, $rounds>(token, constants, input))
        }

        pub(crate) fn $four(
            level: AesLevel,
            constants: &[Block; 8 * $rounds],
            inputs: &[[u8; $bytes]; 4],
        ) -> [[u8; 32]; 4] {
            dispatch_aes!(level, token => kernel::four::<_, $bytes, $blocks, $rounds>(token, constants, inputs))
        }

        pub(crate) fn $eight(
            level: AesLevel,
            constants: &[Block; 8 * $rounds],
            inputs: &[[u8; $bytes]; 8],
        ) -> [[u8; 32]; 8] {
            dispatch_aes!(level, token => kernel::eight::<_, $bytes, $blocks, $rounds>(token, constants, inputs))
        }

        pub(crate) fn $many(
            level: AesLevel,
            constants: &[Block; 8 * $rounds],
            inputs: &[[u8; $bytes]],
            outputs: &mut [[u8; 32]],
        ) {
            dispatch_aes!(level, token => {
                kernel::many::<_, $bytes, $blocks, $rounds>(token, constants, inputs, outputs);
            });
            crate::fault::flip("haraka", level, outputs.as_flattened_mut());
        }
    };
}

entries! {
    bytes_32: 32, 2;
    bytes_64: 64, 4;
}

/// Computes the permutation of Haraka-512 with 5 rounds.
pub(crate) fn permute(level: AesLevel, constants: &[Block; 40], state: &mut [u8; 64]) {
    dispatch_aes!(level, token => kernel::permute::<_, 5>(token, constants, state));
}
