//! The capability that byte-wise codes and secret sharing need: vectors of elements of GF(2^8).
//!
//! The field is GF(2)[x] modulo x^8 + x^4 + x^3 + x + 1 (0x11b), that of AES (FIPS 197, section 4) and of the instruction
//! `gf2p8mulb`; bit i of a byte is the coefficient of x^i.

use crate::{Simd, Token};

/// A token with vectors of elements of GF(2^8), which proves what some ChaCha backend needs too, so that one kernel can do both.
pub trait Gf8: Token {
    /// Vectors of field elements.
    type Bytes: Gf8Bytes<Token = Self>;
    /// The token for ChaCha that this one proves.
    type ChaCha: Simd;

    /// The token of [`Gf8::ChaCha`].
    fn for_chacha(self) -> Self::ChaCha;
}

/// A vector of elements of GF(2^8). All operations take the same time for all elements; factors are public.
pub trait Gf8Bytes: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Gf8<Bytes = Self>;
    /// A public factor, ready for use.
    type Factor: Copy;
    /// A vector, ready to be multiplied by several factors.
    type Multiplicand: Copy;

    /// Number of elements: 64 or a divisor of it.
    const BYTES: usize;

    /// The first [`Gf8Bytes::BYTES`] of `bytes`.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(token: Self::Token, bytes: &[u8]) -> Self;
    /// Writes the elements to the first [`Gf8Bytes::BYTES`] of `bytes`.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, bytes: &mut [u8]);
    /// All elements 0.
    fn zero(token: Self::Token) -> Self;
    /// The sum, which is the difference too.
    #[must_use]
    fn xor(self, other: Self) -> Self;

    /// Prepares a factor.
    fn factor(token: Self::Token, factor: u8) -> Self::Factor;
    /// Prepares a vector.
    fn multiplicand(self) -> Self::Multiplicand;
    /// The products of all elements with `factor`.
    fn mul(multiplicand: Self::Multiplicand, factor: Self::Factor) -> Self;
}

/// For each factor, its products with 0 to 15, then those with 16 times 0 to 15: what byte shuffles multiply with. The index is
/// public.
pub static NIBBLE_PRODUCTS: [[u8; 32]; 256] = {
    let mut tables = [[0; 32]; 256];
    let mut factor = 0;
    while factor < 256 {
        let mut nibble = 0;
        while nibble < 16 {
            tables[factor][nibble] = gf8_mul(factor as u8, nibble as u8);
            tables[factor][16 + nibble] = gf8_mul(factor as u8, (nibble << 4) as u8);
            nibble += 1;
        }
        factor += 1;
    }
    tables
};

/// The product of two field elements. Takes the same time for all.
#[must_use]
pub const fn gf8_mul(a: u8, b: u8) -> u8 {
    let (mut multiple, mut product, mut bit) = (a, 0, 0);
    while bit < 8 {
        product ^= multiple & (b >> bit & 1).wrapping_neg();
        multiple = (multiple << 1) ^ (0x1b & (multiple >> 7).wrapping_neg());
        bit += 1;
    }
    product
}

levels! { $
    /// An instruction set for arithmetic of [`Gf8`] that this CPU was found to have, as a token.
    ///
    /// Variants differ by architecture; use [`dispatch_gf8!`](crate::dispatch_gf8) rather than a `match`.
    pub enum Gf8Level;
    /// Runs a kernel on the instruction set of a [`Gf8Level`]: see [`dispatch!`](crate::dispatch).
    macro dispatch_gf8;
    Scalar(Scalar) "scalar" "Portable code, eight elements in an integer.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Ssse3(x86::Ssse3) "ssse3" "Shuffles of 128 bits.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Avx2(x86::Avx2) "avx2" "Shuffles in vectors of 256 bits.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Gfni(x86::Gfni) "gfni" "An instruction for products, in vectors of 256 bits.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Avx512(x86::Avx512) "avx512" "Shuffles in vectors of 512 bits.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Gfni512(x86::Gfni512) "gfni512" "An instruction for products, in vectors of 512 bits.";
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Neon(aarch64::Neon) "neon" "Table look-ups in vectors of AArch64.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LevelList;

    /// FIPS 197, section 4.2: {57} • {83} = {c1}; section 4.2.1: {57} • {13} = {fe}.
    #[test]
    fn products_are_those_of_fips_197() {
        assert_eq!(gf8_mul(0x57, 0x83), 0xc1);
        assert_eq!(gf8_mul(0x57, 0x13), 0xfe);
    }

    #[test]
    fn the_tables_hold_all_products() {
        for a in 0..=255 {
            let table = &NIBBLE_PRODUCTS[usize::from(a)];
            for b in 0..=255_u8 {
                assert_eq!(table[usize::from(b & 15)] ^ table[16 + usize::from(b >> 4)], gf8_mul(a, b));
            }
        }
    }

    #[inline(always)]
    fn multiply<G: Gf8>(token: G, factor: u8, bytes: &mut [u8; 256]) {
        let factor = G::Bytes::factor(token, factor);
        for bytes in bytes.chunks_exact_mut(<G::Bytes as Gf8Bytes>::BYTES) {
            let product = G::Bytes::mul(G::Bytes::load(token, bytes).multiplicand(), factor);
            product.xor(G::Bytes::zero(token)).store(bytes);
        }
    }

    #[test]
    fn every_backend_multiplies_all_elements() {
        for level in Gf8Level::available() {
            for factor in 0..=255 {
                let mut bytes: [u8; 256] = core::array::from_fn(|i| i as u8);
                dispatch_gf8!(level, token => multiply(token, factor, &mut bytes));
                for (i, byte) in (0..=255).zip(bytes) {
                    assert_eq!(byte, gf8_mul(i, factor), "{i} by {factor} on {level:?}");
                }
            }
        }
    }
}
