//! AES instructions on one, two and four blocks.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Features, avx2, avx512, ssse3, token, with_features};
use crate::aes::whole_blocks;
use crate::{AesBlocks, AesToken, Block, Columns};

const AES_NI: Features = ssse3::FEATURES.union(Features::SSE41).union(Features::AES);
const VAES: Features = avx2::FEATURES.union(Features::AES).union(Features::VAES);

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
    Vaes512: "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,vaes,aes", VAES.union(avx512::FEATURES)
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

/// One block.
#[derive(Clone, Copy)]
pub struct AesNiBlocks(__m128i, AesNi);

impl AesNiBlocks {
    /// Computes a round of AES.
    #[inline(always)]
    fn aes_round(self, key: &Block) -> Self {
        let vector = with_features!(AesNi, "sse2,aes", self.1, (a: __m128i = self.0, key: &Block = key) -> __m128i {
            // SAFETY: the block is valid for reading 16 bytes, and aligned.
            _mm_aesenc_si128(a, unsafe { _mm_load_si128(key.0.as_ptr().cast()) })
        });
        Self(vector, self.1)
    }
}

impl AesBlocks for AesNiBlocks {
    type Token = AesNi;
    type Columns = Self;
    const BLOCKS: usize = 1;
    const IN_FLIGHT: usize = 8;

    #[inline(always)]
    fn zeros(token: AesNi) -> Self {
        Self(with_features!(AesNi, "sse2", token, () -> __m128i { _mm_setzero_si128() }), token)
    }

    #[inline(always)]
    fn load<'a>(token: AesNi, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
        let vector = with_features!(AesNi, "sse2", token, (block: &[u8; 16] = block(0)) -> __m128i {
            // SAFETY: the array is valid for reading 16 bytes, and the load needs no alignment.
            unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
        });
        Self(vector, token)
    }

    #[inline(always)]
    fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
        let block = with_features!(AesNi, "sse2", self.1, (a: __m128i = self.0) -> [u8; 16] { bytes(a) });
        store(0, block);
    }

    whole_blocks! {}

    operations! { AesNi, "sse2", __m128i:
        xor = _mm_xor_si128;
    }
}

impl Columns for AesNiBlocks {
    operations! { AesNi, "sse2", __m128i:
        interleave_low = _mm_unpacklo_epi32;
        interleave_high = _mm_unpackhi_epi32;
        low_halves = _mm_unpacklo_epi64;
        high_halves = _mm_unpackhi_epi64;
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn bytes(vector: __m128i) -> [u8; 16] {
    let mut bytes = [0; 16];
    // SAFETY: the array is valid for writing 16 bytes, and the store needs no alignment.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) };
    bytes
}

/// Two blocks.
#[derive(Clone, Copy)]
pub struct VaesBlocks(__m256i, Vaes);

impl VaesBlocks {
    /// Computes a round of AES.
    #[inline(always)]
    fn aes_round(self, key: &Block) -> Self {
        let vector = with_features!(Vaes, "avx2,vaes", self.1, (a: __m256i = self.0, key: &Block = key) -> __m256i {
            // SAFETY: the block is valid for reading 16 bytes, and aligned.
            let key = unsafe { _mm_load_si128(key.0.as_ptr().cast()) };
            _mm256_aesenc_epi128(a, _mm256_broadcastsi128_si256(key))
        });
        Self(vector, self.1)
    }
}

impl AesBlocks for VaesBlocks {
    type Token = Vaes;
    type Columns = Self;
    const BLOCKS: usize = 2;
    const IN_FLIGHT: usize = 8;

    #[inline(always)]
    fn zeros(token: Vaes) -> Self {
        Self(with_features!(Vaes, "avx2", token, () -> __m256i { _mm256_setzero_si256() }), token)
    }

    #[inline(always)]
    fn load<'a>(token: Vaes, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
        type Blocks<'a> = [&'a [u8; 16]; 2];
        let vector = with_features!(Vaes, "avx2", token, (blocks: Blocks<'_> = [block(0), block(1)]) -> __m256i {
            // SAFETY: the arrays are valid for reading 16 bytes, and the load needs no alignment.
            unsafe { _mm256_loadu2_m128i(blocks[1].as_ptr().cast(), blocks[0].as_ptr().cast()) }
        });
        Self(vector, token)
    }

