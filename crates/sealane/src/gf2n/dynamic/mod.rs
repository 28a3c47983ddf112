//! Fields GF(2^n) whose degree is chosen at run time.

mod accumulator;
mod element;
mod limbs;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use sealane_simd::ClmulLevel;
use zeroize::Zeroizing;

use self::accumulator::Accumulator;
pub use self::element::DynamicElement;
use self::limbs::{add_shifted, degree};
use super::field::FIELDS;
use super::poly::Exponents;
use crate::backend::ClmulBackend;

/// A field GF(2^n) = GF(2)\[x\] / (x^n + x^a + x^b + x^c + 1) whose degree is chosen at run time.
///
/// One piece of code serves all degrees, which suits formats that allow many of them.
/// [`Gf2n`](super::Gf2n) is faster: it has thirteen fields, each with separate code.
///
/// Sums and products take the same time for all elements of a field. An element belongs to the
/// field that made it. With elements of another field, results mean nothing, and functions may
/// panic.
///
/// ```
/// use sealane::gf2n::DynamicField;
///
/// // The example of FIPS 197, section 4.2.
/// let field = DynamicField::of_degree(8).unwrap();
/// let product = field.multiply(&field.from_be_bytes(&[0x57]), &field.from_be_bytes(&[0x83]));
/// assert_eq!(*product.to_be_bytes(&field), [0xc1]);
/// ```
#[derive(Clone, Copy)]
pub struct DynamicField {
    bits: usize,
    exponents: Exponents,
    level: ClmulLevel,
}

impl DynamicField {
    /// The largest degree.
    pub const MAX_BITS: usize = 2048;

    /// Returns the field of degree `bits` with the exponents a, b and c, the greatest first.
    ///
    /// Returns `None` unless `bits` is a multiple of 8, from 8 to [`MAX_BITS`](Self::MAX_BITS), and
    /// a > b > c > 0, where a is below 64 and at most half the degree. The caller must know that
    /// the polynomial is irreducible: this is not checked.
    #[must_use]
    pub fn new(bits: usize, exponents: [u32; 3]) -> Option<Self> {
        let [a, b, c] = exponents;
        let is_degree = bits.is_multiple_of(8) && (8..=Self::MAX_BITS).contains(&bits);
        let are_exponents = a > b && b > c && c > 0 && a < 64 && 2 * a as usize <= bits;
        (is_degree && are_exponents).then(|| Self { bits, exponents, level: ClmulBackend::detect().level() })
    }

    /// Returns the field of [`Gf2n<bits>`](super::Gf2n), or `None` if there is no such field.
    #[must_use]
    pub fn of_degree(bits: usize) -> Option<Self> {
        let (_, exponents) = *FIELDS.iter().find(|(degree, _)| *degree == bits)?;
        Self::new(bits, exponents)
    }

    /// Returns the same field on another backend.
    #[must_use]
    pub fn with_backend(self, backend: ClmulBackend) -> Self {
        Self { level: backend.level(), ..self }
    }

    /// Returns n, the degree.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the length of an element in bytes: n / 8.
    #[must_use]
    pub fn element_len(&self) -> usize {
        self.bits / 8
    }

