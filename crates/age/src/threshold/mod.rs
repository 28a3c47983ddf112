//! Encrypts to n recipients. Any k of them can open the file together, because the header has
//! shares of the file key.
//!
//! The file key is split with Shamir's secret sharing over GF(2^8), byte by byte, at the points 1
//! to n. Each share has a separate stanza:
//!
//! ```text
//! -> sealane/threshold v1 <k> <n> <point> <share set id> [<label>]
//! <the sealed share, its commitment, and stanzas that wrap a one-time key, in base64>
//! ```
//!
//! The holder's recipient wraps a fresh one-time key, never the share. The share is sealed with
//! ChaCha20-Poly1305 under a key that HKDF derives from the one-time key, and the first line of the
//! stanza is its associated data. This has two consequences:
//!
//! - If a stanza of another file is put inside a body, the key that its holder unwraps opens no
//!   share, and never leaves this module. [`Part::of`] is not a decryption oracle.
//! - The [`ShareDescription`] of a [`Part`] is always what the maker of the file wrote.
//!
//! `docs/threshold.md` specifies the format, and lists what each party can see and do.

mod description;
mod identity;
mod part;
#[cfg(feature = "std")]
mod recipient;
mod set;
mod share;

use alloc::string::String;

pub use self::description::{Label, MAX_LABEL_BYTES, SHARE_SET_ID_BYTES, ShareDescription, ShareSetId};
pub use self::identity::ThresholdIdentity;
pub use self::part::Part;
#[cfg(feature = "std")]
pub use self::recipient::ThresholdRecipient;
pub use self::set::{ShareSetDescription, describe};

/// The type of the stanza.
pub const TYPE: &str = crate::header::nested::THRESHOLD;

/// An error of shares of a file key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// The threshold is below 2 or above the number of recipients.
    #[error("{threshold} of {count} recipients is not possible: at least 2 are needed, and at most 255 can be there")]
    Numbers {
        /// The threshold.
        threshold: usize,
        /// The number of recipients.
        count: usize,
    },
    /// A text cannot be a label.
    #[error("a label has 1 to 100 bytes of text, without control characters and without spaces at its ends")]
    Label,
    /// The identities have shares, but not enough.
    #[error("the file takes {needed} of {count} holders together, and {found} of them {} here", if *found == 1 { "is" } else { "are" })]
    TooFew {
        /// The threshold.
        needed: u8,
        /// The number of shares in the set.
        count: u8,
        /// The number of shares found.
        found: usize,
    },
    /// The stanzas do not belong together.
    #[error("the shares in the header are malformed")]
    Malformed,
    /// All stanzas have an unknown version of the format.
    #[error("the shares in the header are of an unknown version of the format: \"{0}\" (only \"v1\" is known)")]
    UnknownVersion(String),
    /// An identity unwraps a key that does not open the share in the header.
    #[error("share {point} in the header is not what it says: the file was changed, or made to deceive its holder")]
    WrongShare {
        /// The number of the share.
        point: u8,
    },
    /// A text is not a part.
    #[error("this is not a part, or it was not copied whole")]
    NotAPart,
    /// A part is of another share set.
    #[error("a part is of another file")]
    OtherFile,
    /// A part is not the share that the header commits to.
    #[error("part {point} is wrong")]
    WrongPart {
        /// The number of the part.
        point: u8,
    },
}
