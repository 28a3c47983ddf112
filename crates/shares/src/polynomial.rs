//! Polynomials that elements are shared with.

use zeroize::Zeroizing;

use crate::gf::{Element, Gf};

/// A polynomial over a field. All of it is secret, but for the leading coefficient.
pub(crate) struct Polynomial {
    gf: Gf,
    /// The coefficient of x^threshold.
    leading: Element,
    /// The others, the constant term first.
    coefficients: Vec<Element>,
}

impl Polynomial {
    /// With that constant term, big-endian, `leading` as the coefficient of x^threshold, and otherwise uniform.
    pub(crate) fn random(gf: Gf, leading: Element, constant: &[u8], threshold: u16) -> Result<Self, getrandom::Error> {
        let mut coefficients = Vec::with_capacity(threshold.into());
        coefficients.push(gf.read_bytes(constant));
        let mut random = Zeroizing::new(vec![0; gf.bytes()]);
        for _ in 1..threshold {
            getrandom::fill(&mut random)?;
            coefficients.push(gf.read_bytes(&random));
        }
        Ok(Self { gf, leading, coefficients })
    }

    /// Its value, by Horner's rule.
    pub(crate) fn at(&self, x: &Element) -> Element {
        let mut value = self.leading.clone();
        for coefficient in self.coefficients.iter().rev() {
            value = self.gf.multiply(&value, x);
            self.gf.add_assign(&mut value, coefficient);
        }
        value
    }
}
