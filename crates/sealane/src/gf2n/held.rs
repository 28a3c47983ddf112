//! Field operations inside [`with_field!`](crate::with_field), which chooses the instruction set
//! once for a whole loop of products.

use core::fmt;

use sealane_simd::Clmul;
use subtle::{ConstantTimeEq, CtOption};

use super::element::Element;
use super::field::Field;
use super::kernel;

/// Computes products, squares and inverses of single elements, in code that is compiled for one
/// instruction set. [`with_field!`](crate::with_field) creates a `HeldField` for a
/// [`ClmulBackend`](super::ClmulBackend).
///
/// Operations are inlined into the code that calls them. A function that takes a `HeldField` must
/// be `#[inline(always)]`. Otherwise, each of its products becomes a function call.
///
/// ```
/// use sealane::gf2n::{ClmulBackend, Clmul, Gf128, HeldField};
/// use sealane::with_field;
///
/// /// Evaluates a polynomial by Horner's rule. The coefficients are given from the highest on.
/// #[inline(always)]
/// fn horner<T: Clmul>(field: HeldField<T>, coefficients: &[Gf128], x: &Gf128) -> Gf128 {
///     let mut value = Gf128::ZERO;
///     for coefficient in coefficients {
///         value = field.multiply(&value, x) + *coefficient;
///     }
///     value
/// }
///
/// let (x, backend) = (Gf128::from_bytes(&[5; 16]), ClmulBackend::detect());
/// let coefficients = [Gf128::ONE, Gf128::ZERO, x];
/// let value = with_field!(backend, field => horner(field, &coefficients, &x));
/// assert_eq!(value, x * x + x);
/// ```
#[derive(Clone, Copy)]
pub struct HeldField<T>(T);

impl<T: Clmul> HeldField<T> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn hold(token: T) -> Self {
        Self(token)
    }

    /// Returns a·b.
    #[must_use]
    #[inline(always)]
    pub fn multiply<F: Field>(self, a: &Element<F>, b: &Element<F>) -> Element<F> {
        Element(kernel::multiply::<F, T>(self.0, &a.0, &b.0))
    }

    /// Returns a².
    #[must_use]
    #[inline(always)]
    pub fn square<F: Field>(self, a: &Element<F>) -> Element<F> {
        self.square_times(a, 1)
    }

    /// Returns a^(2^times), by squaring `times` times.
    #[must_use]
    #[inline(always)]
    pub fn square_times<F: Field>(self, a: &Element<F>, times: usize) -> Element<F> {
        Element(kernel::square::<F, T>(self.0, &a.0, times))
    }

    /// Returns 1/a, or none for zero.
    #[must_use]
    #[inline(always)]
    pub fn invert<F: Field>(self, a: &Element<F>) -> CtOption<Element<F>> {
        CtOption::new(Element(kernel::invert::<F, T>(self.0, &a.0)), !a.ct_eq(&Element::ZERO))
    }
}

impl<T> fmt::Debug for HeldField<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldField")
    }
}

/// Runs code on the instruction set of a [`ClmulBackend`](crate::ClmulBackend), with one branch on
/// the instruction set for all of the code: `with_field!(backend, field => …)`.
///
/// `field` is a [`HeldField`](crate::gf2n::HeldField). The code is compiled once for each
/// instruction set. It is a closure, so `return` and `?` leave only the code itself. Write loops
/// with `for`: a closure in the code, such as one for `fold`, needs the attribute
/// `#[inline(always)]`. Without the attribute, it is compiled without the instruction set, and its
/// products take many times as long.
///
/// [`ClmulBackend::multiply`](crate::ClmulBackend::multiply) branches on the instruction set in
/// each call and passes elements through memory. In a loop in which each product needs the one
/// before, `with_field!` avoids this, and the loop takes half of the time.
///
/// ```
/// use sealane::gf2n::{ClmulBackend, Gf256};
/// use sealane::with_field;
///
/// let x = Gf256::from_bytes(&[3; 32]);
/// // x^(2^64 + 1) and 1/x
/// let (power, inverse) = with_field!(ClmulBackend::detect(), field => {
///     (field.multiply(&field.square_times(&x, 64), &x), field.invert(&x))
/// });
/// assert_eq!(power, x.pow(&[1, 1]));
/// assert_eq!(inverse.unwrap() * x, Gf256::ONE);
/// ```
#[macro_export]
macro_rules! with_field {
    ($backend:expr, $field:ident => $code:expr) => {
        $crate::gf2n::__dispatch_clmul!($crate::gf2n::__level($backend), token => {
            let $field = $crate::gf2n::HeldField::hold(token);
            $code
        })
    };
}
