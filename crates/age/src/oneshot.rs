//! Seals and opens whole files in memory.

use std::io::Read as _;

use crate::armor::{ArmoredReader, ArmoredWriter};
use crate::decryptor::Decryptor;
use crate::encryptor::Encryptor;
use crate::error::{DecryptError, EncryptError};
use crate::identity::Identity;
use crate::recipient::Recipient;
use crate::stream::{plaintext_len, sealed_len};

/// Encrypts `plaintext` to `recipients`, and returns the file.
///
/// It works on one thread, with one allocation for the file. For a passphrase, use
/// [`Encryptor::encrypt_to_vec`]. For large files, [`Encryptor::wrap_output`] needs less memory,
/// and [`Encryptor::encrypt`] uses more threads.
///
/// ```
/// use sealane_age::{DecryptError, Identity, Recipient, StreamError, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = x25519::Identity::generate()?;
/// let recipient = identity.to_public();
///
/// let mut file = sealane_age::encrypt([&recipient as &dyn Recipient], b"attack at dawn")?;
/// assert_eq!(sealane_age::decrypt([&identity as &dyn Identity], &file)?, b"attack at dawn");
///
/// *file.last_mut().unwrap() ^= 1;
/// let error = sealane_age::decrypt([&identity as &dyn Identity], &file).unwrap_err();
/// assert!(matches!(error, DecryptError::Payload(StreamError::CorruptEnd { number: 0 })));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The errors of [`Encryptor::with_recipients`].
pub fn encrypt<'a>(
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    plaintext: &[u8],
) -> Result<Vec<u8>, EncryptError> {
    Encryptor::with_recipients(recipients)?.encrypt_to_vec(plaintext)
}

/// Does the same as [`encrypt`], but returns text: see [`armor`](crate::armor).
///
/// ```
/// use sealane_age::{Identity, Recipient, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = x25519::Identity::generate()?;
/// let text = sealane_age::encrypt_and_armor([&identity.to_public() as &dyn Recipient], b"attack at dawn")?;
/// assert!(text.starts_with("-----BEGIN AGE ENCRYPTED FILE-----\n"));
/// assert_eq!(sealane_age::decrypt([&identity as &dyn Identity], text.as_bytes())?, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The errors of [`Encryptor::with_recipients`].
pub fn encrypt_and_armor<'a>(
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    plaintext: &[u8],
) -> Result<String, EncryptError> {
    Encryptor::with_recipients(recipients)?.encrypt_to_armor(plaintext)
}

impl Encryptor {
    /// Encrypts `plaintext`, and returns the whole file: see [`encrypt`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn encrypt_to_vec(self, plaintext: &[u8]) -> Result<Vec<u8>, EncryptError> {
        let (mut file, key) = self.into_parts()?;
        let start = file.len();
        // A length that does not fit `usize` cannot be allocated either.
        let sealed = sealed_len(plaintext.len() as u64).and_then(|len| usize::try_from(len).ok()).unwrap_or(usize::MAX);
        file.reserve_exact(sealed);
        file.resize(start + sealed, 0);
        key.seal_part(0, true, plaintext, &mut file[start..]).expect("there is room for all chunks");
        Ok(file)
    }

    /// Encrypts `plaintext`, and returns the whole file as text: see [`encrypt_and_armor`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn encrypt_to_armor(self, plaintext: &[u8]) -> Result<String, EncryptError> {
        let file = self.encrypt_to_vec(plaintext)?;
        Ok(ArmoredWriter::text(&file))
    }
}

/// Returns the plaintext of a whole `file`, binary or armored. Opens it with the first of
/// `identities` that can: see [`Decryptor::decrypt`].
///
/// It returns all of the plaintext or nothing. If the file is damaged, a
/// [`StreamReader`](crate::StreamReader) hands out the plaintext before the damage; this function
/// wipes it. The caller should wipe the plaintext if it is secret. It is allocated once, so no copy
/// is left elsewhere.
///
/// [`passphrase_identity`](crate::passphrase_identity) returns the identity for a passphrase. For
/// large files, [`StreamReader`](crate::StreamReader) needs less memory, and its
/// [`copy_to`](crate::StreamReader::copy_to) uses more threads. [`encrypt`] has an example.
///
/// # Errors
///
/// - Those of [`Decryptor::new`] and [`Decryptor::decrypt`].
/// - [`DecryptError::Armor`] if the file is armored and the armor is malformed anywhere. The armor
///   is checked first.
/// - [`DecryptError::Payload`] if the payload is damaged, cut short or too long: the error that a
///   [`StreamReader`](crate::StreamReader) returns.
pub fn decrypt<'a>(
    identities: impl IntoIterator<Item = &'a dyn Identity>,
    file: &[u8],
) -> Result<Vec<u8>, DecryptError> {
    let mut armored = ArmoredReader::new(file);
    if !armored.is_armored()? {
        return open(identities, file);
    }
    let mut binary = Vec::with_capacity(file.len() / 4 * 3);
    armored.read_to_end(&mut binary)?;
    open(identities, &binary)
}

fn open<'a>(identities: impl IntoIterator<Item = &'a dyn Identity>, file: &[u8]) -> Result<Vec<u8>, DecryptError> {
    let decryptor = Decryptor::new(file)?;
    let key = decryptor.preamble.unlock(identities)?;
    let payload = &file[decryptor.preamble.len()..];

    // If no file has a payload of this length, the chunks are opened as far as possible, to find
    // out what is wrong.
    let len = plaintext_len(payload.len() as u64).and_then(|len| usize::try_from(len).ok()).unwrap_or(payload.len());
    let mut plaintext = vec![0; len];
    key.open_chunks(0, true, payload, &mut plaintext)?;
    Ok(plaintext)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::CHUNK_BYTES;

    /// A vector that grows would leave plaintext behind.
    #[test]
    fn memory_is_allocated_once() {
        let identity = crate::x25519::Identity::generate().unwrap();
        for len in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 5 * CHUNK_BYTES + 77] {
            let file = encrypt([&identity.to_public() as &dyn Recipient], &vec![7; len]).unwrap();
            let plaintext = decrypt([&identity as &dyn Identity], &file).unwrap();
            assert_eq!((plaintext.len(), plaintext.capacity()), (len, len));
            let text = encrypt_and_armor([&identity.to_public() as &dyn Recipient], &vec![7; len]).unwrap();
            assert_eq!(text.len(), text.capacity());
        }
    }
}
