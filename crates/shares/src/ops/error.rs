//! Errors of splitting, combining, refreshing and reissuing.

use std::io;

use sealane::RandomError;

use crate::format::error::{ParameterError, ShareError};
use crate::format::{Field, SetId};

/// A secret cannot be split.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The parameters are impossible.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The number of outputs differs from the number of shares.
    #[error("{outputs} outputs for {count} shares")]
    Outputs {
        /// The number of outputs.
        outputs: usize,
        /// The number of shares.
        count: u16,
    },
    /// The system's random number generator failed.
    #[error("the system's random number generator failed")]
    Random(#[from] RandomError),
    /// Writing failed. The error wraps a [`RandomError`] if the system's random number generator
    /// failed after the first bytes were written.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
}

/// The reason why one of several shares cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The share cannot be read or is damaged. The share alone shows this.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// The share's checksum is right, but it contradicts the other shares: it was tampered with.
    #[error("the share is not what was issued: it does not fit the other shares")]
    Forged,
}

/// A share that cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct BadShare {
    /// The index in the list of shares that was given, from 0.
    pub position: usize,
    /// The fault.
    pub fault: Fault,
}

/// Those of the given shares that state the same set, field, threshold and number of shares.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShareSet {
    /// The identifier of the set.
    pub set: SetId,
    /// The field.
    pub field: Field,
    /// The threshold.
    pub threshold: u16,
    /// The number of shares that were created.
    pub count: u16,
    /// The indices of these shares in the list, from 0.
    pub positions: Vec<usize>,
}

/// Shares cannot be combined, refreshed or reissued.
///
/// Positions are indices in the list of shares that was given, from 0.
///
/// ```
/// use std::io::Cursor;
///
/// use sealane_shares::{BadShare, CombineError, Fault, ShareError, ShareReader, ShareSet, combine, combine_to, split};
///
/// let shares = split(b"attack at dawn", 2, 3)?;
/// let others = split(b"attack at noon", 2, 3)?;
/// let Err(CombineError::DifferentSets { sets }) = combine(&[shares[0].clone(), others[1].clone()]) else { panic!() };
/// let set: &ShareSet = &sets[0];
/// assert_eq!((set.threshold, set.set), (2, shares[0].header().set()));
///
/// // The last byte of a share is changed.
/// let mut files = [shares[0].as_bytes().to_vec(), shares[1].as_bytes().to_vec()];
/// *files[1].last_mut().unwrap() ^= 1;
/// let readers = files.map(|file| ShareReader::new(Cursor::new(file)).unwrap());
/// let Err(CombineError::Bad(bad)) = combine_to(readers.into(), Vec::new()) else { panic!() };
/// let [BadShare { position: 1, fault: Fault::Share(ShareError::Checksum), .. }] = bad[..] else { panic!() };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CombineError {
    /// There are no shares.
    #[error("no shares")]
    NoShares,
    /// A part of a share was read before, and would be missing from the result.
    ///
    /// See [`ShareReader::rewind`](crate::ShareReader::rewind).
    #[error("a share was read before: its reader must be at the beginning")]
    AlreadyRead {
        /// The share.
        position: usize,
    },
    /// The shares are of different sets. No set is preferred, however many shares it has.
    #[error("the shares are of {} different sets", .sets.len())]
    DifferentSets {
        /// The sets, in the order of their first shares. If shares of a set disagree on the other
        /// parameters, the set is listed once for each version.
        sets: Vec<ShareSet>,
    },
    /// Shares of one set have different parameters.
    #[error("the shares do not agree on the threshold, the number of shares or the field")]
    DifferentParameters {
        /// The groups of shares that agree, in the order of their first shares.
        sets: Vec<ShareSet>,
    },
    /// There are enough shares that agree, but they come from fewer sources than the threshold.
    /// Other shares have another length or commitment, or are damaged, so that nothing shows
    /// whether they agree too.
    ///
    /// See [`ShareReader::from_source`](crate::ShareReader::from_source).
    #[error("the shares that agree come from too few sources to be preferred to the others")]
    FewSources {
        /// The shares that agree with each other.
        positions: Vec<usize>,
        /// The shares that are damaged.
        bad: Vec<BadShare>,
    },
    /// There are two secrets. Enough shares from different sources agree on each.
    #[error("some of the shares give one secret, and others another")]
    TwoSecrets {
        /// One share of each secret.
        positions: [usize; 2],
    },
    /// There are too few different usable shares.
    #[error("{needed} different shares are needed, and there {} {usable}{}",
        if *.usable == 1 { "is" } else { "are" },
        if .bad.is_empty() { "" } else { " that can be used" })]
    TooFew {
        /// The threshold.
        needed: usize,
        /// The number of different usable shares.
        usable: usize,
        /// The shares that cannot be used.
        bad: Vec<BadShare>,
    },
    /// Some shares are damaged or forged, or changed while they were read. No secret was returned.
    ///
    /// If enough others are left, combine those.
    #[error("a share is damaged or was tampered with")]
    Bad(Vec<BadShare>),
    /// Two shares have the same evaluation point and different content, and nothing shows which is
    /// right.
    #[error("two shares have the same number and different content")]
    Conflict {
        /// The two shares.
        positions: [usize; 2],
    },
    /// Two shares with the same index were given to a refresh.
    #[error("the same share was given twice")]
    Repeated {
        /// The two shares.
        positions: [usize; 2],
    },
    /// The shares contradict each other, and there are too few to tell which are forged. A refresh
    /// or a reissue does not try to tell.
    #[error("the shares contradict each other: at least one was tampered with, and there are too few to tell which")]
    Inconsistent,
    /// The shares contradict each other, and there are too many shares, or too many ways to choose
    /// among them: not all were tried.
    #[error(
        "the shares contradict each other: some were tampered with, and the search for those that were not was given up: \
         there are too many choices"
    )]
    GaveUp,
    /// The result is not the secret that was split. At least one share is forged, and there are too
    /// few to tell which.
    #[error("the result is not the secret that was split: at least one share was tampered with")]
    NotAuthentic,
    /// A new share cannot have this index, or the operation does not support shares of this field.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The number of outputs differs from the number of shares to refresh.
    #[error("{outputs} outputs for {count} shares")]
    Outputs {
        /// The number of outputs.
        outputs: usize,
        /// The number of shares.
        count: usize,
    },
    /// The system's random number generator failed.
    #[error("the system's random number generator failed")]
    Random(#[from] RandomError),
    /// Writing the result failed.
    #[error("writing failed: {0}")]
    Write(#[source] io::Error),
}
