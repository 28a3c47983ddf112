//! Interpolation from shares at evaluation points of low degree, such as compact points, with a
//! single cheap division.
//!
//! Over their common denominator, the weights of Lagrange interpolation are products of differences
//! of points. Small points make all of these products small, so they are computed on words. The
//! inverse of the denominator d modulo the field's polynomial P takes one step of Euclid's
//! algorithm on long polynomials. The remainder fits in a word too:
//!
//! - x^n = q·d + s, so q·d ≡ r modulo P, where r = s + x^a + x^b + x^c + 1 fits in a word;
//! - u·r + v·d = 1 by Euclid's algorithm on words, so 1/d ≡ u·q + v.
//!
//! The time depends on the points, which are public. It does not depend on the values.

use zeroize::Zeroizing;

use crate::gf2n::division_steps::inverse_series;
use crate::gf2n::{ClmulBackend, Element, Field};

/// More points than this never qualify, because products must fit in words: of 8 points, one has at
/// least degree 3, and the product of 28 differences could have degree 84.
const MOST_POINTS: usize = 7;

/// Returns the value at `at` of the polynomial with these values at these points, or `None` if the
/// points are too many or of too high a degree. All points differ, and `at` is none of them.
pub(super) fn interpolate<F: Field>(
    backend: ClmulBackend,
    points: &[Element<F>],
    values: &[Element<F>],
    at: &Element<F>,
) -> Option<Element<F>> {
    // In smaller fields, products of differences would have to be reduced, and inverses are cheap.
    if F::BITS < 64 || points.len() > MOST_POINTS {
        return None;
    }
    let mut words = [0; MOST_POINTS];
    let words = &mut words[..points.len()];
    for (word, point) in words.iter_mut().zip(points) {
        *word = as_word(point)?;
    }
    let at = as_word(at)?;
    // The denominator and each numerator are products of `factors` differences.
    let factors = points.len() as u32 * (points.len() as u32 - 1) / 2;
    let widest = words.iter().fold(at, |all, word| all | word);
    if widest.checked_ilog2().unwrap_or(0) * factors > 63 {
        return None;
    }
    let mut numerators = [Element::ZERO; MOST_POINTS];
    let numerators = &mut numerators[..points.len()];
    for (i, numerator) in numerators.iter_mut().enumerate() {
        let others = (0..words.len()).filter(|&j| j != i).map(|j| at ^ words[j]);
        *numerator = from_word(others.fold(differences(words, Some(i)), product));
    }
    let sum = Zeroizing::new(backend.dot_product(numerators, values));
    Some(backend.multiply(&sum, &inverse(backend, differences(words, None))))
}

/// Returns the element as a word, or `None` if its degree is 64 or more.
fn as_word<F: Field>(element: &Element<F>) -> Option<u64> {
    let (low, rest) = element.0.as_ref().split_first()?;
    rest.iter().all(|limb| *limb == 0).then_some(*low)
}

fn from_word<F: Field>(word: u64) -> Element<F> {
    let mut element = Element::<F>::ZERO;
    element.0.as_mut()[0] = word;
    element
}

/// Returns the product of the differences of all pairs of points, except the pairs with the point
/// at index `without`.
fn differences(points: &[u64], without: Option<usize>) -> u64 {
    let kept = |i: &usize| Some(*i) != without;
    let pairs = (0..points.len()).filter(kept).flat_map(|i| (0..i).filter(kept).map(move |j| (i, j)));
    pairs.fold(1, |so_far, (i, j)| product(so_far, points[i] ^ points[j]))
}

/// Returns a·b modulo x^64. A `b` with few terms is faster.
fn product(a: u64, b: u64) -> u64 {
    terms(b).fold(0, |sum, i| sum ^ a << i)
}

/// Returns the exponents of a polynomial.
fn terms(mut polynomial: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let exponent = polynomial.trailing_zeros();
        polynomial &= polynomial.wrapping_sub(1);
        (exponent < 64).then_some(exponent)
    })
}

/// Returns 1/d in a field of at least 64 bits. d is not zero.
fn inverse<F: Field>(backend: ClmulBackend, d: u64) -> Element<F> {
    if d == 1 {
        return Element::ONE;
    }
    let quotient = quotient::<F>(d);
    // r = P + q·d, in which the terms from x^64 on cancel.
    let low_of_modulus = F::EXPONENTS.iter().fold(1, |sum, exponent| sum | 1 << exponent);
    let (u, v) = bezout(product(quotient.0.as_ref()[0], d) ^ low_of_modulus, d);
    backend.multiply(&quotient, &from_word(u)) + from_word(v)
}

/// Returns x^n divided by d, without the remainder. The degree of d is at least 1.
fn quotient<F: Field>(d: u64) -> Element<F> {
    let degree = d.ilog2();
    // Read from the highest coefficient on, the quotient is the power series 1 / `reversed`. The
    // constant term of `reversed` is 1.
    let reversed = d.reverse_bits() >> (63 - degree);
    let inverse = inverse_series(reversed);
    let mut quotient = Element::<F>::ZERO;
    let limbs = quotient.0.as_mut();
    let mut remainder = 1;
    for limb in limbs.iter_mut().rev() {
        let series = product(inverse, remainder);
        remainder = terms(reversed & !1).fold(0, |sum, i| sum ^ series >> (64 - i));
        *limb = series.reverse_bits();
    }
    // The constant term of the series is now at x^(n - 1). It belongs to x^(n - degree).
    let shift = degree - 1;
    let mut above = 0;
    for limb in limbs.iter_mut().rev() {
        let shifted = *limb >> shift | above << 1 << (63 - shift);
        above = core::mem::replace(limb, shifted);
    }
    quotient
}

/// Returns u and v with u·a + v·b = 1. The polynomials a and b have no common factor.
fn bezout(a: u64, b: u64) -> (u64, u64) {
    // Each holds r, u and v with u·a + v·b = r.
    let (mut high, mut low) = ([a, 1, 0], [b, 0, 1]);
    while high[0] != 1 {
        if high[0] < low[0] {
            core::mem::swap(&mut high, &mut low);
            continue;
        }
        let shift = low[0].leading_zeros() - high[0].leading_zeros();
        for (high, low) in high.iter_mut().zip(low) {
            *high ^= low << shift;
        }
    }
    (high[1], high[2])
}
