//! Elements of GF(2^8) in 64-bit integers, which the compiler turns into vectors where the target
//! always has them.

use super::Scalar;
use crate::gf8::multiples;
use crate::gf8::{Gf8, Gf8Bytes};
use crate::tuning::{self, Gf8MatrixTuning};

/// Words in a vector: 128 bits.
const WORDS: usize = 2;
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const WITHOUT_HIGH_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// x^8 modulo the polynomial.
const REDUCTION: u64 = 0x1b;

/// Sixteen elements.
#[derive(Clone, Copy)]
pub struct ScalarBytes([u64; WORDS]);

impl Gf8 for Scalar {
    type Bytes = ScalarBytes;
    type ChaCha = Self;

    #[inline(always)]
    fn for_chacha(self) -> Self {
        self
    }
}

impl Gf8Bytes for ScalarBytes {
    type Token = Scalar;
    type Factor = u8;
    type SecretFactor = [u64; 8];
    type Multiplicand = Self;
    type Map = [u64; 8];
    const BYTES: usize = 8 * WORDS;
    const MAP_BYTES: usize = 8;
    const MATRIX: Gf8MatrixTuning = tuning::GF8_MATRIX_SCALAR;

    #[inline(always)]
    fn load(_: Scalar, bytes: &[u8]) -> Self {
        let words: &[[u8; 8]; WORDS] = bytes.as_chunks().0.first_chunk().expect("sixteen bytes");
        Self(words.map(u64::from_le_bytes))
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let words: &mut [[u8; 8]; WORDS] = bytes.as_chunks_mut().0.first_chunk_mut().expect("sixteen bytes");
        *words = self.0.map(u64::to_le_bytes);
    }
    #[inline(always)]
    fn zero(_: Scalar) -> Self {
        Self([0; WORDS])
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }

    #[inline(always)]
    fn factor(_: Scalar, factor: u8) -> u8 {
        factor
    }
    #[inline(always)]
    fn secret_factor(_: Scalar, factor: u8) -> [u64; 8] {
        multiples(factor)
    }
    #[inline(always)]
    fn multiplicand(self) -> Self {
        self
    }
    /// Doubles and adds, from the factor's low bit up. The branch is on the factor, which is
    /// public.
    #[inline(always)]
    fn mul(mut multiple: Self, factor: u8) -> Self {
        let mut product = Self([0; WORDS]);
        let mut rest = factor;
        loop {
            let mask = u64::from(rest & 1).wrapping_neg();
            product = product.xor(Self([multiple.0[0] & mask, multiple.0[1] & mask]));
            rest >>= 1;
            if rest == 0 {
                return product;
            }
            multiple = multiple.double();
        }
    }
    /// Multiplies by a secret factor. Each bit of an element selects a multiple of the factor: an
    /// integer multiplication does this for all bytes, without carries between them.
    #[inline(always)]
    fn mul_secret(multiplicand: Self, factor: [u64; 8]) -> Self {
        let mut product = [0; WORDS];
        for (word, product) in multiplicand.0.iter().zip(&mut product) {
            for (bit, multiple) in factor.iter().enumerate() {
                *product ^= (word >> bit & LOW_BITS) * multiple;
            }
        }
        Self(product)
    }

    #[inline(always)]
    fn store_map(values: &[u8; 8], memory: &mut [u8]) {
        memory[..8].copy_from_slice(values);
    }
    #[inline(always)]
    fn load_map(_: Scalar, memory: &[u8]) -> [u64; 8] {
        let values: &[u8; 8] = memory.first_chunk().expect("eight bytes");
        values.map(u64::from)
    }
    #[inline(always)]
    fn apply(multiplicand: Self, map: [u64; 8]) -> Self {
        Self::mul_secret(multiplicand, map)
    }
}

impl ScalarBytes {
    #[inline(always)]
    fn double(self) -> Self {
        let double = |word: u64| ((word & WITHOUT_HIGH_BITS) << 1) ^ ((word >> 7 & LOW_BITS) * REDUCTION);
        Self([double(self.0[0]), double(self.0[1])])
    }
}
