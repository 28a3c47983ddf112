//! Sets of evaluation points.

use core::fmt;
use core::ops::Deref;

use crate::shamir::error::Error;

/// The largest number of shares of one secret: the number of nonzero elements of GF(2^8).
pub const MAX_SHARES: usize = 255;

/// Distinct evaluation points other than 0, as a slice in a type that needs no allocator.
#[derive(Clone, Copy)]
pub struct Points {
    points: [u8; MAX_SHARES],
    count: u8,
}

impl Points {
    pub(super) const NONE: Self = Self { points: [0; MAX_SHARES], count: 0 };

    /// Returns the points 1 to `count`.
    #[cfg(feature = "getrandom")]
    pub(super) fn compact(count: usize) -> Result<Self, Error> {
        let mut points = Self::NONE;
        points.count = u8::try_from(count).map_err(|_| Error::TooManyShares { count, maximum: MAX_SHARES })?;
        for (point, x) in points.points.iter_mut().zip(1..=points.count) {
            *point = x;
        }
        Ok(points)
    }

    /// Checks and keeps these points.
    pub(super) fn new(given: &[u8]) -> Result<Self, Error> {
        if given.len() > MAX_SHARES {
            return Err(Error::TooManyShares { count: given.len(), maximum: MAX_SHARES });
        }
        let mut seen = [0_u64; 4];
        let mut points = Self::NONE;
        for (index, &point) in given.iter().enumerate() {
            let (word, bit) = (&mut seen[usize::from(point >> 6)], 1 << (point & 63));
            if point == 0 {
                return Err(Error::ZeroPoint { index });
            }
            if *word & bit != 0 {
                return Err(Error::DuplicatePoint { index });
            }
            *word |= bit;
            points.push(point);
        }
        Ok(points)
    }

    /// Adds a point that is not in the set.
    pub(super) fn push(&mut self, point: u8) {
        self.points[usize::from(self.count)] = point;
        self.count += 1;
    }

    /// Checks that shares at these points can have the threshold.
    pub(super) fn check_threshold(&self, threshold: usize) -> Result<(), Error> {
        match threshold {
            0 => Err(Error::ZeroThreshold),
            _ if threshold > self.len() => Err(Error::ThresholdAboveCount { threshold, count: self.len() }),
            _ => Ok(()),
        }
    }

    /// Checks that there is a buffer for each point.
    pub(super) fn check_buffers(&self, given: usize) -> Result<(), Error> {
        if given == self.len() { Ok(()) } else { Err(Error::WrongNumberOfShares { expected: self.len(), given }) }
    }
}

impl Deref for Points {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.points[..usize::from(self.count)]
    }
}

impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Points {}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
