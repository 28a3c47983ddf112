//! Finds the wrong shares if there are more shares than the threshold, with the vectors of a
//! backend.

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::gf2n::{ClmulBackend, Element, Field};
use crate::shamir::arithmetic::{Arithmetic, Ring};
use crate::shamir::reed_solomon;

/// Returns the syndromes S(0) to S(n - k - 1) of n shares with the threshold k: [`reed_solomon`]
/// defines them.
pub(super) fn syndromes<F: Field>(
    backend: ClmulBackend,
    points: &[Element<F>],
    values: &[Element<F>],
    threshold: usize,
) -> Vec<Element<F>> {
    let zeros = vec![Element::ZERO; points.len()];
    let (mut weights, mut scratch) = (zeros.clone(), zeros);
    backend.dual_weights(points, &mut weights, &mut scratch);
    let syndrome = |_| {
        let sum = backend.dot_product(&weights, values);
        backend.multiply_slices(&mut weights, points);
        sum
    };
    let mut syndromes: Vec<_> = (threshold..points.len()).map(syndrome).collect();
    // The syndromes depend on the errors alone.
    syndromes.iter_mut().for_each(Element::declassify);
    syndromes
}

/// Returns the positions of the wrong shares, or `None` if no set of at most half as many shares as
/// syndromes explains the syndromes.
pub(super) fn locate<F: Field>(
    backend: ClmulBackend,
    points: &[Element<F>],
    syndromes: &[Element<F>],
) -> Option<Vec<usize>> {
    let mut work = [(); 3].map(|()| vec![Element::ZERO; syndromes.len() + 1]);
    let mut positions = Vec::new();
    let field = OnBackend(backend, PhantomData);
    let work = work.each_mut().map(Vec::as_mut_slice);
    reed_solomon::locate(&field, syndromes, points, work, |i| positions.push(i)).then_some(positions)
}

/// The field `F` on one backend.
struct OnBackend<F>(ClmulBackend, PhantomData<F>);

impl<F: Field> Ring for OnBackend<F> {
    type Element = Element<F>;

    fn sum(&self, a: &Element<F>, b: &Element<F>) -> Element<F> {
        *a + *b
    }

    fn product(&self, a: &Element<F>, b: &Element<F>) -> Element<F> {
        self.0.multiply(a, b)
    }
}

impl<F: Field> Arithmetic for OnBackend<F> {
    fn zero(&self) -> Element<F> {
        Element::ZERO
    }

    fn one(&self) -> Element<F> {
        Element::ONE
    }

    fn is_zero(&self, a: &Element<F>) -> bool {
        *a == Element::ZERO
    }

    fn quotient(&self, a: &Element<F>, b: &Element<F>) -> Element<F> {
        self.0.multiply(a, &self.0.invert(b).expect("a divisor that is not zero"))
    }

    fn convolution(&self, a: &[Element<F>], b: &[Element<F>]) -> Element<F> {
        let reversed: Vec<_> = b.iter().rev().copied().collect();
        self.0.dot_product(a, &reversed)
    }

    fn add_multiple(&self, a: &mut [Element<F>], factor: &Element<F>, b: &[Element<F>]) {
        let mut products = b.to_vec();
        self.0.scale(&mut products, factor);
        for (a, product) in a.iter_mut().zip(&products) {
            *a += *product;
        }
    }

    fn find_roots(&self, coefficients: &[Element<F>], points: &[Element<F>], found: impl FnMut(usize)) {
        let constant_first: Vec<_> = coefficients.iter().rev().copied().collect();
        let mut values = vec![Element::ZERO; points.len()];
        self.0.evaluate(&constant_first, points, &mut values);
        (0..points.len()).filter(|&i| values[i] == Element::ZERO).for_each(found);
    }
}
