//! 256-bit vectors.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::feature_sets;
use super::macros::{
    binary, double_rounds, from_lanes, shifts_and_opaque, simd, token, u64_lanes, unary, with_features, words,
};
use super::ssse3::store_pair;
use crate::kernels::ChaCha20Rounds;
use crate::map_array::map_array;
use crate::pair::Pair;
use crate::simd::{MAX_U64_LANES, Simd, U64Lanes};
use crate::words::{MAX_WORDS_LANES, Words};

token! {
    /// Proof of AVX2, and of BMI2, whose wide multiply serves the scalar code of the same kernels.
    Avx2: "avx2,bmi2", feature_sets::AVX2
}

simd! { Avx2: Avx2Words<Self>, Avx2U64Lanes<Self>, super::ssse3::Ssse3, Avx2, AVX2 }

/// A token that proves the features of [`Avx2`].
pub trait ProvesAvx2: Simd<Words = Avx2Words<Self>, U64Lanes = Avx2U64Lanes<Self>> {
    /// Returns the token [`Avx2`], whose features this one proves.
    fn avx2(self) -> Avx2;
}

impl ProvesAvx2 for Avx2 {
    #[inline(always)]
    fn avx2(self) -> Self {
        self
    }
}

macro_rules! avx2 {
    ($proof:expr, $($rest:tt)*) => { with_features!(Avx2, "avx2", ProvesAvx2::avx2($proof), $($rest)*) };
}

/// Eight 32-bit words: two rows.
#[derive(Clone, Copy)]
pub struct Avx2Words<T>(pub(super) __m256i, pub(super) T);

/// The rotations of [`Words`], which differ between the tokens.
pub trait Rotations {
    /// See [`Words::rotate_left_16`].
    fn rotate_left_16(self) -> Self;
    /// See [`Words::rotate_left_12`].
    fn rotate_left_12(self) -> Self;
    /// See [`Words::rotate_left_8`].
    fn rotate_left_8(self) -> Self;
    /// See [`Words::rotate_left_7`].
    fn rotate_left_7(self) -> Self;
}

impl Rotations for Avx2Words<Avx2> {
    unary! { avx2, __m256i:
        rotate_left_16 = |a| _mm256_shuffle_epi8(a, opaque(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)));
        rotate_left_12 = |a| _mm256_or_si256(_mm256_slli_epi32::<12>(a), _mm256_srli_epi32::<20>(a));
        rotate_left_8 = |a| _mm256_shuffle_epi8(a, opaque(_mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14)));
        rotate_left_7 = |a| _mm256_or_si256(_mm256_slli_epi32::<7>(a), _mm256_srli_epi32::<25>(a));
    }
}

impl<T: ProvesAvx2> Words for Avx2Words<T>
where
    Self: Rotations + ChaCha20Rounds,
{
    type Token = T;
    type Blocks = [u8; 128];
    const ZERO_BLOCKS: Self::Blocks = [0; 128];
    const ROWS: usize = 2;

    words! { avx2, T, __m256i:
        splat = _mm256_set1_epi32;
        splat_row = |row| _mm256_broadcastsi128_si256(row);
        first = _mm256_cvtsi256_si32;
        transpose = _mm256_unpacklo_epi32, _mm256_unpackhi_epi32, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64;
    }

    from_lanes! { avx2, T, __m256i, _mm256_loadu_si256: [u32; MAX_WORDS_LANES] }
    binary! { avx2, __m256i:
        add = _mm256_add_epi32;
        xor = _mm256_xor_si256;
        and = _mm256_and_si256;
    }

    #[inline(always)]
    fn rotate_left_16(self) -> Self {
        Rotations::rotate_left_16(self)
    }

    #[inline(always)]
    fn rotate_left_12(self) -> Self {
        Rotations::rotate_left_12(self)
    }

    #[inline(always)]
    fn rotate_left_8(self) -> Self {
        Rotations::rotate_left_8(self)
    }

    #[inline(always)]
    fn rotate_left_7(self) -> Self {
        Rotations::rotate_left_7(self)
    }

    unary! { avx2, __m256i:
        rotate_columns_1 = |a| _mm256_shuffle_epi32::<0b00_11_10_01>(a);
        rotate_columns_2 = |a| _mm256_shuffle_epi32::<0b01_00_11_10>(a);
        rotate_columns_3 = |a| _mm256_shuffle_epi32::<0b10_01_00_11>(a);
    }

    #[inline(always)]
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        type Halves = [[u8; 32]; 4];
        let (halves, _) = data[..128].as_chunks_mut::<32>();
        let halves: &mut Halves = halves.first_chunk_mut().expect("128 bytes are four halves");
        avx2!(a.1, (v: [__m256i; 4] = [a.0, b.0, c.0, d.0], halves: &mut Halves = halves) -> () {
            xor_half(_mm256_permute2x128_si256::<0x20>(v[0], v[1]), &mut halves[0]);
            xor_half(_mm256_permute2x128_si256::<0x20>(v[2], v[3]), &mut halves[1]);
            xor_half(_mm256_permute2x128_si256::<0x31>(v[0], v[1]), &mut halves[2]);
            xor_half(_mm256_permute2x128_si256::<0x31>(v[2], v[3]), &mut halves[3]);
        });
    }

    #[inline(always)]
    fn xor_blocks(a: Self, b: Self, c: Self, d: Self, blocks: &mut [&mut [u8; 64]]) {
        let [first, second]: &mut [_; 2] = blocks.first_chunk_mut().expect("a block for each row");
        let ([e, f], [g, h]) = (halves(first), halves(second));
        let halves = [e, f, g, h];
        avx2!(a.1, (v: [__m256i; 4] = [a.0, b.0, c.0, d.0], halves: [&mut [u8; 32]; 4] = halves) -> () {
            let [e, f, g, h] = halves;
            xor_half(_mm256_permute2x128_si256::<0x20>(v[0], v[1]), e);
            xor_half(_mm256_permute2x128_si256::<0x20>(v[2], v[3]), f);
            xor_half(_mm256_permute2x128_si256::<0x31>(v[0], v[1]), g);
            xor_half(_mm256_permute2x128_si256::<0x31>(v[2], v[3]), h);
        });
    }
}

