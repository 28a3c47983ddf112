//! Multiplication in GF(2^8) with table look-ups within vectors, by the method of `x86/gf8.rs`.

use core::arch::wasm32::*;

use super::Simd128;
use super::simd128::{load, operations, store};
use crate::gf8::{Gf8, Gf8Bytes, NIBBLE_PRODUCTS};
use crate::gf8::{nibble_products, store_nibble_values};
use crate::tuning::{self, Gf8MatrixTuning};

impl Gf8 for Simd128 {
    type Bytes = Simd128Bytes;
    type ChaCha = Self;

    #[inline(always)]
    fn for_chacha(self) -> Self {
        self
    }
}

/// Sixteen elements.
#[derive(Clone, Copy)]
pub struct Simd128Bytes(v128);

type Pair = (v128, v128);

impl Gf8Bytes for Simd128Bytes {
    type Token = Simd128;
    type Factor = Pair;
    type SecretFactor = Pair;
    type Multiplicand = Pair;
    type Map = Pair;
    const BYTES: usize = 16;
    const MAP_BYTES: usize = 32;
    const MATRIX: Gf8MatrixTuning = tuning::GF8_MATRIX_SIMD128;

    #[inline(always)]
    fn load(_: Simd128, bytes: &[u8]) -> Self {
        Self(load(bytes.first_chunk().expect("a whole vector")))
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        store(self.0, bytes.first_chunk_mut().expect("a whole vector"));
    }
    #[inline(always)]
    fn zero(_: Simd128) -> Self {
        Self(u64x2_splat(0))
    }

    operations! {
        xor = |a, b| v128_xor(a, b);
    }

    #[inline(always)]
    fn factor(token: Simd128, factor: u8) -> Pair {
        Self::load_map(token, &NIBBLE_PRODUCTS[usize::from(factor)])
    }
    #[inline(always)]
    fn secret_factor(_: Simd128, factor: u8) -> Pair {
        let words = nibble_products(factor);
        (u64x2(words[0], words[1]), u64x2(words[2], words[3]))
    }
    #[inline(always)]
    fn multiplicand(self) -> Pair {
        (v128_and(self.0, u8x16_splat(0x0f)), u8x16_shr(self.0, 4))
    }
    #[inline(always)]
    fn mul(nibbles: Pair, factor: Pair) -> Self {
        Self(v128_xor(u8x16_swizzle(factor.0, nibbles.0), u8x16_swizzle(factor.1, nibbles.1)))
    }
    #[inline(always)]
    fn mul_secret(nibbles: Pair, factor: Pair) -> Self {
        Self::mul(nibbles, factor)
    }

    #[inline(always)]
    fn store_map(values: &[u8; 8], memory: &mut [u8]) {
        store_nibble_values(values, memory);
    }
    #[inline(always)]
    fn load_map(_: Simd128, memory: &[u8]) -> Pair {
        let (halves, _) = memory.as_chunks();
        (load(&halves[0]), load(&halves[1]))
    }
    #[inline(always)]
    fn apply(nibbles: Pair, map: Pair) -> Self {
        Self::mul(nibbles, map)
    }
}
