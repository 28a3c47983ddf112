//! The file key: <https://c2sp.org/age#file-key>.

use alloc::boxed::Box;
#[cfg(feature = "std")]
use alloc::vec::Vec;
use core::fmt;

use sealane::ChaCha20Poly1305;
use zeroize::{Zeroize as _, ZeroizeOnDrop};

use crate::lengths::TAG_BYTES;

/// The length of a file key, in bytes.
pub const FILE_KEY_BYTES: usize = 16;

/// The length of a wrapped file key in the body of a stanza: the key and a tag.
pub(crate) const WRAPPED_BYTES: usize = FILE_KEY_BYTES + TAG_BYTES;

/// The key of one file, from which the keys of its header and its payload are derived.
///
/// It is random, and never used for two files. It is wiped when it is dropped. For a
/// [`threshold`](crate::threshold) of recipients, each of them wraps a one-time key of this type
/// instead.
pub struct FileKey(Box<[u8; FILE_KEY_BYTES]>);

impl FileKey {
    /// Returns the file key with these bytes. The box keeps them from being copied.
    pub fn new(key: Box<[u8; FILE_KEY_BYTES]>) -> Self {
        Self(key)
    }

    /// Returns the file key that `init` writes.
    pub fn init_with_mut(init: impl FnOnce(&mut [u8; FILE_KEY_BYTES])) -> Self {
        let mut key = Self(Box::new([0; FILE_KEY_BYTES]));
        init(&mut key.0);
        key
    }

    /// Returns the file key that `init` writes.
    ///
    /// # Errors
    /// The errors of `init`.
    pub fn try_init_with_mut<E>(init: impl FnOnce(&mut [u8; FILE_KEY_BYTES]) -> Result<(), E>) -> Result<Self, E> {
        let mut key = Self(Box::new([0; FILE_KEY_BYTES]));
        init(&mut key.0)?;
        Ok(key)
    }

    /// Returns the bytes, which are secret.
    pub fn expose_secret(&self) -> &[u8; FILE_KEY_BYTES] {
        &self.0
    }

    /// Returns a file key with the same bytes as `bytes`.
    pub(crate) fn copy_of(bytes: &[u8; FILE_KEY_BYTES]) -> Self {
        Self::init_with_mut(|key| key.copy_from_slice(bytes))
    }

    /// Wraps the file key: seals it with ChaCha20-Poly1305 (RFC 8439), without associated data.
    #[cfg(feature = "std")]
    pub(crate) fn wrap(&self, key: &[u8; 32], nonce: &[u8; 12]) -> Vec<u8> {
        let mut body = Vec::with_capacity(WRAPPED_BYTES);
        body.extend_from_slice(&*self.0);
        let tag = ChaCha20Poly1305::new(key).seal_in_place(nonce, &[], &mut body);
        body.extend_from_slice(&tag);
        body
    }

    /// Unwraps the body of a stanza. Returns `None` if its length is wrong or it cannot be
    /// authenticated.
    ///
    /// The length is checked before the body is opened. ChaCha20-Poly1305 does not commit to its
    /// key, and long bodies make attacks that exploit this cheaper.
    pub(crate) fn unwrap(key: &[u8; 32], nonce: &[u8; 12], body: &[u8]) -> Option<Self> {
        let body: &[u8; WRAPPED_BYTES] = body.try_into().ok()?;
        let (sealed, tag) = body.split_first_chunk::<FILE_KEY_BYTES>()?;
        let tag: &[u8; TAG_BYTES] = tag.try_into().ok()?;
        let mut file_key = Self::copy_of(sealed);
        ChaCha20Poly1305::new(key).open_in_place(nonce, &[], &mut *file_key.0, tag).ok()?;
        Some(file_key)
    }
}

impl Drop for FileKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for FileKey {}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_key_is_opened_by_its_key_alone() {
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let mut body = file_key.wrap(&[1; 32], &[2; 12]);
        assert_eq!(body.len(), WRAPPED_BYTES);
        assert_eq!(FileKey::unwrap(&[1; 32], &[2; 12], &body).unwrap().expose_secret(), &[7; FILE_KEY_BYTES]);
        assert!(FileKey::unwrap(&[3; 32], &[2; 12], &body).is_none());
        assert!(FileKey::unwrap(&[1; 32], &[3; 12], &body).is_none());
        assert!(FileKey::unwrap(&[1; 32], &[2; 12], &body[1..]).is_none());
        body[0] ^= 1;
        assert!(FileKey::unwrap(&[1; 32], &[2; 12], &body).is_none());
    }

    #[test]
    fn a_failed_initialization_is_returned() {
        assert_eq!(FileKey::try_init_with_mut(|_| Err("no")).err(), Some("no"));
        let key = FileKey::try_init_with_mut::<()>(|key| {
            key.fill(3);
            Ok(())
        });
        assert_eq!(key.unwrap().expose_secret(), &[3; FILE_KEY_BYTES]);
    }
}
