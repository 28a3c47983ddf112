//! Carry-less multiplication: PCLMULQDQ on one lane, VPCLMULQDQ on two and four.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::feature_sets::{AVX2, AVX512};
use super::macros::{token, with_features};
use crate::clmul::{Clmul, ClmulLanes};
use crate::cpuid::Features;

const SSE: Features =
    Features::SSE2.union(Features::SSE3).union(Features::SSSE3).union(Features::SSE41).union(Features::PCLMULQDQ);

token! {
    /// Proof of PCLMULQDQ and SSE4.1.
    Pclmulqdq: "sse4.1,pclmulqdq", SSE
}

token! {
    /// Proof of VPCLMULQDQ on 256-bit vectors, AVX2 and BMI2.
    Vpclmulqdq: "avx2,bmi2,pclmulqdq,vpclmulqdq", AVX2.union(Features::PCLMULQDQ).union(Features::VPCLMULQDQ)
}

token! {
    /// Proof of VPCLMULQDQ and AVX-512 F, BW, VL and DQ.
    Vpclmulqdq512: "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,pclmulqdq,vpclmulqdq",
    AVX512.union(Features::PCLMULQDQ).union(Features::VPCLMULQDQ)
}

impl Clmul for Pclmulqdq {
    type One = PclmulqdqLane;
    type Many = PclmulqdqLane;
}

impl Clmul for Vpclmulqdq {
    type One = VpclmulqdqLane;
    type Many = VpclmulqdqLanes;
}

impl Clmul for Vpclmulqdq512 {
    type One = Vpclmulqdq512Lane;
    type Many = Vpclmulqdq512Lanes;
}

/// The squares of all values of four bits, in order. A square has a zero above each bit.
const SQUARES: [u64; 2] = [0x1514_1110_0504_0100, 0x5554_5150_4544_4140];

/// Builds a vector from lanes. `$of` turns the value of `$lane(i)` into lane i.
macro_rules! join {
    (1, $token:ident, $features:literal, $proof:ident, $vector:ident, $of:path, $lane:ident) => {
        $of($proof, $lane(0))
    };
    (2, $token:ident, $features:literal, $proof:ident, $vector:ident, $of:path, $lane:ident) => {
        with_features!($token, $features, $proof, (
            a: __m128i = $of($proof, $lane(0)), b: __m128i = $of($proof, $lane(1))
        ) -> $vector {
            _mm256_set_m128i(b, a)
        })
    };
    (4, $token:ident, $features:literal, $proof:ident, $vector:ident, $of:path, $lane:ident) => {
        with_features!($token, $features, $proof, (
            a: __m128i = $of($proof, $lane(0)), b: __m128i = $of($proof, $lane(1)),
            c: __m128i = $of($proof, $lane(2)), d: __m128i = $of($proof, $lane(3))
        ) -> $vector {
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(_mm256_set_m128i(b, a)), _mm256_set_m128i(d, c))
        })
    };
}

