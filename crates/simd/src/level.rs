//! The lists of backends, their detection, and the one branch on the CPU.

use core::fmt::Debug;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::sealed::Sealed;
use crate::{CpuClass, Tuning, U64Lanes, Words};

/// A zero-sized proof that the CPU has a set of features.
///
/// The trait is sealed; its implementations are the tokens of this crate.
///
/// ```
/// use sealane_simd::{Scalar, Token};
///
/// // `dispatch!` writes this.
/// let sum = Scalar::new().enter(
///     #[inline(always)]
///     |_token| 1 + 1,
/// );
/// assert_eq!(sum, 2);
/// ```
pub trait Token: Copy + Send + Sync + Sealed + 'static {
    /// Runs `kernel` in a function that is compiled with this token's features, and inlines
    /// `kernel` into it.
    ///
    /// The closure must be marked `#[inline(always)]`, as [`dispatch!`](crate::dispatch) does. It
    /// receives the token as an argument, because a captured reference takes a register, even to a
    /// type without data.
    fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R;

    /// Does the same as [`Token::enter`], in a function that is never inlined, so that a kernel has
    /// one copy with its own stack frame.
    #[inline(always)]
    fn enter_apart<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        self.enter(kernel)
    }
}

/// A token together with its vector types for 32-bit and 64-bit arithmetic. The kernels of ChaCha
/// and Poly1305 are generic over it.
pub trait Simd: Token {
    /// Vectors of 32-bit words.
    type Words: Words<Token = Self>;
    /// Vectors of 64-bit lanes with a widening multiply.
    type U64Lanes: U64Lanes<Token = Self>;
    /// A token with the same or fewer features, for a single block of ChaCha: see
    /// [`Tuning::one_block_on_narrower_vectors`].
    type OneBlock: Simd;
    /// A token with the same vectors of words, and the same or fewer features. Its kernels of
    /// ChaCha serve this token too, so that a program contains them once.
    type Cipher: Simd;

    /// The measured thresholds.
    const TUNING: Tuning;

    /// Whether [`Simd::Words`] and [`Simd::U64Lanes`] are vectors of the CPU. If they are not, a
    /// kernel may be faster with plain integers.
    const VECTORS: bool = true;

    /// Whether [`Simd::add_low_52`] and [`Simd::add_high_52`] are instructions of the CPU.
    const MUL_ADD_52: bool = false;

    /// Returns the lane-wise sum, modulo 2^64, with the low 52 bits of the product of the low 52
    /// bits of `a` and `b`.
    #[must_use]
    #[inline(always)]
    fn add_low_52(self, sum: Self::U64Lanes, a: Self::U64Lanes, b: Self::U64Lanes) -> Self::U64Lanes {
        let (low, _) = crate::u64_lanes::product_52(a, b);
        sum.add(low)
    }

    /// Returns the lane-wise sum, modulo 2^64, with the high 52 bits of the product of the low 52
    /// bits of `a` and `b`.
    #[must_use]
    #[inline(always)]
    fn add_high_52(self, sum: Self::U64Lanes, a: Self::U64Lanes, b: Self::U64Lanes) -> Self::U64Lanes {
        let (_, high) = crate::u64_lanes::product_52(a, b);
        sum.add(high)
    }

    /// Returns the class of this CPU for tokens whose kernels have a variant for each class, and
    /// [`CpuClass::OneCycle`] for all others.
    #[inline(always)]
    fn cpu_class(self) -> CpuClass {
        CpuClass::OneCycle
    }

    /// Returns the token of [`Simd::OneBlock`].
    fn for_one_block(self) -> Self::OneBlock;

    /// Returns the token of [`Simd::Cipher`].
    fn for_cipher(self) -> Self::Cipher;
}

/// The instruction sets that one kind of kernel is compiled for, as an enumeration of tokens, the
/// narrowest first.
///
/// The trait is sealed; its implementations are the lists of this crate, such as [`Level`].
pub trait LevelList: Copy + Eq + Debug + Send + Sync + Sealed + 'static {
    /// The names of all levels compiled for this architecture, in lower case, the narrowest first.
    const NAMES: &'static [&'static str];

    /// Returns the level at that position in [`LevelList::NAMES`], if the CPU has it. Detection is
    /// cached: later calls read one atomic.
    fn by_index(index: usize) -> Option<Self>;

    /// Returns the level's position in [`LevelList::NAMES`].
    fn index(self) -> usize;

    /// Returns the level that was found at this position before.
    ///
    /// # Safety
    /// The CPU has the level: its token was made in this process.
    #[doc(hidden)]
    unsafe fn found_before(index: usize) -> Self;

    /// Returns the level's name, as in [`LevelList::NAMES`].
    fn name(self) -> &'static str {
        Self::NAMES[self.index()]
    }

    /// Returns all levels that the CPU has, the narrowest first.
    fn available() -> impl DoubleEndedIterator<Item = Self> {
        (0..Self::NAMES.len()).filter_map(Self::by_index)
    }

    /// Returns the widest level that the CPU has.
    fn detect() -> Self {
        Self::available().next_back().expect("every list begins with portable code")
    }
}

