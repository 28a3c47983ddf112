//! Comparing more shares than it takes.

use core::fmt;

use sealane_simd::{Gf8Level, dispatch_gf8};

use super::field::{invert, mul};
use super::{Backend, MAX_SHARES, Points, decode, kernel};
use crate::declassify::declassify;
use crate::shamir::Error;
use crate::wipe::wipe;

/// Bytes of each share that are compared at once.
const PIECE_BYTES: usize = 1024;

/// What is known of shares that were compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there may be no allocator")]
pub enum Verdict {
    /// All of them are shares of one secret with the threshold.
    ///
    /// If there are no more of them than the threshold, they always are.
    Consistent,
    /// The shares at these points are wrong, the others are shares of one secret, and no other explanation has as few wrong ones.
    Wrong(Points),
    /// Some are wrong, and there are too few to tell which: m shares show which of them are wrong if no more than (m - k) / 2 are,
    /// k being the threshold.
    Inconsistent,
}

/// Compares, piece by piece, all shares that there are with each other.
///
/// They are the words of a Reed–Solomon code, one word for each byte, of which the wrong shares are the same for all bytes (McEliece
/// and Sarwate, "On sharing secrets and Reed–Solomon codes", 1981). What decides, and what time it takes, depends on how the wrong
/// shares differ from right ones, and not on the secret.
#[derive(Clone)]
pub struct Checker {
    threshold: usize,
    points: Points,
    wrong: Points,
    decided: bool,
    level: Gf8Level,
}

impl Checker {
    /// For shares at these points, of which `threshold` give the secret.
    ///
    /// # Errors
    /// [`Error`] if the threshold is 0, there are fewer points than that, or one is 0 or occurs twice.
    pub fn new(threshold: usize, points: &[u8]) -> Result<Self, Error> {
        Self::with_backend(threshold, points, Backend::detect())
    }

    /// The same on the given backend.
    ///
    /// # Errors
    /// As of [`Checker::new`].
    pub fn with_backend(threshold: usize, points: &[u8], backend: Backend) -> Result<Self, Error> {
        let points = Points::new(points)?;
        if threshold == 0 {
            return Err(Error::ZeroThreshold);
        }
        if points.len() < threshold {
            return Err(Error::TooFewShares { needed: threshold, given: points.len() });
        }
        Ok(Self { threshold, points, wrong: Points::NONE, decided: true, level: backend.level() })
    }

    /// The evaluation points, in the order of the shares.
    #[must_use]
    pub fn points(&self) -> &[u8] {
        &self.points
    }

    /// How many wrong shares are sure to be named.
    #[must_use]
    pub fn most_named(&self) -> usize {
        (self.points.len() - self.threshold) / 2
    }

    /// The backend that does the work.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// What is known from all pieces so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.wrong.len() {
            _ if !self.decided => Verdict::Inconsistent,
            0 => Verdict::Consistent,
            _ => Verdict::Wrong(self.wrong),
        }
    }

    /// Compares the next piece of all shares, `shares[j]` being at `points()[j]`.
    ///
    /// # Errors
    /// [`Error`] if the number of shares is not that of the points, or they differ in length.
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
            // What comes before it in this piece may be inconsistent too, in another way: the piece is compared again.
            self.decided = self.name_wrong(shares, position);
            kept = Kept::new(self, shares);
        }
        Ok(())
    }

    /// Finds which shares are wrong at one byte. Whether that is known.
    fn name_wrong(&mut self, shares: &[&[u8]], position: usize) -> bool {
        let weights = weights(&self.points);
        let mut syndromes = [0; MAX_SHARES];
        let syndromes = &mut syndromes[..self.points.len() - self.threshold];
        for ((share, &weight), &point) in shares.iter().zip(&weights).zip(self.points.iter()) {
            let mut term = mul(weight, share[position]);
            for syndrome in &mut *syndromes {
                *syndrome ^= term;
                term = mul(term, point);
            }
        }
        let Some(found) = decode::locate(syndromes, &self.points) else { return false };
        let before = self.wrong.len();
        for &point in found.iter() {
            if !self.wrong.contains(&point) {
                self.wrong.push(point);
            }
        }
        self.wrong.len() > before && self.wrong.len() <= self.most_named()
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

/// For each point the inverse of the product of its differences from the others: the multipliers of the dual code.
fn weights(points: &[u8]) -> [u8; MAX_SHARES] {
    let mut weights = [0; MAX_SHARES];
    for (i, weight) in weights.iter_mut().enumerate().take(points.len()) {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        *weight = invert(others.fold(1, |product, (_, point)| mul(product, points[i] ^ point)));
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

    /// The first of so many bytes from `start` on at which a syndrome is not 0.
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
