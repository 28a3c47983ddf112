//! Sealing under random nonces.
//!
//! This is only for nonces of 192 bits: among 2^80 random nonces, two are equal with a probability
//! of 2^-33. The 96 bits of ChaCha20-Poly1305 reach that probability after 2^32 messages.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

#[cfg(feature = "commit")]
use crate::aead::CommittingXChaCha20Poly1305;
use crate::aead::{Tag, XChaCha20Poly1305};
#[cfg(feature = "alloc")]
use crate::error::OpenError;
use crate::error::RandomError;

/// Length of a nonce in bytes.
const NONCE_BYTES: usize = XChaCha20Poly1305::NONCE_BYTES;

/// Draws a nonce from `rng`.
fn draw(rng: &mut impl TryCryptoRng) -> Result<[u8; NONCE_BYTES], RandomError> {
    let mut nonce = [0; NONCE_BYTES];
    rng.try_fill_bytes(&mut nonce).map_err(|_| RandomError)?;
    Ok(nonce)
}

macro_rules! random_nonces {
    ($cipher:ident, $tag:ty, $tag_bytes:expr) => {
        impl $cipher {
            /// Draws a nonce from the operating system's generator.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            #[cfg(feature = "getrandom")]
            pub fn random_nonce() -> Result<[u8; NONCE_BYTES], RandomError> {
                Self::random_nonce_from(&mut crate::random::System)
            }

            /// Draws a nonce from `rng`, which must be seeded with enough entropy and never be
            /// cloned.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            pub fn random_nonce_from(rng: &mut impl TryCryptoRng) -> Result<[u8; NONCE_BYTES], RandomError> {
                draw(rng)
            }

            /// Encrypts `buffer` in place under a nonce drawn from the operating system's
            /// generator, and authenticates it together with the associated data `aad`. Returns the
            /// nonce and the tag, both of which opening needs.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails; `buffer` then holds the plaintext as before.
            ///
            /// # Panics
            /// As `seal_in_place`.
            #[cfg(feature = "getrandom")]
            pub fn seal_in_place_with_random_nonce(
                &self,
                aad: &[u8],
                buffer: &mut [u8],
            ) -> Result<([u8; NONCE_BYTES], $tag), RandomError> {
                self.seal_in_place_with_nonce_from(&mut crate::random::System, aad, buffer)
            }

            /// As `seal_in_place_with_random_nonce`, under a nonce drawn from `rng`.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails; `buffer` then holds the plaintext as before.
            ///
            /// # Panics
            /// As `seal_in_place`.
            pub fn seal_in_place_with_nonce_from(
                &self,
                rng: &mut impl TryCryptoRng,
                aad: &[u8],
                buffer: &mut [u8],
            ) -> Result<([u8; NONCE_BYTES], $tag), RandomError> {
                let nonce = draw(rng)?;
                let tag = self.seal_in_place(&nonce, aad, buffer);
                Ok((nonce, tag))
            }

            /// Encrypts `plaintext` under a nonce drawn from the operating system's generator, and
            /// authenticates it together with `aad`. Returns nonce, ciphertext and tag, one after
            /// the other, for [`Self::open_message`].
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            ///
            /// # Panics
            /// As `seal_in_place`.
            #[cfg(all(feature = "alloc", feature = "getrandom"))]
            pub fn seal_message(&self, aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, RandomError> {
                self.seal_message_from(&mut crate::random::System, aad, plaintext)
            }

            /// As `seal_message`, under a nonce drawn from `rng`.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            ///
            /// # Panics
            /// As `seal_in_place`.
            #[cfg(feature = "alloc")]
            pub fn seal_message_from(
                &self,
                rng: &mut impl TryCryptoRng,
                aad: &[u8],
                plaintext: &[u8],
            ) -> Result<Vec<u8>, RandomError> {
                let nonce = draw(rng)?;
                let mut message = Vec::with_capacity(NONCE_BYTES + plaintext.len() + $tag_bytes);
                message.extend_from_slice(&nonce);
                message.extend_from_slice(plaintext);
                let tag = self.seal_in_place(&nonce, aad, &mut message[NONCE_BYTES..]);
                message.extend_from_slice(&tag);
                Ok(message)
            }

            /// Opens a result of `seal_message`: nonce, ciphertext and tag. Returns the plaintext.
            ///
            /// # Errors
            /// [`OpenError`] if `message` and `aad` are not authentic together, or `message` is too
            /// short to hold a nonce and a tag.
            #[cfg(feature = "alloc")]
            pub fn open_message(&self, aad: &[u8], message: &[u8]) -> Result<Vec<u8>, OpenError> {
                let (nonce, sealed) = message.split_first_chunk().ok_or(OpenError)?;
                let (ciphertext, tag) = sealed.split_last_chunk().ok_or(OpenError)?;
                let mut plaintext = ciphertext.to_vec();
                self.open_in_place(nonce, aad, &mut plaintext, tag)?;
                Ok(plaintext)
            }
        }
    };
}

random_nonces!(XChaCha20Poly1305, Tag, crate::TAG_BYTES);
#[cfg(feature = "commit")]
random_nonces!(CommittingXChaCha20Poly1305, crate::CommittingTag, crate::COMMITTING_TAG_BYTES);
