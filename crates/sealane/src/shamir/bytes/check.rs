//! Compares shares with each other, if there are more than the threshold.

use core::fmt;

use sealane_simd::{Gf8Level, dispatch_gf8};

use super::field::{PublicBytes, SecretBytes, mul};
use super::points::{MAX_SHARES, Points};
use super::{decode, kernel};
use crate::backend::Gf8Backend;
use crate::declassify::{declassify, declassify_bytes};
use crate::shamir::arithmetic::{Ring as _, dual_weight};
use crate::shamir::error::Error;
use crate::shamir::reed_solomon;
use crate::wipe::wipe;

/// The number of bytes of each share that are compared at once. This limits the stack: a buffer
/// there holds the syndromes of a piece.
const PIECE_BYTES: usize = 1024;

/// The result of comparing shares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there may be no allocator")]
pub enum Verdict {
    /// All shares belong to one secret that was split with the threshold.
    ///
    /// This is always so if there are no more shares than the threshold.
    Consistent,
    /// The shares at these points are wrong, and the others belong to one secret. No other
    /// explanation has as few wrong shares.
    Wrong(Points),
    /// Some shares are wrong, and there are too few shares to tell which. With a threshold k, m
    /// shares show which are wrong if at most (m - k) / 2 are.
    Inconsistent,
}

/// Compares all shares with each other, piece by piece.
///
/// At each byte position, right shares form a codeword of a Reed–Solomon code, and the wrong shares
/// are the same in all of these words (McEliece and Sarwate, "On sharing secrets and Reed–Solomon
/// codes", 1981). The verdict and the time depend on how the wrong shares differ from right ones,
/// and not on the secret, if the threshold is not below that of the split.
///
/// ```
/// use sealane::shamir::bytes::{Checker, Points, Splitter, Verdict};
///
/// let mut shares = [[0; 4]; 5];
/// let mut buffers = shares.each_mut().map(|share| &mut share[..]);
/// // Use `Splitter::new`, or a new random seed: this constant is only for the example.
/// Splitter::from_seed(2, &[1, 2, 3, 4, 5], &[7; 32])?.split(b"pear", &mut buffers)?;
/// shares[3][0] ^= 1; // damage
///
/// let mut checker = Checker::new(2, &[1, 2, 3, 4, 5])?;
/// checker.check(&shares.each_ref().map(|share| &share[..]))?;
/// let wrong: Points = match checker.verdict() {
///     Verdict::Wrong(points) => points,
///     other => panic!("{other:?}"),
/// };
/// assert_eq!(wrong[..], [4]);
/// # Ok::<(), sealane::shamir::Error>(())
/// ```
#[derive(Clone)]
pub struct Checker {
    threshold: usize,
    points: Points,
    wrong: Points,
    decided: bool,
    level: Gf8Level,
}

impl Checker {
    /// Returns a checker for shares at these points. Any `threshold` right shares restore the
    /// secret.
    ///
    /// # Errors
    /// [`Error`] if the threshold is 0, there are fewer points than that, or a point is 0 or occurs
    /// twice.
    pub fn new(threshold: usize, points: &[u8]) -> Result<Self, Error> {
        Self::with_backend(threshold, points, Gf8Backend::detect())
    }

    /// Does the same as [`Checker::new`] on the given backend.
    ///
    /// # Errors
    /// The errors of [`Checker::new`].
    pub fn with_backend(threshold: usize, points: &[u8], backend: Gf8Backend) -> Result<Self, Error> {
        let points = Points::new(points)?;
        if threshold == 0 {
            return Err(Error::ZeroThreshold);
        }
        if points.len() < threshold {
            return Err(Error::TooFewShares { needed: threshold, given: points.len() });
        }
        Ok(Self { threshold, points, wrong: Points::NONE, decided: true, level: backend.level() })
    }

    /// Returns the evaluation points, in the order of the shares.
    #[must_use]
    pub fn points(&self) -> &[u8] {
        &self.points
    }

