//! The backends of GF(2^n): their known answers and their operations.

use sealane_simd::{CachedLevel, ClmulLevel, dispatch_clmul};
use subtle::{ConstantTimeEq, CtOption};

use super::element::{Element, Gf2n};
use super::field::{Degree, Field};
use super::{kernel, slices};
use crate::backend::{BackendOf, Family, Sealed, SelfTestCache, absorb};

/// The family of primitives built on carry-less products: GF(2^n).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClmulFamily;

/// An instruction set that [`Gf2n`] can run on. This CPU has it, and it has passed its self-test.
///
/// ```
/// use sealane::gf2n::{Backend, Gf2n};
///
/// let (a, b) = (Gf2n::<256>::from_bytes(&[3; 32]), Gf2n::from_bytes(&[5; 32]));
/// for backend in Backend::available() {
///     assert_eq!(backend.multiply(&a, &b), a * b);
/// }
/// ```
pub type Backend = BackendOf<ClmulFamily>;

impl Sealed for ClmulFamily {}

impl Family for ClmulFamily {
    type Level = ClmulLevel;
    const PRIMITIVES: &'static [&'static str] = &["gf2n"];

    fn gives_known_answers(level: ClmulLevel, _: usize) -> bool {
        digest(Backend::of(level)) == DIGEST
    }

    fn chosen() -> &'static CachedLevel<ClmulLevel> {
        static CHOSEN: CachedLevel<ClmulLevel> = CachedLevel::new();
        &CHOSEN
    }

    fn tested() -> &'static SelfTestCache {
        static TESTED: SelfTestCache = SelfTestCache::new();
        &TESTED
    }
}

const DIGEST: u64 = 9_702_128_350_495_474_861;

/// Computes the known answer: a digest of results in one field of one limb, and in one of more than
/// one block. Together these two fields use every instruction that the other fields use. Each field
/// named here is compiled into every program, for every level.
fn digest(backend: Backend) -> u64 {
    digest_of::<192>(backend, digest_of::<64>(backend, 0))
}

/// Absorbs products of dense elements, in one lane and in many, and an inverse.
fn digest_of<const BITS: usize>(backend: Backend, digest: u64) -> u64
where
    Degree<BITS>: Field,
{
    let mut elements = operands::<BITS>();
    let last = elements[3];
    backend.scale(&mut elements, &last);
    elements[2] = backend.multiply(&elements[0], &elements[1]);
    elements[3] = backend.invert(&elements[1]).unwrap_or(Gf2n::ZERO);
    elements.iter().fold(digest, |digest, element| absorb(digest, element.to_bytes().as_ref()))
}

fn operands<const BITS: usize>() -> [Gf2n<BITS>; 4]
where
    Degree<BITS>: Field,
{
    let mut elements = [Gf2n::ZERO; 4];
    let mut state = 0xfedc_ba98_7654_3210_u64;
    for element in &mut elements {
        for limb in element.0.as_mut() {
            state = state.wrapping_mul(0xd129_0d3d_90d6_f4a5).rotate_left(23) ^ 0x8000_0000_0000_0001;
            *limb = state;
        }
        element.mask();
    }
    elements
}

/// Operations on one element or on many. An operation branches on the instruction set once, or once
/// for each of its parts.
impl BackendOf<ClmulFamily> {
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

    /// Returns a^(2^times), by that many squarings.
    #[must_use]
    pub fn square_times<F: Field>(self, a: &Element<F>, times: usize) -> Element<F> {
        Element(dispatch_clmul!(self.level(), token => kernel::square::<F, _>(token, &a.0, times)))
    }

    /// Returns 1/a, or none for zero.
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
    /// This is Montgomery's trick: one inversion in all, and three products for each element.
    /// `scratch` is overwritten, and is zero at the end.
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
        assert_eq!(a.len(), b.len(), "slices of different lengths");
        dispatch_clmul!(self.level(), token => slices::multiply::<F, _>(token, a, b));
        if crate::fault::is_injected("gf2n", self.level()) {
            a.iter_mut().for_each(|a| *a += Element::ONE);
        }
    }

    /// Replaces each a(i) by a(i)·b.
    pub fn scale<F: Field>(self, a: &mut [Element<F>], b: &Element<F>) {
        dispatch_clmul!(self.level(), token => slices::scale::<F, _>(token, a, b));
    }

    /// Returns the sum of a(i)·b(i).
    ///
    /// # Panics
    /// If the slices differ in length.
    #[must_use]
    pub fn dot_product<F: Field>(self, a: &[Element<F>], b: &[Element<F>]) -> Element<F> {
        assert_eq!(a.len(), b.len(), "slices of different lengths");
        dispatch_clmul!(self.level(), token => slices::dot_product::<F, _>(token, a, b))
    }

    /// Evaluates the polynomial with these coefficients, the constant one first, at each of
    /// `points`. Writes the results to `values`.
    ///
    /// # Panics
    /// If the numbers of values and points differ.
    pub fn evaluate<F: Field>(self, coefficients: &[Element<F>], points: &[Element<F>], values: &mut [Element<F>]) {
        assert_eq!(points.len(), values.len(), "not as many values as points");
        dispatch_clmul!(self.level(), token => slices::evaluate::<F, _>(token, coefficients, points, values));
    }

    /// Computes the weights of Lagrange interpolation at `at`: the sum of weight times value over
    /// all points is the polynomial's value there.
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
    /// With these weights, the values of every polynomial of a degree below n - 1 at the n points
    /// add up to zero. All points must differ. `scratch` is overwritten, and is zero at the end.
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

#[cfg(test)]
mod tests {
    use sealane_simd::LevelList;
    use sealane_spec::gf2n::Polynomial;

    use super::*;

    #[test]
    fn every_level_gives_the_known_answers() {
        for level in ClmulLevel::available() {
            assert_eq!(digest(Backend::of(level)), DIGEST, "{level:?}");
        }
    }

    /// Multiplies and inverts the same elements with the reference.
    #[test]
    fn the_known_answers_are_those_of_the_reference() {
        fn digest_of<const BITS: usize>(digest: u64) -> u64
        where
            Degree<BITS>: Field,
        {
            let modulus = Polynomial::modulus(BITS);
            let elements = operands::<BITS>().map(|element| Polynomial::from_bytes(element.to_bytes().as_ref()));
            let scaled = elements.each_ref().map(|element| element.multiply_mod(&elements[3], &modulus));
            let product = scaled[0].multiply_mod(&scaled[1], &modulus);
            let inverse = scaled[1].invert_mod(&modulus).unwrap();
            let results = [&scaled[0], &scaled[1], &product, &inverse];
            results.iter().fold(digest, |digest, result| absorb(digest, &result.to_bytes(BITS / 8)))
        }
        assert_eq!(digest_of::<192>(digest_of::<64>(0)), DIGEST);
    }
}
