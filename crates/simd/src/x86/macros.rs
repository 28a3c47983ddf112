//! The shared code of tokens and vectors of x86.

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
                let compiled_for = const { $crate::cpuid::Features::COMPILED_FOR.contains(Self::BITS) };
                (compiled_for || $crate::cpuid::Features::detect().contains(Self::BITS)).then_some(Self(()))
            }

            /// The features that this token proves.
            pub(super) const BITS: $crate::cpuid::Features = $bits;

            /// Returns this token. The caller has checked that `_proof` proves all its features.
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

/// Gives a token its vectors for 32-bit and 64-bit arithmetic, and the tokens for short messages
/// and for the kernels of ChaCha.
macro_rules! simd {
    ($token:ident: $words:ty, $u64_lanes:ty, $narrower:ty, $cipher:ty, $tuning:ident $(; $($more:item)*)?) => {
        impl $crate::simd::Simd for $token {
            type Words = $words;
            type U64Lanes = $u64_lanes;
            type Narrower = $narrower;
            type Cipher = $cipher;
            const TUNING: $crate::tuning::Tuning = $crate::tuning::$tuning;

            #[inline(always)]
            fn for_narrower(self) -> $narrower {
                const { assert!($token::BITS.contains(<$narrower>::BITS), "a token does not prove another") };
                <$narrower>::implied_by(self)
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

/// Writes the methods `shl`, `shr` and `opaque` of a vector of 64-bit lanes.
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

/// Writes the methods of a vector of 32-bit words that differ in nothing but their intrinsics.
macro_rules! words {
    (
        $with:ident, $token:ty, $vector:ty:
        splat = $splat:path;
        splat_row = |$row:ident| $splat_row:expr;
        first = $first:path;
        transpose = $low_32:path, $high_32:path, $low_64:path, $high_64:path;
    ) => {
        #[inline(always)]
        fn splat(token: $token, word: u32) -> Self {
            Self($with!(token, (word: u32 = word) -> $vector { $splat(word.cast_signed()) }), token)
        }

        #[inline(always)]
        fn splat_row(token: $token, row: [u32; 4]) -> Self {
            let vector = $with!(token, (row: [u32; 4] = row) -> $vector {
                let [a, b, c, d] = map_array(row, u32::cast_signed);
                let $row = _mm_setr_epi32(a, b, c, d);
                $splat_row
            });
            Self(vector, token)
        }

        #[inline(always)]
        fn first(self) -> u32 {
            $with!(self.1, (a: $vector = self.0) -> u32 { $first(a).cast_unsigned() })
        }

        #[inline(always)]
        fn transpose(a: Self, b: Self, c: Self, d: Self) -> (Self, Self, Self, Self) {
            type Vectors = ($vector, $vector, $vector, $vector);
            let token = a.1;
            let (a, b, c, d) = $with!(token, (v: Vectors = (a.0, b.0, c.0, d.0)) -> Vectors {
                let (ab_low, ab_high) = ($low_32(v.0, v.1), $high_32(v.0, v.1));
                let (cd_low, cd_high) = ($low_32(v.2, v.3), $high_32(v.2, v.3));
                (
                    $low_64(ab_low, cd_low),
                    $high_64(ab_low, cd_low),
                    $low_64(ab_high, cd_high),
                    $high_64(ab_high, cd_high),
                )
            });
            (Self(a, token), Self(b, token), Self(c, token), Self(d, token))
        }
    };
}

/// Writes the methods of a vector of 64-bit lanes that differ in nothing but their intrinsics.
macro_rules! u64_lanes {
    (
        $with:ident, $token:ty, $vector:ty:
        splat = $splat:path;
        splat_low = $splat_low:path;
        load = $load:path;
        store = $store:path;
        splat_pair = |$pair:ident| $splat_pair:expr;
        unpack = $low:path, $high:path;
    ) => {
        #[inline(always)]
        fn splat(token: $token, value: u64) -> Self {
            Self($with!(token, (value: u64 = value) -> $vector { $splat(value.cast_signed()) }), token)
        }

        #[inline(always)]
        fn splat_low(token: $token, value: u32) -> Self {
            Self($with!(token, (value: u32 = value) -> $vector { $splat_low(value.cast_signed()) }), token)
        }

        #[inline(always)]
        fn to_lanes(self) -> [u64; MAX_U64_LANES] {
            $with!(self.1, (a: $vector = self.0) -> [u64; MAX_U64_LANES] {
                const { assert!(size_of::<$vector>() <= size_of::<[u64; MAX_U64_LANES]>()) };
                let mut lanes = [0; MAX_U64_LANES];
                // SAFETY: the array is valid for writing as many bytes as a vector has, and the
                // store needs no alignment.
                unsafe { $store(lanes.as_mut_ptr().cast(), a) };
                lanes
            })
        }

        #[inline(always)]
        fn splat_pair(token: $token, pair: &Pair) -> Self {
            let vector = $with!(token, (pair: &Pair = pair) -> $vector {
                // SAFETY: the reference is valid for reading 16 bytes, and a pair is aligned to 16
                // bytes.
                let $pair = unsafe { _mm_load_si128(core::ptr::from_ref(pair).cast()) };
                $splat_pair
            });
            Self(vector, token)
        }

        #[inline(always)]
        fn load(token: $token, blocks: &[u8]) -> (Self, Self) {
            const BYTES: usize = size_of::<$vector>();
            let blocks: &[u8; 2 * BYTES] = blocks.first_chunk().expect("two vectors of blocks");
            let (first, second) = $with!(token, (blocks: &[u8; 2 * BYTES] = blocks) -> ($vector, $vector) {
                let (first, second) = blocks.split_at(BYTES);
                // SAFETY: the slice has as many bytes as a vector, and the load needs no alignment.
                let first = unsafe { $load(first.as_ptr().cast()) };
                // SAFETY: as above.
                let second = unsafe { $load(second.as_ptr().cast()) };
                (first, second)
            });
            (Self(first, token), Self(second, token))
        }

        #[inline(always)]
        fn unpack(self, other: Self) -> (Self, Self) {
            let (even, odd) = $with!(self.1, (a: $vector = self.0, b: $vector = other.0) -> ($vector, $vector) {
                ($low(a, b), $high(a, b))
            });
            (Self(even, self.1), Self(odd, self.1))
        }
    };
}

/// Writes the method that takes the first lanes of an array.
macro_rules! from_lanes {
    ($with:ident, $token:ty, $vector:ty, $load:path: $lanes:ty) => {
        #[inline(always)]
        fn from_lanes(token: $token, lanes: &$lanes) -> Self {
            let vector = $with!(token, (lanes: &$lanes = lanes) -> $vector {
                const { assert!(size_of::<$vector>() <= size_of::<$lanes>()) };
                // SAFETY: the array is valid for reading as many bytes as a vector has, and the
                // load needs no alignment.
                unsafe { $load(lanes.as_ptr().cast()) }
            });
            Self(vector, token)
        }
    };
}

/// Writes the method `double_rounds` with a kernel of `kernels::rounds`.
macro_rules! double_rounds {
    ($token:ty, $features:literal, $kernel:ident) => {
        #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
        #[inline(always)]
        fn double_rounds(
            v: &mut [Self; 16],
            count: u8,
            pending: &mut $crate::pending_poly1305::PendingPoly1305<'_>,
        ) -> bool {
            let token = v[0].1;
            let mut vectors = map_array(
                *v,
                #[inline(always)]
                |word| word.0,
            );
            with_features!($token, $features, token, (
                vectors: &mut [__m256i; 16] = &mut vectors,
                count: u8 = count,
                pending: &mut $crate::pending_poly1305::PendingPoly1305<'_> = pending
            ) -> () {
                // SAFETY: the token proves all features that the kernel needs.
                #[allow(unused_unsafe, reason = "not every kernel is unsafe")]
                unsafe {
                    $crate::kernels::rounds::$kernel::double_rounds(vectors, count, pending);
                }
            });
            *v = map_array(
                vectors,
                #[inline(always)]
                |vector| Self(vector, token),
            );
            true
        }
    };
}

pub(super) use {
    binary, double_rounds, from_lanes, shifts_and_opaque, simd, token, u64_lanes, unary, with_features, words,
};
