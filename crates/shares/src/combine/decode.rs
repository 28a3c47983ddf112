//! Naming forged shares by decoding: the shares at one place are a word of a Reed–Solomon code (McEliece and Sarwate, "On sharing
//! secrets and Reed–Solomon codes", CACM 24(9), 1981), in which e of m shares that are wrong show if k + 2e is at most m.

use std::ops::Range;

use sealane::shamir::bytes::{Checker, Verdict};

use super::evidence::Evidence;
use super::interpolate::element_field;
use crate::gf::{Element, Gf};
use crate::header::{Field, Header};

/// What shares show at some places.
enum Shown {
    Agreement,
    /// These are wrong.
    Wrong(Vec<usize>),
    /// Some are wrong, and too many to be named.
    Contradiction,
}

/// The shares that are left when the places where they contradict each other have shown which are wrong, each place with the
/// shares that those before have left: so together more are named than one place can. `None` if that comes to no end.
///
/// It is right if at each place few enough of them are wrong. The points are distinct, and at least as many as the threshold.
pub(crate) fn decode(evidence: &Evidence, headers: &[Header], positions: &[usize]) -> Option<Vec<usize>> {
    let threshold = usize::from(headers[*positions.first()?].threshold());
    let mut kept = positions.to_vec();
    while kept.len() >= threshold {
        let shown = match at_places(evidence, headers, &kept, 0..evidence.places()) {
            // Perhaps one place shows what all at once do not.
            Shown::Contradiction => (0..evidence.places())
                .map(|place| at_places(evidence, headers, &kept, place..place + 1))
                .find(|shown| matches!(shown, Shown::Wrong(_)))?,
            shown => shown,
        };
        match shown {
            Shown::Wrong(wrong) => kept.retain(|position| !wrong.contains(position)),
            _ => return Some(kept),
        }
    }
    None
}

fn at_places(evidence: &Evidence, headers: &[Header], positions: &[usize], places: Range<usize>) -> Shown {
    match headers[positions[0]].field() {
        Field::Bytes => bytes(evidence, headers, positions, places),
        Field::Element { bits, .. } => {
            let at = |place| elements(bits, evidence, headers, positions, place);
            // The places are few.
            places.map(at).find(|shown| !matches!(shown, Shown::Agreement)).unwrap_or(Shown::Agreement)
        }
    }
}

fn bytes(evidence: &Evidence, headers: &[Header], positions: &[usize], places: Range<usize>) -> Shown {
    let points: Vec<u8> = positions.iter().map(|&at| headers[at].index() as u8).collect();
    let rows: Vec<&[u8]> = positions.iter().map(|&at| &evidence.row(at)[places.clone()]).collect();
    let threshold = headers[positions[0]].threshold().into();
    let mut checker = Checker::new(threshold, &points).expect("enough distinct points");
    checker.check(&rows).expect("rows of equal length");
    match checker.verdict() {
        Verdict::Consistent => Shown::Agreement,
        Verdict::Inconsistent => Shown::Contradiction,
        Verdict::Wrong(wrong) => {
            let is_wrong = |&at: &usize| wrong.contains(&(headers[at].index() as u8));
            Shown::Wrong(positions.iter().copied().filter(is_wrong).collect())
        }
    }
}

fn elements(bits: u16, evidence: &Evidence, headers: &[Header], positions: &[usize], place: usize) -> Shown {
    let field = element_field(bits);
    let points: Vec<Element> = positions.iter().map(|&at| field.read_bytes(&headers[at].point())).collect();
    let values = positions.iter().map(|&at| field.read_bytes(evidence.element_at(at, place))).collect();
    let syndromes = syndromes(field, &points, values, headers[positions[0]].threshold().into());
    if syndromes.iter().all(is_zero) {
        return Shown::Agreement;
    }
    match locate(field, &points, &syndromes) {
        Some(wrong) => Shown::Wrong(wrong.into_iter().map(|at| positions[at]).collect()),
        None => Shown::Contradiction,
    }
}

/// S(j), the sum of v·x^j·y over the shares y at x, for j below m - k, where v is the inverse of the product of the differences of x
/// from the other points. All are zero for shares of one polynomial, so that they depend on what is wrong alone.
fn syndromes(field: Gf, points: &[Element], mut terms: Vec<Element>, threshold: usize) -> Vec<Element> {
    for (at, term) in terms.iter_mut().enumerate() {
        let mut product = field.element(1);
        for (_, other) in points.iter().enumerate().filter(|&(other, _)| other != at) {
            product = field.multiply(&product, &sum(field, &points[at], other));
        }
        *term = field.multiply(term, &field.invert_public(&product));
    }
    let mut syndromes = Vec::new();
    for _ in threshold..points.len() {
        syndromes.push(terms.iter().fold(field.zero(), |all, term| sum(field, &all, term)));
        for (term, point) in terms.iter_mut().zip(points) {
            *term = field.multiply(term, point);
        }
    }
    syndromes
}

/// The only shares, at most half as many as there are syndromes, that explain these. `None` if there are none. Not constant in time.
fn locate(field: Gf, points: &[Element], syndromes: &[Element]) -> Option<Vec<usize>> {
    let (locator, length) = shortest_recurrence(field, syndromes);
    if 2 * length > syndromes.len() {
        return None;
    }
    // The locator is the product of 1 - x·z over the wrong points x: the other way round, its zeros are these points.
    let value = |point: &Element| {
        let step = |value: Element, coefficient: &Element| sum(field, &field.multiply(&value, point), coefficient);
        locator[..=length].iter().fold(field.zero(), step)
    };
    let wrong: Vec<usize> = (0..points.len()).filter(|&at| is_zero(&value(&points[at]))).collect();
    (wrong.len() == length).then_some(wrong)
}

/// Massey, "Shift-register synthesis and BCH decoding" (1969): the connection polynomial, and its length.
fn shortest_recurrence(field: Gf, sequence: &[Element]) -> (Vec<Element>, usize) {
    let mut current = vec![field.zero(); sequence.len() + 1];
    current[0] = field.element(1);
    let mut before = current.clone();
    let (mut length, mut shift, mut discrepancy_before) = (0, 1, field.element(1));
    for n in 0..sequence.len() {
        let product = |at: usize| field.multiply(&current[at], &sequence[n - at]);
        let discrepancy = (0..=length).map(product).fold(field.zero(), |all, term| sum(field, &all, &term));
        if is_zero(&discrepancy) {
            shift += 1;
            continue;
        }
        let last = current.clone();
        let factor = field.multiply(&discrepancy, &field.invert_public(&discrepancy_before));
        for at in shift..current.len() {
            current[at] = sum(field, &current[at], &field.multiply(&factor, &before[at - shift]));
        }
        if 2 * length <= n {
            length = n + 1 - length;
            (before, discrepancy_before, shift) = (last, discrepancy, 1);
        } else {
            shift += 1;
        }
    }
    (current, length)
}

fn sum(field: Gf, a: &Element, b: &Element) -> Element {
    let mut sum = a.clone();
    field.add_assign(&mut sum, b);
    sum
}

fn is_zero(a: &Element) -> bool {
    a.iter().all(|&word| word == 0)
}
