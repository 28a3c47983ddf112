//! The operations on GF(2^n) that a backend has.

use sealane_simd::dispatch_clmul;
use subtle::{ConstantTimeEq, CtOption};

use super::element::Element;
use super::field::Field;
use super::{kernel, slices};
use crate::backend::ClmulBackend;

/// Operations on one element or on many. An operation branches on the instruction set once; an
/// operation of several steps, once for each step.
impl ClmulBackend {
    /// Returns a·b.
    #[must_use]
    #[inline]
    pub fn multiply<F: Field>(self, a: &Element<F>, b: &Element<F>) -> Element<F> {
        Element(dispatch_clmul!(self.level(), token => kernel::multiply::<F, _>(token, &a.0, &b.0)))
    }

    /// Returns a².
    #[must_use]
    #[inline]
    pub fn square<F: Field>(self, a: &Element<F>) -> Element<F> {
        self.square_times(a, 1)
    }

    /// Returns a^(2^`times`), by squaring `times` times.
    #[must_use]
    pub fn square_times<F: Field>(self, a: &Element<F>, times: usize) -> Element<F> {
        Element(dispatch_clmul!(self.level(), token => kernel::square::<F, _>(token, &a.0, times)))
    }

    /// Returns 1/a, or none if a is zero.
    #[must_use]
    pub fn invert<F: Field>(self, a: &Element<F>) -> CtOption<Element<F>> {
        let inverse = Element(dispatch_clmul!(self.level(), token => kernel::invert::<F, _>(token, &a.0)));
        CtOption::new(inverse, !a.ct_eq(&Element::ZERO))
    }

    /// Returns a^exponent: see [`Element::pow`].
    #[must_use]
    pub fn pow<F: Field>(self, a: &Element<F>, exponent: &[u64]) -> Element<F> {
        Element(dispatch_clmul!(self.level(), token => kernel::power::<F, _>(token, &a.0, exponent)))
    }

    /// Replaces each element by its inverse. Zeros stay zero.
    ///
    /// This is Montgomery's trick: one inversion in all, and three multiplications for each
    /// element. `scratch` is overwritten, and is zero at the end.
    ///
    /// # Panics
    /// If `scratch` is not as long as `elements`.
    pub fn batch_invert<F: Field>(self, elements: &mut [Element<F>], scratch: &mut [Element<F>]) {
        assert_eq!(elements.len(), scratch.len(), "scratch of another length");
        dispatch_clmul!(self.level(), token => slices::invert::<F, _>(token, elements, scratch));
    }

    /// Replaces each a(i) by a(i)·b(i).
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn multiply_slices<F: Field>(self, a: &mut [Element<F>], b: &[Element<F>]) {
        assert_eq!(a.len(), b.len(), "the slices differ in length");
        dispatch_clmul!(self.level(), token => slices::multiply::<F, _>(token, a, b));
        if crate::fault::is_injected("gf2n", self.level()) {
            a.iter_mut().for_each(|a| *a += Element::ONE);
        }
    }

    /// Replaces each a(i) by a(i)·b.
    pub fn scale<F: Field>(self, a: &mut [Element<F>], b: &Element<F>) {
        dispatch_clmul!(self.level(), token => slices::scale::<F, _>(token, a, b));
    }

    /// Squares each element in many lanes, for the self-test.
    pub(crate) fn square_slice<F: Field>(self, a: &mut [Element<F>]) {
        dispatch_clmul!(self.level(), token => slices::square::<F, _>(token, a));
    }

    /// Returns the sum of a(i)·b(i).
    ///
    /// # Panics
    /// If the slices differ in length.
    #[must_use]
    pub fn dot_product<F: Field>(self, a: &[Element<F>], b: &[Element<F>]) -> Element<F> {
        assert_eq!(a.len(), b.len(), "the slices differ in length");
        dispatch_clmul!(self.level(), token => slices::dot_product::<F, _>(token, a, b))
    }

    /// Evaluates the polynomial with these coefficients, the constant term first, at each of
    /// `points`. Writes the results to `values`.
    ///
    /// # Panics
    /// If the numbers of values and points differ.
    pub fn evaluate<F: Field>(self, coefficients: &[Element<F>], points: &[Element<F>], values: &mut [Element<F>]) {
        assert_eq!(points.len(), values.len(), "not as many values as points");
        dispatch_clmul!(self.level(), token => slices::evaluate::<F, _>(token, coefficients, points, values));
    }

    /// Computes the weights of Lagrange interpolation at `at`: the sum of weight times value over
    /// all points is the value of the polynomial at `at`.
    ///
    /// The polynomial must have a degree below the number of points, all points must differ, and
    /// `at` must be none of them; otherwise the weights are meaningless. `scratch` is overwritten,
    /// and is zero at the end.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn lagrange_weights<F: Field>(
        self,
        points: &[Element<F>],
        at: &Element<F>,
        weights: &mut [Element<F>],
        scratch: &mut [Element<F>],
    ) {
        assert_eq!(points.len(), weights.len(), "not as many weights as points");
        assert_eq!(points.len(), scratch.len(), "scratch of another length");
        let level = self.level();
        dispatch_clmul!(level, token => slices::products_of_differences::<F, _>(token, points, Some(at), weights));
        let all = dispatch_clmul!(level, token => slices::product_of_differences::<F, _>(token, points, at));
        self.batch_invert(weights, scratch);
        self.scale(weights, &all);
    }

    /// Computes, for each point x(i), the inverse of the product of x(i) - x(j) over all other
    /// points x(j).
    ///
    /// With these weights, the weighted sum of the values at the n points is zero for every
    /// polynomial of degree below n - 1. All points must differ. `scratch` is overwritten, and is
    /// zero at the end.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn dual_weights<F: Field>(self, points: &[Element<F>], weights: &mut [Element<F>], scratch: &mut [Element<F>]) {
        assert_eq!(points.len(), weights.len(), "not as many weights as points");
        assert_eq!(points.len(), scratch.len(), "scratch of another length");
        let level = self.level();
        dispatch_clmul!(level, token => slices::products_of_differences::<F, _>(token, points, None, weights));
        self.batch_invert(weights, scratch);
    }
}
