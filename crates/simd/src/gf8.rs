//! Vectors of elements of GF(2^8), the capability for byte-wise codes and secret sharing.
//!
//! The field is GF(2)[x] modulo x^8 + x^4 + x^3 + x + 1 (0x11b), as in AES (FIPS 197, section 4)
//! and in the instruction `gf2p8mulb`; bit i of a byte is the coefficient of x^i. In a field with
//! another polynomial, multiplication by a constant is a linear map over GF(2): see
//! [`Gf8Bytes::Map`].

use core::hint::black_box;

use crate::map_array::map_array;
use crate::simd::Simd;
use crate::token::Token;
use crate::tuning::Gf8MatrixTuning;

/// A token with vectors of elements of GF(2^8). It also proves the features of some ChaCha backend,
/// so that one kernel can use both.
///
/// ```
/// use sealane_simd::{Gf8, Gf8Bytes, Gf8Level, LevelList, dispatch_gf8};
///
/// /// Multiplies each byte by a factor that may be secret. The length is that of whole vectors.
/// #[inline(always)]
/// fn multiply<G: Gf8>(token: G, factor: u8, bytes: &mut [u8]) {
///     let factor = G::Bytes::secret_factor(token, factor);
///     for bytes in bytes.chunks_exact_mut(G::Bytes::BYTES) {
///         let multiplicand = G::Bytes::load(token, bytes).multiplicand();
///         G::Bytes::mul_secret(multiplicand, factor).store(bytes);
///     }
/// }
///
/// // FIPS 197, section 4.2.
/// let (level, mut bytes) = (Gf8Level::detect(), [0x57; 64]);
/// dispatch_gf8!(level, token => multiply(token, 0x83, &mut bytes));
/// assert_eq!(bytes, [0xc1; 64]);
/// ```
pub trait Gf8: Token {
    /// Vectors of field elements.
    type Bytes: Gf8Bytes<Token = Self>;
    /// The token for ChaCha that this one proves.
    type ChaCha: Simd;

    /// Returns the token of [`Gf8::ChaCha`].
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
    /// A map from bytes to bytes that is linear over GF(2), ready for use. It may be secret. An
    /// example is multiplication by a constant in a field with any polynomial.
    type Map: Copy;

    /// Number of elements: 64 or a divisor of it.
    const BYTES: usize;
    /// Length in bytes of a map in memory.
    const MAP_BYTES: usize;
    /// The measured shape of matrix products.
    const MATRIX: Gf8MatrixTuning;

    /// Returns the first [`Gf8Bytes::BYTES`] of `bytes`.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(token: Self::Token, bytes: &[u8]) -> Self;
    /// Writes the elements to the first [`Gf8Bytes::BYTES`] of `bytes`.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, bytes: &mut [u8]);
    /// Returns a vector of zeros.
    fn zero(token: Self::Token) -> Self;
    /// Returns the sum, which is the difference too.
    #[must_use]
    fn xor(self, other: Self) -> Self;

    /// Prepares a public factor, which may serve as a table index.
    fn factor(token: Self::Token, factor: u8) -> Self::Factor;
    /// Prepares a factor, in the same time for all factors.
    fn secret_factor(token: Self::Token, factor: u8) -> Self::SecretFactor;
    /// Prepares a vector for multiplications.
    fn multiplicand(self) -> Self::Multiplicand;
    /// Returns the products of all elements with `factor`.
    fn mul(multiplicand: Self::Multiplicand, factor: Self::Factor) -> Self;
    /// Returns the products of all elements with a factor that may be secret.
    fn mul_secret(multiplicand: Self::Multiplicand, factor: Self::SecretFactor) -> Self;

    /// Writes a map to the first [`Gf8Bytes::MAP_BYTES`] of `memory`, in the same time for all
    /// maps. `values` are its values at x^0 to x^7.
    ///
    /// # Panics
    /// If there are fewer.
    fn store_map(values: &[u8; 8], memory: &mut [u8]);
    /// Prepares the map that [`Gf8Bytes::store_map`] wrote.
    ///
    /// # Panics
    /// If `memory` is shorter than [`Gf8Bytes::MAP_BYTES`].
    fn load_map(token: Self::Token, memory: &[u8]) -> Self::Map;
    /// Returns the values of a map at all elements.
    fn apply(multiplicand: Self::Multiplicand, map: Self::Map) -> Self;
}

/// For each factor, its products with 0 to 15, then those with 16 times 0 to 15. Byte shuffles use
/// these tables to multiply. The factor, which is the index, is public.
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

/// The polynomial of [`Gf8Bytes::mul`].
const AES: u16 = 0x11b;

/// Returns the products of `factor` with x^0 to x^7 modulo a polynomial of degree 8, which is
/// public, in the same time for all factors.
#[inline(always)]
#[must_use]
pub fn gf8_multiples(factor: u8, polynomial: u16) -> [u8; 8] {
    // Hidden from the compiler, which could otherwise find that the product below has only two
    // possible values, and branch.
    let polynomial = black_box(u64::from(polynomial));
    let (mut multiples, mut multiple) = ([0; 8], u64::from(factor));
    for power in &mut multiples {
        *power = multiple as u8;
        multiple = (multiple << 1) ^ ((multiple >> 7) * polynomial);
    }
    multiples
}

