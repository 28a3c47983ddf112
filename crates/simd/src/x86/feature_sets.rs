//! The features that the compiler may use where those of a token are enabled.

use crate::cpuid::Features;

/// Where `ssse3` is enabled.
pub(super) const SSSE3: Features = Features::SSE2.union(Features::SSE3).union(Features::SSSE3);

/// Where `avx2` and `bmi2` are enabled.
pub(super) const AVX2: Features = SSSE3
    .union(Features::SSE41)
    .union(Features::SSE42)
    .union(Features::AVX)
    .union(Features::AVX2)
    .union(Features::BMI2);

/// Where those of the token `Avx512` are enabled.
pub(super) const AVX512: Features = AVX2
    .union(Features::FMA)
    .union(Features::F16C)
    .union(Features::AVX512F)
    .union(Features::AVX512BW)
    .union(Features::AVX512VL)
    .union(Features::AVX512DQ);