impl ChaCha20Rounds for Avx2Words<Avx2> {
    double_rounds! { Avx2, "avx2,bmi2", avx2 }
}

/// Returns the constant in both halves, hidden from the compiler.
///
/// The compiler replaces byte shuffles that it knows. It rotates by 16 bits with two word shuffles
/// instead of one byte shuffle. It also moves a rotation past an XOR to merge it with an
/// earlier one, although the earlier result is needed anyway (16 of 144 instructions).
#[inline]
#[target_feature(enable = "avx2")]
fn opaque(constant: __m128i) -> __m256i {
    let mut vector = _mm256_broadcastsi128_si256(constant);
    // SAFETY: the assembly is empty.
    unsafe { core::arch::asm!("/* {0} */", inout(ymm_reg) vector, options(pure, nomem, nostack, preserves_flags)) };
    vector
}

/// Returns both halves of a block.
#[inline(always)]
fn halves(block: &mut [u8; 64]) -> [&mut [u8; 32]; 2] {
    let (low, high) = block.split_first_chunk_mut().expect("32 bytes");
    [low, high.first_chunk_mut().expect("32 more")]
}

/// XORs half a block with the key stream.
#[inline]
#[target_feature(enable = "avx2")]
fn xor_half(key: __m256i, half: &mut [u8; 32]) {
    // SAFETY: the reference is valid for 32 bytes, and the load needs no alignment.
    let data = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
    let data = _mm256_xor_si256(data, key);
    // SAFETY: the exclusive reference is valid for writing 32 bytes, and the store needs no
    // alignment.
    unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), data) };
}

/// Four 64-bit lanes.
#[derive(Clone, Copy)]
pub struct Avx2U64Lanes<T>(__m256i, T);

impl<T: ProvesAvx2> U64Lanes for Avx2U64Lanes<T> {
    type Token = T;
    const LANES: usize = 4;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 2, 1, 3, 4, 5, 6, 7];

    u64_lanes! { avx2, T, __m256i:
        splat = _mm256_set1_epi64x;
        splat_low = _mm256_set1_epi32;
        load = _mm256_loadu_si256;
        store = _mm256_storeu_si256;
        splat_pair = |pair| _mm256_broadcastsi128_si256(pair);
        unpack = _mm256_unpacklo_epi64, _mm256_unpackhi_epi64;
    }

    from_lanes! { avx2, T, __m256i, _mm256_loadu_si256: [u64; MAX_U64_LANES] }
    #[inline(always)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        avx2!(even.1, (even: __m256i = even.0, odd: __m256i = odd.0) -> [Pair; MAX_U64_LANES] {
            let (even_lanes, odd_lanes) = (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd));
            let mut pairs = [Pair::default(); MAX_U64_LANES];
            store_pair(_mm256_castsi256_si128(even_lanes), &mut pairs[0]);
            store_pair(_mm256_castsi256_si128(odd_lanes), &mut pairs[1]);
            store_pair(_mm256_extracti128_si256::<1>(even_lanes), &mut pairs[2]);
            store_pair(_mm256_extracti128_si256::<1>(odd_lanes), &mut pairs[3]);
            pairs
        })
    }

    #[inline(always)]
    fn sum_lanes(self) -> u64 {
        avx2!(self.1, (a: __m256i = self.0) -> u64 {
            let pair = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
            let (sum, mut word) = (_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair)), 0);
            // SAFETY: the number is valid for writing 8 bytes, and the store needs no alignment.
            unsafe { _mm_storel_epi64(core::ptr::from_mut(&mut word).cast(), sum) };
            word
        })
    }

    binary! { avx2, __m256i:
        add = _mm256_add_epi64;
        and = _mm256_and_si256;
        or = _mm256_or_si256;
        mul_low = _mm256_mul_epu32;
    }

    shifts_and_opaque! { avx2, __m256i, ymm_reg: shl = _mm256_sll_epi64; shr = _mm256_srl_epi64; }
}
