//! Chooses evaluation points.

#[cfg(any(feature = "getrandom", feature = "rand_core"))]
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

#[cfg(feature = "rand_core")]
use rand_core::TryCryptoRng;

use super::check;
use crate::gf2n::{Element, Field};
use crate::shamir::error::Error;

/// Returns the elements whose bits are the numbers 1 to `count`.
///
/// # Errors
/// [`Error::TooManyShares`].
pub fn compact_points<F: Field>(count: usize) -> Result<Vec<Element<F>>, Error> {
    check::count::<F>(count)?;
    Ok((1..=count as u64).map(|number| Element::from_bits(number).expect("a number that was checked")).collect())
}

/// Returns `count` distinct, uniformly random points other than zero, from the system's generator.
///
/// # Errors
/// [`Error::TooManyShares`], [`Error::SystemRandomness`].
#[cfg(feature = "getrandom")]
pub fn random_points<F: Field>(count: usize) -> Result<Vec<Element<F>>, Error> {
    draw_points(count, &mut crate::random::System)
}

/// Does the same as `random_points` with the given generator.
///
/// # Errors
/// [`Error::TooManyShares`], [`Error::SystemRandomness`].
#[cfg(feature = "rand_core")]
pub fn random_points_with_rng<F: Field>(count: usize, rng: &mut impl TryCryptoRng) -> Result<Vec<Element<F>>, Error> {
    draw_points(count, &mut crate::random::Given(rng))
}

/// How often the average number of draws for a new point is made in vain before drawing fails. A
/// good generator reaches it with a probability below e^-100.
#[cfg(any(feature = "getrandom", feature = "rand_core"))]
const MOST_AVERAGES: usize = 100;

#[cfg(any(feature = "getrandom", feature = "rand_core"))]
fn draw_points<F: Field>(count: usize, random: &mut impl crate::random::Random) -> Result<Vec<Element<F>>, Error> {
    check::count::<F>(count)?;
    let all = check::maximum_points::<F>();
    let mut seen = BTreeSet::new();
    let mut points = Vec::with_capacity(count);
    let mut rejected = 0;
    while points.len() < count {
        // Zero and the points so far are drawn in vain. The last point of GF(2^16) takes 2^16 draws
        // on average.
        let average = all / (all - points.len()) + 1;
        // A generator that repeats itself is broken.
        if rejected == MOST_AVERAGES.saturating_mul(average) {
            return Err(Error::SystemRandomness);
        }
        let point = Element::<F>::draw(random).map_err(|_| Error::SystemRandomness)?;
        let limbs = point.0.as_ref();
        if limbs.iter().any(|limb| *limb != 0) && seen.insert(Vec::from(limbs)) {
            points.push(point);
            rejected = 0;
        } else {
            rejected += 1;
        }
    }
    Ok(points)
}
