//! Any k of n recipients together: shares of the file key in the header of a file.
//!
//! The file key is split with Shamir's secret sharing over GF(2^8), byte by byte, at the points 1
//! to n. Each share has a stanza of its own:
//!
//! ```text
//! -> sealane/threshold v1 <k> <n> <point> <share set id> [<label>]
//! <the sealed share, its commitment, and stanzas that wrap a one-time key, in base64>
//! ```
//!
//! The holder's recipient wraps a fresh one-time key, never the share. The share is sealed with
//! ChaCha20-Poly1305 under a key that HKDF derives from the one-time key, and the first line of the
//! stanza is its associated data. Two things follow:
//!
//! - A stanza of another file inside a body gives its holder nothing that leaves this module: the key
//!   that it unwraps opens no share. [`Part::of`] is no decryption oracle.
//! - What [`ShareDescription`] says of a [`Part`] is what the maker of the file wrote, or there is no
//!   part.
//!
//! `docs/threshold.md` has the format to the byte, and what each party can see and do.

mod description;
mod identity;
mod part;
mod recipient;
mod set;
mod share;

use std::io;

use age::DecryptError;

pub use self::description::{Label, MAX_LABEL_LEN, SHARE_SET_ID_LEN, ShareDescription, ShareSetId};
pub use self::identity::ThresholdIdentity;
pub use self::part::Part;
pub use self::recipient::ThresholdRecipient;
pub use self::set::{ShareSetDescription, describe};

/// The type of the stanza.
pub const TYPE: &str = crate::header::nested::THRESHOLD;

/// What can be wrong with shares of a file key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// There are no recipients, fewer than two are to be needed, or more than there are.
    #[error("{threshold} of {count} recipients is not possible: at least 2 are needed, and at most 255 can be there")]
    Numbers {
        /// How many are to be needed.
        threshold: usize,
        /// How many there are.
        count: usize,
    },
    /// A text cannot be a label.
    #[error("a label has 1 to 100 bytes of text, without control characters and without spaces at its ends")]
    Label,
    /// Some identities have shares, but not enough.
    #[error("the file takes {needed} of {count} holders together, and {found} of them {} here", if *found == 1 { "is" } else { "are" })]
    TooFew {
        /// How many are needed.
        needed: u8,
        /// Of how many.
        count: u8,
        /// How many shares there were.
        found: usize,
    },
    /// The stanzas do not belong together.
    #[error("the shares in the header are malformed")]
    Malformed,
    /// All stanzas are of a version of the format that is not known.
    #[error("the shares in the header are of an unknown version of the format: \"{0}\" (only \"v1\" is known)")]
    UnknownVersion(String),
    /// An identity unwraps a key that does not open the share which the header says is there.
    #[error("share {point} in the header is not what it says: the file was changed, or made to deceive its holder")]
    WrongShare {
        /// Its number.
        point: u8,
    },
    /// A text is not a part.
    #[error("this is not a part, or it was not copied whole")]
    NotAPart,
    /// A part is of another share set.
    #[error("a part is of another file")]
    OtherFile,
    /// A part is not what the header says.
    #[error("part {point} is wrong")]
    WrongPart {
        /// Its number.
        point: u8,
    },
}

impl ThresholdError {
    /// The error that an error of `age` wraps, if it wraps one.
    pub fn of(error: &DecryptError) -> Option<&Self> {
        let DecryptError::Io(error) = error else { return None };
        error.get_ref()?.downcast_ref()
    }
}

impl From<ThresholdError> for DecryptError {
    fn from(error: ThresholdError) -> Self {
        Self::Io(io::Error::new(io::ErrorKind::InvalidData, error))
    }
}
