//! Finds the wrong shares if there are more shares than the threshold.
//!
//! The shares of a secret are a codeword of a generalised Reed–Solomon code (McEliece and Sarwate,
//! "On sharing secrets and Reed–Solomon codes", CACM 24(9), 1981). Let n shares y(i) at the points
//! x(i) have the threshold k. With the weights v(i) of
//! [`dual_weight`](super::arithmetic::dual_weight), the sums S(j) = Σ v(i)·x(i)^j·y(i) for j below
//! n - k, the *syndromes*, are zero if the shares are the values of a polynomial of degree below k
//! (Roth, "Introduction to Coding Theory", chapter 5). Syndromes therefore depend only on the
//! errors in the shares, so computations on them need not run in constant time. (With a k below the
//! threshold of the split, they depend on the secret's polynomial too.)

use core::mem::swap;

use super::arithmetic::{Arithmetic, Ring};

/// Adds the terms of one share to the syndromes: term·point^j to S(j). `term` is the share's value
/// times its weight.
pub(super) fn add_share<R: Ring>(ring: &R, syndromes: &mut [R::Element], mut term: R::Element, point: &R::Element) {
    for syndrome in syndromes {
        *syndrome = ring.sum(syndrome, &term);
        term = ring.product(&term, point);
    }
}

/// Calls `found` with the index of each wrong share, and returns whether these shares explain the
/// syndromes.
///
/// Wrong shares can be found if there are at most half as many of them as syndromes. At most one
/// set of this size explains the syndromes. If the result is false, the calls of `found` mean
/// nothing.
///
/// `work` is overwritten. Each of its slices has one element more than there are syndromes.
pub(super) fn locate<A: Arithmetic>(
    field: &A,
    syndromes: &[A::Element],
    points: &[A::Element],
    work: [&mut [A::Element]; 3],
    mut found: impl FnMut(usize),
) -> bool {
    let [locator, previous, spare] = work;
    let errors = shortest_recurrence(field, syndromes, locator, previous, spare);
    if 2 * errors > syndromes.len() {
        return false;
    }
    // The locator is the product of 1 - x·z over the points x of the wrong shares. In reverse
    // order, its coefficients are the coefficients of the product of z - x.
    let mut count = 0;
    field.find_roots(&locator[..=errors], points, |i| {
        count += 1;
        found(i);
    });
    count == errors
}

/// Finds the shortest linear recurrence that generates the sequence, by the algorithm of Berlekamp
/// and Massey (Massey, "Shift-register synthesis and BCH decoding", 1969).
///
/// Returns its length L, and overwrites the first L + 1 elements of `current` with its connection
/// polynomial 1 + c(1)·z + … + c(L)·z^L, for which S(j) = Σ c(i)·S(j - i) for all j from L on.
fn shortest_recurrence<'a, A: Arithmetic>(
    field: &A,
    sequence: &[A::Element],
    current: &mut [A::Element],
    mut previous: &'a mut [A::Element],
    mut spare: &'a mut [A::Element],
) -> usize {
    for polynomial in [&mut *current, &mut *previous] {
        polynomial.fill(field.zero());
        polynomial[0] = field.one();
    }
    let (mut length, mut previous_length, mut shift) = (0, 0, 1);
    let mut previous_discrepancy = field.one();
    for j in 0..sequence.len() {
        let discrepancy = field.convolution(&current[..=length], &sequence[j - length..=j]);
        if field.is_zero(&discrepancy) {
            shift += 1;
            continue;
        }
        let factor = field.quotient(&discrepancy, &previous_discrepancy);
        let is_longer = 2 * length <= j;
        if is_longer {
            spare.clone_from_slice(current);
        }
        field.add_multiple(&mut current[shift..], &factor, &previous[..=previous_length]);
        if is_longer {
            swap(&mut previous, &mut spare);
            (previous_length, length) = (length, j + 1 - length);
            (previous_discrepancy, shift) = (discrepancy, 1);
        } else {
            shift += 1;
        }
    }
    length
}
