//! Errors of parameters and shares.

use core::fmt;

/// Parameters or shares that do not fit together, or a generator of random numbers that failed. A
/// function that returns this error has written nothing.
///
/// ```
/// use sealane::shamir::Error;
/// use sealane::shamir::bytes::Combiner;
///
/// let error = Combiner::new(&[1, 2, 1]).err();
/// assert_eq!(error, Some(Error::DuplicatePoint { index: 2 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A threshold of 0.
    ZeroThreshold,
    /// A threshold above the number of shares. The secret could never be recovered.
    ThresholdAboveCount {
        /// The threshold.
        threshold: usize,
        /// The number of shares that were requested, or given to be refreshed.
        count: usize,
    },
    /// More shares than the field has evaluation points, or than a slice can have.
    TooManyShares {
        /// The number of shares, or of their points, that were requested or given.
        count: usize,
        /// The largest number.
        maximum: usize,
    },
    /// An evaluation point of 0, where the value is the secret.
    ZeroPoint {
        /// Its index among the points.
        index: usize,
    },
    /// An evaluation point that occurs twice.
    DuplicatePoint {
        /// The index of the second occurrence among the points.
        index: usize,
    },
    /// Fewer shares than needed.
    TooFewShares {
        /// The number of shares needed.
        needed: usize,
        /// The number of shares given.
        given: usize,
    },
    /// A number of shares other than the number of evaluation points.
    WrongNumberOfShares {
        /// The number of evaluation points.
        expected: usize,
        /// The number of shares, or of buffers for shares, given.
        given: usize,
    },
    /// Shares that do not belong to the others.
    BadShares {
        /// The index of the first of them among the shares.
        first: usize,
        /// The number of such shares.
        count: usize,
    },
    /// Shares that contradict each other, but are too few to tell which ones are wrong.
    InconsistentShares,
    /// A share that was to be added to a share at another evaluation point.
    OtherPoint,
    /// Buffers of different lengths.
    UnequalLengths,
    /// Bytes of a share that have the length of no share of the field.
    WrongShareLength {
        /// The length of a share in bytes.
        expected: usize,
        /// The number of bytes given.
        given: usize,
    },
    /// The random number generator failed: the system's, or the caller's.
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
                write!(f, "{count} shares are too many: the maximum is {maximum}")
            }
            Self::ZeroPoint { index } => write!(f, "evaluation point {index}, counted from 0, is zero"),
            Self::DuplicatePoint { index } => {
                write!(f, "evaluation point {index}, counted from 0, is the same as an earlier one")
            }
            Self::TooFewShares { needed, given } => write!(f, "{needed} shares are needed, but {given} were given"),
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
            Self::WrongShareLength { expected, given } => write!(f, "a share has {expected} bytes, not {given}"),
            Self::SystemRandomness => f.write_str("the random number generator failed"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::BadShares { .. } | Error::InconsistentShares => std::io::ErrorKind::InvalidData,
            Error::SystemRandomness => std::io::ErrorKind::Other,
            _ => std::io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}
