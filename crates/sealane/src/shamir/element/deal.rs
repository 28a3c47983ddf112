//! Making shares.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::{Share, check};
use crate::gf2n::{Backend, Element, Field};
#[cfg(feature = "getrandom")]
use crate::random::System;
use crate::shamir::Error;

/// Shares of `secret`, one for each of `points`, of which any `threshold` give it back. The coefficients come from the system's
/// generator.
///
/// # Errors
/// [`Error::ZeroThreshold`], [`Error::ThresholdAboveCount`], [`Error::TooManyShares`], [`Error::ZeroPoint`],
/// [`Error::DuplicatePoint`], [`Error::SystemRandomness`].
#[cfg(feature = "getrandom")]
pub fn split<F: Field>(secret: &Element<F>, threshold: usize, points: &[Element<F>]) -> Result<Vec<Share<F>>, Error> {
    split_with(secret, threshold, points, &mut System, Backend::detect())
}

/// As [`split`], with coefficients from another generator, on a chosen backend.
///
/// # Errors
/// As [`split`]; [`Error::SystemRandomness`] if the generator fails.
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
    // All of them uniform over the whole field, the last one and zero too: a polynomial that was known not to be of a lower
    // degree would rule out one secret for each set of k - 1 shares (RUSTSEC-2024-0398).
    for coefficient in &mut coefficients[1..] {
        *coefficient = Element::try_random(rng).map_err(|_| Error::SystemRandomness)?;
    }
    let mut values = Zeroizing::new(vec![Element::ZERO; points.len()]);
    backend.evaluate(&coefficients, points, &mut values);
    Ok(points.iter().zip(&*values).map(|(point, value)| Share::at(*point, *value)).collect())
}

/// Shares of zero, to be added to shares of a secret at the same points ([`Share::refresh`]) by each holder for itself.
///
/// # Errors
/// As [`split`].
#[cfg(feature = "getrandom")]
pub fn zero_shares<F: Field>(threshold: usize, points: &[Element<F>]) -> Result<Vec<Share<F>>, Error> {
    zero_shares_with(threshold, points, &mut System, Backend::detect())
}

/// As [`zero_shares`], with coefficients from another generator, on a chosen backend.
///
/// # Errors
/// As [`split_with`].
pub fn zero_shares_with<F: Field>(
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
    backend: Backend,
) -> Result<Vec<Share<F>>, Error> {
    split_with(&Element::ZERO, threshold, points, rng, backend)
}

/// Replaces shares by others of the same secret, at the same points: what somebody learned of fewer than `threshold` of them
/// before is worth nothing after (Herzberg, Jarecki, Krawczyk, Yung, "Proactive secret sharing", 1995). All shares that are to be
/// used together have to be refreshed together.
///
/// # Errors
/// As [`split`]; the shares are then as they were.
#[cfg(feature = "getrandom")]
pub fn refresh<F: Field>(threshold: usize, shares: &mut [Share<F>]) -> Result<(), Error> {
    refresh_with(threshold, shares, &mut System, Backend::detect())
}

/// As [`refresh`], with coefficients from another generator, on a chosen backend.
///
/// # Errors
/// As [`split_with`].
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
