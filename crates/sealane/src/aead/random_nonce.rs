//! Sealing under random nonces.
//!
//! This is only for nonces of 192 bits: among 2^80 random nonces, two are equal with a probability
//! of 2^-33. The 96 bits of ChaCha20-Poly1305 reach that probability after 2^32 messages.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "rand_core")]
use rand_core::TryCryptoRng;

#[cfg(feature = "commit")]
use crate::aead::CommittingXChaCha20Poly1305;
use crate::aead::XChaCha20Poly1305;
#[cfg(feature = "alloc")]
use crate::error::OpenError;
use crate::error::RandomError;
use crate::poly1305::Tag;
#[cfg(feature = "rand_core")]
use crate::random::Given;
use crate::random::Random;
#[cfg(feature = "getrandom")]
use crate::random::System;

/// Length of a nonce in bytes.
const NONCE_BYTES: usize = XChaCha20Poly1305::NONCE_BYTES;

/// Draws a nonce.
fn draw(random: &mut impl Random) -> Result<[u8; NONCE_BYTES], RandomError> {
    let mut nonce = [0; NONCE_BYTES];
    random.fill(&mut nonce)?;
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
                draw(&mut System)
            }

            /// Draws a nonce from `rng`, which must be seeded with enough entropy and never be
            /// cloned.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            #[cfg(feature = "rand_core")]
            pub fn random_nonce_with_rng(rng: &mut impl TryCryptoRng) -> Result<[u8; NONCE_BYTES], RandomError> {
                draw(&mut Given(rng))
            }

            /// Encrypts `buffer` in place under a nonce drawn from the operating system's
            /// generator, and authenticates it together with the associated data `aad`. Returns the
            /// nonce and the tag. Opening needs both.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails; `buffer` then holds the plaintext as before.
            ///
            /// # Panics
            /// The panics of `seal_in_place`.
            #[cfg(feature = "getrandom")]
            pub fn seal_in_place_random(
                &self,
                aad: &[u8],
                buffer: &mut [u8],
            ) -> Result<([u8; NONCE_BYTES], $tag), RandomError> {
                let nonce = draw(&mut System)?;
                Ok((nonce, self.seal_in_place(&nonce, aad, buffer)))
            }

            /// Does the same as `seal_in_place_random`, under a nonce drawn from `rng`.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails; `buffer` then holds the plaintext as before.
            ///
            /// # Panics
            /// The panics of `seal_in_place`.
            #[cfg(feature = "rand_core")]
            pub fn seal_in_place_random_with_rng(
                &self,
                rng: &mut impl TryCryptoRng,
                aad: &[u8],
                buffer: &mut [u8],
            ) -> Result<([u8; NONCE_BYTES], $tag), RandomError> {
                let nonce = draw(&mut Given(rng))?;
                Ok((nonce, self.seal_in_place(&nonce, aad, buffer)))
            }

            /// Encrypts `plaintext` under a nonce drawn from the operating system's generator, and
            /// authenticates it together with `aad`. Returns the nonce (24 bytes), the ciphertext
            /// (as long as the plaintext) and the tag, in this order, for [`Self::open_random`].
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            ///
            /// # Panics
            /// The panics of `seal_in_place`.
            #[cfg(all(feature = "alloc", feature = "getrandom"))]
            pub fn seal_random(&self, aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, RandomError> {
                Ok(self.seal_with_nonce_in_front(&draw(&mut System)?, aad, plaintext))
            }

            /// Does the same as `seal_random`, under a nonce drawn from `rng`.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            ///
            /// # Panics
            /// The panics of `seal_in_place`.
            #[cfg(all(feature = "alloc", feature = "rand_core"))]
            pub fn seal_random_with_rng(
                &self,
                rng: &mut impl TryCryptoRng,
                aad: &[u8],
                plaintext: &[u8],
            ) -> Result<Vec<u8>, RandomError> {
                Ok(self.seal_with_nonce_in_front(&draw(&mut Given(rng))?, aad, plaintext))
            }

            #[cfg(feature = "alloc")]
            fn seal_with_nonce_in_front(&self, nonce: &[u8; NONCE_BYTES], aad: &[u8], plaintext: &[u8]) -> Vec<u8> {
                let mut message = Vec::with_capacity(NONCE_BYTES + plaintext.len() + $tag_bytes);
                message.extend_from_slice(nonce);
                message.extend_from_slice(plaintext);
                let tag = self.seal_in_place(nonce, aad, &mut message[NONCE_BYTES..]);
                message.extend_from_slice(&tag);
                message
            }

            /// Opens a result of `seal_random`: nonce (24 bytes), ciphertext and tag. Returns the
            /// plaintext.
            ///
            /// # Errors
            /// [`OpenError`] if `message` and `aad` are not authentic together, or `message` is too
            /// short to hold a nonce and a tag.
            #[cfg(feature = "alloc")]
            pub fn open_random(&self, aad: &[u8], message: &[u8]) -> Result<Vec<u8>, OpenError> {
                let (nonce, sealed) = message.split_first_chunk().ok_or(OpenError)?;
                self.open(nonce, aad, sealed)
            }
        }
    };
}

random_nonces!(XChaCha20Poly1305, Tag, crate::TAG_BYTES);
#[cfg(feature = "commit")]
random_nonces!(CommittingXChaCha20Poly1305, crate::CommittingTag, crate::COMMITTING_TAG_BYTES);
