//! Identities, which open files.

use alloc::boxed::Box;
use alloc::vec::Vec;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

use crate::file_key::{FileKey, WRAPPED_BYTES};
use crate::message::OneLine;
use crate::stanza::Stanza;
use crate::threshold_error::ThresholdError;

/// Unwraps file keys that a [`Recipient`](crate::Recipient) has wrapped.
///
/// It corresponds to `Identity` in the Go package `filippo.io/age`. The feature `age` converts from
/// and to the trait of the crate `age`.
pub trait Identity {
    /// Unwraps the file key from the stanzas of a header. Returns `None` if none of them is for
    /// this identity.
    ///
    /// An identity must ignore stanzas of types that it does not know. `stanzas` are all stanzas of
    /// a file, or only one: the inner stanzas of a `sealane/threshold` stanza are passed one by
    /// one. A [`ThresholdIdentity`](crate::threshold::ThresholdIdentity) is an exception: it needs
    /// all stanzas of its share sets.
    ///
    /// # Errors
    /// [`UnwrapError`].
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError>;
}

/// An identity cannot unwrap a file key that is for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnwrapError {
    /// A stanza names this identity, but the wrapped file key cannot be authenticated with it. The
    /// passphrase is wrong, or the stanza was changed; the two cannot be told apart.
    #[error("the file key cannot be unwrapped")]
    Authentication,
    /// A stanza of the identity's type is malformed.
    #[error("a recipient stanza is invalid")]
    InvalidStanza,
    /// A passphrase takes more scrypt work than is allowed.
    #[error("the file asks for a scrypt work factor of {required}, which is more than is allowed")]
    ExcessiveWork {
        /// The base-2 logarithm of scrypt's N that the file asks for.
        required: u8,
    },
    /// The file needs several holders together, and they cannot open it.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// The identity failed in another way, for example because its own passphrase is wrong or its
    /// plugin failed.
    #[error("{}", OneLine(.0))]
    Other(#[source] Box<dyn core::error::Error + Send + Sync>),
}

/// Unwraps a file key from a stanza of the type `tag`, whose only argument is the sender's share of
/// a secret, and whose body is a wrapped file key. Such stanzas do not name their recipient, so
/// each of them is tried. `open` returns `None` for a stanza of another recipient.
pub(crate) fn unwrap_shared<T: TryFrom<Vec<u8>>>(
    stanzas: &[Stanza],
    tag: &str,
    open: impl Fn(T, &[u8]) -> Result<Option<FileKey>, UnwrapError>,
) -> Result<Option<FileKey>, UnwrapError> {
    for stanza in stanzas.iter().filter(|stanza| stanza.tag == tag) {
        let [share] = stanza.args.as_slice() else { return Err(UnwrapError::InvalidStanza) };
        let share = BASE64_STANDARD_NO_PAD.decode(share).map_err(|_| UnwrapError::InvalidStanza)?;
        let share = share.try_into().map_err(|_| UnwrapError::InvalidStanza)?;
        if stanza.body.len() != WRAPPED_BYTES {
            return Err(UnwrapError::InvalidStanza);
        }
        if let Some(file_key) = open(share, &stanza.body)? {
            return Ok(Some(file_key));
        }
    }
    Ok(None)
}

impl UnwrapError {
    /// Returns [`UnwrapError::Other`] with `error`.
    pub fn other(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }
}

impl<I: Identity + ?Sized> Identity for &I {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        (**self).unwrap_file_key(stanzas)
    }
}

impl<I: Identity + ?Sized> Identity for Box<I> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        (**self).unwrap_file_key(stanzas)
    }
}
