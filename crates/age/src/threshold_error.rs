//! The errors of [`threshold`](crate::threshold). [`UnwrapError`](crate::UnwrapError) wraps them.

use alloc::string::String;

/// A file key cannot be split into shares, or shares do not open a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// The threshold is below 2 or above the number of recipients, or there are more than 255
    /// recipients.
    #[error(
        "{threshold} of {count} recipients is not possible: the threshold is from 2 to the number of recipients, which is at most 255"
    )]
    Numbers {
        /// The threshold.
        threshold: usize,
        /// The number of recipients.
        count: usize,
    },
    /// A text cannot be a label.
    #[error("a label has 1 to 100 bytes of text, without invisible characters and without spaces at its ends")]
    Label,
    /// The identities have shares, but not enough.
    #[error("the file needs {needed} of {count} holders together, and {found} of them {} here", if *found == 1 { "is" } else { "are" })]
    TooFew {
        /// The threshold.
        needed: u8,
        /// The number of shares in the set.
        count: u8,
        /// The number of shares found.
        found: usize,
    },
    /// A stanza is malformed, or the stanzas of a share set do not belong together.
    #[error("the shares in the header are malformed")]
    Malformed,
    /// All `sealane/threshold` stanzas have an unknown version of their format.
    #[error("the shares in the header are of an unknown version of the format: \"{0}\" (only \"v1\" is known)")]
    UnknownVersion(String),
    /// An identity unwraps a key that does not open the share in the header.
    #[error(
        "share {point} in the header does not match its description: the file was changed, or made to deceive its holder"
    )]
    WrongShare {
        /// The number of the share.
        point: u8,
    },
    /// The text or the bytes are not a part.
    #[error("this is not a part, or it was not copied whole")]
    NotAPart,
    /// A part is of another share set.
    #[error("a part is of another file")]
    OtherFile,
    /// A part is not the share that the header commits to.
    #[error("the part that says it is part {point} is wrong")]
    WrongPart {
        /// The number in the part. Whoever made the part chose it.
        point: u8,
    },
}