/// Defines a vector of 128-bit lanes.
macro_rules! lanes {
    (
        $(#[$doc:meta])*
        $name:ident($vector:ident, $token:ident, $features:literal): $lanes:tt;
        zero = $zero:path, xor = $xor:path, and = $and:path, sll = $sll:path, srl = $srl:path, bsll = $bsll:ident, bsrl = $bsrl:ident,
        shuffle32 = $shuffle32:ident, alignr = $alignr:ident, shuffle8 = $shuffle8:path, unpacklo = $unpacklo:path,
        unpackhi = $unpackhi:path, clmul = $clmul:ident, set1_64 = $set1_64:path,
        broadcast = |$lane:ident| $broadcast:expr,
        extract = |$value:ident, $index:ident| $extract:expr,
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name($vector, $token);

        impl $name {
            #[inline(always)]
            fn limbs(token: $token, limbs: &[u64; 2]) -> __m128i {
                with_features!($token, $features, token, (limbs: &[u64; 2] = limbs) -> __m128i {
                    // SAFETY: the array is valid for reading 16 bytes, and the load needs no
                    // alignment.
                    unsafe { _mm_loadu_si128(limbs.as_ptr().cast()) }
                })
            }

            #[inline(always)]
            fn low_limb(token: $token, limb: u64) -> __m128i {
                with_features!($token, $features, token, (limb: u64 = limb) -> __m128i {
                    _mm_set_epi64x(0, limb.cast_signed())
                })
            }
        }

        impl ClmulLanes for $name {
            type Token = $token;
            const LANES: usize = $lanes;
            const FAST_PRODUCTS: bool = true;

            #[inline(always)]
            fn token(self) -> $token {
                self.1
            }
            #[inline(always)]
            fn zero(token: $token) -> Self {
                Self(with_features!($token, $features, token, () -> $vector { $zero() }), token)
            }
            #[inline(always)]
            fn load<'a>(token: $token, lane: impl Fn(usize) -> &'a [u64; 2]) -> Self {
                Self(join!($lanes, $token, $features, token, $vector, Self::limbs, lane), token)
            }
            #[inline(always)]
            fn load_low(token: $token, limb: impl Fn(usize) -> u64) -> Self {
                Self(join!($lanes, $token, $features, token, $vector, Self::low_limb, limb), token)
            }
            #[inline(always)]
            fn store(self, lane: usize, limbs: &mut [u64; 2]) {
                let lane = with_features!($token, $features, self.1, ($value: $vector = self.0, $index: usize = lane) -> __m128i {
                    $extract
                });
                with_features!($token, $features, self.1, (lane: __m128i = lane, limbs: &mut [u64; 2] = limbs) -> () {
                    // SAFETY: the array is valid for writing 16 bytes, and the store needs no
                    // alignment.
                    unsafe { _mm_storeu_si128(limbs.as_mut_ptr().cast(), lane) }
                });
            }
            #[inline(always)]
            fn low(self, lane: usize) -> u64 {
                let mut limbs = [0; 2];
                self.store(lane, &mut limbs);
                limbs[0]
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0, b: $vector = other.0) -> $vector {
                    $xor(a, b)
                }), self.1)
            }
            #[inline(always)]
            fn shl(self, bits: u32) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0, bits: u32 = bits) -> $vector {
                    $sll(a, _mm_cvtsi32_si128(bits.cast_signed()))
                }), self.1)
            }
            #[inline(always)]
            fn shr(self, bits: u32) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0, bits: u32 = bits) -> $vector {
                    $srl(a, _mm_cvtsi32_si128(bits.cast_signed()))
                }), self.1)
            }
            #[inline(always)]
            fn swap(self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0) -> $vector {
                    $shuffle32::<0b01_00_11_10>(a)
                }), self.1)
            }
            #[inline(always)]
            fn low_to_high(self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0) -> $vector { $bsll::<8>(a) }), self.1)
            }
            #[inline(always)]
            fn high_to_low(self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0) -> $vector { $bsrl::<8>(a) }), self.1)
            }
            #[inline(always)]
            fn above(self, below: Self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0, b: $vector = below.0) -> $vector {
                    $alignr::<8>(a, b)
                }), self.1)
            }
            #[inline(always)]
            fn mul_low(self, other: Self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0, b: $vector = other.0) -> $vector {
                    $clmul::<0x00>(a, b)
                }), self.1)
            }
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                Self(with_features!($token, $features, self.1, (a: $vector = self.0, b: $vector = other.0) -> $vector {
                    $clmul::<0x11>(a, b)
                }), self.1)
            }
            // Uses a table in a register, which is shorter than two products and handles both limbs
            // at once.
            #[inline(always)]
            fn square(self) -> (Self, Self) {
                let (low, high) = with_features!($token, $features, self.1, (a: $vector = self.0) -> ($vector, $vector) {
                    let $lane = _mm_set_epi64x(SQUARES[1].cast_signed(), SQUARES[0].cast_signed());
                    let squares = $broadcast;
                    let nibble = $set1_64(0x0f0f_0f0f_0f0f_0f0f);
                    let even = $shuffle8(squares, $and(a, nibble));
                    let odd = $shuffle8(squares, $and($srl(a, _mm_cvtsi32_si128(4)), nibble));
                    ($unpacklo(even, odd), $unpackhi(even, odd))
                });
                (Self(low, self.1), Self(high, self.1))
            }
        }
    };
}

