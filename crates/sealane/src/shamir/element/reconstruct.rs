//! Recovers the secret, or another share, from shares, and finds bad ones.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::{Share, check, decode, small_points};
use crate::gf2n::{ClmulBackend, Element, Field};
use crate::shamir::error::Error;

/// Returns the secret that was split into `shares` with this threshold. If there are more shares
/// than the threshold, all of them are checked against each other.
///
/// The time depends on how bad shares differ from right ones, and not on the secret, if `threshold`
/// is not below the true threshold.
///
/// If `threshold` is below the true threshold, exactly `threshold` shares give a wrong secret
/// without an error. More shares than that are refused, because they do not belong together, except
/// with a probability of 2^-n for each further one in GF(2^n), which matters in the smallest
/// fields.
///
/// # Errors
/// [`Error::ZeroThreshold`], [`Error::TooFewShares`], [`Error::ZeroPoint`],
/// [`Error::DuplicatePoint`]; [`Error::BadShares`] if some shares do not belong to the others
/// ([`bad_shares`] names all of them); [`Error::InconsistentShares`] if there are too few shares to
/// tell which ones.
pub fn reconstruct<F: Field>(threshold: usize, shares: &[Share<F>]) -> Result<Element<F>, Error> {
    reconstruct_with_backend(threshold, shares, ClmulBackend::detect())
}

/// Does the same as [`reconstruct`] on a chosen backend.
///
/// # Errors
/// The errors of [`reconstruct`].
pub fn reconstruct_with_backend<F: Field>(
    threshold: usize,
    shares: &[Share<F>],
    backend: ClmulBackend,
) -> Result<Element<F>, Error> {
    let value = value_at(threshold, shares, &Element::ZERO, backend)?;
    Ok(if crate::fault::is_injected("shamir_element", backend.level()) { value + Element::ONE } else { value })
}

/// Returns the share at another point, to replace a lost share or for a new holder. The secret is
/// not computed.
///
/// # Errors
/// The errors of [`reconstruct`], and [`Error::ZeroPoint`] with index 0 if `point` is zero: the
/// value there is the secret.
pub fn reconstruct_at<F: Field>(threshold: usize, shares: &[Share<F>], point: &Element<F>) -> Result<Share<F>, Error> {
    reconstruct_at_with_backend(threshold, shares, point, ClmulBackend::detect())
}

/// Does the same as [`reconstruct_at`] on a chosen backend.
///
/// # Errors
/// The errors of [`reconstruct_at`].
pub fn reconstruct_at_with_backend<F: Field>(
    threshold: usize,
    shares: &[Share<F>],
    point: &Element<F>,
    backend: ClmulBackend,
) -> Result<Share<F>, Error> {
    if *point == Element::ZERO {
        return Err(Error::ZeroPoint { index: 0 });
    }
    Ok(Share::at(*point, value_at(threshold, shares, point, backend)?))
}

/// Returns the positions, counted from 0, of the shares that do not belong to the others. The
/// result is empty if all belong together.
///
/// If e shares are bad, at least `threshold` + 2·e shares are needed to tell which. The time
/// depends on how bad shares differ from right ones, as that of [`reconstruct`] does.
///
/// # Errors
/// The errors of [`reconstruct`], except [`Error::BadShares`].
pub fn bad_shares<F: Field>(threshold: usize, shares: &[Share<F>]) -> Result<Vec<usize>, Error> {
    check::shares(threshold, shares)?;
    let (points, values) = taken_apart(shares);
    bad_positions(threshold, &points, &values, ClmulBackend::detect())
}

type PointsAndValues<F> = (Vec<Element<F>>, Zeroizing<Vec<Element<F>>>);

fn taken_apart<F: Field>(shares: &[Share<F>]) -> PointsAndValues<F> {
    let points = shares.iter().map(|share| *share.point()).collect();
    (points, Zeroizing::new(shares.iter().map(|share| *share.value()).collect()))
}

fn bad_positions<F: Field>(
    threshold: usize,
    points: &[Element<F>],
    values: &[Element<F>],
    backend: ClmulBackend,
) -> Result<Vec<usize>, Error> {
    if points.len() == threshold {
        return Ok(Vec::new());
    }
    let syndromes = decode::syndromes(backend, points, values, threshold);
    if syndromes.iter().all(|syndrome| *syndrome == Element::ZERO) {
        return Ok(Vec::new());
    }
    decode::locate(backend, points, &syndromes).ok_or(Error::InconsistentShares)
}

fn value_at<F: Field>(
    threshold: usize,
    shares: &[Share<F>],
    at: &Element<F>,
    backend: ClmulBackend,
) -> Result<Element<F>, Error> {
    check::shares(threshold, shares)?;
    let (points, values) = taken_apart(shares);
    if let [first, others @ ..] = &*bad_positions(threshold, &points, &values, backend)? {
        return Err(Error::BadShares { first: *first, count: 1 + others.len() });
    }
    let (points, values) = (&points[..threshold], &values[..threshold]);
    // Points are public.
    if let Some(position) = points.iter().position(|point| point == at) {
        return Ok(values[position]);
    }
    if let Some(value) = small_points::interpolate(backend, points, values, at) {
        return Ok(value);
    }
    let zeros = vec![Element::ZERO; threshold];
    let (mut weights, mut scratch) = (zeros.clone(), zeros);
    backend.lagrange_weights(points, at, &mut weights, &mut scratch);
    Ok(backend.dot_product(&weights, values))
}
