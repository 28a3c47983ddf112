//! Opens files.

use std::fmt;
use std::io::Read;

use age::{Identity, scrypt};
use age_core::format::FileKey;
use age_core::secrecy::SecretString;
use sealane::Backend;

use crate::error::DecryptError;
use crate::header::{Header, HeaderError};
use crate::input::Input;
use crate::keys::{self, FILE_ID_LEN};
use crate::stream::{ChunkCipher, NONCE_LEN, StreamReader};

/// The largest scrypt work factor that is accepted unless the caller allows more.
///
/// N = 2^22 takes 4 GiB of memory. The factor comes from the file. Without a limit, anyone could
/// make a file that keeps the machine of its reader busy.
pub const DEFAULT_MAX_WORK_FACTOR: u8 = 22;

/// Decrypts one file. It holds the header and the rest of the input.
pub struct Decryptor<R> {
    input: Input<R>,
    header: Header,
    nonce: [u8; NONCE_LEN],
    backend: Backend,
    max_work_factor: u8,
}

impl<R: Read> Decryptor<R> {
    /// Reads the header of a file and the nonce after it.
    ///
    /// The file is binary. For a file that is or may be armored, pass an
    /// [`ArmoredReader`](crate::armor::ArmoredReader). The file may start at any position of
    /// `reader`, but must end where `reader` ends. The decryptor reads ahead, and needs no buffered
    /// reader.
    ///
    /// # Errors
    ///
    /// - [`DecryptError::Header`] if this is not an age file, is one of another version, or has a
    ///   malformed header;
    /// - [`DecryptError::Armor`] if `reader` is an armored reader and the armor is malformed;
    /// - [`DecryptError::Io`] for other errors of `reader`.
    pub fn new(reader: R) -> Result<Self, DecryptError> {
        let mut input = Input::new(reader);
        let header = Header::read(&mut input)?;
        let mut nonce = [0; NONCE_LEN];
        if input.read_full(&mut nonce)? < NONCE_LEN {
            return Err(HeaderError::Truncated.into());
        }
        Ok(Self::from_parts(input, header, nonce))
    }

    /// Unwraps the file key with the first of `identities` that can, checks the header's MAC, and
    /// returns a reader for the plaintext.
    ///
    /// # Errors
    ///
    /// - [`DecryptError::NoMatch`] if no identity can; or, if the reason is known,
    ///   [`DecryptError::WrongPassphrase`] or [`DecryptError::UnwrapFailed`];
    /// - [`DecryptError::HeaderMac`] if the header has been changed;
    /// - [`DecryptError::ExcessiveWork`] if the file asks for more scrypt work than this decryptor
    ///   or the identity allows;
    /// - [`DecryptError::Header`] if an identity finds a stanza invalid;
    /// - [`DecryptError::Identity`] if an identity fails in another way. This ends the search, so
    ///   that the user learns of it.
    pub fn decrypt<'a>(
        self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<StreamReader<R>, DecryptError> {
        let (cipher, file_id) = self.unlock(identities)?;
        let start = self.input.delivered();
        Ok(StreamReader::new(self.input, start, cipher, file_id))
    }

    /// Does the same as [`Decryptor::decrypt`], with a passphrase.
    ///
    /// # Errors
    ///
    /// As for [`Decryptor::decrypt`]; [`DecryptError::NoMatch`] if the file is not encrypted with a
    /// passphrase.
    pub fn decrypt_with_passphrase(self, passphrase: SecretString) -> Result<StreamReader<R>, DecryptError> {
        self.decrypt([&passphrase_identity(passphrase) as &dyn Identity])
    }
}

impl<R> Decryptor<R> {
    /// Uses `backend` for the payload instead of the detected one.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Accepts scrypt work factors up to `log_n` instead of [`DEFAULT_MAX_WORK_FACTOR`].
    ///
    /// An identity may have its own, lower limit. [`passphrase_identity`] has no limit.
    #[must_use]
    pub fn with_max_work_factor(mut self, log_n: u8) -> Self {
        self.max_work_factor = log_n;
        self
    }

    /// Returns whether the file is encrypted with a passphrase, which is then its only recipient.
    pub fn is_scrypt(&self) -> bool {
        self.header.is_scrypt()
    }

    /// Returns the header. Its MAC has not been checked yet.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the nonce of the payload, which follows the header.
    pub fn nonce(&self) -> &[u8; NONCE_LEN] {
        &self.nonce
    }

    /// Returns the header alone. Its MAC has not been checked.
    pub fn into_header(self) -> Header {
        self.header
    }

    /// Continues with a header and a nonce that were read from `input`.
    pub(crate) fn from_parts(input: Input<R>, header: Header, nonce: [u8; NONCE_LEN]) -> Self {
        Self { input, header, nonce, backend: Backend::detect(), max_work_factor: DEFAULT_MAX_WORK_FACTOR }
    }

    /// Returns the nonce and the rest of the input.
    pub(crate) fn into_parts(self) -> ([u8; NONCE_LEN], Input<R>) {
        (self.nonce, self.input)
    }

    /// Returns the cipher of the chunks and the file's id.
    pub(crate) fn unlock<'a>(
        &self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<(ChunkCipher, [u8; FILE_ID_LEN]), DecryptError> {
        let file_key = self.file_key(identities)?;
        let cipher = ChunkCipher::new(&keys::payload_key(&file_key, &self.nonce), self.backend);
        Ok((cipher, keys::file_id(&file_key)))
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
        let mut failure = DecryptError::NoMatch;
        for identity in identities {
            match identity.unwrap_stanzas(self.header.stanzas()) {
                None => {}
                Some(Ok(file_key)) => return Ok(file_key),
                // Another identity may match.
                Some(Err(age::DecryptError::NoMatchingKeys)) => {}
                Some(Err(age::DecryptError::DecryptionFailed)) => {
                    failure = if self.is_scrypt() { DecryptError::WrongPassphrase } else { DecryptError::UnwrapFailed };
                }
                Some(Err(age::DecryptError::InvalidHeader)) => return Err(HeaderError::InvalidStanza.into()),
                Some(Err(age::DecryptError::ExcessiveWork { required, .. })) => {
                    return Err(DecryptError::ExcessiveWork { required });
                }
                Some(Err(error)) => return Err(DecryptError::Identity(error)),
            }
        }
        Err(failure)
    }
}

impl<R> fmt::Debug for Decryptor<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").field("header", &self.header).finish_non_exhaustive()
    }
}

/// Returns the identity of a passphrase. The identity itself has no work factor limit, so the limit
/// of the decryptor applies.
///
/// (The limit of [`age::scrypt::Identity::new`] depends on how fast this machine is at the moment.)
pub fn passphrase_identity(passphrase: SecretString) -> scrypt::Identity {
    let mut identity = scrypt::Identity::new(passphrase);
    identity.set_max_work_factor(63);
    identity
}
