//! Secret sharing byte by byte over GF(2^8): Shamir, "How to share a secret" (CACM 22, 1979), in
//! the field of FIPS 197, section 4.

use alloc::vec::Vec;

use crate::chacha::{Nonce, chacha_block};

/// Returns the product of polynomials modulo m(x) = x^8 + x^4 + x^3 + x + 1 (FIPS 197, section
/// 4.2).
pub fn multiply(a: u8, b: u8) -> u8 {
    let mut product = 0_u16;
    for i in 0..8 {
        if b >> i & 1 == 1 {
            product ^= u16::from(a) << i;
        }
    }
    for i in (8..15).rev() {
        if product >> i & 1 == 1 {
            product ^= 0x11b << (i - 8);
        }
    }
    product as u8
}

/// Returns the b with a • b = 1 (FIPS 197, section 4.2), as a^254.
pub fn inverse(a: u8) -> u8 {
    assert_ne!(a, 0, "0 has no inverse");
    (0..254).fold(1, |power, _| multiply(power, a))
}

/// Evaluates the polynomial q(x) = a_0 + a_1 x + … + a_(k-1) x^(k-1).
pub fn q(a: &[u8], x: u8) -> u8 {
    a.iter().rev().fold(0, |sum, &a_i| multiply(sum, x) ^ a_i)
}

/// Evaluates the Lagrange basis polynomials L_i for the points x_0, x_1, … at `x`. The polynomial
/// of lowest degree with values y_i at the points has the value Σ y_i L_i(x).
pub fn lagrange(points: &[u8], x: u8) -> Vec<u8> {
    let mut values = Vec::new();
    for (i, x_i) in points.iter().enumerate() {
        let mut product = 1;
        for (j, x_j) in points.iter().enumerate() {
            if i != j {
                product = multiply(product, multiply(x ^ x_j, inverse(x_i ^ x_j)));
            }
        }
        values.push(product);
    }
    values
}

/// Interpolates the shares, whose points are `points`. Returns the values at `x`; at 0, they are
/// the secret.
pub fn interpolate(points: &[u8], shares: &[&[u8]], x: u8) -> Vec<u8> {
    let lagrange = lagrange(points, x);
    let byte = |i: usize| shares.iter().zip(&lagrange).fold(0, |sum, (share, &l)| sum ^ multiply(share[i], l));
    (0..shares[0].len()).map(byte).collect()
}

/// Returns Sealane's coefficients of x, …, x^(k-1) for bytes 64 `b` to 64 `b` + 63 of a secret, 64
/// of each. They are k - 1 consecutive blocks of the seed's ChaCha20 key stream, in the layout with
/// a 64-bit counter.
pub fn coefficients(k: usize, seed: &[u8; 32], nonce: u64, b: usize) -> Vec<[u8; 64]> {
    let first = b as u64 * (k as u64 - 1);
    let nonce = Nonce::Original(nonce.to_le_bytes());
    (0..k as u64 - 1).map(|m| chacha_block(20, seed, first + m, &nonce)).collect()
}

/// Returns the shares of `secret` at the points `x`. Any `k` of them restore it. (Refreshing adds
/// shares of zeros, with another nonce.)
pub fn split(k: usize, x: &[u8], seed: &[u8; 32], nonce: u64, secret: &[u8]) -> Vec<Vec<u8>> {
    let mut shares = alloc::vec![Vec::new(); x.len()];
    for (b, bytes) in secret.chunks(64).enumerate() {
        let coefficients = coefficients(k, seed, nonce, b);
        for (i, &byte) in bytes.iter().enumerate() {
            let mut a = alloc::vec![byte];
            a.extend(coefficients.iter().map(|block| block[i]));
            for (share, &x) in shares.iter_mut().zip(x) {
                share.push(q(&a, x));
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_fips_197() {
        assert_eq!(multiply(0x57, 0x83), 0xc1);
        assert_eq!(multiply(0x57, 0x13), 0xfe);
        assert_eq!(inverse(0x53), 0xca);
    }

    #[test]
    fn any_k_shares_interpolate_to_the_secret() {
        let shares = split(3, &[1, 7, 255, 80], &[9; 32], 0, b"secret");
        for chosen in [[0, 1, 2], [3, 1, 0], [2, 3, 1]] {
            let points = chosen.map(|j: usize| [1, 7, 255, 80][j]);
            let shares = chosen.map(|j: usize| shares[j].as_slice());
            assert_eq!(interpolate(&points, &shares, 0), b"secret");
            assert_ne!(interpolate(&points[..2], &shares[..2], 0), b"secret");
        }
    }
}