    fn limbs(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// Returns the neutral element of addition.
    #[must_use]
    pub fn zero(&self) -> DynamicElement {
        DynamicElement(Zeroizing::new(vec![0; self.limbs()]))
    }

    /// Returns the neutral element of multiplication.
    #[must_use]
    pub fn one(&self) -> DynamicElement {
        let mut one = self.zero();
        one.0[0] = 1;
        one
    }

    /// Returns the element with bit i of `bits` as the coefficient of x^i, or `None` if the field
    /// has no such element.
    #[must_use]
    pub fn from_bits(&self, bits: u64) -> Option<DynamicElement> {
        if self.bits < 64 && bits >> self.bits != 0 {
            return None;
        }
        let mut element = self.zero();
        element.0[0] = bits;
        Some(element)
    }

    /// Returns the element that these bytes encode, the coefficient of x^(n-1) first. Every string
    /// of n / 8 bytes encodes an element.
    ///
    /// The order is the opposite of [`Element::from_bytes`](super::Element::from_bytes).
    ///
    /// # Panics
    /// If there are not n / 8 bytes.
    #[must_use]
    pub fn from_be_bytes(&self, bytes: &[u8]) -> DynamicElement {
        assert_eq!(bytes.len(), self.element_len(), "an element of another length");
        let mut element = self.zero();
        for (i, &byte) in bytes.iter().rev().enumerate() {
            element.0[i / 8] |= u64::from(byte) << (i % 8 * 8);
        }
        element
    }

    /// Returns a·b.
    ///
    /// # Panics
    /// If an element belongs to a field with another number of limbs.
    #[must_use]
    pub fn multiply(&self, a: &DynamicElement, b: &DynamicElement) -> DynamicElement {
        let mut product = Accumulator::new(self);
        product.add_product(a, b);
        product.reduced()
    }

    /// Returns the value at `x` of the polynomial with these coefficients, the constant one first.
    ///
    /// # Panics
    /// If there are several coefficients and `x` belongs to a field with another number of limbs.
    #[must_use]
    pub fn evaluate(&self, coefficients: &[DynamicElement], x: &DynamicElement) -> DynamicElement {
        let Some((highest, others)) = coefficients.split_last() else { return self.zero() };
        let mut product = Accumulator::new(self);
        let mut value = highest.clone();
        for coefficient in others.iter().rev() {
            product.clear();
            product.add_product(&value, x);
            value.0.copy_from_slice(product.reduce());
            value += coefficient;
        }
        value
    }

    /// Returns the sum of a(i)·b(i). The slices are equally long.
    ///
    /// # Panics
    /// If an element belongs to a field with another number of limbs.
    pub(crate) fn dot_product(&self, a: &[DynamicElement], b: &[DynamicElement]) -> DynamicElement {
        let mut products = Accumulator::new(self);
        for (a, b) in a.iter().zip(b) {
            products.add_product(a, b);
        }
        products.reduced()
    }

    /// Adds term·x^j to each sum j.
    ///
    /// # Panics
    /// If an element belongs to a field with another number of limbs.
    pub(crate) fn add_powers(&self, sums: &mut [DynamicElement], mut term: DynamicElement, x: &DynamicElement) {
        let mut product = Accumulator::new(self);
        for sum in sums {
            *sum += &term;
            product.clear();
            product.add_product(&term, x);
            term.0.copy_from_slice(product.reduce());
        }
    }

    /// Returns a/b. The time depends on b, which must be public and not zero.
    ///
    /// # Panics
    /// If b is zero.
    pub(crate) fn divide_by_public(&self, a: &DynamicElement, b: &DynamicElement) -> DynamicElement {
        self.multiply(a, &self.invert_public(b))
    }

    /// Replaces each element by its inverse. The elements must be public and not zero.
    ///
    /// This is Montgomery's trick: one inversion in all, and three multiplications for each
    /// element.
    pub(crate) fn invert_all_public(&self, elements: &mut [DynamicElement]) {
        let mut product = self.one();
        let mut before = Vec::with_capacity(elements.len());
        for element in &*elements {
            let next = self.multiply(&product, element);
            before.push(core::mem::replace(&mut product, next));
        }
        let mut inverse = self.invert_public(&product);
        for (element, before) in elements.iter_mut().zip(before).rev() {
            let next = self.multiply(&inverse, element);
            *element = self.multiply(&inverse, &before);
            inverse = next;
        }
    }

    /// Returns the inverse of an element that is public and not zero, by Euclid's algorithm.
    fn invert_public(&self, a: &DynamicElement) -> DynamicElement {
        // Invariants: u ≡ g·a and v ≡ h·a modulo the polynomial.
        let limbs = self.bits / 64 + 1;
        let mut u: Vec<u64> = a.0.iter().copied().chain([0]).take(limbs).collect();
        let mut v = vec![0; limbs];
        v[0] = self.exponents.iter().fold(1, |limb, exponent| limb | 1 << exponent);
        v[self.bits / 64] |= 1 << (self.bits % 64);
        let (mut g, mut h) = (vec![0; limbs], vec![0; limbs]);
        g[0] = 1;
        loop {
            let degree_of_u = degree(&u).expect("zero has no inverse");
            if degree_of_u == 0 {
                break;
            }
            let degree_of_v = degree(&v).expect("an irreducible polynomial");
            if degree_of_u < degree_of_v {
                core::mem::swap(&mut u, &mut v);
                core::mem::swap(&mut g, &mut h);
            } else {
                add_shifted(&mut u, &v, degree_of_u - degree_of_v);
                add_shifted(&mut g, &h, degree_of_u - degree_of_v);
            }
        }
        g.truncate(self.limbs());
        DynamicElement(Zeroizing::new(g))
    }
}

impl DynamicElement {
    /// Returns the bytes of the element, which belongs to `field`: see
    /// [`DynamicField::from_be_bytes`].
    #[must_use]
    pub fn to_be_bytes(&self, field: &DynamicField) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(vec![0; field.element_len()]);
        for (i, byte) in bytes.iter_mut().rev().enumerate() {
            *byte = (self.0[i / 8] >> (i % 8 * 8)) as u8;
        }
        bytes
    }
}

impl fmt::Debug for DynamicField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicField").field("bits", &self.bits).field("exponents", &self.exponents).finish()
    }
}

#[cfg(test)]
mod tests {
    use sealane_spec::gf2n::Polynomial;

    use super::*;

    /// Fields besides those of [`FIELDS`]. Their degrees leave the last limb partly filled.
    const OTHER_FIELDS: [(usize, Exponents); 7] = [
        (24, [4, 3, 1]),
        (40, [5, 4, 3]),
        (56, [7, 4, 2]),
        (72, [10, 9, 3]),
        (80, [9, 4, 2]),
        (104, [4, 3, 1]),
        (1016, [15, 6, 3]),
    ];

