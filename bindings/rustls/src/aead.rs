//! The cipher with a key and an IV, as all protocols use it.

use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, Nonce};
use sealane::{ChaCha20Poly1305, TAG_BYTES, Tag};

/// Length of a key in bytes.
pub(crate) const KEY_BYTES: usize = sealane::KEY_BYTES;

/// The keys of one direction.
pub(crate) struct Keys {
    /// It is wiped when it is dropped.
    cipher: ChaCha20Poly1305,
    iv: Iv,
}

impl Keys {
    /// Returns the keys.
    ///
    /// # Panics
    /// If the key has another length than [`KEY_BYTES`]; rustls derives keys of that length.
    pub(crate) fn new(key: &AeadKey, iv: Iv) -> Self {
        Self { cipher: ChaCha20Poly1305::new(key_bytes(key)), iv }
    }

    /// Encrypts `data` in place, as message number `number`. Returns its tag.
    pub(crate) fn seal(&self, number: u64, aad: &[u8], data: &mut [u8]) -> Tag {
        self.cipher.seal_in_place(&Nonce::new(&self.iv, number).0, aad, data)
    }

    /// Does the same for a path of multipath QUIC.
    pub(crate) fn seal_for_path(&self, path_id: u32, number: u64, aad: &[u8], data: &mut [u8]) -> Tag {
        self.cipher.seal_in_place(&Nonce::for_path(path_id, &self.iv, number).0, aad, data)
    }

    /// Decrypts the ciphertext and tag in `data` in place. Returns the length of the plaintext.
    pub(crate) fn open(&self, number: u64, aad: &[u8], data: &mut [u8]) -> Result<usize, Error> {
        self.open_with(&Nonce::new(&self.iv, number), aad, data)
    }

    /// Does the same for a path of multipath QUIC.
    pub(crate) fn open_for_path(&self, path_id: u32, number: u64, aad: &[u8], data: &mut [u8]) -> Result<usize, Error> {
        self.open_with(&Nonce::for_path(path_id, &self.iv, number), aad, data)
    }

    fn open_with(&self, nonce: &Nonce, aad: &[u8], data: &mut [u8]) -> Result<usize, Error> {
        let (ciphertext, tag) = data.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        self.cipher.open_in_place(&nonce.0, aad, ciphertext, tag).map_err(|_| Error::DecryptError)?;
        Ok(ciphertext.len())
    }
}

/// Returns the bytes of a key.
///
/// # Panics
/// If the key has another length than [`KEY_BYTES`]; rustls derives keys of that length.
pub(crate) fn key_bytes(key: &AeadKey) -> &[u8; KEY_BYTES] {
    key.as_ref().try_into().expect("rustls derives keys of 32 bytes")
}
