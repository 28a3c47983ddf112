//! The kernels of x86-64.

mod avx512;

use core::arch::x86_64::{
    __m128i, _mm_cvtsi128_si32, _mm_setr_epi32, _mm_shuffle_epi32, _mm256_extract_epi32, _mm256_setr_epi32,
};

use super::super::{avx2, avx512vl, ssse3};
use super::{Kernel, Lanes, plain_double_round, runs, some_words};
use crate::pending_poly1305::PendingPoly1305;
use crate::x86::{Avx2, Avx512Vl, Ssse3};

/// Blocks in a vector of the kernels that add blocks of Poly1305.
pub(super) const LANES: usize = 8;

/// Defines a function that runs a kernel on words in memory.
macro_rules! on_words {
    ($name:ident, $kernel:path) => {
        #[target_feature(enable = "avx2,bmi2")]
        fn $name(words: &Lanes<LANES>, count: u8, pending: &mut PendingPoly1305<'_>) -> Lanes<LANES> {
            let mut v = words.map(|lanes| {
                let [a, b, c, d, e, f, g, h] = lanes.map(u32::cast_signed);
                _mm256_setr_epi32(a, b, c, d, e, f, g, h)
            });
            // SAFETY: the caller has detected the features.
            #[allow(unused_unsafe, reason = "not every kernel is unsafe")]
            unsafe {
                $kernel(&mut v, count, pending);
            }
            v.map(|v| {
                let lanes = [
                    _mm256_extract_epi32::<0>(v),
                    _mm256_extract_epi32::<1>(v),
                    _mm256_extract_epi32::<2>(v),
                    _mm256_extract_epi32::<3>(v),
                    _mm256_extract_epi32::<4>(v),
                    _mm256_extract_epi32::<5>(v),
                    _mm256_extract_epi32::<6>(v),
                    _mm256_extract_epi32::<7>(v),
                ];
                lanes.map(i32::cast_unsigned)
            })
        }
    };
}

on_words!(with_avx2, avx2::double_rounds);
on_words!(with_avx512vl, avx512vl::double_rounds);

#[target_feature(enable = "ssse3")]
fn with_ssse3(words: &Lanes<4>, count: u8) -> Lanes<4> {
    let mut v: [__m128i; 16] = words.map(|lanes| {
        let [a, b, c, d] = lanes.map(u32::cast_signed);
        _mm_setr_epi32(a, b, c, d)
    });
    ssse3::double_rounds(&mut v, count);
    v.map(|v| {
        let lanes = [
            _mm_cvtsi128_si32(v),
            _mm_cvtsi128_si32(_mm_shuffle_epi32::<1>(v)),
            _mm_cvtsi128_si32(_mm_shuffle_epi32::<2>(v)),
            _mm_cvtsi128_si32(_mm_shuffle_epi32::<3>(v)),
        ];
        lanes.map(i32::cast_unsigned)
    })
}

/// Returns the kernels that add blocks of Poly1305 and whose instructions this CPU has.
pub(super) fn kernels() -> impl Iterator<Item = Kernel> {
    let avx2 = runs(Avx2::detect().is_some(), &["avx2"]).then_some(with_avx2 as Kernel);
    let avx512vl = runs(Avx512Vl::detect().is_some(), &["avx512", "avx512ifma"]).then_some(with_avx512vl as Kernel);
    avx2.into_iter().chain(avx512vl)
}

#[test]
fn rounds_without_blocks_are_those_of_plain_integers() {
    if !runs(Ssse3::detect().is_some(), &["ssse3", "avx2", "avx512", "avx512ifma"]) {
        return;
    }
    let words = some_words();
    let mut expected = words;
    for count in 0..=12 {
        // SAFETY: SSSE3 has been detected above.
        assert!(unsafe { with_ssse3(&words, count) } == expected, "{count} double rounds");
        plain_double_round(&mut expected);
    }
}
