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
