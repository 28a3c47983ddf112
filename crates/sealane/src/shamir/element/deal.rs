//! Creates shares.

use alloc::vec;
use alloc::vec::Vec;

#[cfg(feature = "rand_core")]
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::{Share, check};
use crate::gf2n::{ClmulBackend, Element, Field};
#[cfg(feature = "rand_core")]
use crate::random::Given;
use crate::random::Random;
#[cfg(feature = "getrandom")]
use crate::random::System;
use crate::shamir::error::Error;

/// Splits `secret` into one share for each of `points`. Any `threshold` of the shares restore the
/// secret. The coefficients come from the system's generator.
///
/// # Errors
/// [`Error::ZeroThreshold`], [`Error::ThresholdAboveCount`], [`Error::TooManyShares`],
/// [`Error::ZeroPoint`], [`Error::DuplicatePoint`], [`Error::SystemRandomness`].
#[cfg(feature = "getrandom")]
pub fn split<F: Field>(secret: &Element<F>, threshold: usize, points: &[Element<F>]) -> Result<Vec<Share<F>>, Error> {
    deal(secret, threshold, points, &mut System, ClmulBackend::detect())
}

/// Does the same as `split` with the given generator.
///
/// # Errors
/// The errors of `split`, with [`Error::SystemRandomness`] if `rng` fails.
#[cfg(feature = "rand_core")]
pub fn split_with_rng<F: Field>(
    secret: &Element<F>,
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
) -> Result<Vec<Share<F>>, Error> {
    split_with_rng_and_backend(secret, threshold, points, rng, ClmulBackend::detect())
}

/// Does the same as [`split_with_rng`] on a chosen backend.
///
/// # Errors
/// The errors of [`split_with_rng`].
#[cfg(feature = "rand_core")]
pub fn split_with_rng_and_backend<F: Field>(
    secret: &Element<F>,
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
    backend: ClmulBackend,
) -> Result<Vec<Share<F>>, Error> {
    deal(secret, threshold, points, &mut Given(rng), backend)
}

fn deal<F: Field>(
    secret: &Element<F>,
    threshold: usize,
    points: &[Element<F>],
    random: &mut impl Random,
    backend: ClmulBackend,
) -> Result<Vec<Share<F>>, Error> {
    check::parameters(threshold, points)?;
    let mut coefficients = Zeroizing::new(vec![Element::ZERO; threshold]);
    coefficients[0] = *secret;
    // All coefficients are uniform over the whole field, so the last one can be zero too. If it
    // were known not to be zero, each set of k - 1 shares would rule out one secret
    // (RUSTSEC-2024-0398).
    for coefficient in &mut coefficients[1..] {
        *coefficient = Element::draw(random).map_err(|_| Error::SystemRandomness)?;
    }
    let mut values = Zeroizing::new(vec![Element::ZERO; points.len()]);
    backend.evaluate(&coefficients, points, &mut values);
    Ok(points.iter().zip(&*values).map(|(point, value)| Share::at(*point, *value)).collect())
}

/// Creates shares of zero. Each holder adds the share of zero for their point to their share of the
/// secret ([`Share::refresh`]).
///
/// # Errors
/// The errors of [`split`].
#[cfg(feature = "getrandom")]
pub fn zero_shares<F: Field>(threshold: usize, points: &[Element<F>]) -> Result<Vec<Share<F>>, Error> {
    deal(&Element::ZERO, threshold, points, &mut System, ClmulBackend::detect())
}

/// Does the same as `zero_shares` with the given generator.
///
/// # Errors
/// The errors of [`split_with_rng`].
#[cfg(feature = "rand_core")]
pub fn zero_shares_with_rng<F: Field>(
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
) -> Result<Vec<Share<F>>, Error> {
    zero_shares_with_rng_and_backend(threshold, points, rng, ClmulBackend::detect())
}

/// Does the same as [`zero_shares_with_rng`] on a chosen backend.
///
/// # Errors
/// The errors of [`split_with_rng`].
#[cfg(feature = "rand_core")]
pub fn zero_shares_with_rng_and_backend<F: Field>(
    threshold: usize,
    points: &[Element<F>],
    rng: &mut impl TryCryptoRng,
    backend: ClmulBackend,
) -> Result<Vec<Share<F>>, Error> {
    deal(&Element::ZERO, threshold, points, &mut Given(rng), backend)
}

/// Replaces shares by others of the same secret, at the same points. Anyone who learned fewer than
/// `threshold` of the old shares learned nothing that helps against the new ones (Herzberg,
/// Jarecki, Krawczyk, Yung, "Proactive secret sharing", 1995).
///
/// All shares that are to be used together must be refreshed together, with the threshold of the
/// split: a larger one becomes that of the new shares, a smaller one leaves them related to the old
/// shares, and with the threshold 1 no share changes.
///
/// # Errors
/// The errors of [`split`]. The shares are then unchanged.
#[cfg(feature = "getrandom")]
pub fn refresh<F: Field>(threshold: usize, shares: &mut [Share<F>]) -> Result<(), Error> {
    add_zero_shares(threshold, shares, &mut System, ClmulBackend::detect())
}

/// Does the same as `refresh` with the given generator.
///
/// # Errors
/// The errors of [`split_with_rng`]. The shares are then unchanged.
#[cfg(feature = "rand_core")]
pub fn refresh_with_rng<F: Field>(
    threshold: usize,
    shares: &mut [Share<F>],
    rng: &mut impl TryCryptoRng,
) -> Result<(), Error> {
    refresh_with_rng_and_backend(threshold, shares, rng, ClmulBackend::detect())
}

/// Does the same as [`refresh_with_rng`] on a chosen backend.
///
/// # Errors
/// The errors of [`refresh_with_rng`].
#[cfg(feature = "rand_core")]
pub fn refresh_with_rng_and_backend<F: Field>(
    threshold: usize,
    shares: &mut [Share<F>],
    rng: &mut impl TryCryptoRng,
    backend: ClmulBackend,
) -> Result<(), Error> {
    add_zero_shares(threshold, shares, &mut Given(rng), backend)
}

fn add_zero_shares<F: Field>(
    threshold: usize,
    shares: &mut [Share<F>],
    random: &mut impl Random,
    backend: ClmulBackend,
) -> Result<(), Error> {
    let points: Vec<_> = shares.iter().map(|share| *share.point()).collect();
    let zero_shares = deal(&Element::ZERO, threshold, &points, random, backend)?;
    shares.iter_mut().zip(&zero_shares).try_for_each(|(share, zero_share)| share.refresh(zero_share))
}
