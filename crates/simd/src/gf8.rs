//! The capability that byte-wise codes and secret sharing need: vectors of elements of GF(2^8).
//!
//! The field is GF(2)[x] modulo x^8 + x^4 + x^3 + x + 1 (0x11b), that of AES (FIPS 197, section 4)
//! and of the instruction `gf2p8mulb`; bit i of a byte is the coefficient of x^i.

use core::hint::black_box;

use crate::{Simd, Token};

/// A token with vectors of elements of GF(2^8), which proves what some ChaCha backend needs too, so
/// that one kernel can do both.
pub trait Gf8: Token {
    /// Vectors of field elements.
    type Bytes: Gf8Bytes<Token = Self>;
    /// The token for ChaCha that this one proves.
    type ChaCha: Simd;

    /// The token of [`Gf8::ChaCha`].
    fn for_chacha(self) -> Self::ChaCha;
}

/// A vector of elements of GF(2^8). All operations take the same time for all elements, and for all
/// factors that are not public.
pub trait Gf8Bytes: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Gf8<Bytes = Self>;
    /// A public factor, ready for use.
    type Factor: Copy;
    /// A factor that may be secret, ready for use.
    type SecretFactor: Copy;
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

    /// Prepares a public factor: it may be the index of a table.
    fn factor(token: Self::Token, factor: u8) -> Self::Factor;
    /// Prepares a factor in the same time for all.
    fn secret_factor(token: Self::Token, factor: u8) -> Self::SecretFactor;
    /// Prepares a vector.
    fn multiplicand(self) -> Self::Multiplicand;
    /// The products of all elements with `factor`.
    fn mul(multiplicand: Self::Multiplicand, factor: Self::Factor) -> Self;
    /// The same with a factor that may be secret.
    fn mul_secret(multiplicand: Self::Multiplicand, factor: Self::SecretFactor) -> Self;
}

/// For each factor, its products with 0 to 15, then those with 16 times 0 to 15: what byte shuffles
/// multiply with. The index is public.
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

/// The products of `factor` with x^0 to x^7, in the same time for all factors.
#[inline(always)]
pub(crate) fn multiples(factor: u8) -> [u64; 8] {
    // Hidden, lest the compiler know that a product with it is one of two values, and choose
    // between them by a branch.
    let polynomial = black_box(0x11b);
    let (mut multiples, mut multiple) = ([0; 8], u64::from(factor));
    for power in &mut multiples {
        *power = multiple;
        multiple = (multiple << 1) ^ ((multiple >> 7) * polynomial);
    }
    multiples
}

/// What [`NIBBLE_PRODUCTS`] has for `factor`, in little-endian words, computed in the same time for
/// all factors.
#[inline(always)]
#[allow(dead_code, reason = "not every target has shuffles")]
pub(crate) fn nibble_products(factor: u8) -> [u64; 4] {
    // In the bytes whose number has the bit.
    const WITH_BIT: [u64; 3] = [0x0100_0100_0100_0100, 0x0101_0000_0101_0000, 0x0101_0101_0000_0000];
    const ALL: u64 = 0x0101_0101_0101_0101;
    let [m0, m1, m2, m3, m4, m5, m6, m7] = multiples(factor);
    let low = (m0 * WITH_BIT[0]) ^ (m1 * WITH_BIT[1]) ^ (m2 * WITH_BIT[2]);
    let high = (m4 * WITH_BIT[0]) ^ (m5 * WITH_BIT[1]) ^ (m6 * WITH_BIT[2]);
    [low, low ^ (m3 * ALL), high, high ^ (m7 * ALL)]
}

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
    /// Variants differ by architecture; use [`dispatch_gf8!`](crate::dispatch_gf8) rather than a
    /// `match`.
    pub enum Gf8Level;
    /// Runs a kernel on the instruction set of a [`Gf8Level`]: see [`dispatch!`](crate::dispatch).
    macro dispatch_gf8;
    portable {
        Scalar(Scalar) "scalar" "Portable code, eight elements in an integer.";
    }
    x86 {
        Ssse3(x86::Ssse3) "ssse3" "Shuffles of 128 bits.";
        Avx2(x86::Avx2) "avx2" "Shuffles in vectors of 256 bits.";
        Gfni(x86::Gfni) "gfni" "An instruction for products, in vectors of 256 bits.";
        Avx512(x86::Avx512) "avx512" "Shuffles in vectors of 512 bits.";
        Gfni512(x86::Gfni512) "gfni512" "An instruction for products, in vectors of 512 bits.";
    }
    wasm {
        Simd128(wasm::Simd128) "simd128" "Table look-ups in vectors of WebAssembly.";
    }
    arm {
        Neon(arm::Neon) "neon" "Table look-ups in vectors of Arm.";
    }
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
            assert_eq!(nibble_products(a).map(u64::to_le_bytes).as_flattened(), table);
        }
    }

    #[inline(always)]
    fn multiply<G: Gf8>(token: G, factor: u8, bytes: &mut [u8; 256]) {
        let (public, secret) = (G::Bytes::factor(token, factor), G::Bytes::secret_factor(token, factor));
        for bytes in bytes.chunks_exact_mut(<G::Bytes as Gf8Bytes>::BYTES) {
            let multiplicand = G::Bytes::load(token, bytes).multiplicand();
            let product = G::Bytes::mul(multiplicand, public);
            product.xor(G::Bytes::zero(token)).store(bytes);
            let mut difference = [0xaa; 64];
            G::Bytes::mul_secret(multiplicand, secret).xor(product).store(&mut difference);
            assert!(difference[..bytes.len()].iter().all(|byte| *byte == 0), "{factor} as a secret");
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
