//! Which shares are wrong, among more than it takes.
//!
//! Shares are a word of a generalised Reed–Solomon code: with multipliers v(i) = 1/∏(x(i) - x(j)), the sums S(j) = Σ v(i)·x(i)^j·y(i)
//! for j below n - k, the *syndromes*, are zero for every polynomial of degree below k (Roth, "Introduction to Coding Theory", chapter 5).
//! So they depend on the errors alone, and nothing here has seen the secret: the branches below do not depend on it.

use alloc::vec;
use alloc::vec::Vec;

use crate::gf2n::{Backend, Element, Field};

/// S(0) to S(n - k - 1).
pub(super) fn syndromes<F: Field>(
    backend: Backend,
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
    (threshold..points.len()).map(syndrome).collect()
}

/// The positions of the errors that explain the syndromes, if they are no more than half as many as there are syndromes: then there is only
/// one such set. None if there are more.
pub(super) fn locate<F: Field>(
    backend: Backend,
    points: &[Element<F>],
    syndromes: &[Element<F>],
) -> Option<Vec<usize>> {
    let mut locator = shortest_recurrence(backend, syndromes);
    let errors = locator.len() - 1;
    if 2 * errors > syndromes.len() {
        return None;
    }
    // Its roots are the inverses of the points; the other way round, the points.
    locator.reverse();
    let mut values = vec![Element::ZERO; points.len()];
    backend.evaluate(&locator, points, &mut values);
    let positions: Vec<_> = (0..points.len()).filter(|&i| values[i] == Element::ZERO).collect();
    (positions.len() == errors).then_some(positions)
}

/// Massey, "Shift-register synthesis and BCH decoding" (1969): the shortest 1 + c(1)·x + … + c(L)·x^L with S(j) = Σ c(i)·S(j - i) for all j from
/// L on. It has L + 1 coefficients.
fn shortest_recurrence<F: Field>(backend: Backend, syndromes: &[Element<F>]) -> Vec<Element<F>> {
    let mut current = vec![Element::ONE];
    let mut before = vec![Element::ONE];
    let (mut length, mut gap, mut discrepancy_before) = (0, 1, Element::ONE);
    for j in 0..syndromes.len() {
        let reach = current.len().min(j + 1);
        let earlier: Vec<_> = syndromes[j + 1 - reach..=j].iter().rev().copied().collect();
        let discrepancy = backend.dot_product(&current[..reach], &earlier);
        if discrepancy == Element::ZERO {
            gap += 1;
            continue;
        }
        let inverse = backend.invert(&discrepancy_before).expect("it was not zero when it was kept");
        let mut correction = before.clone();
        backend.scale(&mut correction, &backend.multiply(&discrepancy, &inverse));
        let longer = 2 * length <= j;
        let kept = longer.then(|| current.clone());
        current.resize(current.len().max(correction.len() + gap), Element::ZERO);
        for (coefficient, correction) in current[gap..].iter_mut().zip(&correction) {
            *coefficient += *correction;
        }
        if let Some(kept) = kept {
            (before, discrepancy_before) = (kept, discrepancy);
            length = j + 1 - length;
            gap = 1;
        } else {
            gap += 1;
        }
    }
    current.resize(length + 1, Element::ZERO);
    current
}