/// Does the same as [`gf8_multiples`], modulo the polynomial of [`Gf8Bytes::mul`].
#[inline(always)]
pub(crate) fn multiples(factor: u8) -> [u64; 8] {
    map_array(gf8_multiples(factor, AES), u64::from)
}

/// Returns the row of [`NIBBLE_PRODUCTS`] for `factor`, in little-endian words, computed in the
/// same time for all factors.
#[inline(always)]
#[allow(dead_code, reason = "not every target has shuffles")]
pub(crate) fn nibble_products(factor: u8) -> [u64; 4] {
    nibble_values(multiples(factor))
}

/// Computes the values of a linear map at 0 to 15 and at 16 times 0 to 15, in little-endian words.
/// `values` are the map's values at x^0 to x^7. The time is the same for all maps.
#[inline(always)]
#[allow(dead_code, reason = "not every target has shuffles")]
pub(crate) fn nibble_values(values: [u64; 8]) -> [u64; 4] {
    // For each bit, a mask of the bytes whose index has that bit.
    const WITH_BIT: [u64; 3] = [0x0100_0100_0100_0100, 0x0101_0000_0101_0000, 0x0101_0101_0000_0000];
    const ALL: u64 = 0x0101_0101_0101_0101;
    let [m0, m1, m2, m3, m4, m5, m6, m7] = values;
    let low = (m0 * WITH_BIT[0]) ^ (m1 * WITH_BIT[1]) ^ (m2 * WITH_BIT[2]);
    let high = (m4 * WITH_BIT[0]) ^ (m5 * WITH_BIT[1]) ^ (m6 * WITH_BIT[2]);
    [low, low ^ (m3 * ALL), high, high ^ (m7 * ALL)]
}

/// Writes the tables of [`nibble_values`], with which byte shuffles apply a map, to `memory`.
#[inline(always)]
#[allow(dead_code, reason = "not every target has shuffles")]
pub(crate) fn store_nibble_values(values: &[u8; 8], memory: &mut [u8]) {
    let words = nibble_values(values.map(u64::from));
    memory[..32].copy_from_slice(words.map(u64::to_le_bytes).as_flattened());
}

/// Returns the product of two field elements. Takes the same time for all.
#[must_use]
pub const fn gf8_mul(a: u8, b: u8) -> u8 {
    gf8_mul_modulo(a, b, AES)
}

/// Returns the product of two bytes as polynomials over GF(2), modulo a polynomial of degree 8,
/// which is public. Takes the same time for all.
#[must_use]
pub const fn gf8_mul_modulo(a: u8, b: u8, polynomial: u16) -> u8 {
    // Hidden from the compiler, which could otherwise find that the masks below have only two
    // possible values, and branch.
    let (one, mut multiple) = (black_box(1), black_box(a as u32));
    let (b, polynomial) = (b as u32, polynomial as u32);
    let (mut product, mut bit) = (0, 0);
    while bit < 8 {
        product ^= multiple & (b >> bit & one).wrapping_neg();
        multiple = (multiple << 1) ^ (polynomial & (multiple >> 7 & one).wrapping_neg());
        bit += 1;
    }
    product as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Gf8Level;
    use crate::level_list::LevelList;

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

    /// Applies a map, through memory.
    #[inline(always)]
    fn apply<G: Gf8>(token: G, values: &[u8; 8], bytes: &mut [u8; 256]) {
        let mut memory = [0; 40];
        G::Bytes::store_map(values, &mut memory);
        assert_eq!(memory[G::Bytes::MAP_BYTES..], [0; 40][G::Bytes::MAP_BYTES..], "writes no more than a map");
        let map = G::Bytes::load_map(token, &memory);
        for bytes in bytes.chunks_exact_mut(<G::Bytes as Gf8Bytes>::BYTES) {
            G::Bytes::apply(G::Bytes::load(token, bytes).multiplicand(), map).store(bytes);
        }
    }

    #[test]
    fn every_backend_applies_linear_maps() {
        // Multiplying by x in the field of 0x11d: x^7 becomes x^4 + x^3 + x^2 + 1.
        assert_eq!(gf8_multiples(2, 0x11d), [2, 4, 8, 16, 32, 64, 128, 0x1d]);
        assert_eq!(gf8_mul_modulo(0x80, 2, 0x11d), 0x1d);
        // Multiplication by each constant in two fields, and maps that are not multiplications:
        // each takes one bit of the argument to one bit of the value.
        let products = (0..=255).flat_map(|factor| [0x11b, 0x11d].map(|modulus| gf8_multiples(factor, modulus)));
        let single = (0..64).map(|bit| (1_u64 << bit).to_le_bytes());
        for values in products.chain(single) {
            let value = |a: u8| (0..8).fold(0, |sum, bit| sum ^ (values[bit] * (a >> bit & 1)));
            for level in Gf8Level::available() {
                let mut bytes: [u8; 256] = core::array::from_fn(|i| i as u8);
                dispatch_gf8!(level, token => apply(token, &values, &mut bytes));
                assert_eq!(bytes, core::array::from_fn(|i| value(i as u8)), "{values:?} on {level:?}");
            }
        }
    }

    #[test]
    fn multiples_are_products() {
        for polynomial in [0x11b, 0x11d] {
            for factor in 0..=255 {
                let products = core::array::from_fn(|bit| gf8_mul_modulo(factor, 1 << bit, polynomial));
                assert_eq!(gf8_multiples(factor, polynomial), products);
            }
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
