//! Sealed messages in a `Vec`: the ciphertext, and the tag after it (RFC 8439, section 2.8).

use alloc::vec::Vec;

use super::cipher::{AeadLayout, ChaChaPoly1305};
#[cfg(feature = "commit")]
use super::committing::{COMMITTING_TAG_BYTES, CommittingChaChaPoly1305};
use crate::error::OpenError;
use crate::poly1305::TAG_BYTES;

macro_rules! owned {
    ($cipher:ident, $tag_bytes:expr, $example:literal) => {
        impl<L: AeadLayout> $cipher<L> {
            /// Encrypts `plaintext` and authenticates it together with `aad`. Returns the
            /// ciphertext, which is as long as the plaintext, with the tag after it.
            ///
            #[doc = $example]
            ///
            /// # Panics
            /// The panics of `seal_in_place`.
            #[must_use]
            pub fn seal(&self, nonce: &L::Nonce, aad: &[u8], plaintext: &[u8]) -> Vec<u8> {
                let mut sealed = Vec::with_capacity(plaintext.len() + $tag_bytes);
                sealed.extend_from_slice(plaintext);
                let tag = self.seal_in_place(nonce, aad, &mut sealed);
                sealed.extend_from_slice(&tag);
                sealed
            }

            /// Decrypts a result of [`Self::seal`]: a ciphertext with the tag after it. Returns the
            /// plaintext.
            ///
            /// # Errors
            /// [`OpenError`] if `nonce`, `aad` and `sealed` are not authentic together, or `sealed`
            /// is shorter than a tag.
            pub fn open(&self, nonce: &L::Nonce, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, OpenError> {
                let (ciphertext, tag) = sealed.split_last_chunk().ok_or(OpenError)?;
                let mut plaintext = ciphertext.to_vec();
                self.open_in_place(nonce, aad, &mut plaintext, tag)?;
                Ok(plaintext)
            }
        }
    };
}

owned!(
    ChaChaPoly1305,
    TAG_BYTES,
    "```
use sealane::ChaCha20Poly1305;

let cipher = ChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
let sealed = cipher.seal(&[0; 12], b\"header\", b\"attack at dawn\"); // never this nonce again
assert_eq!(sealed.len(), 14 + 16);
assert_eq!(cipher.open(&[0; 12], b\"header\", &sealed)?, b\"attack at dawn\");
# Ok::<(), sealane::OpenError>(())
```"
);
#[cfg(feature = "commit")]
owned!(
    CommittingChaChaPoly1305,
    COMMITTING_TAG_BYTES,
    "```
use sealane::CommittingChaCha20Poly1305;

let cipher = CommittingChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
let sealed = cipher.seal(&[0; 12], b\"header\", b\"attack at dawn\"); // never this nonce again
assert_eq!(sealed.len(), 14 + 32);
assert_eq!(cipher.open(&[0; 12], b\"header\", &sealed)?, b\"attack at dawn\");
# Ok::<(), sealane::OpenError>(())
```"
);
