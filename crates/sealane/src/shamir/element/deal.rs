//! Makes shares.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::{Share, check};
use crate::gf2n::{Backend, Element, Field};
#[cfg(feature = "getrandom")]
use crate::random::System;
use crate::shamir::error::Error;

/// Splits `secret` into one share for each of `points`. Any `threshold` of them restore it. The
/// coefficients come from the system's generator.
///
/// # Errors
/// [`Error::ZeroThreshold`], [`Error::ThresholdAboveCount`], [`Error::TooManyShares`],
/// [`Error::ZeroPoint`], [`Error::DuplicatePoint`], [`Error::SystemRandomness`].
#[cfg(feature = "getrandom")]
pub fn split<F: Field>(secret: &Element<F>, threshold: usize, points: &[Element<F>]) -> Result<Vec<Share<F>>, Error> {
    split_with(secret, threshold, points, &mut System, Backend::detect())
}

/// Does the same as [`split`] with another generator, on a chosen backend.
///
/// # Errors
/// As for [`split`]; [`Error::SystemRandomness`] if the generator fails.
pub fn split_with<F: Field>(
    secret: &Element<F>,
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
    backend: Backend,
) -> Result<Vec<Share<F>>, Error> {
    check::parameters(threshold, points)?;
    let mut coefficients = Zeroizing::new(vec![Element::ZERO; threshold]);
    coefficients[0] = *secret;
    // All coefficients are uniform over the whole field, so that the last one can be zero too. If
    // it were known not to be zero, each set of k - 1 shares would rule out one secret
    // (RUSTSEC-2024-0398).
    for coefficient in &mut coefficients[1..] {
        *coefficient = Element::try_random(rng).map_err(|_| Error::SystemRandomness)?;
    }
    let mut values = Zeroizing::new(vec![Element::ZERO; points.len()]);
    backend.evaluate(&coefficients, points, &mut values);
    Ok(points.iter().zip(&*values).map(|(point, value)| Share::at(*point, *value)).collect())
}

/// Makes shares of zero. Each holder adds one to the share of a secret at the same point
/// ([`Share::refresh`]).
///
/// # Errors
/// As for [`split`].
#[cfg(feature = "getrandom")]
pub fn zero_shares<F: Field>(threshold: usize, points: &[Element<F>]) -> Result<Vec<Share<F>>, Error> {
    zero_shares_with(threshold, points, &mut System, Backend::detect())
}

/// Does the same as [`zero_shares`] with another generator, on a chosen backend.
///
/// # Errors
/// As for [`split_with`].
pub fn zero_shares_with<F: Field>(
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
    backend: Backend,
) -> Result<Vec<Share<F>>, Error> {
    split_with(&Element::ZERO, threshold, points, rng, backend)
}

/// Replaces shares by others of the same secret, at the same points. Anyone who learned fewer than
/// `threshold` of the former shares learned nothing that helps against the new ones (Herzberg,
/// Jarecki, Krawczyk, Yung, "Proactive secret sharing", 1995).
///
/// All shares that are to be used together must be refreshed together.
///
/// # Errors
/// As for [`split`]. The shares are then unchanged.
#[cfg(feature = "getrandom")]
pub fn refresh<F: Field>(threshold: usize, shares: &mut [Share<F>]) -> Result<(), Error> {
    refresh_with(threshold, shares, &mut System, Backend::detect())
}

/// Does the same as [`refresh`] with another generator, on a chosen backend.
///
/// # Errors
/// As for [`split_with`].
pub fn refresh_with<F: Field>(
    threshold: usize,
    shares: &mut [Share<F>],
    rng: &mut impl TryCryptoRng,
    backend: Backend,
) -> Result<(), Error> {
    let points: Vec<_> = shares.iter().map(|share| *share.point()).collect();
    let zero_shares = zero_shares_with(threshold, &points, rng, backend)?;
    shares.iter_mut().zip(&zero_shares).try_for_each(|(share, zero_share)| share.refresh(zero_share))
}
