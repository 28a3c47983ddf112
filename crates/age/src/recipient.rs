//! Recipients, to which files are encrypted.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use sealane::RandomError;

use crate::file_key::FileKey;
use crate::header::HeaderError;
use crate::message::{Labels, OneLine};
use crate::stanza::Stanza;

/// Wraps file keys, so that the holder of an [`Identity`](crate::Identity) can unwrap them.
///
/// It corresponds to `Recipient` and `RecipientWithLabels` in the Go package `filippo.io/age`. The
/// feature `age` converts from and to the trait of the crate `age`.
///
/// A recipient that wraps file keys with a one-time pad, and its identity:
///
/// ```
/// use sealane_age::{FileKey, Identity, Recipient, Stanza, UnwrapError, WrapError, Wrapped};
///
/// struct Pad([u8; 16]);
///
/// impl Pad {
///     fn apply(&self, bytes: &[u8; 16]) -> [u8; 16] {
///         std::array::from_fn(|i| bytes[i] ^ self.0[i])
///     }
/// }
///
/// impl Recipient for Pad {
///     fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
///         if self.0 == [0; 16] {
///             return Err(WrapError::WeakKey);
///         }
///         let body = self.apply(file_key.expose_secret()).to_vec();
///         Ok(Stanza { tag: "example.org/pad".into(), args: Vec::new(), body }.into())
///     }
/// }
///
/// impl Identity for Pad {
///     fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
///         let Some(stanza) = stanzas.iter().find(|stanza| stanza.tag == "example.org/pad") else {
///             return Ok(None);
///         };
///         let body = stanza.body.as_slice().try_into().map_err(|_| UnwrapError::InvalidStanza)?;
///         Ok(Some(FileKey::new(Box::new(self.apply(body)))))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = sealane_age::encrypt([&Pad([7; 16]) as &dyn Recipient], b"attack at dawn")?;
/// assert_eq!(sealane_age::decrypt([&Pad([7; 16]) as &dyn Identity], &file)?, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
pub trait Recipient {
    /// Wraps `file_key` in one or more stanzas.
    ///
    /// # Errors
    /// [`WrapError`].
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError>;
}

/// A wrapped file key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wrapped {
    /// The stanzas for the header.
    pub stanzas: Vec<Stanza>,
    /// The labels of the recipient. All recipients of a file must have the same set of labels.
    ///
    /// Labels keep out recipients that would weaken the file: post-quantum recipients have the
    /// label `postquantum`, so others cannot be added. A random label keeps all other recipients
    /// out.
    pub labels: BTreeSet<String>,
}

impl Wrapped {
    /// Returns a file key wrapped in `stanzas`, by a recipient with `labels`.
    pub fn new(stanzas: Vec<Stanza>, labels: BTreeSet<String>) -> Self {
        Self { stanzas, labels }
    }
}

impl From<Stanza> for Wrapped {
    /// Returns a file key wrapped in one stanza, without labels.
    fn from(stanza: Stanza) -> Self {
        Self::new(Vec::from([stanza]), BTreeSet::new())
    }
}

/// A recipient cannot wrap the file key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WrapError {
    /// The recipient combines others, and their labels differ.
    #[error("recipients with different labels cannot be combined: {} and {}", Labels(.0), Labels(.1))]
    IncompatibleRecipients(BTreeSet<String>, BTreeSet<String>),
    /// The recipient combines others, and a label of one of them is empty or has characters other
    /// than printable ASCII.
    #[error("a recipient has an invalid label")]
    InvalidLabel,
    /// The recipient combines others, and one of them returned no stanza, or one that cannot be
    /// nested.
    #[error("a recipient returned an invalid stanza: {0}")]
    InvalidStanza(HeaderError),
    /// The recipient combines holders, and one of them is a passphrase or combines holders itself.
    #[error("neither a passphrase nor a group of holders can be a holder")]
    NotAHolder,
    /// The recipient's public key has low order or, as an RSA key, less than 2048 bits, so that the
    /// wrapped key would not be secret.
    #[error("the public key of the recipient is weak")]
    WeakKey,
    /// The system's random number generator failed.
    #[error("the system's random number generator failed")]
    Random(#[from] RandomError),
    /// The recipient failed in another way, for example because its plugin did.
    #[error("{}", OneLine(.0))]
    Other(#[source] Box<dyn core::error::Error + Send + Sync>),
}

impl WrapError {
    /// Returns [`WrapError::Other`] with `error`.
    pub fn other(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }
}

impl<R: Recipient + ?Sized> Recipient for &R {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        (**self).wrap_file_key(file_key)
    }
}

impl<R: Recipient + ?Sized> Recipient for Box<R> {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        (**self).wrap_file_key(file_key)
    }
}