macro_rules! one_lane {
    ($(#[$doc:meta])* $name:ident, $token:ident, $features:literal) => {
        lanes! {
            $(#[$doc])*
            $name(__m128i, $token, $features): 1;
            zero = _mm_setzero_si128, xor = _mm_xor_si128, and = _mm_and_si128, sll = _mm_sll_epi64, srl = _mm_srl_epi64,
            bsll = _mm_bslli_si128, bsrl = _mm_bsrli_si128, shuffle32 = _mm_shuffle_epi32, alignr = _mm_alignr_epi8,
            shuffle8 = _mm_shuffle_epi8, unpacklo = _mm_unpacklo_epi8, unpackhi = _mm_unpackhi_epi8,
            clmul = _mm_clmulepi64_si128, set1_64 = _mm_set1_epi64x,
            broadcast = |lane| lane,
            extract = |value, index| { debug_assert_eq!(index, 0); value },
        }
    };
}

one_lane! {
    /// One lane.
    PclmulqdqLane, Pclmulqdq, "sse4.1,pclmulqdq"
}

one_lane! {
    /// One lane, with the three-operand forms of AVX.
    VpclmulqdqLane, Vpclmulqdq, "avx2,pclmulqdq"
}

one_lane! {
    /// One lane, with the registers of AVX-512.
    Vpclmulqdq512Lane, Vpclmulqdq512, "avx512f,avx512bw,avx512vl,pclmulqdq,vpclmulqdq"
}

lanes! {
    /// Two lanes.
    VpclmulqdqLanes(__m256i, Vpclmulqdq, "avx2,pclmulqdq,vpclmulqdq"): 2;
    zero = _mm256_setzero_si256, xor = _mm256_xor_si256, and = _mm256_and_si256, sll = _mm256_sll_epi64, srl = _mm256_srl_epi64,
    bsll = _mm256_bslli_epi128, bsrl = _mm256_bsrli_epi128, shuffle32 = _mm256_shuffle_epi32, alignr = _mm256_alignr_epi8,
    shuffle8 = _mm256_shuffle_epi8, unpacklo = _mm256_unpacklo_epi8, unpackhi = _mm256_unpackhi_epi8,
    clmul = _mm256_clmulepi64_epi128, set1_64 = _mm256_set1_epi64x,
    broadcast = |lane| _mm256_broadcastsi128_si256(lane),
    extract = |value, index| if index == 0 { _mm256_castsi256_si128(value) } else { _mm256_extracti128_si256::<1>(value) },
}

lanes! {
    /// Four lanes.
    Vpclmulqdq512Lanes(__m512i, Vpclmulqdq512, "avx512f,avx512bw,avx512vl,avx512dq,avx2,pclmulqdq,vpclmulqdq"): 4;
    zero = _mm512_setzero_si512, xor = _mm512_xor_si512, and = _mm512_and_si512, sll = _mm512_sll_epi64, srl = _mm512_srl_epi64,
    bsll = _mm512_bslli_epi128, bsrl = _mm512_bsrli_epi128, shuffle32 = _mm512_shuffle_epi32, alignr = _mm512_alignr_epi8,
    shuffle8 = _mm512_shuffle_epi8, unpacklo = _mm512_unpacklo_epi8, unpackhi = _mm512_unpackhi_epi8,
    clmul = _mm512_clmulepi64_epi128, set1_64 = _mm512_set1_epi64,
    broadcast = |lane| _mm512_broadcast_i32x4(lane),
    extract = |value, index| match index {
        0 => _mm512_castsi512_si128(value),
        1 => _mm512_extracti32x4_epi32::<1>(value),
        2 => _mm512_extracti32x4_epi32::<2>(value),
        _ => _mm512_extracti32x4_epi32::<3>(value),
    },
}
