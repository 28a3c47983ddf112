//! Whole files in memory.

use std::io::Read as _;
use std::mem;

use age::{Identity, Recipient};
use zeroize::Zeroizing;

use crate::armor::{ArmoredReader, ArmoredWriter};
use crate::stream::{CHUNK_LEN, Next, SEALED_CHUNK_LEN, StreamError, TAG_LEN, plaintext_len};
use crate::{DecryptError, Decryptor, EncryptError, Encryptor};

/// A file with `plaintext` for `recipients`.
///
/// It works on one thread, with one allocation for the file. With a passphrase, it is [`Encryptor::encrypt_to_vec`]; for what is large,
/// [`Encryptor::wrap_output`] needs less memory and [`Encryptor::encrypt`] more threads.
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
/// Those of [`Encryptor::with_recipients`].
pub fn encrypt<'a>(
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    plaintext: &[u8],
) -> Result<Vec<u8>, EncryptError> {
    Encryptor::with_recipients(recipients)?.encrypt_to_vec(plaintext)
}

/// Like [`encrypt`], as text: see [`armor`](crate::armor).
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
/// Those of [`Encryptor::with_recipients`].
pub fn encrypt_and_armor<'a>(
    recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    plaintext: &[u8],
) -> Result<String, EncryptError> {
    Encryptor::with_recipients(recipients)?.encrypt_to_armor(plaintext)
}

impl Encryptor {
    /// The whole file with `plaintext`, in memory: see [`encrypt`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn encrypt_to_vec(self, plaintext: &[u8]) -> Result<Vec<u8>, EncryptError> {
        let (mut file, cipher) = self.start().map_err(EncryptError::Random)?;
        // An empty file has a chunk too.
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

    /// The whole file with `plaintext` as text, in memory: see [`encrypt_and_armor`].
    ///
    /// # Errors
    ///
    /// [`EncryptError::Random`].
    pub fn encrypt_to_armor(self, plaintext: &[u8]) -> Result<String, EncryptError> {
        let file = self.encrypt_to_vec(plaintext)?;
        Ok(ArmoredWriter::text(&file))
    }
}

/// The plaintext of a whole `file`, binary or armored, with the first of `identities` that can open it: see [`Decryptor::decrypt`].
///
/// All of it or nothing: where a [`StreamReader`](crate::StreamReader) hands out what comes before a damage, this wipes it. The plaintext
/// is the caller's, who wipes it too if that matters; it has been allocated once, so that no copy of it lies elsewhere.
///
/// An identity for a passphrase is [`passphrase_identity`](crate::passphrase_identity). For what is large,
/// [`StreamReader`](crate::StreamReader) needs less memory, and its [`copy_to`](crate::StreamReader::copy_to) more threads.
/// [`encrypt`] has an example.
///
/// # Errors
///
/// - those of [`Decryptor::new`] and [`Decryptor::decrypt`];
/// - [`DecryptError::Armor`] if the file is armored and anything in the armor is not right, which is looked at first;
/// - [`DecryptError::Payload`] if the payload is damaged, cut short or longer than it was: the error that a
///   [`StreamReader`](crate::StreamReader) gives.
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

    // A payload whose length no file has is opened as far as it goes, to find out what is wrong with it. One tag more, because each chunk is
    // opened where it will stand.
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

    /// Where a vector grew, it would leave plaintext behind.
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
