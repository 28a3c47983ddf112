//! Random polynomials for sharing one field element.

use sealane::RandomError;
use sealane::gf2n::{DynamicElement, DynamicField};
use zeroize::Zeroizing;

use crate::random;

/// A secret polynomial over a field.
pub(crate) struct Polynomial {
    field: DynamicField,
    /// The constant term first.
    coefficients: Vec<DynamicElement>,
}

impl Polynomial {
    /// Returns a polynomial of a degree below `threshold`. Its constant term is given, big-endian;
    /// its other coefficients are uniformly random.
    pub(crate) fn random(field: DynamicField, constant: &[u8], threshold: u16) -> Result<Self, RandomError> {
        let mut coefficients = Vec::with_capacity(usize::from(threshold) + 1);
        coefficients.push(field.from_be_bytes(constant));
        let mut random = Zeroizing::new(vec![0; field.element_len()]);
        for _ in 1..threshold {
            random::fill(&mut random)?;
            coefficients.push(field.from_be_bytes(&random));
        }
        Ok(Self { field, coefficients })
    }

    /// Adds x^threshold.
    pub(crate) fn into_monic(mut self) -> Self {
        self.coefficients.push(self.field.one());
        self
    }

    /// Returns the value at `x`, big-endian.
    pub(crate) fn value_at(&self, x: &DynamicElement) -> Zeroizing<Vec<u8>> {
        self.field.evaluate(&self.coefficients, x).to_be_bytes(&self.field)
    }
}
