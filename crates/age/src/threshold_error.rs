//! The errors of [`threshold`](crate::threshold). [`UnwrapError`](crate::UnwrapError) has them too.

use alloc::string::String;

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
