//! The cipher with a key and an IV, as TLS and QUIC use it.

use sealane::quic::HeaderProtectionKey;
use sealane::{ChaCha20Poly1305, KEY_BYTES, OpenError, TAG_BYTES, Tag};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The length in bytes of nonces and IVs.
pub(crate) const NONCE_BYTES: usize = 12;

/// The keys of one direction. They are wiped when they are dropped.
pub(crate) struct Keys {
    pub(crate) cipher: ChaCha20Poly1305,
    iv: Zeroizing<[u8; NONCE_BYTES]>,
}

// The types of all stored keys and IVs wipe themselves.
const _: () = {
    const fn is_wiped<T: ZeroizeOnDrop>() {}
    is_wiped::<ChaCha20Poly1305>();
    is_wiped::<Zeroizing<[u8; NONCE_BYTES]>>();
    is_wiped::<HeaderProtectionKey>();
};

impl Keys {
    /// Returns the keys.
    ///
    /// # Panics
    /// If the lengths differ from [`KEY_BYTES`] and [`NONCE_BYTES`], which rustls always derives.
    pub(crate) fn new(key: &[u8], iv: &[u8]) -> Self {
        let iv = iv.try_into().expect("rustls derives IVs of 12 bytes");
        Self { cipher: ChaCha20Poly1305::new(key_bytes(key)), iv: Zeroizing::new(iv) }
    }

    /// Returns the nonce of a message: the IV, XORed with the number of the message (RFC 8446,
    /// section 5.3) and the ID of the path (draft-ietf-quic-multipath-15, section 2.4). Without
    /// paths, `path_id` is 0.
    pub(crate) fn nonce(&self, path_id: u32, number: u64) -> [u8; NONCE_BYTES] {
        // Uses two integers, because combining single bytes compiles to a long chain of shifts.
        let (path_bytes, number_bytes) = self.iv.split_at(4);
        let path_id = u32::from_be_bytes(path_bytes.try_into().expect("4 of 12 bytes")) ^ path_id;
        let number = u64::from_be_bytes(number_bytes.try_into().expect("8 of 12 bytes")) ^ number;
        let mut nonce = [0; NONCE_BYTES];
        nonce[..4].copy_from_slice(&path_id.to_be_bytes());
        nonce[4..].copy_from_slice(&number.to_be_bytes());
        nonce
    }

    /// Encrypts `data` in place. Returns its tag.
    pub(crate) fn seal(&self, nonce: [u8; NONCE_BYTES], aad: &[u8], data: &mut [u8]) -> Tag {
        self.cipher.seal_in_place(&nonce, aad, data)
    }

    /// Decrypts the ciphertext and tag in `data` in place. Returns the length of the plaintext.
    pub(crate) fn open(&self, nonce: [u8; NONCE_BYTES], aad: &[u8], data: &mut [u8]) -> Result<usize, OpenError> {
        let (ciphertext, tag) = data.split_last_chunk_mut::<TAG_BYTES>().ok_or(OpenError)?;
        self.cipher.open_in_place(&nonce, aad, ciphertext, tag)?;
        Ok(ciphertext.len())
    }
}

/// Returns the bytes of a key.
///
/// # Panics
/// If the key does not have the length [`KEY_BYTES`]; rustls derives keys of that length.
pub(crate) fn key_bytes(key: &[u8]) -> &[u8; KEY_BYTES] {
    key.try_into().expect("rustls derives keys of 32 bytes")
}
