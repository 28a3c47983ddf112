//! The keys of a store.

use std::fmt;
use std::sync::Arc;

use sealane_age::header::MAX_HEADER_BYTES;
use sealane_age::stream::{NONCE_BYTES, PayloadKey};
use sealane_age::{Backend, DecryptError, EncryptError, Encryptor, Identity, Preamble, Recipient};

use crate::error::SealedError;

/// The length of the header of each object, in bytes, unless [`Keys::with_header_len`] sets
/// another. The nonce follows the header, so that the first chunk starts at byte 4096.
pub const DEFAULT_HEADER_BYTES: usize = 4096 - NONCE_BYTES;

/// The recipients that objects are sealed for, the identities that open them, and the length of new
/// headers.
///
/// ```
/// use sealane_age::x25519::Identity;
/// use sealane_object_store::Keys;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = Identity::generate()?;
/// let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
/// # let _ = keys;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Keys {
    recipients: Vec<Arc<dyn Recipient + Send + Sync>>,
    identities: Vec<Arc<dyn Identity + Send + Sync>>,
    header_len: usize,
    backend: Backend,
}

impl Keys {
    /// Returns an empty set of keys. Without recipients nothing can be written, and without
    /// identities nothing can be read.
    #[must_use]
    pub fn new() -> Self {
        Self {
            recipients: Vec::new(),
            identities: Vec::new(),
            header_len: DEFAULT_HEADER_BYTES,
            backend: Backend::detect(),
        }
    }

    /// Adds a recipient. New objects are sealed for all recipients.
    #[must_use]
    pub fn with_recipient(mut self, recipient: impl Recipient + Send + Sync + 'static) -> Self {
        self.recipients.push(Arc::new(recipient));
        self
    }

    /// Adds an identity. An object is opened with the first one that fits.
    #[must_use]
    pub fn with_identity(mut self, identity: impl Identity + Send + Sync + 'static) -> Self {
        self.identities.push(Arc::new(identity));
        self
    }

    /// Sets the length of the header of new objects, in bytes, without the nonce that follows it.
    /// All writers and readers of a store should use the same length, because
    /// [`ListedSize::FixedHeader`](crate::ListedSize) computes sizes with it. The default of
    /// [`DEFAULT_HEADER_BYTES`] has room for 40 X25519 recipients, or two post-quantum ones.
    /// The largest length is [`MAX_HEADER_BYTES`].
    #[must_use]
    pub fn with_header_len(mut self, len: usize) -> Self {
        self.header_len = len;
        self
    }

    /// Uses `backend` instead of the detected one.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Checks that headers can have the chosen length, and that the recipients, if there are any,
    /// can be combined and that their header fits that length.
    pub(crate) fn check(&self) -> Result<(), SealedError> {
        // A store without recipients reads this many bytes first.
        if self.header_len > MAX_HEADER_BYTES {
            return Err(SealedError::LongHeader(self.header_len));
        }
        if !self.recipients.is_empty() {
            self.encryptor()?;
        }
        Ok(())
    }

    /// Returns the length of the header and the nonce of new objects together.
    pub(crate) fn prefix_len(&self) -> u64 {
        self.header_len as u64 + NONCE_BYTES as u64
    }

    /// Returns the encryptor for a new object.
    pub(crate) fn encryptor(&self) -> Result<Encryptor, EncryptError> {
        let recipients = self.recipients.iter().map(|recipient| &**recipient as &dyn Recipient);
        let encryptor = Encryptor::with_recipients(recipients)?.with_backend(self.backend);
        encryptor.with_header_len(self.header_len)
    }

    /// Unlocks the header of an object, and returns the key of its payload.
    pub(crate) fn unlock(&self, preamble: Preamble) -> Result<PayloadKey, DecryptError> {
        preamble.with_backend(self.backend).unlock(self.identities())
    }

    pub(crate) fn identities(&self) -> impl Iterator<Item = &dyn Identity> {
        self.identities.iter().map(|identity| &**identity as &dyn Identity)
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("recipients", &self.recipients.len())
            .field("identities", &self.identities.len())
            .field("header_len", &self.header_len)
            .finish_non_exhaustive()
    }
}
