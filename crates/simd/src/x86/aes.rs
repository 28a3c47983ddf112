//! AES instructions on one, two and four blocks.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::feature_sets::{AVX2, AVX512, SSSE3};
use super::macros::{token, with_features};
use crate::aes::{AesBlocks, AesToken, Block, Columns, whole_blocks};
use crate::cpuid::Features;

const AES_NI: Features = SSSE3.union(Features::SSE41).union(Features::AES);
const VAES: Features = AVX2.union(Features::AES).union(Features::VAES);

token! {
    /// Proof of AES-NI and SSE4.1.
    AesNi: "ssse3,sse4.1,aes", AES_NI
}

token! {
    /// Proof of VAES, AES-NI and AVX2.
    Vaes: "avx2,bmi2,vaes,aes", VAES
}

token! {
    /// Proof of VAES, AES-NI and AVX-512 F, BW, VL and DQ.
    Vaes512: "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,vaes,aes", VAES.union(AVX512)
}

/// Gives a token its vectors of blocks.
macro_rules! aes {
    ($token:ident: $blocks:ty, $narrower:ty) => {
        impl AesToken for $token {
            type Blocks = $blocks;
            type Narrower = $narrower;

            #[inline(always)]
            fn narrower(self) -> $narrower {
                const { assert!($token::BITS.contains(<$narrower>::BITS), "a token does not prove another") };
                <$narrower>::implied_by(self)
            }
        }
    };
}

aes! { AesNi: AesNiBlocks, AesNi }
aes! { Vaes: VaesBlocks, AesNi }
aes! { Vaes512: Vaes512Blocks, Vaes }

/// Writes the methods that are one intrinsic.
macro_rules! operations {
    ($token:ty, $features:literal, $vector:ty: $($method:ident = $intrinsic:path;)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            let result = with_features!($token, $features, self.1, (a: $vector = self.0, b: $vector = other.0) -> $vector {
                $intrinsic(a, b)
            });
            Self(result, self.1)
        }
    )*};
}

/// Defines a vector of blocks from intrinsics, and from short expressions that consist of them.
macro_rules! blocks {
    (
        $(#[$doc:meta])*
        $name:ident($vector:ty, $token:ty, $features:literal): [$($index:literal)*], $count:literal;
        aes_round, $aes:literal = |$a:ident, $key:ident| $round:expr;
        load = |$from:ident| $load:expr;
        store = |$stored:ident| $store:expr;
        zeros = $zeros:path;
        $xor:ident = $xor_intrinsic:path;
        $($column:ident = $column_intrinsic:path;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name($vector, $token);

        impl $name {
            /// Computes a round of AES.
            #[inline(always)]
            fn aes_round(self, key: &Block) -> Self {
                let vector = with_features!($token, $aes, self.1, ($a: $vector = self.0, key: &Block = key) -> $vector {
                    // SAFETY: the block is valid for reading 16 bytes, and aligned.
                    let $key = unsafe { _mm_load_si128(key.0.as_ptr().cast()) };
                    $round
                });
                Self(vector, self.1)
            }
        }

        impl AesBlocks for $name {
            type Token = $token;
            type Columns = Self;
            const BLOCKS: usize = $count;
            // Most CPUs begin half as many rounds in a cycle if the vectors have 512 bits.
            // Eight vectors leave registers for the values that mixing needs: without AVX-512 there
            // are 16 registers.
            const IN_FLIGHT: usize = 8;

            #[inline(always)]
            fn zeros(token: $token) -> Self {
                Self(with_features!($token, $features, token, () -> $vector { $zeros() }), token)
            }

            #[inline(always)]
            fn load<'a>(token: $token, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
                let blocks = [$(block($index)),*];
                let vector =
                    with_features!($token, $features, token, ($from: [&[u8; 16]; $count] = blocks) -> $vector { $load });
                Self(vector, token)
            }

            #[inline(always)]
            fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
                let blocks = with_features!($token, $features, self.1, ($stored: $vector = self.0) -> [[u8; 16]; $count] {
                    $store
                });
                $(store($index, blocks[$index]);)*
            }

            whole_blocks! {}

            operations! { $token, $features, $vector: $xor = $xor_intrinsic; }
        }

        impl Columns for $name {
            operations! { $token, $features, $vector: $($column = $column_intrinsic;)* }
        }
    };
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(block: &[u8; 16]) -> __m128i {
    // SAFETY: the array is valid for reading 16 bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(vector: __m128i) -> [u8; 16] {
    let mut bytes = [0; 16];
    // SAFETY: the array is valid for writing 16 bytes, and the store needs no alignment.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) };
    bytes
}

blocks! {
    /// One block.
    AesNiBlocks(__m128i, AesNi, "sse2"): [0], 1;
    aes_round, "sse2,aes" = |a, key| _mm_aesenc_si128(a, key);
    load = |blocks| load(blocks[0]);
    store = |a| [store(a)];
    zeros = _mm_setzero_si128;
    xor = _mm_xor_si128;
    interleave_low = _mm_unpacklo_epi32;
    interleave_high = _mm_unpackhi_epi32;
    low_halves = _mm_unpacklo_epi64;
    high_halves = _mm_unpackhi_epi64;
}

blocks! {
    /// Two blocks.
    VaesBlocks(__m256i, Vaes, "avx2"): [0 1], 2;
    aes_round, "avx2,vaes" = |a, key| _mm256_aesenc_epi128(a, _mm256_broadcastsi128_si256(key));
    load = |blocks| _mm256_set_m128i(load(blocks[1]), load(blocks[0]));
    store = |a| [store(_mm256_castsi256_si128(a)), store(_mm256_extracti128_si256::<1>(a))];
    zeros = _mm256_setzero_si256;
    xor = _mm256_xor_si256;
    interleave_low = _mm256_unpacklo_epi32;
    interleave_high = _mm256_unpackhi_epi32;
    low_halves = _mm256_unpacklo_epi64;
    high_halves = _mm256_unpackhi_epi64;
}

blocks! {
    /// Four blocks.
    Vaes512Blocks(__m512i, Vaes512, "avx512f"): [0 1 2 3], 4;
    aes_round, "avx512f,vaes" = |a, key| _mm512_aesenc_epi128(a, _mm512_broadcast_i32x4(key));
    load = |blocks| {
        let a = _mm512_castsi128_si512(load(blocks[0]));
        let a = _mm512_inserti32x4::<1>(a, load(blocks[1]));
        let a = _mm512_inserti32x4::<2>(a, load(blocks[2]));
        _mm512_inserti32x4::<3>(a, load(blocks[3]))
    };
    store = |a| [
        store(_mm512_castsi512_si128(a)),
        store(_mm512_extracti32x4_epi32::<1>(a)),
        store(_mm512_extracti32x4_epi32::<2>(a)),
        store(_mm512_extracti32x4_epi32::<3>(a)),
    ];
    zeros = _mm512_setzero_si512;
    xor = _mm512_xor_si512;
    interleave_low = _mm512_unpacklo_epi32;
    interleave_high = _mm512_unpackhi_epi32;
    low_halves = _mm512_unpacklo_epi64;
    high_halves = _mm512_unpackhi_epi64;
}
