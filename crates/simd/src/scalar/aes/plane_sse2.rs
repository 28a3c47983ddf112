//! The bytes of a plane, row by row, in a vector of SSE2. This module is compiled only for targets
//! that always have SSE2.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ops::{BitAnd, BitXor};

use crate::aes::Columns;

/// Runs vector instructions that the target always has.
macro_rules! sse2 {
    (($($name:ident: $ty:ty = $value:expr),*) -> $ret:ty $body:block) => {{
        #[inline]
        #[target_feature(enable = "sse2")]
        fn instructions($($name: $ty),*) -> $ret $body
        // SAFETY: this module is compiled only for targets that have the feature.
        unsafe { instructions($($value),*) }
    }};
}

/// The number of times that ShiftRows is done early. Moving all rows up takes one instruction, and
/// rotating rows by two columns takes one or two, but rotating them by one column takes many.
pub(super) const AHEAD: u32 = 1;

/// Sixteen bytes: byte `4 r + c` is in row r and column c.
#[derive(Clone, Copy)]
pub struct Plane(__m128i);

impl Plane {
    /// Returns the same column four times.
    #[inline(always)]
    pub(super) fn splat(column: u32) -> Self {
        Self(sse2!((column: u32 = column) -> __m128i { _mm_set1_epi32(column.cast_signed()) }))
    }

    #[inline(always)]
    pub(super) fn from_bytes(bytes: &[u8; 16]) -> Self {
        Self(sse2!((bytes: &[u8; 16] = bytes) -> __m128i {
            // SAFETY: the array is valid for reading 16 bytes, and the load needs no alignment.
            unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
        }))
    }

    #[inline(always)]
    pub(super) fn to_bytes(self) -> [u8; 16] {
        sse2!((a: __m128i = self.0) -> [u8; 16] {
            let mut bytes = [0; 16];
            // SAFETY: the array is valid for writing 16 bytes, and the store needs no alignment.
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), a) };
            bytes
        })
    }

    /// Shifts each byte to the left. Bits may come in from the byte before.
    #[inline(always)]
    pub(super) fn shift_left<const BITS: u32>(self) -> Self {
        Self(
            sse2!((a: __m128i = self.0, bits: u32 = BITS) -> __m128i { _mm_sll_epi64(a, _mm_cvtsi32_si128(bits.cast_signed())) }),
        )
    }

    /// Shifts each byte to the right. Bits may come in from the byte after.
    #[inline(always)]
    pub(super) fn shift_right<const BITS: u32>(self) -> Self {
        Self(
            sse2!((a: __m128i = self.0, bits: u32 = BITS) -> __m128i { _mm_srl_epi64(a, _mm_cvtsi32_si128(bits.cast_signed())) }),
        )
    }

    /// Sets each byte to ones if it is equal in both, and to zeros otherwise.
    #[inline(always)]
    pub(super) fn bytes_equal(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_cmpeq_epi8(a, b) }))
    }

    /// Converts between the standard's order of bytes and the order of planes: transposes a matrix
    /// of 4×4 bytes.
    #[inline(always)]
    pub(super) fn reorder(self) -> Self {
        Self(sse2!((a: __m128i = self.0) -> __m128i {
            let pairs = opaque(_mm_unpacklo_epi8(a, _mm_unpackhi_epi64(a, a)));
            _mm_unpacklo_epi8(pairs, _mm_unpackhi_epi64(pairs, pairs))
        }))
    }

    /// Computes ShiftRows (FIPS 197, section 5.1.2) `TIMES` times.
    #[inline(always)]
    pub(super) fn shift_rows<const TIMES: u32>(self) -> Self {
        const { assert!(TIMES < 3) };
        Self(sse2!((a: __m128i = self.0, times: u32 = TIMES) -> __m128i {
            match times {
                0 => a,
                1 => {
                    // Rows 1 and 3 by one column, then rows 2 and 3 by two.
                    let mask = _mm_set_epi32(-1, 0, -1, 0);
                    let by_1 = opaque(_mm_or_si128(_mm_srli_epi32::<8>(a), opaque(_mm_slli_epi32::<24>(a))));
                    let odd = _mm_or_si128(_mm_and_si128(mask, by_1), _mm_andnot_si128(mask, a));
                    _mm_shufflehi_epi16::<0b10_11_00_01>(odd)
                }
                // Rows 1 and 3 by two columns.
                _ => _mm_shufflehi_epi16::<0b10_11_01_00>(_mm_shufflelo_epi16::<0b10_11_01_00>(a)),
            }
        }))
    }

    /// Replaces each byte by the byte one row below it, and one column to the left if `AHEAD` is 1.
    #[inline(always)]
    pub(super) fn below<const AHEAD: u32>(self) -> Self {
        const { assert!(AHEAD < 2) };
        Self(sse2!((a: __m128i = self.0, ahead: u32 = AHEAD) -> __m128i {
            let below = _mm_shuffle_epi32::<0b00_11_10_01>(a);
            match ahead {
                0 => below,
                _ => _mm_or_si128(_mm_slli_epi32::<8>(below), _mm_srli_epi32::<24>(below)),
            }
        }))
    }

    /// Replaces each byte by the byte two rows below it, and two columns away if `AHEAD` is 1.
    #[inline(always)]
    pub(super) fn two_below<const AHEAD: u32>(self) -> Self {
        const { assert!(AHEAD < 2) };
        Self(sse2!((a: __m128i = self.0, ahead: u32 = AHEAD) -> __m128i {
            let below = _mm_shuffle_epi32::<0b01_00_11_10>(a);
            match ahead {
                0 => below,
                _ => _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(below)),
            }
        }))
    }
}

impl Columns for Plane {
    #[inline(always)]
    fn interleave_low(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i {
            let (top, bottom) = interleaved(a, b);
            _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(top, bottom))
        }))
    }

    #[inline(always)]
    fn interleave_high(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i {
            let (top, bottom) = interleaved(a, b);
            _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(top, bottom))
        }))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i {
            let low = _mm_set1_epi32(0xffff);
            _mm_or_si128(_mm_and_si128(low, a), _mm_slli_epi32::<16>(b))
        }))
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i {
            let low = _mm_set1_epi32(0xffff);
            _mm_or_si128(_mm_srli_epi32::<16>(a), _mm_andnot_si128(low, b))
        }))
    }
}

impl BitXor for Plane {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_xor_si128(a, b) }))
    }
}

impl BitAnd for Plane {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_and_si128(a, b) }))
    }
}

/// Interleaves the bytes of both vectors: of rows 0 and 1, and of rows 2 and 3.
#[inline]
#[target_feature(enable = "sse2")]
fn interleaved(a: __m128i, b: __m128i) -> (__m128, __m128) {
    let (top, bottom) = (opaque(_mm_unpacklo_epi8(a, b)), opaque(_mm_unpackhi_epi8(a, b)));
    (_mm_castsi128_ps(top), _mm_castsi128_ps(bottom))
}

/// Hides the vector from the compiler, which would merge two shuffles into one that takes many
/// instructions of SSE2.
#[inline]
#[target_feature(enable = "sse2")]
fn opaque(mut vector: __m128i) -> __m128i {
    // SAFETY: the assembly is empty.
    unsafe { core::arch::asm!("/* {0} */", inout(xmm_reg) vector, options(pure, nomem, nostack, preserves_flags)) };
    vector
}
