//! The cipher `ChaChaPoly`.

use sealane::{Backend, ChaCha20Poly1305, TAG_BYTES};
use snow::Error;
use snow::types::Cipher;
use zeroize::Zeroize as _;

/// The length of a key in bytes.
const KEY_BYTES: usize = 32;

/// ChaCha20-Poly1305 with the nonces of Noise (Noise specification, section 12.3).
pub(crate) struct ChaChaPoly {
    backend: Backend,
    /// `snow` creates the cipher before there is a key.
    cipher: Option<ChaCha20Poly1305>,
}

impl ChaChaPoly {
    pub(crate) fn new(backend: Backend) -> Self {
        Self { backend, cipher: None }
    }
}

/// Returns 32 bits of zeros, then `n` as 64 bits, little-endian.
fn nonce(n: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&n.to_le_bytes());
    nonce
}

impl Cipher for ChaChaPoly {
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, key: &[u8; KEY_BYTES]) {
        self.cipher = Some(ChaCha20Poly1305::with_backend(key, self.backend));
    }

    /// # Panics
    /// If no key was set, which `snow` checks, or `out` has no space for the ciphertext and its
    /// tag. Then nothing is written. `snow` checks the space for payloads, but not for the tag of a
    /// static key, and the trait has no error: a handshake message panics with `snow`'s own cipher,
    /// too.
    fn encrypt(&self, n: u64, authtext: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        let cipher = self.cipher.as_ref().expect("a key is set before the first message");
        let length = plaintext.len();
        let sealed = out.get_mut(..length + TAG_BYTES).expect("the buffer is too short for the message and its tag");
        let (ciphertext, tag) = sealed.split_at_mut(length);
        tag.copy_from_slice(&cipher.seal_into(&nonce(n), authtext, plaintext, ciphertext).1);
        length + TAG_BYTES
    }

    fn decrypt(&self, n: u64, authtext: &[u8], ciphertext: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let cipher = self.cipher.as_ref().ok_or(Error::Decrypt)?;
        let (ciphertext, tag) = ciphertext.split_last_chunk().ok_or(Error::Decrypt)?;
        let out = out.get_mut(..ciphertext.len()).ok_or(Error::Decrypt)?;
        let opened = cipher.open_into(&nonce(n), authtext, ciphertext, tag, out);
        opened.map(|plaintext| plaintext.len()).map_err(|_| Error::Decrypt)
    }

    /// Replaces the key with the encryption of 32 zero bytes under the highest nonce, without the
    /// tag (Noise specification, section 4.2).
    fn rekey(&mut self) {
        let cipher = self.cipher.as_ref().expect("a key is set before the first message");
        let mut key = [0; KEY_BYTES];
        let _tag = cipher.seal_in_place(&nonce(u64::MAX), &[], &mut key);
        self.set(&key);
        key.zeroize();
    }
}
