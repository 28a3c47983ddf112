//! Shamir, "How to share a secret" (1979), over GF(2^n), with polynomials bit by bit.

use alloc::vec::Vec;

use crate::gf2n::Polynomial;

/// Evaluates c(0) + c(1)·x + c(2)·x² + …, power by power. Elements are little-endian bytes.
#[must_use]
pub fn evaluate(bits: usize, coefficients: &[Vec<u8>], x: &[u8]) -> Vec<u8> {
    let (modulus, x) = (Polynomial::modulus(bits), Polynomial::from_bytes(x));
    let mut power = Polynomial::powers(&[0]);
    let mut sum = Polynomial::powers(&[]);
    for coefficient in coefficients {
        sum = sum.add(&Polynomial::from_bytes(coefficient).multiply_mod(&power, &modulus));
        power = power.multiply_mod(&x, &modulus);
    }
    sum.to_bytes(bits / 8)
}

/// Returns the value at 0 of the polynomial through these points (x, y): Σ y(i)·∏ x(j) / (x(j) -
/// x(i)).
///
/// # Panics
/// If two points have the same x.
#[must_use]
pub fn interpolate_at_zero(bits: usize, points: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let modulus = Polynomial::modulus(bits);
    let mut sum = Polynomial::powers(&[]);
    for (i, (x, y)) in points.iter().enumerate() {
        let mut term = Polynomial::from_bytes(y);
        for (_, (other, _)) in points.iter().enumerate().filter(|(j, _)| *j != i) {
            let other = Polynomial::from_bytes(other);
            let difference = other.add(&Polynomial::from_bytes(x));
            let inverse = difference.invert_mod(&modulus).expect("points that differ");
            term = term.multiply_mod(&other, &modulus).multiply_mod(&inverse, &modulus);
        }
        sum = sum.add(&term);
    }
    sum.to_bytes(bits / 8)
}
