//! Recovers the secret, or another share, from shares.

use core::fmt;

use sealane_simd::{Gf8Level, dispatch_gf8};

use super::field::PublicBytes;
use super::kernel;
use super::points::{MAX_SHARES, Points};
use crate::backend::Gf8Backend;
use crate::shamir::arithmetic::lagrange_weight;
use crate::shamir::error::Error;

/// Recovers the secret, or the share at another point, from the shares at some points, piece by
/// piece.
///
/// It uses exactly the shares that it is given. Their number must reach the threshold, and all of
/// them must be right. More shares than the threshold cost time and give the same result; a
/// [`Checker`](super::Checker) compares them.
#[derive(Clone)]
pub struct Combiner {
    points: Points,
    /// Lagrange's weights, one for each point.
    coefficients: [u8; MAX_SHARES],
    target: u8,
    level: Gf8Level,
}

impl Combiner {
    /// Prepares to recover the secret from the shares at these points.
    ///
    /// # Errors
    /// [`Error`] if there are no points, or one is 0 or occurs twice.
    pub fn new(points: &[u8]) -> Result<Self, Error> {
        Self::at(points, 0)
    }

    /// Prepares to recover the share at `target`, such as a lost one, without computing the secret.
    /// The target 0 stands for the secret.
    ///
    /// # Errors
    /// The errors of [`Combiner::new`].
    pub fn at(points: &[u8], target: u8) -> Result<Self, Error> {
        Self::with_backend(points, target, Gf8Backend::detect())
    }

    /// Does the same as [`Combiner::at`] on the given backend.
    ///
    /// # Errors
    /// The errors of [`Combiner::new`].
    pub fn with_backend(points: &[u8], target: u8, backend: Gf8Backend) -> Result<Self, Error> {
        let points = Points::new(points)?;
        if points.is_empty() {
            return Err(Error::TooFewShares { needed: 1, given: 0 });
        }
        let mut coefficients = [0; MAX_SHARES];
        for (i, coefficient) in coefficients.iter_mut().enumerate().take(points.len()) {
            *coefficient = lagrange_weight(&PublicBytes, &points, i, &target);
        }
        Ok(Self { points, coefficients, target, level: backend.level() })
    }

    /// Returns the evaluation points, in the order of the shares.
    #[must_use]
    pub fn points(&self) -> &[u8] {
        &self.points
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Gf8Backend {
        Gf8Backend::of(self.level)
    }

    /// Combines a piece of each share into the same piece of the result. `shares[j]` is at
    /// `points()[j]`.
    ///
    /// # Errors
    /// [`Error`] if the numbers of shares and points differ, or a share is not as long as `out`.
    /// Then nothing is written.
    pub fn combine(&self, shares: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.points.check_buffers(shares.len())?;
        if shares.iter().any(|share| share.len() != out.len()) {
            return Err(Error::UnequalLengths);
        }
        let coefficients = &self.coefficients[..shares.len()];
        dispatch_gf8!(self.level, token => kernel::combine(token, coefficients, shares, out));
        crate::fault::flip("shamir_bytes", self.level, out);
        Ok(())
    }
}

impl fmt::Debug for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Combiner");
        debug.field("points", &self.points).field("target", &self.target).field("backend", &self.level).finish()
    }
}
