//! What can be wrong with mnemonics.

/// A mnemonic cannot be read, or mnemonics do not give a secret. Positions are places in the list that was given, from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Slip39Error {
    /// A word is not in the list.
    #[error("word {position} is not in SLIP-39's list")]
    UnknownWord {
        /// From 1.
        position: usize,
    },
    /// It has a number of words that no mnemonic has.
    #[error("a mnemonic cannot have {0} words")]
    WordCount(usize),
    /// The checksum is wrong.
    #[error("the checksum is wrong{}", Suspect(*.suspect))]
    Checksum {
        /// If one wrong word explains it: which one, from 1.
        suspect: Option<usize>,
    },
    /// Bits before the value that must be zero are not.
    #[error("the padding is not zero")]
    Padding,
    /// More groups are needed than there are.
    #[error("{threshold} groups would be needed, but there are only {count}")]
    GroupThreshold {
        /// The group threshold.
        threshold: u8,
        /// The number of groups.
        count: u8,
    },
    /// There is no mnemonic.
    #[error("no mnemonics")]
    NoMnemonics,
    /// Two mnemonics are of different secrets or splittings.
    #[error("the mnemonics do not belong together")]
    DifferentSets {
        /// Two such mnemonics.
        positions: [usize; 2],
    },
    /// Two mnemonics have the same number and different content.
    #[error("two mnemonics have the same number and different content")]
    Conflict {
        /// The two.
        positions: [usize; 2],
    },
    /// There are too few groups with enough members.
    #[error("{needed} groups with enough mnemonics are needed, not {complete}")]
    TooFewGroups {
        /// The group threshold.
        needed: u8,
        /// How many have enough.
        complete: u8,
    },
    /// There are too few members of the only group.
    #[error("{needed} different mnemonics are needed, not {usable}")]
    TooFew {
        /// The member threshold.
        needed: u8,
        /// How many there are.
        usable: usize,
    },
    /// No choice of the members of a group gives what its digest says: one is forged, and there are too few to tell which.
    #[error("the digest is wrong: a mnemonic was tampered with")]
    Digest,
    /// The passphrase has characters other than printable ASCII.
    #[error("the passphrase may have only printable ASCII characters")]
    Passphrase,
    /// The secret has fewer than 16 bytes, or an odd number.
    #[error("a secret of {0} bytes cannot be shared as words: it must have an even number of bytes, at least 16")]
    SecretBytes(usize),
    /// A threshold or a number of members or groups is impossible.
    #[error("{threshold} of {count} is not possible: at most 16, and 1 of 1, or a threshold of at least 2")]
    Counts {
        /// The threshold.
        threshold: usize,
        /// The number.
        count: usize,
    },
    /// The mnemonics ask for more work than was allowed.
    #[error("the mnemonics ask for {} iterations of PBKDF2 (exponent {exponent}): more than the {} that are done for anybody",
        10_000u32 << .exponent, 10_000u32 << .max)]
    TooExpensive {
        /// Their iteration exponent.
        exponent: u8,
        /// The largest that was allowed.
        max: u8,
    },
    /// The exponent is larger than 15.
    #[error("the iteration exponent is at most 15")]
    IterationExponent,
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Random(#[from] getrandom::Error),
}

struct Suspect(Option<usize>);

impl std::fmt::Display for Suspect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |position| write!(f, "; look at word {position}"))
    }
}