    /// Returns the largest number of wrong shares that are sure to be named.
    #[must_use]
    pub fn max_identifiable(&self) -> usize {
        (self.points.len() - self.threshold) / 2
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Gf8Backend {
        Gf8Backend::of(self.level)
    }

    /// Returns the verdict on all pieces so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.wrong.len() {
            _ if !self.decided => Verdict::Inconsistent,
            0 => Verdict::Consistent,
            _ => Verdict::Wrong(self.wrong),
        }
    }

    /// Compares the next piece of all shares. `shares[j]` is at `points()[j]`.
    ///
    /// # Errors
    /// [`Error`] if the numbers of shares and points differ, or the shares differ in length.
    pub fn check(&mut self, shares: &[&[u8]]) -> Result<(), Error> {
        self.points.check_buffers(shares.len())?;
        let length = shares.first().map_or(0, |share| share.len());
        if shares.iter().any(|share| share.len() != length) {
            return Err(Error::UnequalLengths);
        }
        let mut kept = Kept::new(self, shares);
        let mut start = 0;
        while start < length && self.decided {
            let bytes = PIECE_BYTES.min(length - start);
            let Some(position) = kept.first_inconsistency(self, start, bytes) else {
                start += bytes;
                continue;
            };
            // Other bytes of this piece may be inconsistent even without these shares, so the piece
            // is compared again.
            self.decided = self.name_wrong(shares, position);
            kept = Kept::new(self, shares);
        }
        Ok(())
    }

    /// Adds the shares that are wrong at one byte to the wrong shares. Returns whether there were
    /// new ones, and all wrong shares together are few enough to be named.
    fn name_wrong(&mut self, shares: &[&[u8]], position: usize) -> bool {
        let weights = weights(&self.points);
        let mut syndromes = [0; MAX_SHARES];
        let syndromes = &mut syndromes[..self.points.len() - self.threshold];
        for ((share, &weight), &point) in shares.iter().zip(&weights).zip(self.points.iter()) {
            // A term is a secret byte times a public one. Only the sums are public.
            let term = SecretBytes.product(&weight, &share[position]);
            reed_solomon::add_share(&SecretBytes, syndromes, term, &point);
        }
        declassify_bytes(syndromes);
        let Some(found) = decode::locate(syndromes, &self.points) else { return false };
        let before = self.wrong.len();
        for &point in found.iter() {
            if !self.wrong.contains(&point) {
                self.wrong.push(point);
            }
        }
        self.wrong.len() > before && self.wrong.len() <= self.max_identifiable()
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Checker");
        debug
            .field("threshold", &self.threshold)
            .field("points", &self.points)
            .field("verdict", &self.verdict())
            .finish()
    }
}

/// Returns, for each point, the inverse of the product of its differences from the others: the
/// column multipliers of the dual code.
fn weights(points: &[u8]) -> [u8; MAX_SHARES] {
    let mut weights = [0; MAX_SHARES];
    for (i, weight) in weights.iter_mut().enumerate().take(points.len()) {
        *weight = dual_weight(&PublicBytes, points, i);
    }
    weights
}

/// The shares that are not known to be wrong.
struct Kept<'a> {
    points: Points,
    weights: [u8; MAX_SHARES],
    shares: [&'a [u8]; MAX_SHARES],
}

impl<'a> Kept<'a> {
    fn new(checker: &Checker, shares: &[&'a [u8]]) -> Self {
        let mut kept = Self { points: Points::NONE, weights: [0; MAX_SHARES], shares: [&[]; MAX_SHARES] };
        for (&point, &share) in checker.points.iter().zip(shares) {
            if !checker.wrong.contains(&point) {
                kept.shares[kept.points.len()] = share;
                kept.points.push(point);
            }
        }
        kept.weights = weights(&kept.points);
        kept
    }

    /// Returns the position of a byte at which a syndrome is not 0, among `bytes` bytes from
    /// `start` on.
    fn first_inconsistency(&self, checker: &Checker, start: usize, bytes: usize) -> Option<usize> {
        let count = self.points.len();
        let mut factors = self.weights;
        let mut pieces = [&[][..]; MAX_SHARES];
        for (piece, share) in pieces.iter_mut().zip(&self.shares[..count]) {
            *piece = &share[start..start + bytes];
        }
        let mut buffer = [0; PIECE_BYTES];
        let syndromes = &mut buffer[..bytes];
        let mut first = None;
        for _ in checker.threshold..count {
            dispatch_gf8!(checker.level, token =>
                kernel::combine(token, &factors[..count], &pieces[..count], syndromes));
            if declassify(syndromes.iter().fold(0, |all, syndrome| all | syndrome) != 0) {
                declassify_bytes(syndromes);
                first = syndromes.iter().position(|syndrome| *syndrome != 0);
                break;
            }
            for (factor, &point) in factors.iter_mut().zip(self.points.iter()) {
                *factor = mul(*factor, point);
            }
        }
        wipe(&mut buffer);
        first.map(|position| start + position)
    }
}
