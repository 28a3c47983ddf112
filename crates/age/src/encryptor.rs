//! Encrypts files: wraps a new file key for recipients, and starts the payload.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use sealane::{Backend, RandomError};
use secrecy::SecretString;

use crate::error::EncryptError;
use crate::file_key::FileKey;
use crate::header::{Header, HeaderError, MAX_HEADER_BYTES, MAX_STANZAS, SCRYPT};
use crate::keys::{self, FILE_ID_BYTES};
use crate::recipient::{Recipient, Wrapped};
use crate::scrypt::{self, DEFAULT_MAX_WORK_FACTOR, DEFAULT_WORK_FACTOR};
use crate::stanza::{Stanza, is_printable};
use crate::stream::{PayloadKey, SealingKey, StreamWriter};

/// Encrypts one file.
///
/// It holds a new random file key, and the header that wraps the key for the recipients.
pub struct Encryptor {
    header: Header,
    file_key: FileKey,
    backend: Backend,
}

impl Encryptor {
    /// Prepares a file that each of `recipients` can open.
    ///
    /// # Errors
    ///
    /// - [`EncryptError::NoRecipients`] if there are none;
    /// - [`EncryptError::PassphraseNotAlone`] and [`EncryptError::IncompatibleRecipients`] if they
    ///   cannot be combined: all must have the same set of labels, and a passphrase has a label of
    ///   its own;
    /// - other errors if a recipient or the system's random number generator fails.
    pub fn with_recipients<'a>(recipients: impl IntoIterator<Item = &'a dyn Recipient>) -> Result<Self, EncryptError> {
        let file_key = keys::new_file_key().map_err(EncryptError::Random)?;
        let (header, _) = wrap(&file_key, Vec::new(), recipients)?;
        Ok(Self { header, file_key, backend: Backend::detect() })
    }

    /// Prepares a file with a passphrase. This takes about a second: see [`DEFAULT_WORK_FACTOR`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`]; [`EncryptError::Recipient`] with
    /// [`EmptyPassphrase`](scrypt::EmptyPassphrase) or
    /// [`NotEnoughMemory`](scrypt::NotEnoughMemory).
    pub fn with_passphrase(passphrase: SecretString) -> Result<Self, EncryptError> {
        Self::with_passphrase_and_work_factor(passphrase, DEFAULT_WORK_FACTOR)
    }

    /// Prepares a file with a passphrase, using scrypt (RFC 7914) with N = 2^`log_n`, r = 8 and
    /// p = 1. This takes 2^(`log_n` + 10) bytes of memory.
    ///
    /// # Errors
    ///
    /// [`EncryptError::WorkFactor`] if `log_n` is not from 1 to 22 (other programs refuse to open
    /// files with more); [`EncryptError::Random`]; [`EncryptError::Recipient`] with
    /// [`EmptyPassphrase`](scrypt::EmptyPassphrase) or
    /// [`NotEnoughMemory`](scrypt::NotEnoughMemory).
    pub fn with_passphrase_and_work_factor(passphrase: SecretString, log_n: u8) -> Result<Self, EncryptError> {
        if !(1..=DEFAULT_MAX_WORK_FACTOR).contains(&log_n) {
            return Err(EncryptError::WorkFactor(log_n));
        }
        let recipient = scrypt::Recipient::new(passphrase).with_work_factor(log_n);
        let recipient = recipient.map_err(|_| EncryptError::WorkFactor(log_n))?;
        Self::with_recipients([&recipient as &dyn Recipient])
    }

    /// Uses `backend` for the payload instead of the detected one.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Pads the header to `len` bytes with a stanza that matches no identity.
    ///
    /// If all headers have the same length, the length of a file tells the length of its plaintext,
    /// and the file need not be read: the chunks start at byte `len` + 16, and [`plaintext_len`]
    /// computes the length of the plaintext from the length of the chunks.
    ///
    /// # Errors
    ///
    /// [`EncryptError::HeaderLen`] if `len` is less than the length of the header, exceeds it by 1
    /// to 5 bytes, or is above [`MAX_HEADER_BYTES`], or if the header already has [`MAX_STANZAS`]
    /// stanzas. A header with a passphrase cannot be padded at all, because its stanza must be the
    /// only one.
    ///
    /// [`plaintext_len`]: crate::stream::plaintext_len
    pub fn with_header_len(mut self, len: usize) -> Result<Self, EncryptError> {
        let needed = self.header.encoded_len();
        self.header = self.header.padded(len, &self.file_key).ok_or(EncryptError::HeaderLen { len, needed })?;
        Ok(self)
    }

    /// Returns the header of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the file's id: 32 bytes derived from the file key, so that only those who can open
    /// the file can know them. They stay the same after
    /// [`Decryptor::rekey`](crate::Decryptor::rekey), and do not reveal the key.
    pub fn file_id(&self) -> [u8; FILE_ID_BYTES] {
        keys::file_id(&self.file_key)
    }

    /// Writes the header, and returns a writer for the plaintext.
    ///
    /// Call [`StreamWriter::finish`] at the end.
    ///
    /// # Errors
    ///
    /// The errors of `output`, and a failure of the system's random number generator.
    pub fn wrap_output<W: Write>(self, mut output: W) -> io::Result<StreamWriter<W>> {
        let (start, cipher) = self.start().map_err(io::Error::other)?;
        output.write_all(&start)?;
        Ok(StreamWriter::new(output, cipher))
    }

    /// Returns the bytes before the chunks, and the key that seals the chunks, for callers that do
    /// the I/O themselves.
    ///
    /// ```
    /// use sealane_age::stream::{CHUNK_BYTES, sealed_len};
    /// use sealane_age::{Encryptor, Identity, Recipient, x25519};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let identity = x25519::Identity::generate()?;
    /// let plaintext = vec![7; CHUNK_BYTES + 1000];
    /// let encryptor = Encryptor::with_recipients([&identity.to_public() as &dyn Recipient])?;
    /// let (mut file, key) = encryptor.into_parts()?;
    /// let start = file.len();
    /// file.resize(start + sealed_len(plaintext.len() as u64).unwrap() as usize, 0);
    /// // The parts of a file, in any order, each once.
    /// let (first, last) = plaintext.split_at(CHUNK_BYTES);
    /// let sealed = key.seal_part(0, false, first, &mut file[start..])?;
    /// key.seal_part(1, true, last, &mut file[start + sealed..])?;
    /// assert_eq!(sealane_age::decrypt([&identity as &dyn Identity], &file)?, plaintext);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn into_parts(self) -> Result<(Vec<u8>, SealingKey), EncryptError> {
        let (start, key) = self.start().map_err(EncryptError::Random)?;
        Ok((start, SealingKey::new(key)))
    }

    /// Returns the bytes before the chunks, and the key of the chunks.
    pub(crate) fn start(self) -> Result<(Vec<u8>, PayloadKey), RandomError> {
        let nonce = keys::new_payload_nonce()?;
        let mut start = self.header.encode();
        start.extend_from_slice(&nonce);
        Ok((start, PayloadKey::new(&self.file_key, &nonce, self.backend)))
    }
}