    #[inline(always)]
    fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
        type Blocks = [[u8; 16]; 2];
        let [a, b] = with_features!(Vaes, "avx2", self.1, (a: __m256i = self.0) -> Blocks {
            [bytes(_mm256_castsi256_si128(a)), bytes(_mm256_extracti128_si256::<1>(a))]
        });
        store(0, a);
        store(1, b);
    }

    whole_blocks! {}

    operations! { Vaes, "avx2", __m256i:
        xor = _mm256_xor_si256;
    }
}

impl Columns for VaesBlocks {
    operations! { Vaes, "avx2", __m256i:
        interleave_low = _mm256_unpacklo_epi32;
        interleave_high = _mm256_unpackhi_epi32;
        low_halves = _mm256_unpacklo_epi64;
        high_halves = _mm256_unpackhi_epi64;
    }
}

/// Four blocks.
#[derive(Clone, Copy)]
pub struct Vaes512Blocks(__m512i, Vaes512);

impl Vaes512Blocks {
    /// Computes a round of AES.
    #[inline(always)]
    fn aes_round(self, key: &Block) -> Self {
        let vector = with_features!(Vaes512, "avx512f,vaes", self.1, (a: __m512i = self.0, key: &Block = key) -> __m512i {
            // SAFETY: the block is valid for reading 16 bytes, and aligned.
            let key = unsafe { _mm_load_si128(key.0.as_ptr().cast()) };
            _mm512_aesenc_epi128(a, _mm512_broadcast_i32x4(key))
        });
        Self(vector, self.1)
    }
}

impl AesBlocks for Vaes512Blocks {
    type Token = Vaes512;
    type Columns = Self;
    const BLOCKS: usize = 4;
    // On most CPUs, half as many rounds begin in a cycle as with narrower vectors.
    const IN_FLIGHT: usize = 8;

    #[inline(always)]
    fn zeros(token: Vaes512) -> Self {
        Self(with_features!(Vaes512, "avx512f", token, () -> __m512i { _mm512_setzero_si512() }), token)
    }

    #[inline(always)]
    fn load<'a>(token: Vaes512, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
        type Blocks<'a> = [&'a [u8; 16]; 4];
        let blocks = [block(0), block(1), block(2), block(3)];
        let vector = with_features!(Vaes512, "avx512f", token, (blocks: Blocks<'_> = blocks) -> __m512i {
            // SAFETY: the array is valid for reading 16 bytes, and the load needs no alignment.
            let a = _mm512_castsi128_si512(unsafe { _mm_loadu_si128(blocks[0].as_ptr().cast()) });
            // SAFETY: as above.
            let a = _mm512_inserti32x4::<1>(a, unsafe { _mm_loadu_si128(blocks[1].as_ptr().cast()) });
            // SAFETY: as above.
            let a = _mm512_inserti32x4::<2>(a, unsafe { _mm_loadu_si128(blocks[2].as_ptr().cast()) });
            // SAFETY: as above.
            _mm512_inserti32x4::<3>(a, unsafe { _mm_loadu_si128(blocks[3].as_ptr().cast()) })
        });
        Self(vector, token)
    }

    #[inline(always)]
    fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
        type Blocks = [[u8; 16]; 4];
        let blocks = with_features!(Vaes512, "avx512f", self.1, (a: __m512i = self.0) -> Blocks {
            [
                bytes(_mm512_castsi512_si128(a)),
                bytes(_mm512_extracti32x4_epi32::<1>(a)),
                bytes(_mm512_extracti32x4_epi32::<2>(a)),
                bytes(_mm512_extracti32x4_epi32::<3>(a)),
            ]
        });
        let [a, b, c, d] = blocks;
        store(0, a);
        store(1, b);
        store(2, c);
        store(3, d);
    }

    whole_blocks! {}

    operations! { Vaes512, "avx512f", __m512i:
        xor = _mm512_xor_si512;
    }
}

impl Columns for Vaes512Blocks {
    operations! { Vaes512, "avx512f", __m512i:
        interleave_low = _mm512_unpacklo_epi32;
        interleave_high = _mm512_unpackhi_epi32;
        low_halves = _mm512_unpacklo_epi64;
        high_halves = _mm512_unpackhi_epi64;
    }
}
