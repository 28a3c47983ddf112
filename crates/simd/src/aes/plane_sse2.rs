//! The bytes of a plane in a vector of SSE2, which the target always has where this is compiled.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ops::{BitAnd, BitXor};

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

/// Sixteen bytes, in the order of a state of AES.
#[derive(Clone, Copy)]
pub(super) struct Plane(__m128i);

impl Plane {
    /// The same column four times.
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

    /// In each byte ones if it is equal in both, else zeros.
    #[inline(always)]
    pub(super) fn bytes_equal(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_cmpeq_epi8(a, b) }))
    }

    /// ShiftRows (FIPS 197, section 5.1.2).
    #[inline(always)]
    pub(super) fn shift_rows(self) -> Self {
        Self(sse2!((a: __m128i = self.0) -> __m128i {
            // Rows 1 and 3 by one column, then rows 2 and 3 by two.
            let (even, top) = (_mm_set1_epi32(0x00ff_00ff), _mm_set1_epi32(0x0000_ffff));
            let by_1 = _mm_shuffle_epi32::<0b00_11_10_01>(a);
            let odd = _mm_or_si128(_mm_and_si128(even, a), _mm_andnot_si128(even, by_1));
            let by_2 = _mm_shuffle_epi32::<0b01_00_11_10>(odd);
            _mm_or_si128(_mm_and_si128(top, odd), _mm_andnot_si128(top, by_2))
        }))
    }

    /// Puts each row into the place of the one above, and the first into that of the last.
    #[inline(always)]
    pub(super) fn rotate_rows_1(self) -> Self {
        Self(sse2!((a: __m128i = self.0) -> __m128i { _mm_or_si128(_mm_srli_epi32::<8>(a), _mm_slli_epi32::<24>(a)) }))
    }

    /// Exchanges rows 0 and 2, and rows 1 and 3.
    #[inline(always)]
    pub(super) fn rotate_rows_2(self) -> Self {
        Self(
            sse2!((a: __m128i = self.0) -> __m128i { _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(a)) }),
        )
    }

    #[inline(always)]
    pub(super) fn interleave_low(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_unpacklo_epi32(a, b) }))
    }

    #[inline(always)]
    pub(super) fn interleave_high(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_unpackhi_epi32(a, b) }))
    }

    #[inline(always)]
    pub(super) fn low_halves(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_unpacklo_epi64(a, b) }))
    }

    #[inline(always)]
    pub(super) fn high_halves(self, other: Self) -> Self {
        Self(sse2!((a: __m128i = self.0, b: __m128i = other.0) -> __m128i { _mm_unpackhi_epi64(a, b) }))
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