/// Wraps `file_key` for `recipients`, whose labels must agree. Returns a header with `stanzas`,
/// which are kept from an existing header, and the new stanzas after them. Also returns the labels
/// of `recipients`.
pub(crate) fn wrap<'a>(
    file_key: &FileKey,
    mut stanzas: Vec<Stanza>,
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
) -> Result<(Header, BTreeSet<String>), EncryptError> {
    let mut labels: Option<BTreeSet<String>> = None;
    let mut least_len = 0;
    for recipient in recipients {
        let Wrapped { stanzas: theirs, labels: their_labels } = recipient.wrap_file_key(file_key)?;
        if theirs.is_empty() {
            return Err(EncryptError::NoStanza);
        }
        if !their_labels.iter().all(|label| is_printable(label)) {
            return Err(EncryptError::InvalidLabel);
        }
        // Wrapping takes time for each recipient, so a header that would be too long is rejected
        // early.
        let least = |stanza: &Stanza| stanza.body.len() + stanza.args.iter().map(String::len).sum::<usize>();
        least_len += theirs.iter().map(least).sum::<usize>();
        if least_len > MAX_HEADER_BYTES {
            return Err(EncryptError::Header(HeaderError::TooLong));
        }
        stanzas.extend(theirs);
        if stanzas.len() > MAX_STANZAS {
            return Err(EncryptError::Header(HeaderError::TooManyStanzas));
        }
        match &labels {
            None => labels = Some(their_labels),
            Some(labels) if *labels == their_labels => {}
            // The label of a passphrase is random, so a message that shows it would not help.
            Some(_) if stanzas.iter().any(|s| s.tag == SCRYPT) => return Err(EncryptError::PassphraseNotAlone),
            Some(labels) => return Err(EncryptError::IncompatibleRecipients(labels.clone(), their_labels)),
        }
    }
    let labels = labels.ok_or(EncryptError::NoRecipients)?;
    let header = Header::new(stanzas, file_key).map_err(EncryptError::of_header)?;
    Ok((header, labels))
}

impl fmt::Debug for Encryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").field("header", &self.header).finish_non_exhaustive()
    }
}
