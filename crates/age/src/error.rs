//! Errors of encrypting, decrypting and copying files.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
#[cfg(feature = "std")]
use std::io;

use sealane::RandomError;

#[cfg(feature = "std")]
use crate::armor::ArmorError;
use crate::header::HeaderError;
use crate::identity::UnwrapError;
use crate::message::{Labels, OneLine};
use crate::recipient::WrapError;
use crate::stream::StreamError;
use crate::threshold_error::ThresholdError;

/// A file cannot be encrypted to these recipients.
///
/// If the output fails, the writer returns an [`io::Error`] instead.
///
/// ```
/// use sealane_age::{EncryptError, Encryptor, Recipient, mlkem768x25519, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let one = x25519::Identity::generate()?.to_public();
/// let other = mlkem768x25519::Identity::generate()?.to_public();
/// // The file would be no safer than with the first recipient alone.
/// let mixed = Encryptor::with_recipients([&one as &dyn Recipient, &other]);
/// assert!(matches!(mixed, Err(EncryptError::IncompatibleRecipients(..))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptError {
    /// There are no recipients.
    #[error("no recipients: the file could not be opened by anyone")]
    NoRecipients,
    /// A recipient returned no stanza, so its identity could not open the file.
    #[error("a recipient did not wrap the file key")]
    NoStanza,
    /// A passphrase is combined with other recipients, or with another passphrase.
    #[error("a passphrase cannot be combined with other recipients")]
    PassphraseNotAlone,
    /// The recipients' labels differ. All recipients of a file must have the same labels. For
    /// example, post-quantum recipients have the label `postquantum`, so they cannot be combined
    /// with recipients that lack this label.
    #[error("recipients with different labels cannot be combined: {} and {}", Labels(.0), Labels(.1))]
    IncompatibleRecipients(BTreeSet<String>, BTreeSet<String>),
    /// A label is empty or has characters other than printable ASCII.
    #[error("a recipient has an invalid label")]
    InvalidLabel,
    /// A recipient returned an invalid stanza.
    #[error("a recipient returned an invalid stanza: {0}")]
    InvalidStanza(HeaderError),
    /// The stanzas of the recipients are too many or too long together.
    #[error("the recipients do not fit in a header: {0}")]
    Header(HeaderError),
    /// One of several holders is a passphrase, or combines holders itself.
    #[error("neither a passphrase nor a group of holders can be a holder")]
    NotAHolder,
    /// A recipient's public key has low order or, as an RSA key, less than 2048 bits.
    #[error("the public key of a recipient is weak")]
    WeakKey,
    /// The header cannot be padded to the requested length.
    #[error("a header of {needed} bytes cannot be padded to {len}")]
    HeaderLen {
        /// The requested length.
        len: usize,
        /// The length without padding.
        needed: usize,
    },
    /// The work factor for a passphrase is not from 1 to 22.
    #[error("the scrypt work factor must be from 1 to 22, not {0}")]
    WorkFactor(u8),
    /// A recipient cannot wrap the file key, for example because its plugin failed.
    #[error("{}", OneLine(.0))]
    Recipient(#[source] Box<dyn core::error::Error + Send + Sync>),
    /// The system's random number generator failed.
    #[error("the system's random number generator failed")]
    Random(#[source] RandomError),
}

impl EncryptError {
    /// Returns the error for stanzas that cannot form a header.
    pub(crate) fn of_header(error: HeaderError) -> Self {
        match error {
            HeaderError::ScryptNotAlone => Self::PassphraseNotAlone,
            HeaderError::TooLong | HeaderError::TooManyStanzas => Self::Header(error),
            _ => Self::InvalidStanza(error),
        }
    }
}

impl From<WrapError> for EncryptError {
    fn from(error: WrapError) -> Self {
        match error {
            WrapError::IncompatibleRecipients(one, other) => Self::IncompatibleRecipients(one, other),
            WrapError::InvalidLabel => Self::InvalidLabel,
            WrapError::InvalidStanza(error) => Self::of_header(error),
            WrapError::NotAHolder => Self::NotAHolder,
            WrapError::WeakKey => Self::WeakKey,
            WrapError::Random(error) => Self::Random(error),
            WrapError::Other(error) => Self::Recipient(error),
        }
    }
}

/// A file cannot be opened.
///
/// Errors in the payload are [`StreamError`]s. A reader returns them in an [`io::Error`], and
/// [`decrypt`](crate::decrypt()), which opens a whole file, as [`DecryptError::Payload`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecryptError {
    /// Reading failed.
    #[cfg(feature = "std")]
    #[error("reading failed: {0}")]
    Io(#[source] io::Error),
    /// The armor is malformed.
    #[cfg(feature = "std")]
    #[error(transparent)]
    Armor(ArmorError),
    /// The file has no valid age v1 header, or an identity finds a stanza of the header invalid.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The file is not encrypted to any of the identities.
    #[error("none of the identities can open the file")]
    NoMatch,
    /// The file is encrypted with another passphrase, or its scrypt stanza was changed.
    #[error("the passphrase is wrong")]
    WrongPassphrase,
    /// A stanza names one of the identities, but that identity cannot unwrap it.
    #[error("the file names one of the identities, but the file key cannot be unwrapped with it")]
    UnwrapFailed,
    /// The header has been changed: its MAC is wrong.
    #[error("the header has been changed: its authentication code is wrong")]
    HeaderMac,
    /// The file asks for more scrypt work than is allowed.
    #[error("the file asks for a scrypt work factor of {required}, which is more than is allowed")]
    ExcessiveWork {
        /// The base-2 logarithm of scrypt's N that the file asks for.
        required: u8,
    },
    /// The payload is damaged or incomplete. Functions that open a whole file at once, such as
    /// [`decrypt`](crate::decrypt()), return this error. Readers return an [`io::Error`], which
    /// converts to it.
    #[error(transparent)]
    Payload(#[from] StreamError),
    /// The file needs several holders together, and there are too few of them, or their shares are
    /// wrong.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// An identity failed, for example because its own passphrase is wrong or its plugin failed.
    #[error("{}", OneLine(.0))]
    Identity(#[source] Box<dyn core::error::Error + Send + Sync>),
}

impl From<UnwrapError> for DecryptError {
    fn from(error: UnwrapError) -> Self {
        match error {
            UnwrapError::Authentication => Self::UnwrapFailed,
            UnwrapError::InvalidStanza => Self::Header(HeaderError::InvalidStanza),
            UnwrapError::ExcessiveWork { required } => Self::ExcessiveWork { required },
            UnwrapError::Threshold(error) => Self::Threshold(error),
            UnwrapError::Other(error) => Self::Identity(error),
        }
    }
}

#[cfg(feature = "std")]
impl From<io::Error> for DecryptError {
    fn from(error: io::Error) -> Self {
        match (ArmorError::of(&error), StreamError::of(&error)) {
            (Some(armor), _) => Self::Armor(armor),
            (_, Some(payload)) => Self::Payload(payload),
            _ => Self::Io(error),
        }
    }
}

/// Sealing, opening or salvaging a payload from an input to an output failed.
#[cfg(feature = "std")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The input could not be read. If it is damaged, the error wraps a
    /// [`StreamError`](crate::StreamError).
    #[error(transparent)]
    Read(io::Error),
    /// The output could not be written, the system's random number generator failed, or the caller
    /// of [`salvage`](crate::StreamReader::salvage) returned this error from the `report` closure.
    #[error(transparent)]
    Write(io::Error),
}
