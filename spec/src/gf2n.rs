//! GF(2^n) as polynomials over GF(2), bit by bit.
//!
//! Products are computed by shifting and adding, remainders by long division, inverses by the
//! extended Euclidean algorithm. Irreducibility is decided by Rabin's test.

use alloc::vec;
use alloc::vec::Vec;

/// The fields: n, and a, b, c of x^n + x^a + x^b + x^c + 1.
pub const FIELDS: [(usize, [usize; 3]); 13] = [
    (8, [4, 3, 1]),
    (16, [5, 3, 1]),
    (32, [7, 3, 2]),
    (64, [4, 3, 1]),
    (128, [7, 2, 1]),
    (192, [7, 2, 1]),
    (256, [10, 5, 2]),
    (384, [12, 3, 2]),
    (512, [8, 5, 2]),
    (768, [19, 17, 4]),
    (1024, [19, 6, 1]),
    (1536, [21, 6, 2]),
    (2048, [19, 14, 13]),
];

/// A polynomial over GF(2): the coefficients, the constant term first, without zeros at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial(Vec<bool>);

impl Polynomial {
    fn trimmed(mut coefficients: Vec<bool>) -> Self {
        while coefficients.last() == Some(&false) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// Returns the sum of these powers of x.
    #[must_use]
    pub fn powers(powers: &[usize]) -> Self {
        let mut coefficients = vec![false; powers.iter().max().map_or(0, |power| power + 1)];
        for &power in powers {
            coefficients[power] ^= true;
        }
        Self::trimmed(coefficients)
    }

    /// Returns the polynomial of the field of this degree.
    ///
    /// # Panics
    /// If there is no such field.
    #[must_use]
    pub fn modulus(bits: usize) -> Self {
        let (n, [a, b, c]) = *FIELDS.iter().find(|(n, _)| *n == bits).expect("a degree that has a field");
        Self::powers(&[n, a, b, c, 0])
    }

    /// Returns the polynomial in which bit i of byte j is the coefficient of x^(8j + i).
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::trimmed(bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1)).collect())
    }

    /// Returns the bytes of the polynomial: see [`Polynomial::from_bytes`].
    ///
    /// # Panics
    /// If the polynomial does not fit into `length` bytes.
    #[must_use]
    pub fn to_bytes(&self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        for (i, &bit) in self.0.iter().enumerate() {
            bytes[i / 8] |= u8::from(bit) << (i % 8);
        }
        bytes
    }

    /// Returns the degree, or `None` for zero.
    #[must_use]
    pub fn degree(&self) -> Option<usize> {
        self.0.len().checked_sub(1)
    }

    /// Returns the sum, which is the difference too.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let coefficient = |p: &Self, i: usize| p.0.get(i).copied().unwrap_or(false);
        let length = self.0.len().max(other.0.len());
        Self::trimmed((0..length).map(|i| coefficient(self, i) ^ coefficient(other, i)).collect())
    }

    /// Returns the product.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        let mut product = vec![false; self.0.len() + other.0.len()];
        for (i, _) in self.0.iter().enumerate().filter(|(_, bit)| **bit) {
            for (j, bit) in other.0.iter().enumerate() {
                product[i + j] ^= bit;
            }
        }
        Self::trimmed(product)
    }

    /// Returns the quotient and the remainder.
    ///
    /// # Panics
    /// If the divisor is zero.
    #[must_use]
    pub fn divide(&self, divisor: &Self) -> (Self, Self) {
        let degree = divisor.degree().expect("a divisor that is not zero");
        let ones: Vec<usize> = (0..=degree).filter(|&i| divisor.0[i]).collect();
        let mut remainder = self.0.clone();
        let mut quotient = vec![false; self.0.len().saturating_sub(degree)];
        for i in (0..quotient.len()).rev() {
            quotient[i] = remainder[i + degree];
            if quotient[i] {
                ones.iter().for_each(|one| remainder[i + one] ^= true);
            }
        }
        (Self::trimmed(quotient), Self::trimmed(remainder))
    }

    /// Returns the product modulo a polynomial.
    #[must_use]
    pub fn multiply_mod(&self, other: &Self, modulus: &Self) -> Self {
        self.multiply(other).divide(modulus).1
    }

    /// Returns the square modulo a polynomial. Squaring puts a zero between neighbouring
    /// coefficients.
    #[must_use]
    pub fn square_mod(&self, modulus: &Self) -> Self {
        Self(self.0.iter().flat_map(|&bit| [false, bit]).skip(1).collect()).divide(modulus).1
    }

    /// Returns the inverse modulo an irreducible polynomial, or `None` for zero.
    #[must_use]
    pub fn invert_mod(&self, modulus: &Self) -> Option<Self> {
        let (mut r, mut next_r) = (modulus.clone(), self.divide(modulus).1);
        let (mut s, mut next_s) = (Self::powers(&[]), Self::powers(&[0]));
        while next_r.degree().is_some() {
            let (quotient, remainder) = r.divide(&next_r);
            (r, next_r) = (next_r, remainder);
            let sum = s.add(&quotient.multiply(&next_s));
            (s, next_s) = (next_s, sum);
        }
        (r.degree() == Some(0)).then(|| s.divide(modulus).1)
    }

    /// Returns the greatest common divisor.
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while b.degree().is_some() {
            let remainder = a.divide(&b).1;
            (a, b) = (b, remainder);
        }
        a
    }

    /// Returns whether the polynomial is irreducible (Rabin, "Probabilistic algorithms in finite
    /// fields", 1980).
    ///
    /// A polynomial f of degree n is irreducible if and only if it divides x^(2^n) - x, and has no
    /// factor in common with x^(2^(n/p)) - x for any prime p that divides n.
    #[must_use]
    pub fn is_irreducible(&self) -> bool {
        let Some(n) = self.degree().filter(|&n| n > 0) else {
            return false;
        };
        let x = Self::powers(&[1]);
        let is_prime = |p: usize| (2..p).all(|d| !p.is_multiple_of(d));
        let exponents: Vec<usize> = (2..=n).filter(|&p| n.is_multiple_of(p) && is_prime(p)).map(|p| n / p).collect();
        let mut power = x.divide(self).1;
        for i in 1..=n {
            power = power.square_mod(self);
            if exponents.contains(&i) && power.add(&x).gcd(self).degree() != Some(0) {
                return false;
            }
        }
        power == x.divide(self).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_of_irreducibility_knows_all_polynomials_of_low_degree() {
        for bits in 2..1_u8 << 7 {
            let polynomial = Polynomial::from_bytes(&[bits]);
            let divides = |d: u8| polynomial.divide(&Polynomial::from_bytes(&[d])).1.degree().is_none();
            assert_eq!(polynomial.is_irreducible(), (2..bits).all(|d| !divides(d)), "{bits:#b}");
        }
    }

    #[test]
    fn every_modulus_is_irreducible() {
        for (bits, [a, b, c]) in FIELDS {
            assert!(bits > a && a > b && b > c && c > 0);
            assert!(Polynomial::modulus(bits).is_irreducible(), "{bits}");
        }
    }

    /// FIPS 197, section 4.2: {57}·{83} = {c1}, and {53} and {ca} are inverse.
    #[test]
    fn the_examples_of_aes() {
        let modulus = Polynomial::modulus(8);
        let byte = |byte| Polynomial::from_bytes(&[byte]);
        assert_eq!(byte(0x57).multiply_mod(&byte(0x83), &modulus), byte(0xc1));
        assert_eq!(byte(0x53).invert_mod(&modulus), Some(byte(0xca)));
        assert_eq!(byte(0).invert_mod(&modulus), None);
        assert_eq!(byte(0x57).square_mod(&modulus), byte(0x57).multiply_mod(&byte(0x57), &modulus));
    }
}
