//! Errors of operations on shares of ssss and Vault.

use sealane::RandomError;

use crate::format::error::ParameterError;

/// An operation on shares of ssss or Vault failed. Positions are indices in the list that was
/// given, from 0.
///
/// ```
/// use sealane_shares::vault::{self, VaultShare};
/// use sealane_shares::{ForeignError, ParameterError};
///
/// let error = vault::split(b"attack at dawn", 3, 2).unwrap_err();
/// assert!(matches!(error, ForeignError::Parameter(ParameterError::ThresholdOverCount { threshold: 3, count: 2 })));
/// assert!(matches!(VaultShare::parse("words"), Err(ForeignError::Malformed)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// The text or the bytes are not a share in this format, or a token is invalid.
    #[error("not a share in this format")]
    Malformed,
    /// The parameters are impossible.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There are too few different shares.
    #[error("{needed} different shares are needed, not {usable}")]
    TooFew {
        /// The number of different shares that are needed.
        needed: usize,
        /// The number of different shares.
        usable: usize,
    },
    /// Two shares have different lengths, so they are of different secrets.
    #[error("the shares have different lengths")]
    DifferentLengths {
        /// Two shares of different lengths.
        positions: [usize; 2],
    },
    /// Two shares of ssss have different tokens, which are the names of their secrets.
    #[error("the shares have different tokens, so they are of different secrets")]
    DifferentTokens {
        /// Two shares with different tokens.
        positions: [usize; 2],
    },
    /// Two shares have the same evaluation point and different content.
    #[error("two shares have the same number and different content")]
    Conflict {
        /// The two shares.
        positions: [usize; 2],
    },
    /// There are more shares than needed, and they contradict each other.
    #[error("the shares contradict each other: one is damaged, or of another secret, or the threshold is another")]
    Inconsistent,
    /// `sealane::shamir` failed, for example because the system's random number generator did.
    #[error(transparent)]
    Sharing(#[from] sealane::shamir::Error),
    /// The system's random number generator failed.
    #[error("the system's random number generator failed")]
    Random(#[from] RandomError),
}
