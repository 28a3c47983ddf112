//! Where a word of a Reed–Solomon code is wrong, from its syndromes. Not constant in time: syndromes depend on the errors alone.

use super::field::{invert, mul};
use super::{MAX_SHARES, Points};

/// The only set of at most `syndromes.len() / 2` of `points` at which errors give these syndromes, syndrome r being a sum of
/// nonzero terms e x^r over the points x of the errors. None if there is no such set.
pub(super) fn locate(syndromes: &[u8], points: &[u8]) -> Option<Points> {
    let (locator, degree) = berlekamp_massey(syndromes);
    if degree > syndromes.len() / 2 {
        return None;
    }
    // The locator is the product of 1 - x z over the points x of the errors.
    let mut found = Points::NONE;
    for &point in points {
        let z = invert(point);
        if locator[..=degree].iter().rev().fold(0, |value, coefficient| mul(value, z) ^ coefficient) == 0 {
            found.push(point);
        }
    }
    (found.len() == degree).then_some(found)
}

type Polynomial = [u8; MAX_SHARES + 1];

/// The shortest linear recurrence that generates `sequence`, as its connection polynomial and its length (Massey,
/// "Shift-register synthesis and BCH decoding", 1969).
fn berlekamp_massey(sequence: &[u8]) -> (Polynomial, usize) {
    let (mut current, mut previous): (Polynomial, Polynomial) = ([0; MAX_SHARES + 1], [0; MAX_SHARES + 1]);
    (current[0], previous[0]) = (1, 1);
    let (mut length, mut shift, mut previous_discrepancy) = (0, 1, 1);
    for n in 0..sequence.len() {
        let discrepancy = (0..=length).fold(0, |sum, i| sum ^ mul(current[i], sequence[n - i]));
        if discrepancy == 0 {
            shift += 1;
            continue;
        }
        let before = current;
        let factor = mul(discrepancy, invert(previous_discrepancy));
        for i in shift..current.len() {
            current[i] ^= mul(factor, previous[i - shift]);
        }
        if 2 * length <= n {
            length = n + 1 - length;
            (previous, previous_discrepancy, shift) = (before, discrepancy, 1);
        } else {
            shift += 1;
        }
    }
    (current, length)
}
