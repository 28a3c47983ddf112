//! Seals and opens whole files in memory.

use std::io::Read as _;
use std::mem;

use age::{Identity, Recipient};
use zeroize::Zeroizing;

use crate::armor::{ArmoredReader, ArmoredWriter};
use crate::stream::{CHUNK_LEN, Next, SEALED_CHUNK_LEN, StreamError, TAG_LEN, plaintext_len};
use crate::{DecryptError, Decryptor, EncryptError, Encryptor};

/// Returns a file with `plaintext` for `recipients`.
///
/// It works on one thread, with one allocation for the file. For a passphrase, use
/// [`Encryptor::encrypt_to_vec`]. For large files, [`Encryptor::wrap_output`] needs less memory,
/// and [`Encryptor::encrypt`] uses more threads.
///
/// ```
/// use sealane_age::{DecryptError, Identity, Recipient, StreamError, age};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = age::x25519::Identity::generate();
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
/// As for [`Encryptor::with_recipients`].
pub fn encrypt<'a>(
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    plaintext: &[u8],
) -> Result<Vec<u8>, EncryptError> {
    Encryptor::with_recipients(recipients)?.encrypt_to_vec(plaintext)
}

/// Does the same as [`encrypt`], as text: see [`armor`](crate::armor).
///
/// ```
/// use sealane_age::{Identity, Recipient, age};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = age::x25519::Identity::generate();
/// let text = sealane_age::encrypt_and_armor([&identity.to_public() as &dyn Recipient], b"attack at dawn")?;
/// assert!(text.starts_with("-----BEGIN AGE ENCRYPTED FILE-----\n"));
/// assert_eq!(sealane_age::decrypt([&identity as &dyn Identity], text.as_bytes())?, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As for [`Encryptor::with_recipients`].
pub fn encrypt_and_armor<'a>(
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    plaintext: &[u8],
) -> Result<String, EncryptError> {
    Encryptor::with_recipients(recipients)?.encrypt_to_armor(plaintext)
}

impl Encryptor {
    /// Returns the whole file with `plaintext`: see [`encrypt`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn encrypt_to_vec(self, plaintext: &[u8]) -> Result<Vec<u8>, EncryptError> {
        let (mut file, cipher) = self.start().map_err(EncryptError::Random)?;
        // An empty file has one chunk too.
        let chunks = plaintext.len().div_ceil(CHUNK_LEN).max(1);
        file.reserve_exact(plaintext.len() + chunks * TAG_LEN);
        for number in 0..chunks {
            let (at, end) = (file.len(), plaintext.len().min((number + 1) * CHUNK_LEN));
            file.extend_from_slice(&plaintext[number * CHUNK_LEN..end]);
            file.extend_from_slice(&[0; TAG_LEN]);
            cipher.seal(number as u64, number + 1 == chunks, &mut file[at..]);
        }
        Ok(file)
    }

    /// Returns the whole file with `plaintext` as text: see [`encrypt_and_armor`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn encrypt_to_armor(self, plaintext: &[u8]) -> Result<String, EncryptError> {
        let file = self.encrypt_to_vec(plaintext)?;
        Ok(ArmoredWriter::text(&file))
    }
}

/// Returns the plaintext of a whole `file`, binary or armored. The first of `identities` that can
/// open it does: see [`Decryptor::decrypt`].
///
/// It returns all of the plaintext or nothing. A [`StreamReader`](crate::StreamReader) hands out
/// the plaintext before the damage; this function wipes it. The caller should wipe the plaintext if
/// it is secret. It is allocated once, so no copy is left elsewhere.
///
/// [`passphrase_identity`](crate::passphrase_identity) makes an identity from a passphrase. For
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
    let (cipher, _) = decryptor.unlock(identities)?;
    let header_len = usize::try_from(decryptor.into_parts().1.delivered()).expect("it is a part of the file");
    let payload = &file[header_len..];

    // If no file has a payload of this length, it is opened as far as possible, to find out what is
    // wrong. There is room for one tag more, because each chunk is opened at its place in the
    // result.
    let len = plaintext_len(payload.len() as u64).and_then(|len| usize::try_from(len).ok()).unwrap_or(payload.len());
    let mut plaintext = Zeroizing::new(Vec::with_capacity(len + TAG_LEN));
    let mut next = Next::Chunk;
    let mut rest = payload;
    for number in 0.. {
        match next {
            Next::Chunk if rest.is_empty() => return Err(StreamError::Truncated.into()),
            Next::Chunk => {}
            Next::End => break,
            Next::Error(error) => return Err(error.into()),
        }
        let (chunk, after) = rest.split_at(rest.len().min(SEALED_CHUNK_LEN));
        let at = plaintext.len();
        plaintext.extend_from_slice(chunk);
        next = cipher.open_next(number, !after.is_empty(), &mut plaintext[at..])?;
        plaintext.truncate(at + chunk.len() - TAG_LEN);
        rest = after;
    }
    Ok(mem::take(&mut *plaintext))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vector that grows would leave plaintext behind.
    #[test]
    fn memory_is_allocated_once() {
        let identity = age::x25519::Identity::generate();
        for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 3 * CHUNK_LEN, 5 * CHUNK_LEN + 77] {
            let file = encrypt([&identity.to_public() as &dyn Recipient], &vec![7; len]).unwrap();
            let plaintext = decrypt([&identity as &dyn Identity], &file).unwrap();
            assert_eq!((plaintext.len(), plaintext.capacity()), (len, len + TAG_LEN));
            let text = encrypt_and_armor([&identity.to_public() as &dyn Recipient], &vec![7; len]).unwrap();
            assert_eq!(text.len(), text.capacity());
        }
    }
}