    /// Returns `count` dense elements, as bytes.
    fn operands(field: &DynamicField, count: usize) -> Vec<Vec<u8>> {
        let mut state = 0xfedc_ba98_7654_3210_u64;
        let mut byte = || {
            state = state.wrapping_mul(0xd129_0d3d_90d6_f4a5).rotate_left(23) ^ 1;
            (state >> 32) as u8
        };
        (0..count).map(|_| (0..field.element_len()).map(|_| byte()).collect()).collect()
    }

    fn reference(bytes: &[u8]) -> Polynomial {
        Polynomial::from_bytes(&bytes.iter().rev().copied().collect::<Vec<_>>())
    }

    #[test]
    fn arithmetic_is_that_of_the_reference_on_every_backend() {
        for (bits, exponents) in FIELDS.iter().copied().chain(OTHER_FIELDS) {
            let [a, b, c] = exponents.map(|exponent| exponent as usize);
            let modulus = Polynomial::powers(&[bits, a, b, c, 0]);
            for backend in ClmulBackend::available() {
                let field = DynamicField::new(bits, exponents).unwrap().with_backend(backend);
                let mut bytes = operands(&field, 4);
                bytes[0].fill(0xff);
                for (x, y) in [(0, 0), (0, 1), (1, 2), (2, 3)] {
                    let (p, q) = (reference(&bytes[x]), reference(&bytes[y]));
                    let (x, y) = (field.from_be_bytes(&bytes[x]), field.from_be_bytes(&bytes[y]));
                    let product = field.multiply(&x, &y);
                    assert_eq!(reference(&product.to_be_bytes(&field)), p.multiply_mod(&q, &modulus), "{bits}");
                    let mut sum = x.clone();
                    sum += &y;
                    assert_eq!(reference(&sum.to_be_bytes(&field)), p.add(&q), "{bits}");
                    let quotient = field.divide_by_public(&product, &y);
                    assert!(quotient == x, "{bits}");
                    let inverse = field.divide_by_public(&field.one(), &x);
                    assert_eq!(reference(&inverse.to_be_bytes(&field)), p.invert_mod(&modulus).unwrap(), "{bits}");
                }
            }
        }
    }

    #[test]
    fn every_inverse_in_the_field_of_aes() {
        let field = DynamicField::of_degree(8).unwrap();
        for bits in 1..256 {
            let a = field.from_bits(bits).unwrap();
            assert!(field.multiply(&a, &field.invert_public(&a)) == field.one());
        }
    }

    #[test]
    fn sums_of_products_and_many_inverses() {
        for (bits, exponents) in FIELDS.iter().copied().chain(OTHER_FIELDS) {
            let field = DynamicField::new(bits, exponents).unwrap();
            let a: Vec<_> = operands(&field, 5).iter().map(|bytes| field.from_be_bytes(bytes)).collect();
            let b: Vec<_> = a.iter().rev().cloned().collect();
            let mut sum = field.zero();
            a.iter().zip(&b).for_each(|(a, b)| sum += &field.multiply(a, b));
            assert!(field.dot_product(&a, &b) == sum, "{bits}");
            let mut inverses = a.clone();
            field.invert_all_public(&mut inverses);
            assert!(a.iter().zip(&inverses).all(|(a, inverse)| field.multiply(a, inverse) == field.one()), "{bits}");
        }
        let field = DynamicField::of_degree(64).unwrap();
        assert!(bool::from(field.dot_product(&[], &[]).is_zero()));
        field.invert_all_public(&mut []);
    }

    #[test]
    fn values_of_polynomials() {
        let field = DynamicField::of_degree(192).unwrap();
        let bytes = operands(&field, 5);
        let coefficients: Vec<_> = bytes[1..].iter().map(|bytes| field.from_be_bytes(bytes)).collect();
        let value = field.evaluate(&coefficients, &field.from_be_bytes(&bytes[0]));
        let little_endian = |bytes: &Vec<u8>| bytes.iter().rev().copied().collect::<Vec<u8>>();
        let coefficients: Vec<_> = bytes[1..].iter().map(little_endian).collect();
        let expected = sealane_spec::shamir_element::evaluate(192, &coefficients, &little_endian(&bytes[0]));
        assert_eq!(little_endian(&value.to_be_bytes(&field)), expected);
        assert!(bool::from(field.evaluate(&[], &field.one()).is_zero()));
    }

    #[test]
    fn fields_that_do_not_exist() {
        for (bits, exponents) in [
            (0, [4, 3, 1]),
            (12, [5, 3, 1]),
            (2056, [9, 3, 2]),
            (8, [5, 3, 1]),
            (256, [64, 3, 1]),
            (64, [3, 4, 1]),
            (64, [4, 3, 0]),
        ] {
            assert!(DynamicField::new(bits, exponents).is_none(), "{bits} {exponents:?}");
        }
        assert!(DynamicField::of_degree(24).is_none());
        assert!(DynamicField::of_degree(8).unwrap().from_bits(256).is_none());
        assert!(DynamicField::of_degree(64).unwrap().from_bits(u64::MAX).is_some());
    }

    #[test]
    #[should_panic(expected = "an element of another length")]
    fn bytes_of_another_length() {
        let _ = DynamicField::of_degree(64).unwrap().from_be_bytes(&[0; 7]);
    }
}
