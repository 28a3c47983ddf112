//! The bytes before the chunks: the header, and the nonce of the payload. No I/O.

use core::fmt;

use sealane::Backend;

use crate::error::DecryptError;
use crate::file_key::FileKey;
use crate::header::{Header, HeaderError, HeaderPrefix};
use crate::identity::{Identity, UnwrapError};
use crate::scrypt::DEFAULT_MAX_WORK_FACTOR;
use crate::stream::{NONCE_BYTES, PayloadKey};

/// The start of a file: its header, and the nonce of its payload.
///
/// Parse it from the first bytes of a file, from any source, and unlock it to get the key of the
/// payload. A [`Decryptor`](crate::Decryptor) does the same with a reader.
///
/// ```
/// use sealane_age::header::HeaderError;
/// use sealane_age::stream::PayloadKey;
/// use sealane_age::{Encryptor, Identity, Preamble, Prefix, Recipient, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let identity = x25519::Identity::generate()?;
/// # let file = sealane_age::encrypt([&identity.to_public() as &dyn Recipient], &[7; 100_000])?;
/// // The first bytes of the file. Most headers are shorter.
/// let mut prefix = file[..file.len().min(1024)].to_vec();
/// let preamble = loop {
///     match Preamble::parse(&prefix)? {
///         Prefix::Complete(preamble) => break preamble,
///         Prefix::Incomplete { .. } if prefix.len() == file.len() => {
///             return Err(HeaderError::Truncated.into());
///         }
///         Prefix::Incomplete { at_least } => {
///             let wanted = at_least.max(2 * prefix.len());
///             prefix = file[..wanted.min(file.len())].to_vec();
///         }
///     }
/// };
/// let key = preamble.unlock([&identity as &dyn Identity])?;
///
/// // 1000 bytes from byte 65000 on are in two chunks.
/// let payload = &file[preamble.len()..];
/// let range = PayloadKey::sealed_range(65_000..66_000, payload.len() as u64)?;
/// let sealed = &payload[range.sealed.start as usize..range.sealed.end as usize];
/// let mut plaintext = vec![0; sealed.len()];
/// key.open_chunks(range.first, range.is_last, sealed, &mut plaintext)?;
/// assert_eq!(plaintext[range.skip..][..range.len as usize], [7; 1000]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Preamble {
    header: Header,
    nonce: [u8; NONCE_BYTES],
    backend: Backend,
    max_work_factor: u8,
}

/// The result of [`Preamble::parse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// The prefix contains the whole preamble.
    Complete(Preamble),
    /// The prefix ends inside the header or the nonce.
    Incomplete {
        /// The least length of a prefix that may contain the whole preamble. More may be needed: a
        /// header can have any length up to [`MAX_HEADER_BYTES`](crate::header::MAX_HEADER_BYTES).
        at_least: usize,
    },
}

impl Preamble {
    /// Parses the start of a file from its first bytes.
    ///
    /// If `prefix` is the whole file, [`Prefix::Incomplete`] means that the file is cut short
    /// ([`HeaderError::Truncated`]) or empty ([`HeaderError::Empty`]).
    ///
    /// Each call parses from the start. Make the prefix at least twice as long each time, because
    /// `at_least` may be only a line more than the prefix.
    ///
    /// # Errors
    /// The fault of the header, as soon as `prefix` shows it.
    pub fn parse(prefix: &[u8]) -> Result<Prefix, HeaderError> {
        let (header, len) = match Header::parse_prefix(prefix)? {
            HeaderPrefix::Complete { header, len } => (header, len),
            HeaderPrefix::Incomplete { at_least } => {
                return Ok(Prefix::Incomplete { at_least: at_least + NONCE_BYTES });
            }
        };
        match prefix[len..].first_chunk() {
            Some(nonce) => Ok(Prefix::Complete(Self::new(header, *nonce))),
            None => Ok(Prefix::Incomplete { at_least: len + NONCE_BYTES }),
        }
    }

    pub(crate) fn new(header: Header, nonce: [u8; NONCE_BYTES]) -> Self {
        Self { header, nonce, backend: Backend::detect(), max_work_factor: DEFAULT_MAX_WORK_FACTOR }
    }

    /// Uses `backend` for the payload instead of the detected one.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Accepts scrypt work factors up to `log_n` instead of [`DEFAULT_MAX_WORK_FACTOR`].
    ///
    /// An identity may have its own, lower limit.
    #[must_use]
    pub fn with_max_work_factor(mut self, log_n: u8) -> Self {
        self.max_work_factor = log_n;
        self
    }

    /// Returns the header. Its MAC has not been checked yet.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the header alone.
    pub fn into_header(self) -> Header {
        self.header
    }

    /// Returns the nonce of the payload.
    pub fn nonce(&self) -> &[u8; NONCE_BYTES] {
        &self.nonce
    }

    /// Returns the length in bytes, which is the position of the first chunk in the file.
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.header.encoded_len() + NONCE_BYTES
    }

    /// Unwraps the file key with the first of `identities` that can, checks the header's MAC, and
    /// returns the key of the payload.
    ///
    /// # Errors
    ///
    /// - [`DecryptError::NoMatch`] if no identity can; or, if the reason is known,
    ///   [`DecryptError::WrongPassphrase`] or [`DecryptError::UnwrapFailed`];
    /// - [`DecryptError::HeaderMac`] if the header has been changed;
    /// - [`DecryptError::ExcessiveWork`] if the file asks for more scrypt work than is allowed here
    ///   or by the identity;
    /// - [`DecryptError::Header`] if an identity finds a stanza invalid;
    /// - [`DecryptError::Threshold`] if the file needs several holders together, and they cannot
    ///   open it;
    /// - [`DecryptError::Identity`] if an identity fails in another way.
    ///
    /// If an identity finds no stanza for itself, or cannot unwrap the one that names it, the next
    /// identity is tried. Any other failure ends the search, so that the user learns of it.
    pub fn unlock<'a>(
        &self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<PayloadKey, DecryptError> {
        Ok(PayloadKey::new(&self.file_key(identities)?, &self.nonce, self.backend))
    }

    /// Unwraps the file key and checks the header's MAC with it.
    pub(crate) fn file_key<'a>(
        &self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<FileKey, DecryptError> {
        let file_key = self.unwrap_file_key(identities)?;
        if self.header.verify(&file_key) { Ok(file_key) } else { Err(DecryptError::HeaderMac) }
    }

    fn unwrap_file_key<'a>(
        &self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<FileKey, DecryptError> {
        if let Some(required) = self.header.scrypt_work_factor().filter(|n| *n > self.max_work_factor) {
            return Err(DecryptError::ExcessiveWork { required });
        }
        let is_scrypt = self.header.is_scrypt();
        let mut failure = DecryptError::NoMatch;
        for identity in identities {
            match identity.unwrap_file_key(self.header.stanzas()) {
                Ok(Some(file_key)) => return Ok(file_key),
                Ok(None) => {}
                // Another identity may match.
                Err(UnwrapError::Authentication) if is_scrypt => failure = DecryptError::WrongPassphrase,
                Err(UnwrapError::Authentication) => failure = DecryptError::UnwrapFailed,
                Err(error) => return Err(error.into()),
            }
        }
        Err(failure)
    }
}

impl fmt::Debug for Preamble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preamble").field("header", &self.header).finish_non_exhaustive()
    }
}
