//! Errors of parameters and of one share.

use std::fmt;
use std::io;

/// A threshold, a number of shares, an index, an evaluation point, a scheme, a field or a length
/// that is not possible, or an operation that a field does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The threshold is zero.
    #[error("the threshold must be at least 2, not 0")]
    ThresholdZero,
    /// The threshold is one: each share would be the secret.
    #[error("the threshold must be at least 2: with 1, each share would be the secret itself")]
    ThresholdOne,
    /// The threshold is above the number of shares.
    #[error("{threshold} shares would be needed, but there are only {count}")]
    ThresholdOverCount {
        /// The threshold.
        threshold: usize,
        /// The number of shares.
        count: usize,
    },
    /// There are more shares than the field has evaluation points, or more than 65,535.
    #[error("at most {max} shares are possible, not {count}")]
    Count {
        /// The number of shares.
        count: usize,
        /// The largest possible number.
        max: u16,
    },
    /// The index is above the largest index of the field.
    #[error("the index of a share is at most {max}, not {index}")]
    Index {
        /// The index.
        index: u16,
        /// The largest possible index.
        max: u16,
    },
    /// The evaluation point is zero: the value there is the secret.
    #[error("a share cannot have the evaluation point zero")]
    ZeroPoint,
    /// The evaluation point does not have the length that the field requires.
    #[error("an evaluation point cannot have {0} bytes in this field")]
    PointBytes(usize),
    /// There is no such sharing scheme.
    #[error("unknown sharing scheme {0}")]
    Scheme(u8),
    /// The operation is for shares of bytes, and these are shares of a field element.
    #[error("only shares of bytes can be refreshed or reissued, not those of a field element")]
    NotBytes,
    /// The operation is for a field element, and [`Field::Bytes`](crate::Field::Bytes) shares
    /// bytes.
    #[error("a field element cannot be split over the field of bytes")]
    NotAnElement,
    /// There is no such field.
    #[error("there is no field of {0} bits for this sharing scheme")]
    FieldBits(u16),
    /// The length of the secret is not possible for the scheme.
    #[error(
        "a secret of {0} bytes cannot be shared in this form: ssss takes 1 to 128 bytes, Vault 1 or more, and a field exactly one element"
    )]
    SecretBytes(usize),
}

/// A share cannot be read, or cannot be written as text.
///
/// A [`ShareReader`](crate::ShareReader) wraps this error in an [`io::Error`]; [`ShareError::of`]
/// finds it there.
///
/// ```
/// use sealane_shares::{Share, ShareError, TextError, split};
///
/// let line = split(b"attack at dawn", 2, 3)?[0].to_text()?;
/// // The last letter is cut off.
/// let error = Share::from_text(&line[..line.len() - 1]).unwrap_err();
/// assert!(matches!(error, ShareError::Text(TextError::Checksum { .. } | TextError::Padding)));
/// assert!(matches!(Share::from_text("a poem"), Err(ShareError::Text(TextError::Prefix))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShareError {
    /// The data does not begin as a share does.
    #[error("not a share")]
    NotAShare,
    /// The share has another version of the format.
    #[error("a share of version {0} of the format, which is not supported")]
    Version(u8),
    /// The share is incomplete.
    #[error("the share is cut short")]
    Truncated,
    /// There is data after the end of the share.
    #[error("there is data after the end of the share")]
    TrailingData,
    /// The header's checksum is wrong.
    #[error("the share is damaged: its header's checksum is wrong")]
    HeaderChecksum,
    /// The checksum of the share is wrong.
    #[error("the share is damaged: its checksum is wrong")]
    Checksum,
    /// The share was read again, and its header is not the one that was read before.
    #[error("the share has changed while it was used")]
    Changed,
    /// The header has impossible parameters.
    #[error("invalid share: {0}")]
    Parameter(#[from] ParameterError),
    /// The payload is not exactly one field element. The number is the length of the payload, or,
    /// if it is too long, of the part that was read.
    #[error("invalid share: its payload is not exactly one element of its field")]
    PayloadBytes(u64),
    /// The share is too large for the text form.
    #[error("too large for a share in this form")]
    TooLarge,
    /// The text form is malformed.
    #[error("malformed share: {0}")]
    Text(#[from] TextError),
    /// Reading failed.
    #[error("reading failed: {0}")]
    Io(#[source] io::Error),
}

impl ShareError {
    /// Returns the `ShareError` that a [`ShareReader`](crate::ShareReader) wrapped in `error`, if
    /// there is one.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// Converts a read error. An error that a [`ShareReader`](crate::ShareReader) wrapped is
    /// unwrapped. An unexpected end becomes [`ShareError::Truncated`].
    pub(crate) fn from_io(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => error,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Self::Truncated,
            Err(error) => Self::Io(error),
        }
    }
}

impl From<ShareError> for io::Error {
    fn from(error: ShareError) -> Self {
        match error {
            ShareError::Io(error) => error,
            ShareError::Truncated => Self::new(io::ErrorKind::UnexpectedEof, error),
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// An error of the text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// It does not begin with [`TEXT_PREFIX`](crate::TEXT_PREFIX).
    #[error("it does not begin with SEALANE-SHARE-1")]
    Prefix,
    /// It has upper-case and lower-case letters.
    #[error("upper and lower case are mixed, first at character {position}")]
    MixedCase {
        /// The position of the character, from 1.
        position: usize,
    },
    /// It has a character that no share can have.
    #[error("character {position} cannot be part of a share")]
    Character {
        /// The position of the character, from 1.
        position: usize,
    },
    /// It is too short for a share.
    #[error("it is too short: characters are missing")]
    TooShort,
    /// It is too long for a share.
    #[error("it is too long")]
    TooLong,
    /// The checksum is wrong.
    #[error("the checksum is wrong{}", Suspect(*.suspect))]
    Checksum {
        /// The position of the character, from 1, that alone can explain the wrong checksum, if
        /// there is one.
        suspect: Option<usize>,
    },
    /// There is a digit too many between the last byte and the checksum, or the digit with the end
    /// of the last byte has nonzero bits after it.
    #[error("the character before its checksum is wrong, or one too many")]
    Padding,
}

struct Suspect(Option<usize>);

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |position| write!(f, "; look at character {position}"))
    }
}
