//! Errors of shares of ssss and Vault.

use crate::format::error::ParameterError;

/// Shares of ssss or Vault cannot be read, made or combined. Positions are places in the list that was given, from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// It is not a share of this kind.
    #[error("not a share in this format")]
    Malformed,
    /// The parameters are impossible.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There are too few different shares.
    #[error("{needed} different shares are needed, not {usable}")]
    TooFew {
        /// The threshold.
        needed: usize,
        /// How many there are.
        usable: usize,
    },
    /// Two shares have different lengths, so that they are of different secrets.
    #[error("the shares have different lengths")]
    DifferentLengths {
        /// Two such shares.
        positions: [usize; 2],
    },
    /// Two shares have the same number and different content.
    #[error("two shares have the same number and different content")]
    Conflict {
        /// The two.
        positions: [usize; 2],
    },
    /// There are more shares than needed, and they contradict each other.
    #[error("the shares contradict each other: one is damaged, or of another secret, or the threshold is another")]
    Inconsistent,
    /// Sharing itself failed: the system's random number generator did.
    #[error(transparent)]
    Sharing(#[from] sealane::shamir::Error),
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Random(#[from] getrandom::Error),
}
