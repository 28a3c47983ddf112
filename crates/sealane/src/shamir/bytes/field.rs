//! Arithmetic in GF(2^8): by tables on public elements (evaluation points, and values computed from
//! them), in constant time on secret ones.

use sealane_simd::{NIBBLE_PRODUCTS, gf8_mul};

use crate::shamir::arithmetic::{Arithmetic, Ring};

/// The inverse of each element. The inverse of 0 is given as 0.
static INVERSES: [u8; 256] = {
    let mut inverses = [0; 256];
    // The powers of the generator 3 and of its inverse, 0xf6.
    let (mut power, mut inverse, mut i) = (1, 1, 0);
    while i < 255 {
        inverses[power as usize] = inverse;
        power = gf8_mul(power, 3);
        inverse = gf8_mul(inverse, 0xf6);
        i += 1;
    }
    inverses
};

/// Returns the product. It is not constant time: for public elements only.
pub(super) fn mul(a: u8, b: u8) -> u8 {
    let table = &NIBBLE_PRODUCTS[usize::from(a)];
    table[usize::from(b & 15)] ^ table[16 + usize::from(b >> 4)]
}

/// Returns the inverse, or 0 for 0. It is not constant time: for public elements only.
fn invert(a: u8) -> u8 {
    INVERSES[usize::from(a)]
}

/// The field GF(2^8), for public elements only: products and inverses are not constant time.
pub(super) struct PublicBytes;

impl Ring for PublicBytes {
    type Element = u8;

    fn sum(&self, a: &u8, b: &u8) -> u8 {
        a ^ b
    }

    fn product(&self, a: &u8, b: &u8) -> u8 {
        mul(*a, *b)
    }
}

impl Arithmetic for PublicBytes {
    fn zero(&self) -> u8 {
        0
    }

    fn one(&self) -> u8 {
        1
    }

    fn is_zero(&self, a: &u8) -> bool {
        *a == 0
    }

    fn quotient(&self, a: &u8, b: &u8) -> u8 {
        mul(*a, invert(*b))
    }
}

/// The same field for secret elements: sums and products take the same time for all.
pub(super) struct SecretBytes;

impl Ring for SecretBytes {
    type Element = u8;

    fn sum(&self, a: &u8, b: &u8) -> u8 {
        a ^ b
    }

    fn product(&self, a: &u8, b: &u8) -> u8 {
        gf8_mul(*a, *b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_inverses() {
        for a in 1..=255 {
            assert_eq!(gf8_mul(a, invert(a)), 1);
        }
        assert_eq!(invert(0), 0);
    }
}
