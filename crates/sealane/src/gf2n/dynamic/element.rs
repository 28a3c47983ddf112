//! Elements of fields whose degree is chosen at run time.

use alloc::vec::Vec;
use core::fmt;
use core::ops::AddAssign;

use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::declassify::declassify_limbs;

/// An element of a [`DynamicField`](super::DynamicField).
///
/// It is wiped when it is dropped, and compared in constant time. Its `Debug` output does not show
/// the value.
///
/// ```
/// use sealane::gf2n::{DynamicElement, DynamicField};
///
/// let field = DynamicField::of_degree(16).expect("there is such a field");
/// let x: DynamicElement = field.from_bits(2).expect("it fits");
/// assert_eq!(*field.multiply(&x, &x).to_be_bytes(&field), [0, 4]);
/// ```
#[derive(Clone)]
pub struct DynamicElement(pub(super) Zeroizing<Vec<u64>>);

impl DynamicElement {
    /// Tells a constant-time checker that the element depends on no secret.
    pub(crate) fn declassify(&mut self) {
        declassify_limbs(&mut self.0);
    }

    /// Returns whether the element is zero.
    #[must_use]
    pub fn is_zero(&self) -> Choice {
        self.0.iter().fold(0, |all, limb| all | limb).ct_eq(&0)
    }
}

impl AddAssign<&Self> for DynamicElement {
    /// Adds an element of the same field, in which addition and subtraction are the same.
    #[expect(clippy::suspicious_op_assign_impl, reason = "the sum of polynomials over GF(2)")]
    fn add_assign(&mut self, other: &Self) {
        for (limb, other) in self.0.iter_mut().zip(other.0.iter()) {
            *limb ^= other;
        }
    }
}

impl ConstantTimeEq for DynamicElement {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl PartialEq for DynamicElement {
    /// Compares in constant time. The result is public.
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for DynamicElement {}

impl zeroize::ZeroizeOnDrop for DynamicElement {}

impl fmt::Debug for DynamicElement {
    /// Does not show the value, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicElement").finish_non_exhaustive()
    }
}
