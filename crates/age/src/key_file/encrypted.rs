//! Identity files that are encrypted with a passphrase.

use std::fmt;
use std::io::{self, Read as _};

use sealane::Backend;
use zeroize::Zeroizing;

use super::{AnyIdentity, IdentityFault, KeyFileError, parse_identities};
use crate::armor::ArmoredReader;
use crate::decryptor::Decryptor;
use crate::error::DecryptError;
use crate::identity::Identity;
use crate::scrypt::DEFAULT_MAX_WORK_FACTOR;

/// An encrypted identity file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptedFileError {
    /// It cannot be opened, for example because the passphrase is wrong.
    #[error(transparent)]
    Open(#[from] DecryptError),
    /// It is encrypted to recipients. Like age, this crate opens only identity files with a
    /// passphrase.
    #[error("the file is encrypted, but not with a passphrase")]
    NoPassphrase,
    /// It is damaged. The error wraps a [`StreamError`](crate::StreamError) or an
    /// [`ArmorError`](crate::armor::ArmorError).
    #[error("cannot decrypt the file: {0}")]
    Read(#[source] io::Error),
    /// Its plaintext is not a file of identities.
    #[error(transparent)]
    Keys(#[from] KeyFileError<IdentityFault>),
}

/// An identity file that is encrypted with a passphrase, binary or armored.
///
/// ```
/// use sealane_age::key_file::{AnyIdentity, EncryptedIdentityFile, IdentityFile};
/// use sealane_age::secrecy::ExposeSecret as _;
/// use sealane_age::{Encryptor, passphrase_identity, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = x25519::Identity::generate()?.to_text();
/// # // A low work factor, for the example to be quick.
/// let encryptor = Encryptor::with_passphrase_and_work_factor("passphrase".into(), 4)?;
/// let file = encryptor.encrypt_to_armor(key.expose_secret().as_bytes())?;
///
/// let (IdentityFile::Encrypted, contents) = IdentityFile::of(file.as_bytes()) else { panic!() };
/// let file = EncryptedIdentityFile::new(contents);
/// let identities = file.decrypt(&passphrase_identity("passphrase".into()))?;
/// assert!(matches!(identities[..], [AnyIdentity::X25519(_)]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct EncryptedIdentityFile {
    contents: Vec<u8>,
    backend: Backend,
    max_work_factor: u8,
}

impl EncryptedIdentityFile {
    /// Returns the file with these contents.
    pub fn new(contents: &[u8]) -> Self {
        Self { contents: contents.to_vec(), backend: Backend::detect(), max_work_factor: DEFAULT_MAX_WORK_FACTOR }
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

    /// Returns whether the file has a valid header for a passphrase. Otherwise
    /// [`EncryptedIdentityFile::decrypt`] cannot open it.
    pub fn has_passphrase(&self) -> bool {
        self.decryptor().is_ok_and(|decryptor| decryptor.is_scrypt())
    }

    /// Returns the identities in the file. `passphrase` is an identity that knows the passphrase or
    /// asks for it.
    ///
    /// # Errors
    /// [`EncryptedFileError`].
    pub fn decrypt(&self, passphrase: &dyn Identity) -> Result<Vec<AnyIdentity>, EncryptedFileError> {
        Ok(parse_identities(&self.decrypt_lines(passphrase)?)?)
    }

    /// Returns the plaintext, which [`parse_identities`] reads.
    ///
    /// # Errors
    /// [`EncryptedFileError`], except [`EncryptedFileError::Keys`].
    pub fn decrypt_lines(&self, passphrase: &dyn Identity) -> Result<Zeroizing<Vec<u8>>, EncryptedFileError> {
        let decryptor = self.decryptor()?;
        if !decryptor.is_scrypt() {
            return Err(EncryptedFileError::NoPassphrase);
        }
        // The plaintext is shorter than the file, so the vector never grows: growing would leave a
        // copy behind that is not wiped.
        let mut plaintext = Zeroizing::new(Vec::with_capacity(self.contents.len()));
        decryptor.decrypt([passphrase])?.read_to_end(&mut plaintext).map_err(EncryptedFileError::Read)?;
        Ok(plaintext)
    }

    fn decryptor(&self) -> Result<Decryptor<ArmoredReader<&[u8]>>, DecryptError> {
        let decryptor = Decryptor::new(ArmoredReader::new(&self.contents[..]))?;
        Ok(decryptor.with_backend(self.backend).with_max_work_factor(self.max_work_factor))
    }
}

impl fmt::Debug for EncryptedIdentityFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptedIdentityFile").field("len", &self.contents.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::decryptor::passphrase_identity;
    use crate::encryptor::Encryptor;
    use crate::recipient::Recipient;
    use crate::stream::StreamError;
    use crate::{scrypt, x25519};

    fn encrypt(text: &str) -> Vec<u8> {
        let encryptor = Encryptor::with_passphrase_and_work_factor("one".into(), 2).unwrap();
        encryptor.encrypt_to_vec(text.as_bytes()).unwrap()
    }

    fn decrypt(file: &[u8], passphrase: &str) -> Result<Vec<AnyIdentity>, EncryptedFileError> {
        EncryptedIdentityFile::new(file).decrypt(&scrypt::Identity::new(passphrase.into()))
    }

    #[test]
    fn identities_come_back_with_the_passphrase_alone() {
        let key = x25519::Identity::generate().unwrap();
        let file = encrypt(&format!("# created: today\n{}\n", key.to_text().expose_secret()));
        let identities = decrypt(&file, "one").unwrap();
        let [AnyIdentity::X25519(found)] = &identities[..] else { panic!("{identities:?}") };
        assert_eq!(found.expose_secret(), key.expose_secret());
        let wrong = decrypt(&file, "two").unwrap_err();
        assert!(matches!(wrong, EncryptedFileError::Open(DecryptError::WrongPassphrase)), "{wrong:?}");
        assert!(EncryptedIdentityFile::new(&file).has_passphrase());
        let costly = scrypt::Identity::new("one".into()).with_max_work_factor(1);
        let refused = EncryptedIdentityFile::new(&file).decrypt(&costly).unwrap_err();
        let EncryptedFileError::Open(DecryptError::ExcessiveWork { required: 2 }) = refused else {
            panic!("{refused:?}")
        };
    }

    #[test]
    fn work_has_a_limit_of_its_own() {
        let file = encrypt("text");
        let decrypt = |file: EncryptedIdentityFile| match file.decrypt(&passphrase_identity("one".into())) {
            Err(EncryptedFileError::Open(DecryptError::ExcessiveWork { required })) => Some(required),
            Err(EncryptedFileError::Keys(_)) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(decrypt(EncryptedIdentityFile::new(&file).with_max_work_factor(1)), Some(2));
        assert_eq!(decrypt(EncryptedIdentityFile::new(&file).with_max_work_factor(2)), None);
        // The same file, with a factor above the default limit.
        let end = file.windows(3).position(|bytes| bytes == b" 2\n").unwrap();
        let costly = [&file[..end], b" 23", &file[end + 2..]].concat();
        assert_eq!(decrypt(EncryptedIdentityFile::new(&costly)), Some(23));
    }

    #[test]
    fn what_is_no_identity_file() {
        let key = x25519::Identity::generate().unwrap();
        let to_key = crate::oneshot::encrypt([&key.to_public() as &dyn Recipient], b"text").unwrap();
        assert!(matches!(decrypt(&to_key, "one"), Err(EncryptedFileError::NoPassphrase)));
        assert!(!EncryptedIdentityFile::new(&to_key).has_passphrase());
        assert!(!EncryptedIdentityFile::new(b"text").has_passphrase());
        let no_keys = decrypt(&encrypt("# nothing\n"), "one");
        assert!(matches!(no_keys, Err(EncryptedFileError::Keys(KeyFileError::NoKeys))));
        let mut damaged = encrypt("text");
        *damaged.last_mut().unwrap() ^= 1;
        let Err(EncryptedFileError::Read(error)) = decrypt(&damaged, "one") else { panic!("the file is damaged") };
        assert!(StreamError::of(&error).is_some());
    }
}
