//! Lists of backends: their detection, and the macros that define a list and the branch on it.

use core::fmt::Debug;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::sealed::Sealed;

/// The instruction sets that one kind of kernel is compiled for, as an enumeration of tokens, the
/// narrowest first.
///
/// The trait is sealed; its implementations are the lists of this crate, such as
/// [`Level`](crate::Level).
pub trait LevelList: Copy + Eq + Debug + Send + Sync + Sealed + 'static {
    /// The names of all levels compiled for this architecture, in lower case, the narrowest first.
    const NAMES: &'static [&'static str];

    /// Returns the level at that position in [`LevelList::NAMES`], if the CPU has it. Detection is
    /// cached, so later calls are cheap.
    fn by_index(index: usize) -> Option<Self>;

    /// Returns the level's position in [`LevelList::NAMES`].
    fn index(self) -> usize;

    /// Returns the level that was found at this position before.
    ///
    /// # Safety
    /// The CPU has the level: its token was created in this process before.
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

    /// Stores `level`.
    pub fn set(&self, level: L) {
        self.0.store(level.index() as u8 + 1, Ordering::Relaxed);
    }
}

impl<L: LevelList> Default for CachedLevel<L> {
    fn default() -> Self {
        Self::new()
    }
}

// Expands to the argument for the architecture whose backends are compiled. It replaces `cfg` in
// exported macros: there, `cfg(feature = …)` would test the features of the crate that uses the
// macro.
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

// Expands to the argument for the widest vectors of x86 that are compiled.
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
/// sign, which the definition of the second macro needs.
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
                        // SAFETY: the caller guarantees that this token was created before.
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
