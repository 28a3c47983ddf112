//! Multiplies in GF(2^8) with `gf2p8mulb`, which uses AES's field, and applies linear maps with
//! `gf2p8affineqb`, which serves every field.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::gf8::gf8_bytes;
use super::macros::{token, with_features};
use crate::cpuid::Features;
use crate::gf8::{Gf8, Gf8Bytes, NIBBLE_PRODUCTS};

token! {
    /// Proof of GFNI and of all that [`Avx2`] proves.
    Gfni: "gfni,avx2,bmi2", Avx2::BITS.union(Features::GFNI)
}

token! {
    /// Proof of GFNI and of all that [`Avx512`] proves.
    Gfni512: "gfni,avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2", Avx512::BITS.union(Features::GFNI)
}

const _: () = assert!(Gfni::BITS.contains(Avx2::BITS) && Gfni512::BITS.contains(Avx512::BITS));

/// Writes a linear map as the operand of `gf2p8affineqb`: byte 7 - i has the bits of the argument
/// whose sum is bit i of the value. Takes the same time for all maps.
#[inline(always)]
fn store_bit_matrix(values: &[u8; 8], memory: &mut [u8]) {
    /// Exchanges the bits that `mask` selects with the bits that are `shift` places higher.
    #[inline(always)]
    fn exchange(bits: u64, mask: u64, shift: u32) -> u64 {
        let difference = (bits ^ (bits >> shift)) & mask;
        bits ^ difference ^ (difference << shift)
    }
    // Bit i of byte j becomes bit j of byte i: blocks of one, two and four bits change places.
    let bits = exchange(u64::from_le_bytes(*values), 0x00aa_00aa_00aa_00aa, 7);
    let bits = exchange(bits, 0x0000_cccc_0000_cccc, 14);
    let bits = exchange(bits, 0x0000_0000_f0f0_f0f0, 28);
    memory[..8].copy_from_slice(&bits.to_be_bytes());
}

gf8_bytes! {
    /// 32 elements.
    GfniBytes(__m256i, Gfni, "gfni,avx2"), 32, Avx2, Avx2::implied_by;
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_setzero_si256, _mm256_xor_si256;
    factor: __m256i = |table, factor| _mm256_set1_epi8(factor.cast_signed());
    secret = |factor| _mm256_set1_epi8(factor.cast_signed());
    multiplicand: __m256i = |a| a;
    mul = |m, f| _mm256_gf2p8mul_epi8(m, f);
    map: __m256i, 8, GF8_MATRIX_GFNI = store_bit_matrix, |stored| _mm256_set1_epi64x(i64::from_le_bytes(*stored));
    apply = |n, g| _mm256_gf2p8affine_epi64_epi8::<0>(n, g);
}

gf8_bytes! {
    /// 64 elements.
    Gfni512Bytes(__m512i, Gfni512, "gfni,avx512f,avx512bw"), 64, Avx512, Avx512::implied_by;
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_setzero_si512, _mm512_xor_si512;
    factor: __m512i = |table, factor| _mm512_set1_epi8(factor.cast_signed());
    secret = |factor| _mm512_set1_epi8(factor.cast_signed());
    multiplicand: __m512i = |a| a;
    mul = |m, f| _mm512_gf2p8mul_epi8(m, f);
    map: __m512i, 8, GF8_MATRIX_GFNI512 = store_bit_matrix, |stored| _mm512_set1_epi64(i64::from_le_bytes(*stored));
    apply = |n, g| _mm512_gf2p8affine_epi64_epi8::<0>(n, g);
}
