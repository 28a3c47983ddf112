//! Loads the transposed blocks of eight messages into vectors of 512 bits. The transposition also
//! serves the cipher.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::bytes512::load_block;
use crate::simd::MAX_U64_LANES;

/// Returns the low and the high halves of block `i` of all messages in pair `i`, in the order of
/// `BLOCK_OF_LANE`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn blocks_of_messages(messages: &[&[u8; 64]; MAX_U64_LANES]) -> [(__m512i, __m512i); 4] {
    let [a, b, c, d, e, f, g, h] = messages;
    let (a, b, c, d) = (load_block(a), load_block(b), load_block(c), load_block(d));
    let (e, f, g, h) = (load_block(e), load_block(f), load_block(g), load_block(h));
    let low = transposed([
        _mm512_unpacklo_epi64(a, e),
        _mm512_unpacklo_epi64(b, f),
        _mm512_unpacklo_epi64(c, g),
        _mm512_unpacklo_epi64(d, h),
    ]);
    let high = transposed([
        _mm512_unpackhi_epi64(a, e),
        _mm512_unpackhi_epi64(b, f),
        _mm512_unpackhi_epi64(c, g),
        _mm512_unpackhi_epi64(d, h),
    ]);
    [(low[0], high[0]), (low[1], high[1]), (low[2], high[2]), (low[3], high[3])]
}

/// Transposes a 4×4 matrix of 128-bit parts: four vectors of four parts.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // Parts are numbered within their vector: a0 a1 a2 a3 and so on.
    let ab_01 = _mm512_shuffle_i64x2::<0b01_00_01_00>(a, b); // a0 a1 b0 b1
    let ab_23 = _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b); // a2 a3 b2 b3
    let cd_01 = _mm512_shuffle_i64x2::<0b01_00_01_00>(c, d);
    let cd_23 = _mm512_shuffle_i64x2::<0b11_10_11_10>(c, d);
    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(ab_01, cd_01),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(ab_01, cd_01),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(ab_23, cd_23),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(ab_23, cd_23),
    ]
}
