//! What can be wrong with parameters and shares.

use core::fmt;

/// Parameters or shares that do not describe a sharing. Nothing was written where one is returned, but for streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A threshold of 0.
    ZeroThreshold,
    /// A threshold above the number of shares: nobody could ever recover the secret.
    ThresholdAboveCount {
        /// The threshold.
        threshold: usize,
        /// How many shares there would be.
        count: usize,
    },
    /// More shares than the field has evaluation points.
    TooManyShares {
        /// How many were asked for.
        count: usize,
        /// How many the field allows.
        maximum: usize,
    },
    /// An evaluation point of 0, where the secret is.
    ZeroPoint {
        /// Where it is among the points, from 0.
        index: usize,
    },
    /// An evaluation point that occurs twice.
    DuplicatePoint {
        /// Where it occurs again among the points, from 0.
        index: usize,
    },
    /// Fewer shares than it takes.
    TooFewShares {
        /// How many it takes.
        needed: usize,
        /// How many there are.
        given: usize,
    },
    /// Another number of buffers than there are evaluation points.
    WrongNumberOfShares {
        /// How many evaluation points there are.
        expected: usize,
        /// How many buffers were given.
        given: usize,
    },
    /// Shares that do not belong to the others.
    BadShares {
        /// Where the first of them is among the shares, from 0.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Shares that do not belong together, and it cannot be said which ones are wrong.
    InconsistentShares,
    /// A share to be added to one at another evaluation point.
    OtherPoint,
    /// Buffers, or streams, that differ in length.
    UnequalLengths,
    /// The system's generator of random numbers failed.
    SystemRandomness,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroThreshold => f.write_str("the threshold is 0"),
            Self::ThresholdAboveCount { threshold, count } => {
                write!(f, "the threshold {threshold} is above the number of shares, {count}")
            }
            Self::TooManyShares { count, maximum } => {
                write!(f, "{count} shares are more than the {maximum} that the field allows")
            }
            Self::ZeroPoint { index } => write!(f, "evaluation point {index}, counted from 0, is zero"),
            Self::DuplicatePoint { index } => {
                write!(f, "evaluation point {index}, counted from 0, is the same as an earlier one")
            }
            Self::TooFewShares { needed, given } => write!(f, "{given} shares are too few: it takes {needed}"),
            Self::WrongNumberOfShares { expected, given } => {
                write!(f, "{given} shares were given for {expected} evaluation points")
            }
            Self::BadShares { first, count: 1 } => {
                write!(f, "share {first}, counted from 0, does not belong to the others")
            }
            Self::BadShares { first, count } => {
                write!(f, "{count} shares, the first of them {first}, counted from 0, do not belong to the others")
            }
            Self::InconsistentShares => f.write_str("the shares do not belong together"),
            Self::OtherPoint => f.write_str("the shares are for different evaluation points"),
            Self::UnequalLengths => f.write_str("the secret or shares differ in length"),
            Self::SystemRandomness => f.write_str("the system's generator of random numbers failed"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::UnequalLengths => std::io::ErrorKind::InvalidData,
            Error::SystemRandomness => std::io::ErrorKind::Other,
            _ => std::io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}
