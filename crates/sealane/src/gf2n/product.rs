//! Products, squares, powers and inverses of elements, on the detected backend.

use core::iter::Product;
use core::ops::{Mul, MulAssign};

use subtle::CtOption;

use super::element::{Element, operators};
use super::field::Field;
use crate::backend::ClmulBackend;

impl<F: Field> Element<F> {
    /// Returns the square.
    #[must_use]
    pub fn square(&self) -> Self {
        ClmulBackend::detect().square(self)
    }

    /// Returns the inverse, or none for zero.
    #[must_use]
    pub fn invert(&self) -> CtOption<Self> {
        ClmulBackend::detect().invert(self)
    }

    /// Returns the element raised to `exponent`, which has limbs of 64 bits, the lowest first. The
    /// time depends only on the number of limbs.
    #[must_use]
    pub fn pow(&self, exponent: &[u64]) -> Self {
        ClmulBackend::detect().pow(self, exponent)
    }
}

impl<F: Field> MulAssign for Element<F> {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = ClmulBackend::detect().multiply(self, &other);
    }
}

operators! {
    Mul mul MulAssign mul_assign;
}

impl<F: Field> Product for Element<F> {
    fn product<I: Iterator<Item = Self>>(elements: I) -> Self {
        elements.fold(Self::ONE, |product, element| product * element)
    }
}
