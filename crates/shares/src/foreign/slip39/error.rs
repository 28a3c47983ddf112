//! Errors of splitting into mnemonics, reading them and combining them.

use sealane::RandomError;

/// A secret cannot be split, a mnemonic cannot be read, or mnemonics cannot be combined. Positions
/// in lists of mnemonics are indices, from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Slip39Error {
    /// A word is not in the list.
    #[error("word {position} is not in SLIP-39's list")]
    UnknownWord {
        /// The position of the word, from 1.
        position: usize,
    },
    /// No mnemonic has this number of words.
    #[error("a mnemonic cannot have {0} words")]
    WordCount(usize),
    /// The checksum is wrong.
    #[error("the checksum is wrong{}", Suspect(*.suspect))]
    Checksum {
        /// The position of the one wrong word that explains it, from 1, if there is one.
        suspect: Option<usize>,
    },
    /// The padding before the value is not zero.
    #[error("the padding is not zero")]
    Padding,
    /// The group threshold is above the number of groups.
    #[error("{threshold} groups would be needed, but there are only {count}")]
    GroupThreshold {
        /// The group threshold.
        threshold: u8,
        /// The number of groups.
        count: u8,
    },
    /// The index of the group is not below the number of groups.
    #[error("there is no group {} in a set of {count}", .index + 1)]
    GroupIndex {
        /// The index of the group, from 0.
        index: u8,
        /// The number of groups.
        count: u8,
    },
    /// There are no mnemonics.
    #[error("no mnemonics")]
    NoMnemonics,
    /// Two mnemonics are of different secrets or splittings.
    #[error("the mnemonics do not belong together")]
    DifferentSets {
        /// Two mnemonics that do not belong together.
        positions: [usize; 2],
    },
    /// Two mnemonics have the same group and index, and different content.
    #[error("two mnemonics have the same number and different content")]
    Conflict {
        /// The two mnemonics.
        positions: [usize; 2],
    },
    /// There are too few groups with enough members.
    #[error("{needed} groups with enough mnemonics are needed, not {complete}")]
    TooFewGroups {
        /// The group threshold.
        needed: u8,
        /// The number of groups with enough members.
        complete: u8,
    },
    /// The only group has too few members.
    #[error("{needed} different mnemonics are needed, not {usable}")]
    TooFew {
        /// The member threshold.
        needed: u8,
        /// The number of different members.
        usable: usize,
    },
    /// No choice of a group's members, or of groups, fits the digest: at least one mnemonic is
    /// forged, and there are too few to tell which. If one group is enough, the error is the same
    /// for any group that does not fit its digest, because there is no digest across groups.
    #[error("the digest is wrong: a mnemonic was tampered with")]
    Digest,
    /// Enough mnemonics give one secret, and enough others another, or the mnemonics of two groups
    /// give different secrets although one group is enough. Nothing shows which secret is the right
    /// one.
    #[error("some of the mnemonics give one secret, and others another")]
    TwoSecrets {
        /// One mnemonic of each secret.
        positions: [usize; 2],
    },
    /// The passphrase has characters that are not printable ASCII.
    #[error("the passphrase may have only printable ASCII characters")]
    Passphrase,
    /// The secret has fewer than 16 bytes, more than 1,024, or an odd number of them.
    #[error("a secret of {0} bytes cannot be shared as words: it must have an even number of bytes, from 16 to 1,024")]
    SecretBytes(usize),
    /// A threshold or a number of members is impossible.
    #[error("{threshold} of {count} is not possible: use 1 of 1, or 2 or more of at most 16")]
    Counts {
        /// The threshold.
        threshold: usize,
        /// The number of members.
        count: usize,
    },
    /// The number of groups, or of groups that are needed, is impossible.
    #[error("{threshold} of {count} groups is not possible: there are at most 16 groups, and 1 or more are needed")]
    GroupCounts {
        /// The number of groups that are needed.
        threshold: usize,
        /// The number of groups.
        count: usize,
    },
    /// The iteration exponent of the mnemonics is above the limit.
    #[error("the mnemonics ask for {} iterations of PBKDF2 (exponent {exponent}): more than the limit of {}",
        10_000u32 << .exponent, 10_000u32 << .max)]
    TooExpensive {
        /// The iteration exponent of the mnemonics.
        exponent: u8,
        /// The largest iteration exponent allowed.
        max: u8,
    },
    /// The iteration exponent is above 15.
    #[error("the iteration exponent is at most 15")]
    IterationExponent,
    /// The system's random number generator failed.
    #[error("the system's random number generator failed")]
    Random(#[from] RandomError),
}

struct Suspect(Option<usize>);

impl std::fmt::Display for Suspect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |position| write!(f, "; look at word {position}"))
    }
}