/// Stores a level that was chosen once. One atomic load reads it.
///
/// ```
/// use sealane_simd::{CachedLevel, Level, LevelList};
///
/// static LEVEL: CachedLevel<Level> = CachedLevel::new();
///
/// assert_eq!(LEVEL.get(), None);
/// LEVEL.set(Level::detect());
/// assert_eq!(LEVEL.get(), Some(Level::detect()));
/// ```
pub struct CachedLevel<L>(AtomicU8, PhantomData<fn() -> L>);

impl<L: LevelList> CachedLevel<L> {
    /// Returns an empty cache.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU8::new(0), PhantomData)
    }

    /// Returns the level, if one was set.
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<L> {
        // Relaxed, because no other data depends on the value.
        let index = usize::from(self.0.load(Ordering::Relaxed)).checked_sub(1)?;
        // SAFETY: only `set` stores, and it was given the level of that index.
        Some(unsafe { L::found_before(index) })
    }

    /// Keeps `level`.
    pub fn set(&self, level: L) {
        self.0.store(level.index() as u8 + 1, Ordering::Relaxed);
    }
}

impl<L: LevelList> Default for CachedLevel<L> {
    fn default() -> Self {
        Self::new()
    }
}

// Expands to the tokens of the architecture whose backends are compiled. Exported macros must not
// test a feature of this crate, because they would test a feature of the crate that uses them. The
// macro below replaces such a test.
#[allow(unused_macros)]
macro_rules! by_architecture {
    (x86 { $($x86:tt)* } wasm { $($wasm:tt)* } arm { $($arm:tt)* } other { $($other:tt)* }) => { $($other)* };
}
#[cfg(all(feature = "simd", target_feature = "sse2", not(target_env = "sgx")))]
macro_rules! by_architecture {
    (x86 { $($x86:tt)* } wasm { $($wasm:tt)* } arm { $($arm:tt)* } other { $($other:tt)* }) => { $($x86)* };
}
#[cfg(all(feature = "simd", target_arch = "wasm32", target_feature = "simd128"))]
macro_rules! by_architecture {
    (x86 { $($x86:tt)* } wasm { $($wasm:tt)* } arm { $($arm:tt)* } other { $($other:tt)* }) => { $($wasm)* };
}
#[cfg(all(
    feature = "simd",
    target_endian = "little",
    any(all(target_arch = "aarch64", target_feature = "neon"), all(target_arch = "arm", feature = "armv7"))
))]
macro_rules! by_architecture {
    (x86 { $($x86:tt)* } wasm { $($wasm:tt)* } arm { $($arm:tt)* } other { $($other:tt)* }) => { $($arm)* };
}

// Expands to the tokens for the widest vectors of x86 that are compiled.
#[allow(unused_macros)]
macro_rules! by_width {
    (512 { $($w512:tt)* } 256 { $($w256:tt)* } 128 { $($w128:tt)* }) => { $($w128)* };
}
#[allow(unused_macros)]
#[cfg(feature = "avx2")]
macro_rules! by_width {
    (512 { $($w512:tt)* } 256 { $($w256:tt)* } 128 { $($w128:tt)* }) => { $($w256)* };
}
#[cfg(feature = "avx512")]
#[allow(unused_macros)]
macro_rules! by_width {
    (512 { $($w512:tt)* } 256 { $($w256:tt)* } 128 { $($w128:tt)* }) => { $($w512)* };
}

