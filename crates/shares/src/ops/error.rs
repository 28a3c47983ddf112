//! Errors of splitting and combining.

use std::io;

use crate::format::error::{ParameterError, ShareError};
use crate::format::{Field, SetId};

/// A secret cannot be split.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The parameters are impossible.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There are not as many outputs as shares.
    #[error("{outputs} outputs for {count} shares")]
    Outputs {
        /// How many there are.
        outputs: usize,
        /// How many there must be.
        count: u16,
    },
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Random(#[from] getrandom::Error),
    /// Writing failed.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
}

/// What is wrong with one of several shares.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It cannot be read, or is damaged: what the share alone shows.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// Its checksum is right, but it does not belong to the others: it was tampered with.
    #[error("the share is not what was issued: it does not fit the other shares")]
    Forged,
}

/// A share that cannot be used: its place in the list of shares that was given, from 0, and why.
#[derive(Debug)]
pub struct BadShare {
    /// The place in the list, from 0.
    pub position: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// The shares that say the same of their set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareSet {
    /// The set.
    pub set: SetId,
    /// The field.
    pub field: Field,
    /// k.
    pub threshold: u16,
    /// n.
    pub count: u16,
    /// The places of its shares in the list, from 0.
    pub positions: Vec<usize>,
}

/// Shares do not give a secret.
///
/// Positions are places in the list of shares that was given, from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CombineError {
    /// There is no share.
    #[error("no shares")]
    NoShares,
    /// The shares come from different splittings. No set is preferred, however many shares it has.
    #[error("the shares are of {} different sets", .sets.len())]
    DifferentSets {
        /// The sets, in the order of their first shares. One may be there twice, with different
        /// parameters.
        sets: Vec<ShareSet>,
    },
    /// Shares of one set say different things of it.
    #[error("the shares do not agree on the threshold, the number of shares or the field")]
    DifferentParameters {
        /// The shares that agree, in the order of the first of each.
        sets: Vec<ShareSet>,
    },
    /// Shares with a commitment of their own contradict the others, and come from fewer sources
    /// than shares are needed.
    ///
    /// See [`ShareReader::from_source`](crate::ShareReader::from_source).
    #[error("shares contradict each other, and those that agree come from too few sources to be preferred")]
    FewSources {
        /// The shares that agree with one another.
        positions: Vec<usize>,
    },
    /// There are two secrets, each of which enough shares from different sources agree on.
    #[error("some of the shares give one secret, and others another")]
    TwoSecrets {
        /// A share of each.
        positions: [usize; 2],
    },
    /// There are too few different shares that can be used.
    #[error("{needed} different shares are needed, and there {} {usable}{}",
        if *.usable == 1 { "is" } else { "are" },
        if .bad.is_empty() { "" } else { " that can be used" })]
    TooFew {
        /// The threshold.
        needed: usize,
        /// How many there are.
        usable: usize,
        /// Those that cannot be used.
        bad: Vec<BadShare>,
    },
    /// A share is damaged, or named as forged by the others, and the shares could not be read again without it.
    ///
    /// Enough others may be left: combine them without it.
    #[error("a share is damaged or was tampered with")]
    Bad(Vec<BadShare>),
    /// The same share is there twice, with different content, and nothing tells which is right.
    #[error("two shares have the same number and different content")]
    Conflict {
        /// The two.
        positions: [usize; 2],
    },
    /// The same share is there twice where each must be there once.
    #[error("the same share is there twice")]
    Repeated {
        /// The two.
        positions: [usize; 2],
    },
    /// The shares contradict each other, and there are too few to tell which are forged.
    #[error("the shares contradict each other: at least one was tampered with, and there are too few to tell which")]
    Inconsistent,
    /// The shares contradict each other, and there are so many ways to choose among them that not all were tried.
    #[error(
        "the shares contradict each other: some were tampered with, and the search for those that were not was given up: \
         there are too many choices"
    )]
    GaveUp,
    /// The result is not the secret that was split: one of the shares is forged, and there are too few to tell which.
    #[error("the result is not the secret that was split: at least one share was tampered with")]
    NotAuthentic,
    /// A new share cannot have this index.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There are not as many outputs as shares.
    #[error("{outputs} outputs for {count} shares")]
    Outputs {
        /// How many there are.
        outputs: usize,
        /// How many there must be.
        count: usize,
    },
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Random(#[from] getrandom::Error),
    /// Writing the result failed.
    #[error("writing failed: {0}")]
    Write(#[source] io::Error),
}
