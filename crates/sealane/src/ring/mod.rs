//! ChaCha20-Poly1305 with the names and methods of the crate `ring`, version 0.17.
//!
//! A program that seals and opens with `ring`, such as an implementation of WireGuard or Noise,
//! only has to change its `use` lines. It then runs on the backend of [`crate::Backend::detect`].
//!
//! | instead of | use |
//! |---|---|
//! | `ring::aead` | [`sealane::ring::aead`](aead) |
//! | `ring::error` | [`sealane::ring::error`](error) |
//!
//! ```
//! // use ring::aead::{self, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
//! use sealane::ring::aead::{self, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
//!
//! let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[0x42; 32])?);
//! let nonce = || Nonce::assume_unique_for_key([0; aead::NONCE_LEN]); // never used twice with one key
//!
//! let mut message = b"attack at dawn".to_vec();
//! key.seal_in_place_append_tag(nonce(), Aad::from(b"header"), &mut message)?;
//! assert_eq!(message.len(), 14 + CHACHA20_POLY1305.tag_len());
//!
//! let plaintext = key.open_in_place(nonce(), Aad::from(b"header"), &mut message)?;
//! assert_eq!(plaintext, b"attack at dawn");
//! # Ok::<(), sealane::ring::error::Unspecified>(())
//! ```
//!
//! The results are the same, byte for byte. Like `ring`'s, these types need neither `std` nor an
//! allocator. [`crate::ChaCha20Poly1305`] does more: it runs on a chosen backend, accepts
//! uninitialised output, and works on messages in pieces and in batches.
//!
//! # What differs from the crate
//! - ChaCha20-Poly1305 is the only [`Algorithm`](aead::Algorithm): `AES_128_GCM`, `AES_256_GCM` and
//!   `aead::quic` do not exist here, so a program that names them does not compile.
//! - [`error`] has only [`error::Unspecified`]. `Algorithm` does not implement
//!   `ring::hkdf::KeyType`, and [`UnboundKey`](aead::UnboundKey) does not implement `From` for the
//!   output of `ring::hkdf`. Call [`UnboundKey::new`](aead::UnboundKey::new) with the key's bytes.
//! - If a message is not authentic, the buffer holds the ciphertext afterwards, which `open_within`
//!   may have moved. `ring` overwrites the buffer with zeros, but does not promise this. Neither
//!   leaves plaintext in the buffer.
//! - Keys are wiped when they are dropped. `ring` does not wipe keys.
//! - Tags and nonces have `Debug` output. The `Display` output of
//!   [`error::Unspecified`] names this crate.

pub mod aead;
pub mod error;
