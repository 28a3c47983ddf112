//! Haraka with the round constants of SPHINCS+.

use core::fmt;

use sealane_simd::{AesLevel, Block};

use super::{AesBackend, HarakaS, bytes_32, bytes_64};

/// Number of round constants in 5 rounds of Haraka-512.
const CONSTANTS: usize = 40;

/// Haraka v2 with 5 rounds and round constants from a public seed: the functions of SPHINCS+-Haraka
/// (SPHINCS+, round 3, section 7.2.3), where the seed is PK.seed.
///
/// The constants are the first 640 bytes of [`HarakaS`]'s output for the seed. **The seed is
/// public**, as in SPHINCS+.
///
/// ```
/// use sealane::haraka::TweakedHaraka;
///
/// let haraka = TweakedHaraka::new(b"public seed of 1");
/// assert_ne!(haraka.haraka256(&[0; 32]), sealane::haraka::haraka256::<5>(&[0; 32]));
/// let mut digest = [0; 16];
/// haraka.haraka_s(b"message", &mut digest);
/// ```
#[derive(Clone)]
pub struct TweakedHaraka {
    level: AesLevel,
    constants: [Block; CONSTANTS],
}

/// Writes the methods for one size of input.
macro_rules! methods {
    ($name:literal, $bytes:literal: $one:ident, $x4:ident, $x8:ident, $batch:ident, $size:ident) => {
        impl TweakedHaraka {
            #[doc = concat!($name, " of one input.")]
            #[must_use]
            #[inline]
            pub fn $one(&self, input: &[u8; $bytes]) -> [u8; 32] {
                $size::one_5(self.level, &self.constants, input)
            }

            #[doc = concat!($name, " of each of 4 inputs.")]
            #[must_use]
            #[inline]
            pub fn $x4(&self, inputs: &[[u8; $bytes]; 4]) -> [[u8; 32]; 4] {
                $size::four_5(self.level, &self.constants, inputs)
            }

            #[doc = concat!($name, " of each of 8 inputs.")]
            #[must_use]
            #[inline]
            pub fn $x8(&self, inputs: &[[u8; $bytes]; 8]) -> [[u8; 32]; 8] {
                $size::eight_5(self.level, &self.constants, inputs)
            }

            #[doc = concat!($name, " of each input, as many at a time as the backend can.")]
            ///
            /// # Panics
            /// If the numbers of outputs and inputs differ.
            #[inline]
            pub fn $batch(&self, inputs: &[[u8; $bytes]], outputs: &mut [[u8; 32]]) {
                $size::many_5(self.level, &self.constants, inputs, outputs);
            }
        }
    };
}

methods!("Haraka-256", 32: haraka256, haraka256_x4, haraka256_x8, haraka256_batch, bytes_32);
methods!("Haraka-512", 64: haraka512, haraka512_x4, haraka512_x8, haraka512_batch, bytes_64);

impl TweakedHaraka {
    /// Derives the constants from a seed of any length, on the widest backend.
    #[must_use]
    pub fn new(public_seed: &[u8]) -> Self {
        Self::with_backend(public_seed, AesBackend::detect())
    }

    /// Does the same as [`TweakedHaraka::new`], on a chosen backend.
    #[must_use]
    pub fn with_backend(public_seed: &[u8], backend: AesBackend) -> Self {
        let mut constants = [Block([0; 16]); CONSTANTS];
        let mut sponge = HarakaS::with_backend(backend).chain(public_seed).finish();
        for constant in &mut constants {
            sponge.squeeze(&mut constant.0);
        }
        Self { level: backend.level(), constants }
    }

    /// Returns a sponge with these constants.
    #[must_use]
    pub fn sponge(&self) -> HarakaS<'_> {
        HarakaS::with_constants(self.level, &self.constants)
    }

    /// Computes the output of HarakaS with these constants for one message.
    pub fn haraka_s(&self, message: &[u8], output: &mut [u8]) {
        self.sponge().chain(message).finish().squeeze(output);
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> AesBackend {
        AesBackend::of(self.level)
    }
}

impl fmt::Debug for TweakedHaraka {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TweakedHaraka").field("backend", &self.backend()).finish_non_exhaustive()
    }
}
