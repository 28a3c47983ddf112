//! Multiplication in GF(2^8) with byte shuffles. The products of a factor with all low and all high
//! nibbles are two tables of 16 bytes. A shuffle looks them up for all elements at once, in
//! constant time (Plank, Greenan and Miller, "Screaming fast Galois field arithmetic using Intel
//! SIMD instructions", FAST 2013).

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::macros::with_features;
use super::ssse3::Ssse3;
use crate::gf8::{Gf8, Gf8Bytes, NIBBLE_PRODUCTS};
use crate::gf8::{nibble_products, store_nibble_values};
use crate::map_array::map_array;

/// Defines the vectors of a token: loads, stores and sums, and multiplication with the given types
/// and functions.
macro_rules! gf8_bytes {
    (
        $(#[$doc:meta])* $bytes:ident($vector:ty, $token:ty, $features:literal), $size:literal, $chacha:ty, $for_chacha:expr;
        $load:ident, $store:ident, $zero:ident, $xor:ident;
        factor: $factor:ty = |$table:ident, $public:ident| $prepare:expr;
        secret = |$secret:ident| $prepare_secret:expr;
        multiplicand: $multiplicand:ty = |$a:ident| $split:expr;
        mul = |$m:ident, $f:ident| $mul:expr;
        map: $map:ty, $map_bytes:literal, $tuning:ident = $store_map:path, |$stored:ident| $load_map:expr;
        apply = |$n:ident, $g:ident| $apply:expr;
    ) => {
        impl Gf8 for $token {
            type Bytes = $bytes;
            type ChaCha = $chacha;

            #[inline(always)]
            fn for_chacha(self) -> $chacha {
                $for_chacha(self)
            }
        }

        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $bytes($vector, $token);

        impl Gf8Bytes for $bytes {
            type Token = $token;
            type Factor = $factor;
            type SecretFactor = $factor;
            type Multiplicand = ($multiplicand, $token);
            type Map = $map;
            const BYTES: usize = $size;
            const MAP_BYTES: usize = $map_bytes;
            const MATRIX: crate::tuning::Gf8MatrixTuning = crate::tuning::$tuning;

            #[inline(always)]
            fn load(token: $token, bytes: &[u8]) -> Self {
                let bytes: &[u8; $size] = bytes.first_chunk().expect("a whole vector");
                let vector = with_features!($token, $features, token, (bytes: &[u8; $size] = bytes) -> $vector {
                    // SAFETY: the reference is valid for reading a vector, and the load needs no
                    // alignment.
                    unsafe { $load(bytes.as_ptr().cast()) }
                });
                Self(vector, token)
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                let bytes: &mut [u8; $size] = bytes.first_chunk_mut().expect("a whole vector");
                with_features!($token, $features, self.1, (a: $vector = self.0, bytes: &mut [u8; $size] = bytes) -> () {
                    // SAFETY: the exclusive reference is valid for writing a vector, and the store
                    // needs no alignment.
                    unsafe { $store(bytes.as_mut_ptr().cast(), a) }
                });
            }
            #[inline(always)]
            fn zero(token: $token) -> Self {
                Self(with_features!($token, $features, token, () -> $vector { $zero() }), token)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                let sum = with_features!($token, $features, self.1, (a: $vector = self.0, b: $vector = other.0) -> $vector {
                    $xor(a, b)
                });
                Self(sum, self.1)
            }

            #[inline(always)]
            fn factor(token: $token, factor: u8) -> $factor {
                let table = &NIBBLE_PRODUCTS[usize::from(factor)];
                with_features!($token, $features, token, ($table: &[u8; 32] = table, $public: u8 = factor) -> $factor {
                    let _ = ($table, $public);
                    $prepare
                })
            }
            #[inline(always)]
            fn secret_factor(token: $token, factor: u8) -> $factor {
                with_features!($token, $features, token, ($secret: u8 = factor) -> $factor { $prepare_secret })
            }
            #[inline(always)]
            fn multiplicand(self) -> ($multiplicand, $token) {
                let multiplicand =
                    with_features!($token, $features, self.1, ($a: $vector = self.0) -> $multiplicand { $split });
                (multiplicand, self.1)
            }
            #[inline(always)]
            fn mul(multiplicand: ($multiplicand, $token), factor: $factor) -> Self {
                let (multiplicand, token) = multiplicand;
                let product = with_features!($token, $features, token,
                    ($m: $multiplicand = multiplicand, $f: $factor = factor) -> $vector { $mul });
                Self(product, token)
            }
            #[inline(always)]
            fn mul_secret(multiplicand: ($multiplicand, $token), factor: $factor) -> Self {
                Self::mul(multiplicand, factor)
            }

            #[inline(always)]
            fn store_map(values: &[u8; 8], memory: &mut [u8]) {
                $store_map(values, memory);
            }
            #[inline(always)]
            fn load_map(token: $token, memory: &[u8]) -> $map {
                let memory: &[u8; $map_bytes] = memory.first_chunk().expect("a whole map");
                with_features!($token, $features, token, ($stored: &[u8; $map_bytes] = memory) -> $map { $load_map })
            }
            #[inline(always)]
            fn apply(multiplicand: ($multiplicand, $token), map: $map) -> Self {
                let (multiplicand, token) = multiplicand;
                let values = with_features!($token, $features, token,
                    ($n: $multiplicand = multiplicand, $g: $map = map) -> $vector { $apply });
                Self(values, token)
            }
        }
    };
}
pub(super) use gf8_bytes;

/// Loads half of a table.
#[inline]
#[target_feature(enable = "sse2")]
fn half(table: &[u8; 32], start: usize) -> __m128i {
    let half: &[u8; 16] = table[start..].first_chunk().expect("half of 32 bytes");
    // SAFETY: the reference is valid for reading 16 bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(half.as_ptr().cast()) }
}

/// Computes both tables of a factor that may be secret, and so must not be an index.
#[inline]
#[target_feature(enable = "sse2")]
fn secret_halves(factor: u8) -> (__m128i, __m128i) {
    let words = map_array(nibble_products(factor), u64::cast_signed);
    (_mm_set_epi64x(words[1], words[0]), _mm_set_epi64x(words[3], words[2]))
}

gf8_bytes! {
    /// Sixteen elements.
    Ssse3Bytes(__m128i, Ssse3, "ssse3"), 16, Ssse3, core::convert::identity;
    _mm_loadu_si128, _mm_storeu_si128, _mm_setzero_si128, _mm_xor_si128;
    factor: (__m128i, __m128i) = |table, factor| (half(table, 0), half(table, 16));
    secret = |factor| secret_halves(factor);
    multiplicand: (__m128i, __m128i) = |a| {
        let low_nibbles = _mm_set1_epi8(0x0f);
        (_mm_and_si128(a, low_nibbles), _mm_and_si128(_mm_srli_epi16::<4>(a), low_nibbles))
    };
    mul = |m, f| _mm_xor_si128(_mm_shuffle_epi8(f.0, m.0), _mm_shuffle_epi8(f.1, m.1));
    map: (__m128i, __m128i), 32, GF8_MATRIX_SSSE3 = store_nibble_values, |stored| (half(stored, 0), half(stored, 16));
    apply = |n, g| _mm_xor_si128(_mm_shuffle_epi8(g.0, n.0), _mm_shuffle_epi8(g.1, n.1));
}

/// Defines vectors that repeat the tables in each 128 bits.
macro_rules! wide_bytes {
    (
        $(#[$doc:meta])*
        $name:ident($vector:ty, $token:ty, $features:literal), $size:literal, $tuning:ident;
        $load:ident, $store:ident, $zero:ident, $xor:ident;
        $broadcast:path, $set1:path, $and:path, $shift:path, $shuffle:path
    ) => {
        gf8_bytes! {
            $(#[$doc])*
            $name($vector, $token, $features), $size, $token, core::convert::identity;
            $load, $store, $zero, $xor;
            factor: ($vector, $vector) = |table, factor| ($broadcast(half(table, 0)), $broadcast(half(table, 16)));
            secret = |factor| {
                let (low, high) = secret_halves(factor);
                ($broadcast(low), $broadcast(high))
            };
            multiplicand: ($vector, $vector) = |a| {
                let low_nibbles = $set1(0x0f);
                ($and(a, low_nibbles), $and($shift(a), low_nibbles))
            };
            mul = |m, f| $xor($shuffle(f.0, m.0), $shuffle(f.1, m.1));
            map: ($vector, $vector), 32, $tuning = store_nibble_values, |stored|
                ($broadcast(half(stored, 0)), $broadcast(half(stored, 16)));
            apply = |n, g| $xor($shuffle(g.0, n.0), $shuffle(g.1, n.1));
        }
    };
}

wide_bytes! {
    /// 32 elements.
    Avx2Bytes(__m256i, Avx2, "avx2"), 32, GF8_MATRIX_AVX2;
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_setzero_si256, _mm256_xor_si256;
    _mm256_broadcastsi128_si256, _mm256_set1_epi8, _mm256_and_si256, _mm256_srli_epi16::<4>, _mm256_shuffle_epi8
}

wide_bytes! {
    /// 64 elements.
    Avx512Bytes(__m512i, Avx512, "avx512f,avx512bw"), 64, GF8_MATRIX_AVX512;
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_setzero_si512, _mm512_xor_si512;
    _mm512_broadcast_i32x4, _mm512_set1_epi8, _mm512_and_si512, _mm512_srli_epi16::<4>, _mm512_shuffle_epi8
}
