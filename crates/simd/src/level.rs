//! The list of backends, their detection, and the one branch on the CPU.

use crate::sealed::Sealed;
use crate::{Scalar, Wide, Words};

/// A token together with its vector types: what a kernel is generic over.
///
/// The trait is sealed; its implementations are the tokens of this crate.
pub trait Simd: Copy + Send + Sync + Sealed + 'static {
    /// Vectors of 32-bit words.
    type Words: Words<Token = Self>;
    /// Vectors of 64-bit lanes with a widening multiply.
    type Wide: Wide<Token = Self>;
    /// The token, with the same or fewer features, whose vectors make a single block of ChaCha fastest, as measured.
    type OneBlock: Simd;

    /// Whether [`Simd::Words`] and [`Simd::Wide`] are vectors of the CPU. Where they are not, a kernel may do better with
    /// plain integers.
    const VECTORS: bool = true;

    /// Whether vector code leaves the core time for 64-bit multiplications beside it, as measured: a kernel may then do the
    /// scalar half of its work between the instructions of the other.
    const SCALAR_BESIDE: bool = false;

    /// The token of [`Simd::OneBlock`].
    fn for_one_block(self) -> Self::OneBlock;

    /// Runs `kernel` in a function that is compiled with this token's features, and inlines `kernel` into it.
    ///
    /// The closure must be marked `#[inline(always)]`, as [`dispatch!`](crate::dispatch) does.
    fn enter<R>(self, kernel: impl FnOnce() -> R) -> R;
}

macro_rules! levels {
    ($($(#[$cfg:meta])* $variant:ident($token:ty) $name:literal $doc:literal;)*) => {
        /// An instruction set that this CPU was found to have, as a token.
        ///
        /// Variants differ by architecture; use [`dispatch!`](crate::dispatch) rather than a `match`.
        #[derive(Clone, Copy)]
        pub enum Level {
            $($(#[$cfg])* #[doc = $doc] $variant($token),)*
        }

        impl Level {
            /// The names of all levels compiled for this architecture, the narrowest first.
            pub const NAMES: &'static [&'static str] = &[$($(#[$cfg])* $name,)*];

            /// The level at that position in [`Level::NAMES`], if the CPU has it.
            #[must_use]
            pub fn by_index(index: usize) -> Option<Self> {
                const DETECT: &[fn() -> Option<Level>] = &[$($(#[$cfg])* || <$token>::detect().map(Level::$variant),)*];
                DETECT.get(index).and_then(|detect| detect())
            }

            /// The level's position in [`Level::NAMES`].
            #[must_use]
            pub fn index(self) -> usize {
                let name = self.name();
                Self::NAMES.iter().position(|&n| n == name).unwrap_or(0)
            }

            /// The level's name: lower case, as in [`Level::NAMES`].
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $($(#[$cfg])* Self::$variant(_) => $name,)*
                }
            }
        }
    };
}

// x86: kernels, firmware and enclaves have no vector registers that anybody saves, or no cpuid to ask; their targets lack
// SSE2 or say so. AArch64: with hard float, that is all but bare metal; the vector types there assume little-endian.
levels! {
    Scalar(Scalar) "scalar" "Portable code. The compiler may still use vectors that the target always has.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Ssse3(crate::x86::Ssse3) "ssse3" "128-bit vectors with byte shuffles.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Avx2(crate::x86::Avx2) "avx2" "256-bit vectors.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Avx512(crate::x86::Avx512) "avx512" "512-bit vectors.";
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Neon(crate::aarch64::Neon) "neon" "128-bit vectors of AArch64.";
}

impl Level {
    /// The widest level that the CPU has. Detection is cached: later calls read one atomic.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().next_back().unwrap_or(Self::Scalar(Scalar::new()))
    }

    /// All levels that the CPU has, the narrowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        (0..Self::NAMES.len()).filter_map(Self::by_index)
    }
}

impl core::fmt::Debug for Level {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other)
    }
}

impl Eq for Level {}

/// Runs a kernel on the instruction set of a [`Level`]: `dispatch!(level, token => kernel(token, …))`.
///
/// The only place where a branch on the CPU is taken. The expression is inlined into a function compiled with the
/// token's features, so the kernel it calls must be `#[inline(always)]` throughout.
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $token:ident => $kernel:expr) => {
        match $level {
            #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
            $crate::Level::Avx512($token) => $crate::Simd::enter(
                $token,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
            $crate::Level::Avx2($token) => $crate::Simd::enter(
                $token,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
            $crate::Level::Ssse3($token) => $crate::Simd::enter(
                $token,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::Level::Neon($token) => $crate::Simd::enter(
                $token,
                #[inline(always)]
                || $kernel,
            ),
            $crate::Level::Scalar($token) => $crate::Simd::enter(
                $token,
                #[inline(always)]
                || $kernel,
            ),
        }
    };
}
