//! Creates shares, and refreshes them.

use core::fmt;

use sealane_simd::{Gf8Level, dispatch_gf8};

use super::coefficients::{Coefficients, Purpose};
use super::kernel;
use super::points::Points;
use crate::backend::Gf8Backend;
use crate::shamir::error::Error;

/// Splits a secret, in one piece or in many, into shares.
///
/// Use a new `Splitter` for each secret. Reusing one is safe, but the shares of the two secrets
/// then form one long share. Pieces whose lengths are multiples of 64 bytes are split fastest.
///
/// The state is wiped when it is dropped.
pub struct Splitter(Sharing);

/// Refreshes shares, in one piece or in many: adds shares of the secret 0 to them. The results are
/// shares of the same secret, and are unrelated to the old shares.
///
/// Pass the threshold of the split. A larger one becomes the threshold of the new shares. With a
/// smaller one, old and new shares are related. With 1, no share changes.
///
/// Refresh all shares of a secret together, and destroy the old ones.
///
/// ```
/// # use sealane::shamir::bytes::{Combiner, Refresher, Splitter};
/// # let (mut a, mut b) = ([0; 16], [0; 16]);
/// # Splitter::from_seed(2, &[1, 2], &[7; 32])?.split(b"0123456789abcdef", &mut [&mut a, &mut b])?;
/// # let old = a;
/// // Use `Refresher::new`, or a new random seed: this constant is only for the example.
/// Refresher::from_seed(2, &[1, 2], &[8; 32])?.refresh(&mut [&mut a, &mut b])?;
/// # let mut secret = [0; 16];
/// # Combiner::new(&[1, 2])?.combine(&[&a, &b], &mut secret)?;
/// # assert!(a != old && &secret == b"0123456789abcdef");
/// # Ok::<(), sealane::shamir::Error>(())
/// ```
pub struct Refresher(Sharing);

struct Sharing {
    threshold: usize,
    points: Points,
    coefficients: Coefficients,
    level: Gf8Level,
}

impl Sharing {
    fn new(
        threshold: usize,
        points: Points,
        seed: &[u8; 32],
        purpose: Purpose,
        backend: Gf8Backend,
    ) -> Result<Self, Error> {
        points.check_threshold(threshold)?;
        Ok(Self { threshold, points, coefficients: Coefficients::new(seed, purpose), level: backend.level() })
    }

    #[cfg(feature = "getrandom")]
    fn random(threshold: usize, points: Points, purpose: Purpose) -> Result<Self, Error> {
        points.check_threshold(threshold)?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|_| Error::SystemRandomness)?;
        let sharing = Self::new(threshold, points, &seed, purpose, Gf8Backend::detect());
        crate::wipe::wipe(&mut seed);
        sharing
    }

    fn check(&self, length: usize, shares: &[&mut [u8]]) -> Result<(), Error> {
        self.points.check_buffers(shares.len())?;
        if shares.iter().any(|share| share.len() != length) { Err(Error::UnequalLengths) } else { Ok(()) }
    }
}

macro_rules! constructors {
    ($type:ident, $purpose:expr) => {
        impl $type {
            /// Returns a value for shares at the points 1 to `count`, with a seed from the system.
            /// Any `threshold` of the shares restore the secret.
            ///
            /// # Errors
            /// [`Error`] if the threshold is 0 or above `count`, `count` is above 255, or the
            /// system's generator fails.
            #[cfg(feature = "getrandom")]
            pub fn new(threshold: usize, count: usize) -> Result<Self, Error> {
                Sharing::random(threshold, Points::compact(count)?, $purpose).map(Self)
            }

            /// Returns a value for shares at these points, with a seed from the system.
            ///
            /// # Errors
            /// The errors of [`Self::new`], and an error if a point is 0 or occurs twice.
            #[cfg(feature = "getrandom")]
            pub fn with_points(threshold: usize, points: &[u8]) -> Result<Self, Error> {
                Sharing::random(threshold, Points::new(points)?, $purpose).map(Self)
            }

            /// Returns a value for shares at these points, with this seed. The seed must be secret,
            /// uniformly random and never used again.
            ///
            /// # Errors
            /// [`Error`] if the threshold is 0 or above the number of points, or a point is 0 or
            /// occurs twice.
            pub fn from_seed(threshold: usize, points: &[u8], seed: &[u8; 32]) -> Result<Self, Error> {
                Self::from_seed_with_backend(threshold, points, seed, Gf8Backend::detect())
            }

            /// Does the same as [`Self::from_seed`] on a chosen backend. Backends differ in speed,
            /// never in shares.
            ///
            /// # Errors
            /// The errors of [`Self::from_seed`].
            pub fn from_seed_with_backend(
                threshold: usize,
                points: &[u8],
                seed: &[u8; 32],
                backend: Gf8Backend,
            ) -> Result<Self, Error> {
                Sharing::new(threshold, Points::new(points)?, seed, $purpose, backend).map(Self)
            }

            /// Returns the number of shares that restore the secret.
            #[must_use]
            pub fn threshold(&self) -> usize {
                self.0.threshold
            }

            /// Returns the evaluation points, in the order of the shares.
            #[must_use]
            pub fn points(&self) -> &[u8] {
                &self.0.points
            }

            /// Returns the backend.
            #[must_use]
            pub fn backend(&self) -> Gf8Backend {
                Gf8Backend::of(self.0.level)
            }
        }

        impl zeroize::ZeroizeOnDrop for $type {}

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut debug = f.debug_struct(stringify!($type));
                debug.field("threshold", &self.0.threshold).field("points", &self.0.points).finish_non_exhaustive()
            }
        }
    };
}

constructors! { Splitter, Purpose::Split }
constructors! { Refresher, Purpose::Refresh }

impl Splitter {
    /// Splits the next piece of the secret: `shares[j]` becomes the next piece of the share at
    /// `points()[j]`.
    ///
    /// # Errors
    /// [`Error`] if the numbers of shares and points differ, or a share is not as long as `secret`.
    /// Then nothing is written.
    pub fn split(&mut self, secret: &[u8], shares: &mut [&mut [u8]]) -> Result<(), Error> {
        self.0.check(secret.len(), shares)?;
        let Sharing { threshold, points, coefficients, level } = &mut self.0;
        dispatch_gf8!(*level, token =>
            kernel::share::<_, false>(token, *threshold, points, coefficients, secret, shares));
        Ok(())
    }
}

impl Refresher {
    /// Refreshes the next piece of all shares. `shares[j]` is at `points()[j]`.
    ///
    /// # Errors
    /// [`Error`] if the numbers of shares and points differ, or the shares differ in length. Then
    /// nothing is written.
    pub fn refresh(&mut self, shares: &mut [&mut [u8]]) -> Result<(), Error> {
        self.0.check(shares.first().map_or(0, |share| share.len()), shares)?;
        let Sharing { threshold, points, coefficients, level } = &mut self.0;
        dispatch_gf8!(*level, token =>
            kernel::share::<_, true>(token, *threshold, points, coefficients, &[], shares));
        Ok(())
    }
}