/// Defines a list of levels and the macro that dispatches on it. The first argument is a dollar
/// sign, which that macro needs.
macro_rules! levels {
    (
        $d:tt $(#[$doc:meta])* pub enum $list:ident;
        $(#[$dispatch_doc:meta])* macro $dispatch:ident;
        portable { $($portable:tt)* }
        x86 { 128 { $($w128:tt)* } 256 { $($w256:tt)* } 512 { $($w512:tt)* } }
        wasm { $($wasm:tt)* }
        arm { $($arm:tt)* }
    ) => {
        by_architecture! {
            x86 {
                by_width! {
                    512 {
                        levels! {
                            $d $(#[$doc])* pub enum $list; $(#[$dispatch_doc])* macro $dispatch;
                            $($portable)* $($w128)* $($w256)* $($w512)*
                        }
                    }
                    256 {
                        levels! {
                            $d $(#[$doc])* pub enum $list; $(#[$dispatch_doc])* macro $dispatch;
                            $($portable)* $($w128)* $($w256)*
                        }
                    }
                    128 {
                        levels! {
                            $d $(#[$doc])* pub enum $list; $(#[$dispatch_doc])* macro $dispatch;
                            $($portable)* $($w128)*
                        }
                    }
                }
            }
            wasm {
                levels! { $d $(#[$doc])* pub enum $list; $(#[$dispatch_doc])* macro $dispatch; $($portable)* $($wasm)* }
            }
            arm {
                levels! { $d $(#[$doc])* pub enum $list; $(#[$dispatch_doc])* macro $dispatch; $($portable)* $($arm)* }
            }
            other {
                levels! { $d $(#[$doc])* pub enum $list; $(#[$dispatch_doc])* macro $dispatch; $($portable)* }
            }
        }
    };
    (
        $d:tt $(#[$doc:meta])* pub enum $list:ident;
        $(#[$dispatch_doc:meta])* macro $dispatch:ident;
        $($variant:ident($($token:tt)+) $name:literal $level_doc:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub enum $list {
            $(#[doc = $level_doc] $variant($crate::$($token)+),)*
        }

        const _: () = {
            /// Numbers the variants that are compiled.
            enum Index {
                $($variant,)*
            }

            impl $crate::LevelList for $list {
                const NAMES: &'static [&'static str] = &[$($name,)*];

                fn by_index(index: usize) -> Option<Self> {
                    $(if index == Index::$variant as usize {
                        return <$crate::$($token)+>::detect().map(Self::$variant);
                    })*
                    None
                }

                #[inline]
                fn index(self) -> usize {
                    match self {
                        $(Self::$variant(_) => Index::$variant as usize,)*
                    }
                }

                #[inline]
                unsafe fn found_before(index: usize) -> Self {
                    $(if index == Index::$variant as usize {
                        // SAFETY: the caller has seen this token made.
                        return Self::$variant(unsafe { $crate::sealed::Assume::assume() });
                    })*
                    unreachable!("no such level")
                }
            }
        };

        impl $crate::sealed::Sealed for $list {}

        impl core::fmt::Debug for $list {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($crate::LevelList::name(*self))
            }
        }

        impl PartialEq for $list {
            fn eq(&self, other: &Self) -> bool {
                core::mem::discriminant(self) == core::mem::discriminant(other)
            }
        }

        impl Eq for $list {}

        $(#[$dispatch_doc])*
        #[macro_export]
        macro_rules! $dispatch {
            ($d level:expr, $d token:ident => $d kernel:expr) => {
                match $d level {
                    $($d crate::$list::$variant($d token) => $d crate::Token::enter(
                        $d token,
                        #[inline(always)]
                        |$d token| $d kernel,
                    ),)*
                }
            };
        }
    };
}

// x86: in kernels, firmware and enclaves the vector registers are not saved, or there is no cpuid;
// their targets lack SSE2 or say so. AArch64: hard float excludes only bare metal, and the vector
// types assume little-endian.
levels! { $
    /// An instruction set for the arithmetic of [`Simd`] that this CPU was found to have, as a
    /// token.
    ///
    /// Variants differ by architecture; use [`dispatch!`](crate::dispatch) rather than a `match`.
    pub enum Level;
    /// Runs a kernel on the instruction set of a [`Level`]: `dispatch!(level, token =>
    /// kernel(token, …))`.
    ///
    /// This is the only branch on the CPU. The expression is inlined into a function compiled with
    /// the token's features, so the kernel it calls must be `#[inline(always)]` throughout.
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

impl Level {
    /// Returns the level of [`Simd::Cipher`].
    #[must_use]
    #[inline]
    pub fn for_cipher(self) -> Self {
        by_architecture! {
            x86 {
                by_width! {
                    512 {
                        match self {
                            Self::Avx512Ifma(token) => Self::Avx512(token.for_cipher()),
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
}
