//! The two fields, with arithmetic on single elements and the inversion of matrices.

use core::error::Error;
use core::fmt;

use sealane_simd::{gf8_mul_modulo, gf8_multiples};

/// A field of 256 elements: bytes as polynomials over GF(2), modulo a polynomial of degree 8. Bit i
/// of a byte is the coefficient of x^i.
///
/// ```
/// use sealane::gf8::Field;
///
/// // FIPS 197, section 4.2.
/// assert_eq!(Field::Aes.product(0x57, 0x83), 0xc1);
///
/// let inverse = Field::ReedSolomon.inverse(0x57).expect("it is not 0");
/// assert_eq!(Field::ReedSolomon.product(0x57, inverse), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// Modulo x^8 + x^4 + x^3 + x + 1 (0x11b), as in AES (FIPS 197, section 4), in
    /// [`shamir::bytes`](crate::shamir::bytes) and in [`gf2n::Gf8`](crate::gf2n::Gf8). The powers
    /// of 3 are all elements except 0.
    Aes,
    /// Modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d), as in most Reed–Solomon codes: ISA-L,
    /// klauspost/reedsolomon, RAID-6, QR codes. The powers of 2 are all elements except 0.
    ReedSolomon,
}

impl Field {
    /// Returns the polynomial. Bit i is the coefficient of x^i.
    #[must_use]
    pub const fn polynomial(self) -> u16 {
        match self {
            Self::Aes => 0x11b,
            Self::ReedSolomon => 0x11d,
        }
    }

    /// Returns the product of two elements. Takes the same time for all elements. The sum of two
    /// elements needs no function: it is the XOR of the two bytes.
    #[must_use]
    pub const fn product(self, a: u8, b: u8) -> u8 {
        gf8_mul_modulo(a, b, self.polynomial())
    }

    /// Returns a^`exponent`; a^0 is 1. Takes the same time for all elements, but not for all
    /// exponents.
    #[must_use]
    pub const fn power(self, a: u8, exponent: u32) -> u8 {
        let (mut square, mut power, mut rest) = (a, 1, exponent);
        while rest > 0 {
            if rest & 1 == 1 {
                power = self.product(power, square);
            }
            square = self.product(square, square);
            rest >>= 1;
        }
        power
    }

    /// Returns the inverse of an element, or `None` for 0. Takes the same time for all other
    /// elements.
    #[must_use]
    pub const fn inverse(self, a: u8) -> Option<u8> {
        // a^255 is 1, so a^254 is the inverse.
        if a == 0 { None } else { Some(self.power(a, 254)) }
    }

    /// Inverts a square matrix of `size` rows by Gauss–Jordan elimination. Both slices hold a
    /// matrix row after row. `matrix` becomes the identity, and `inverse` becomes the inverse.
    ///
    /// The time depends on the matrix, so it must be public.
    ///
    /// # Errors
    /// [`SingularMatrix`] if the matrix has no inverse. The contents of both slices are then
    /// unspecified.
    ///
    /// # Panics
    /// If a slice does not have `size`² elements.
    pub fn invert_matrix(self, size: usize, matrix: &mut [u8], inverse: &mut [u8]) -> Result<(), SingularMatrix> {
        let elements = size.checked_mul(size);
        assert!([matrix.len(), inverse.len()].map(Some) == [elements; 2], "each slice must have size * size elements");
        inverse.fill(0);
        inverse.iter_mut().step_by(size + 1).for_each(|element| *element = 1);
        for column in 0..size {
            let at = |row: usize| row * size;
            let pivot = (column..size).find(|row| matrix[at(*row) + column] != 0).ok_or(SingularMatrix)?;
            for half in [&mut *matrix, &mut *inverse] {
                let (above, below) = half.split_at_mut(at(pivot));
                if pivot != column {
                    above[at(column)..][..size].swap_with_slice(&mut below[..size]);
                }
            }
            let scale = self.inverse(matrix[at(column) + column]).ok_or(SingularMatrix)?;
            for half in [&mut *matrix, &mut *inverse] {
                half[at(column)..][..size].iter_mut().for_each(|element| *element = self.product(*element, scale));
            }
            for row in (0..size).filter(|row| *row != column) {
                let factor = matrix[at(row) + column];
                for half in [&mut *matrix, &mut *inverse] {
                    for i in 0..size {
                        half[at(row) + i] ^= self.product(factor, half[at(column) + i]);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the products of `constant` with x^0 to x^7. Takes the same time for all constants.
    #[inline(always)]
    pub(super) fn multiples(self, constant: u8) -> [u8; 8] {
        gf8_multiples(constant, self.polynomial())
    }
}

/// The matrix has no inverse: its rows are linearly dependent.
///
/// ```
/// use sealane::gf8::{Field, SingularMatrix};
///
/// // Both rows are the same.
/// let (mut matrix, mut inverse) = ([1, 2, 1, 2], [0; 4]);
/// assert_eq!(Field::Aes.invert_matrix(2, &mut matrix, &mut inverse), Err(SingularMatrix));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularMatrix;

impl fmt::Display for SingularMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the matrix has no inverse")
    }
}

impl Error for SingularMatrix {}
