//! Multiplication in GF(2^8) with table look-ups within vectors, by the method of `x86/gf8.rs`.

use super::intrinsics::*;

use super::Neon;
use super::neon::neon;
use crate::gf8::{Gf8, Gf8Bytes, NIBBLE_PRODUCTS};
use crate::gf8::{nibble_products, store_nibble_values};
use crate::tuning::{self, Gf8MatrixTuning};

impl Gf8 for Neon {
    type Bytes = NeonBytes;
    type ChaCha = Self;

    #[inline(always)]
    fn for_chacha(self) -> Self {
        self
    }
}

/// Sixteen elements.
#[derive(Clone, Copy)]
pub struct NeonBytes(uint8x16_t, Neon);

type Pair = (uint8x16_t, uint8x16_t);

impl Gf8Bytes for NeonBytes {
    type Token = Neon;
    type Factor = Pair;
    type SecretFactor = Pair;
    type Multiplicand = (Pair, Neon);
    type Map = Pair;
    const BYTES: usize = 16;
    const MAP_BYTES: usize = 32;
    const MATRIX: Gf8MatrixTuning = tuning::GF8_MATRIX_NEON;

    #[inline(always)]
    fn load(token: Neon, bytes: &[u8]) -> Self {
        let bytes: &[u8; 16] = bytes.first_chunk().expect("a whole vector");
        let vector = neon!(token, (bytes: &[u8; 16] = bytes) -> uint8x16_t {
            // SAFETY: the reference is valid for reading 16 bytes.
            unsafe { vld1q_u8(bytes.as_ptr()) }
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let bytes: &mut [u8; 16] = bytes.first_chunk_mut().expect("a whole vector");
        neon!(self.1, (a: uint8x16_t = self.0, bytes: &mut [u8; 16] = bytes) -> () {
            // SAFETY: the exclusive reference is valid for writing 16 bytes.
            unsafe { vst1q_u8(bytes.as_mut_ptr(), a) }
        });
    }
    #[inline(always)]
    fn zero(token: Neon) -> Self {
        Self(neon!(token, () -> uint8x16_t { vdupq_n_u8(0) }), token)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let sum = neon!(self.1, (a: uint8x16_t = self.0, b: uint8x16_t = other.0) -> uint8x16_t { veorq_u8(a, b) });
        Self(sum, self.1)
    }

    #[inline(always)]
    fn factor(token: Neon, factor: u8) -> Pair {
        Self::load_map(token, &NIBBLE_PRODUCTS[usize::from(factor)])
    }
    #[inline(always)]
    fn secret_factor(token: Neon, factor: u8) -> Pair {
        neon!(token, (factor: u8 = factor) -> Pair {
            let words = nibble_products(factor);
            let half = |low, high| vcombine_u8(vcreate_u8(low), vcreate_u8(high));
            (half(words[0], words[1]), half(words[2], words[3]))
        })
    }
    #[inline(always)]
    fn multiplicand(self) -> (Pair, Neon) {
        let nibbles = neon!(self.1, (a: uint8x16_t = self.0) -> Pair {
            (vandq_u8(a, vdupq_n_u8(0x0f)), vshrq_n_u8::<4>(a))
        });
        (nibbles, self.1)
    }
    #[inline(always)]
    fn mul(multiplicand: (Pair, Neon), factor: Pair) -> Self {
        let (nibbles, token) = multiplicand;
        let product = neon!(token, (m: Pair = nibbles, f: Pair = factor) -> uint8x16_t {
            veorq_u8(vqtbl1q_u8(f.0, m.0), vqtbl1q_u8(f.1, m.1))
        });
        Self(product, token)
    }
    #[inline(always)]
    fn mul_secret(multiplicand: (Pair, Neon), factor: Pair) -> Self {
        Self::mul(multiplicand, factor)
    }

    #[inline(always)]
    fn store_map(values: &[u8; 8], memory: &mut [u8]) {
        store_nibble_values(values, memory);
    }
    #[inline(always)]
    fn load_map(token: Neon, memory: &[u8]) -> Pair {
        let table: &[u8; 32] = memory.first_chunk().expect("both halves");
        neon!(token, (table: &[u8; 32] = table) -> Pair {
            // SAFETY: the reference is valid for reading 32 bytes.
            let pair = unsafe { vld1q_u8_x2(table.as_ptr()) };
            (pair.0, pair.1)
        })
    }
    #[inline(always)]
    fn apply(multiplicand: (Pair, Neon), map: Pair) -> Self {
        Self::mul(multiplicand, map)
    }
}
