//! One library, compiled twice and linked into one program: `operations` as cargo compiles it, for
//! all CPUs, and `libsimd.a`, which build.rs compiles from the same source for recent CPUs. Each
//! function here branches on the CPU and calls one of the two.
//!
//! docs/dispatch.md gives the cost of this technique and its pitfalls.

use operations::{Combine, Hash, MANY, Packet, Product, Split, Stream};

/// A copy of the library that this CPU can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fallback,
    Simd,
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($type:ty) = $symbol:ident;)*) => {
        // SAFETY: `operations::compiled` defines each function with this name and this argument.
        // The functions are not `safe`, because the CPU must have the features that the copy was
        // compiled for.
        unsafe extern "C" {
            $(fn $symbol(data: &mut $type);)*
        }

        /// The functions of the library.
        impl Built {
            $($(#[$doc])* #[inline] pub fn $name(self, data: &mut $type) {
                match self.0 {
                    Kind::Fallback => operations::$name(data),
                    // SAFETY: only `simd` creates this value, and only if the CPU has the features
                    // that the copy was compiled for.
                    Kind::Simd => unsafe { $symbol(data) },
                }
            })*
        }
    };
}

functions! {
    /// Multiplies two 64-bit polynomials over GF(2).
    multiply(Product) = simd_multiply;
    /// Hashes with Haraka-256, 5 rounds.
    haraka(Hash) = simd_haraka;
    /// Encrypts one block with ChaCha20.
    block(Stream) = simd_block;
    /// Seals a message of 64 bytes with ChaCha20-Poly1305.
    seal(Packet) = simd_seal;
    /// Splits a secret of 16 bytes.
    split_one(Split<1>) = simd_split_one;
    /// Splits a secret of 1 KiB.
    split_many(Split<MANY>) = simd_split_many;
    /// Reconstructs a secret of 16 bytes.
    combine_one(Combine<1>) = simd_combine_one;
    /// Reconstructs a secret of 1 KiB.
    combine_many(Combine<MANY>) = simd_combine_many;
}

impl Built {
    /// Returns the copy for all CPUs.
    #[must_use]
    pub fn fallback() -> Self {
        Self(Kind::Fallback)
    }

    /// Returns the copy for recent CPUs, if this CPU can run it.
    #[must_use]
    pub fn simd() -> Option<Self> {
        // This repeats the list in build.rs. Nothing checks that the two are the same.
        let mut found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("pclmulqdq");
        if cfg!(feature = "vaes") {
            found &= is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq");
        }
        found.then_some(Self(Kind::Simd))
    }

    /// Returns the best copy.
    #[must_use]
    pub fn detect() -> Self {
        Self::simd().unwrap_or(Self::fallback())
    }

    /// Returns all copies that this CPU can run, the one for all CPUs first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Some(Self::fallback()), Self::simd()].into_iter().flatten()
    }

    /// Returns the features that the copy needs.
    #[must_use]
    pub fn features(self) -> &'static str {
        match self.0 {
            Kind::Fallback => "all CPUs",
            Kind::Simd if cfg!(feature = "vaes") => "AVX2, BMI2, VAES, VPCLMULQDQ",
            Kind::Simd => "AVX2, BMI2, AES, PCLMULQDQ",
        }
    }

    /// Returns `fallback` or `simd`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Fallback => "fallback",
            Kind::Simd => "simd",
        }
    }
}
