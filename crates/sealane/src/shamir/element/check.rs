//! Checks thresholds, numbers of shares and evaluation points.

use alloc::vec::Vec;

use super::Share;
use crate::gf2n::{Element, Field};
use crate::shamir::error::Error;

/// Returns the number of evaluation points in the field: all elements except zero. In a larger
/// field, returns the number of elements that a slice can have.
pub(super) fn maximum_points<F: Field>() -> usize {
    let in_slice = isize::MAX as usize / size_of::<Element<F>>();
    if F::BITS < usize::BITS as usize { in_slice.min((1 << F::BITS) - 1) } else { in_slice }
}

pub(super) fn count<F: Field>(count: usize) -> Result<(), Error> {
    let maximum = maximum_points::<F>();
    if count > maximum { Err(Error::TooManyShares { count, maximum }) } else { Ok(()) }
}

/// Checks the parameters of splitting. The threshold must not be 0. The number of points must be at
/// least the threshold and at most [`maximum_points`]. The points are public, and must be nonzero
/// and distinct.
#[cfg(any(feature = "getrandom", feature = "rand_core"))]
pub(super) fn parameters<F: Field>(threshold: usize, points: &[Element<F>]) -> Result<(), Error> {
    if threshold == 0 {
        return Err(Error::ZeroThreshold);
    }
    count::<F>(points.len())?;
    if threshold > points.len() {
        return Err(Error::ThresholdAboveCount { threshold, count: points.len() });
    }
    distinct(points.iter())
}

/// Checks that the threshold is not 0, that there are at least `threshold` shares, that no point is
/// zero, and that no two points are equal.
pub(super) fn shares<F: Field>(threshold: usize, shares: &[Share<F>]) -> Result<(), Error> {
    if threshold == 0 {
        return Err(Error::ZeroThreshold);
    }
    if shares.len() < threshold {
        return Err(Error::TooFewShares { needed: threshold, given: shares.len() });
    }
    distinct(shares.iter().map(Share::point))
}

/// Checks that no point is zero and that no two points are equal.
fn distinct<'a, F: Field>(points: impl Iterator<Item = &'a Element<F>>) -> Result<(), Error> {
    let mut sorted: Vec<(&[u64], usize)> = points.enumerate().map(|(index, point)| (point.0.as_ref(), index)).collect();
    if let Some((_, index)) = sorted.iter().find(|(limbs, _)| limbs.iter().all(|limb| *limb == 0)) {
        return Err(Error::ZeroPoint { index: *index });
    }
    sorted.sort_unstable();
    let again = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min();
    again.map_or(Ok(()), |index| Err(Error::DuplicatePoint { index }))
}
