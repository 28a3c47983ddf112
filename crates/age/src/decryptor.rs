//! Decrypts files: reads the header, and unlocks the payload.

use std::fmt;
use std::io::Read;

use sealane::Backend;
use secrecy::SecretString;

use crate::error::DecryptError;
use crate::header::{Header, HeaderError, Reading};
use crate::identity::Identity;
use crate::input::Input;
use crate::preamble::Preamble;
use crate::scrypt;
use crate::stream::{NONCE_BYTES, StreamReader};

/// Reads the header of one file, and decrypts the file or gives it other recipients.
///
/// It holds the header, the nonce of the payload, and the rest of the input.
pub struct Decryptor<R> {
    pub(crate) input: Input<R>,
    pub(crate) preamble: Preamble,
}

impl<R: Read> Decryptor<R> {
    /// Reads the header of a file and the nonce after it.
    ///
    /// The file must be binary. For a file that is or may be armored, pass an
    /// [`ArmoredReader`](crate::armor::ArmoredReader). The file may start at any position of
    /// `reader`, but must end where `reader` ends. The decryptor reads ahead, and needs no buffered
    /// reader.
    ///
    /// # Errors
    ///
    /// - [`DecryptError::Header`] if this is not an age file, is one of another version, has a
    ///   malformed header, or ends inside its header or nonce;
    /// - [`DecryptError::Armor`] if `reader` is an armored reader and the armor is malformed;
    /// - [`DecryptError::Payload`] if `reader` reads the content of another age file, which is
    ///   damaged;
    /// - [`DecryptError::Io`] for other errors of `reader`.
    pub fn new(reader: R) -> Result<Self, DecryptError> {
        let mut input = Input::new(reader);
        let header = next_header(&mut input)?;
        let mut nonce = [0; NONCE_BYTES];
        if input.read_full(&mut nonce)? < NONCE_BYTES {
            return Err(HeaderError::Truncated.into());
        }
        Ok(Self { input, preamble: Preamble::new(header, nonce) })
    }

    /// Reads only the header, so the input may end right after it. Its MAC has not been checked.
    ///
    /// # Errors
    ///
    /// The errors of [`Decryptor::new`].
    pub fn read_header(reader: R) -> Result<Header, DecryptError> {
        next_header(&mut Input::new(reader))
    }

    /// Unwraps the file key with the first of `identities` that can, checks the header's MAC, and
    /// returns a reader for the plaintext.
    ///
    /// # Errors
    ///
    /// The errors of [`Preamble::unlock`].
    pub fn decrypt<'a>(
        self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<StreamReader<R>, DecryptError> {
        let key = self.preamble.unlock(identities)?;
        let start = self.input.delivered();
        Ok(StreamReader::new(self.input, start, key))
    }

    /// Does the same as [`Decryptor::decrypt`], with a passphrase.
    ///
    /// # Errors
    ///
    /// The errors of [`Decryptor::decrypt`], and [`DecryptError::NoMatch`] if the file is not
    /// encrypted with a passphrase.
    pub fn decrypt_with_passphrase(self, passphrase: SecretString) -> Result<StreamReader<R>, DecryptError> {
        self.decrypt([&passphrase_identity(passphrase) as &dyn Identity])
    }
}

impl<R> Decryptor<R> {
    /// Uses `backend` for the payload instead of the detected one.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.preamble = self.preamble.with_backend(backend);
        self
    }

    /// Accepts scrypt work factors up to `log_n` instead of
    /// [`DEFAULT_MAX_WORK_FACTOR`](scrypt::DEFAULT_MAX_WORK_FACTOR).
    ///
    /// An identity may have its own, lower limit. [`passphrase_identity`] has no limit.
    #[must_use]
    pub fn with_max_work_factor(mut self, log_n: u8) -> Self {
        self.preamble = self.preamble.with_max_work_factor(log_n);
        self
    }

    /// Returns whether the file is encrypted with a passphrase, which is then its only recipient.
    pub fn is_scrypt(&self) -> bool {
        self.header().is_scrypt()
    }

    /// Returns the header. Its MAC has not been checked yet.
    pub fn header(&self) -> &Header {
        self.preamble.header()
    }

    /// Returns the nonce of the payload, which follows the header.
    pub fn nonce(&self) -> &[u8; NONCE_BYTES] {
        self.preamble.nonce()
    }

    /// Returns the header alone. Its MAC has not been checked.
    pub fn into_header(self) -> Header {
        self.preamble.into_header()
    }
}

impl<R> fmt::Debug for Decryptor<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").field("header", self.header()).finish_non_exhaustive()
    }
}

/// Reads up to the line feed at the end of the header.
fn next_header<R: Read>(input: &mut Input<R>) -> Result<Header, DecryptError> {
    let mut reading = Reading::default();
    loop {
        if let Some(header) = reading.advance(input)? {
            return Ok(header);
        }
        if !input.refill()? {
            return Err(reading.eof().into());
        }
    }
}

/// Returns the identity for a passphrase. The identity itself has no work factor limit, so the
/// limit of the decryptor, or of the encrypted identity file, applies.
pub fn passphrase_identity(passphrase: SecretString) -> scrypt::Identity {
    scrypt::Identity::new(passphrase).with_max_work_factor(u8::MAX)
}
