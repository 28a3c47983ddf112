//! What tokens and vectors of x86 have in common.

/// Defines a token: its detection, and the function that is compiled with its features.
macro_rules! token {
    ($(#[$doc:meta])* $token:ident: $features:literal, $bits:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $token(());

        impl $token {
            /// Returns the token, if the CPU has the features and the operating system saves their
            /// registers.
            ///
            /// In a program that is compiled for them (`-C target-feature`, `-C target-cpu`), it
            /// always returns the token, at no cost.
            #[must_use]
            #[inline]
            pub fn detect() -> Option<Self> {
                let compiled_for = const { $crate::x86::detect::Features::COMPILED_FOR.contains(Self::BITS) };
                (compiled_for || $crate::x86::detect::Features::detect().contains(Self::BITS)).then_some(Self(()))
            }

            /// The features that this token proves.
            pub(super) const BITS: $crate::x86::detect::Features = $bits;

            /// Returns the token of features that all belong to those which `_proof` proves. The
            /// caller has checked that they do.
            #[allow(dead_code, reason = "not every token is another's")]
            pub(super) const fn implied_by<T: $crate::sealed::Sealed + Copy>(_proof: T) -> Self {
                Self(())
            }
        }

        impl $crate::sealed::Sealed for $token {}

        impl $crate::sealed::Assume for $token {
            #[inline(always)]
            unsafe fn assume() -> Self {
                Self(())
            }
        }

        impl $crate::token::Token for $token {
            #[inline(always)]
            fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
                #[target_feature(enable = $features)]
                fn entry<R>(token: $token, kernel: impl FnOnce($token) -> R) -> R {
                    kernel(token)
                }
                // SAFETY: `self` was made by `detect`, which found these features and those that
                // they imply, or from a token whose features contain these.
                unsafe { entry(self, kernel) }
            }

            #[inline(always)]
            fn enter_apart<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
                // The attribute is not on `entry` itself, because rustc 1.95 drops `inline(never)`
                // from a function with a target feature.
                #[inline(never)]
                fn apart<R>(token: $token, kernel: impl FnOnce($token) -> R) -> R {
                    $crate::token::Token::enter(token, kernel)
                }
                apart(self, kernel)
            }
        }
    };
}

/// Gives a token its vectors for 32-bit and 64-bit arithmetic, and the tokens for single blocks and
/// for the kernels of ChaCha.
macro_rules! simd {
    ($token:ident: $words:ty, $u64_lanes:ty, $one_block:ty, $cipher:ty, $tuning:ident $(; $($more:item)*)?) => {
        impl $crate::simd::Simd for $token {
            type Words = $words;
            type U64Lanes = $u64_lanes;
            type OneBlock = $one_block;
            type Cipher = $cipher;
            const TUNING: $crate::tuning::Tuning = $crate::tuning::$tuning;

            #[inline(always)]
            fn for_one_block(self) -> $one_block {
                const { assert!($token::BITS.contains(<$one_block>::BITS), "a token does not prove another") };
                <$one_block>::implied_by(self)
            }

            #[inline(always)]
            fn for_cipher(self) -> $cipher {
                const { assert!($token::BITS.contains(<$cipher>::BITS), "a token does not prove another") };
                <$cipher>::implied_by(self)
            }

            $($($more)*)?
        }
    };
}

/// Runs vector instructions on behalf of a value that holds a token.
///
/// Expands to a function compiled with the features, which inlines to its instructions, and the
/// call to it. The token must have the features.
macro_rules! with_features {
    ($token:ty, $features:literal, $proof:expr, ($($name:ident: $ty:ty = $value:expr),*) -> $ret:ty $body:block) => {{
        #[inline]
        #[target_feature(enable = $features)]
        fn instructions($($name: $ty),*) -> $ret $body
        let _: $token = $proof;
        // SAFETY: the line above holds a token, which only detection of these features, and maybe
        // more, makes.
        unsafe { instructions($($value),*) }
    }};
}

/// Writes the methods of a vector type that differ in nothing but the intrinsic.
macro_rules! binary {
    ($with:ident, $vector:ty: $($(#[$doc:meta])* $method:ident = $intrinsic:path;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(
                $with!(self.1, (a: $vector = self.0, b: $vector = other.0) -> $vector { $intrinsic(a, b) }),
                self.1,
            )
        }
    )*};
}

/// Writes the methods of a vector type that map one vector to one.
macro_rules! unary {
    ($with:ident, $vector:ty: $($method:ident = |$a:ident| $body:expr;)*) => {$(
        #[inline(always)]
        fn $method(self) -> Self {
            Self($with!(self.1, ($a: $vector = self.0) -> $vector { $body }), self.1)
        }
    )*};
}

/// Writes the methods of a vector of 64-bit lanes that need more than one intrinsic but differ in
/// one name.
macro_rules! shifts_and_opaque {
    ($with:ident, $vector:ty, $register:ident: $($method:ident = $intrinsic:path;)*) => {
        $(
            #[inline(always)]
            fn $method<const BITS: u32>(self) -> Self {
                let shifted = $with!(self.1, (a: $vector = self.0, bits: u32 = BITS) -> $vector {
                    $intrinsic(a, _mm_cvtsi32_si128(bits.cast_signed()))
                });
                Self(shifted, self.1)
            }
        )*

        #[inline(always)]
        fn opaque(self) -> Self {
            let opaque = $with!(self.1, (a: $vector = self.0) -> $vector {
                let mut vector = a;
                // SAFETY: the assembly is empty.
                unsafe {
                    core::arch::asm!("/* {0} */", inout($register) vector, options(pure, nomem, nostack, preserves_flags));
                }
                vector
            });
            Self(opaque, self.1)
        }
    };
}

pub(super) use {binary, shifts_and_opaque, simd, token, unary, with_features};
