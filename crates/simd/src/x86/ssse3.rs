//! 128-bit vectors: SSE2 arithmetic, SSSE3 byte shuffles.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::feature_sets;
use super::macros::{binary, shifts_and_opaque, simd, token, u64_lanes, unary, with_features, words};
use crate::kernels::ChaCha20Rounds;
use crate::map_array::map_array;
use crate::pair::Pair;
use crate::simd::{MAX_U64_LANES, U64Lanes};
use crate::words::{MAX_WORDS_LANES, Words};

token! {
    /// Proof of SSSE3, SSE3 and SSE2.
    Ssse3: "ssse3", feature_sets::SSSE3
}

simd! { Ssse3: Ssse3Words, Ssse3U64Lanes, Ssse3, Ssse3, SSSE3 }

macro_rules! ssse3 {
    ($proof:expr, $($rest:tt)*) => { with_features!(Ssse3, "ssse3", $proof, $($rest)*) };
}

/// Four 32-bit words: one row.
#[derive(Clone, Copy)]
pub struct Ssse3Words(__m128i, Ssse3);

impl Words for Ssse3Words {
    type Token = Ssse3;
    type Blocks = [u8; 64];
    const ZERO_BLOCKS: Self::Blocks = [0; 64];
    const ROWS: usize = 1;

    words! { ssse3, Ssse3, __m128i:
        splat = _mm_set1_epi32;
        splat_row = |row| row;
        first = _mm_cvtsi128_si32;
        transpose = _mm_unpacklo_epi32, _mm_unpackhi_epi32, _mm_unpacklo_epi64, _mm_unpackhi_epi64;
    }

    #[inline(always)]
    fn from_lanes(token: Ssse3, words: &[u32; MAX_WORDS_LANES]) -> Self {
        Self::splat_row(token, [words[0], words[1], words[2], words[3]])
    }

    binary! { ssse3, __m128i:
        add = _mm_add_epi32;
        xor = _mm_xor_si128;
        and = _mm_and_si128;
    }

    unary! { ssse3, __m128i:
        rotate_left_16 = |a| _mm_shuffle_epi8(a, opaque(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)));
        rotate_left_12 = |a| _mm_or_si128(_mm_slli_epi32::<12>(a), _mm_srli_epi32::<20>(a));
        rotate_left_8 = |a| _mm_shuffle_epi8(a, opaque(_mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14)));
        rotate_left_7 = |a| _mm_or_si128(_mm_slli_epi32::<7>(a), _mm_srli_epi32::<25>(a));
        rotate_columns_1 = |a| _mm_shuffle_epi32::<0b00_11_10_01>(a);
        rotate_columns_2 = |a| _mm_shuffle_epi32::<0b01_00_11_10>(a);
        rotate_columns_3 = |a| _mm_shuffle_epi32::<0b10_01_00_11>(a);
    }

    #[inline(always)]
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        type Rows = [[u8; 16]; 4];
        let (rows, _) = data[..64].as_chunks_mut::<16>();
        let rows: &mut Rows = rows.first_chunk_mut().expect("64 bytes are four rows");
        ssse3!(a.1, (v: [__m128i; 4] = [a.0, b.0, c.0, d.0], rows: &mut Rows = rows) -> () {
            xor_row(v[0], &mut rows[0]);
            xor_row(v[1], &mut rows[1]);
            xor_row(v[2], &mut rows[2]);
            xor_row(v[3], &mut rows[3]);
        });
    }
}

impl ChaCha20Rounds for Ssse3Words {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    #[inline(always)]
    fn double_rounds(v: &mut [Self; 16], count: u8, _: &mut crate::pending_poly1305::PendingPoly1305<'_>) -> bool {
        let token = v[0].1;
        let mut vectors = map_array(
            *v,
            #[inline(always)]
            |word| word.0,
        );
        ssse3!(token, (vectors: &mut [__m128i; 16] = &mut vectors, count: u8 = count) -> () {
            crate::kernels::rounds::ssse3::double_rounds(vectors, count);
        });
        *v = map_array(
            vectors,
            #[inline(always)]
            |vector| Self(vector, token),
        );
        true
    }
}

/// Returns the constant, hidden from the compiler: see the function of this name for AVX2.
#[inline]
#[target_feature(enable = "ssse3")]
fn opaque(constant: __m128i) -> __m128i {
    let mut vector = constant;
    // SAFETY: the assembly is empty.
    unsafe { core::arch::asm!("/* {0} */", inout(xmm_reg) vector, options(pure, nomem, nostack, preserves_flags)) };
    vector
}

#[inline]
#[target_feature(enable = "ssse3")]
fn xor_row(key: __m128i, row: &mut [u8; 16]) {
    // SAFETY: the reference is valid for 16 bytes, and the load needs no alignment.
    let data = unsafe { _mm_loadu_si128(row.as_ptr().cast()) };
    let data = _mm_xor_si128(data, key);
    // SAFETY: the exclusive reference is valid for writing 16 bytes, and the store needs no
    // alignment.
    unsafe { _mm_storeu_si128(row.as_mut_ptr().cast(), data) };
}

/// Writes a pair of factors.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn store_pair(factors: __m128i, pair: &mut Pair) {
    // SAFETY: the exclusive reference is valid for writing 16 bytes, and a pair is aligned to 16
    // bytes.
    unsafe { _mm_store_si128(core::ptr::from_mut(pair).cast(), factors) };
}

/// Two 64-bit lanes.
#[derive(Clone, Copy)]
pub struct Ssse3U64Lanes(__m128i, Ssse3);

impl U64Lanes for Ssse3U64Lanes {
    type Token = Ssse3;
    const LANES: usize = 2;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

    u64_lanes! { ssse3, Ssse3, __m128i:
        splat = _mm_set1_epi64x;
        splat_low = _mm_set1_epi32;
        load = _mm_loadu_si128;
        store = _mm_storeu_si128;
        splat_pair = |pair| pair;
        unpack = _mm_unpacklo_epi64, _mm_unpackhi_epi64;
    }

    #[inline(always)]
    fn from_lanes(token: Ssse3, lanes: &[u64; MAX_U64_LANES]) -> Self {
        let vector = ssse3!(token, (low: u64 = lanes[0], high: u64 = lanes[1]) -> __m128i {
            _mm_set_epi64x(high.cast_signed(), low.cast_signed())
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        ssse3!(even.1, (even: __m128i = even.0, odd: __m128i = odd.0) -> [Pair; MAX_U64_LANES] {
            let mut pairs = [Pair::default(); MAX_U64_LANES];
            store_pair(_mm_unpacklo_epi64(even, odd), &mut pairs[0]);
            store_pair(_mm_unpackhi_epi64(even, odd), &mut pairs[1]);
            pairs
        })
    }

    binary! { ssse3, __m128i:
        add = _mm_add_epi64;
        and = _mm_and_si128;
        or = _mm_or_si128;
        mul_low = _mm_mul_epu32;
    }

    shifts_and_opaque! { ssse3, __m128i, xmm_reg: shl = _mm_sll_epi64; shr = _mm_srl_epi64; }
}
