//! The same ciphers under the traits of the RustCrypto project, and with no other methods.
//!
//! A program that uses one of the crates below changes its `use` lines, and runs on
//! [`crate::Backend::detect`]:
//!
//! | instead of | use |
//! |---|---|
//! | `chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305, Key, Nonce, XNonce, Tag, aead, …}` | the same names from here |
//! | `chacha20::{ChaCha20, XChaCha20, ChaCha20Legacy, cipher, …}` | the same names from here |
//! | `poly1305::{Poly1305, universal_hash}` | the same names from here |
//! | `chacha20::{ChaCha20Rng, rand_core, …}` | the same names from here |
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! // use chacha20poly1305::{ChaCha20Poly1305, Key, KeyInit, Nonce, aead::Aead};
//! use sealane::rustcrypto::{ChaCha20Poly1305, Key, KeyInit, Nonce, aead::Aead};
//!
//! let cipher = ChaCha20Poly1305::new(&Key::from([0x42; 32]));
//! let nonce = Nonce::from([0; 12]); // never used twice with one key
//! let ciphertext = cipher.encrypt(&nonce, b"message".as_ref())?;
//! assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"message");
//! # }
//! # Ok::<(), sealane::rustcrypto::Error>(())
//! ```
//!
//! The feature `alloc` of this crate gives `aead::Aead`, and the feature `getrandom` the generation
//! of keys and nonces. Both are on by default. A cipher of the inherent interface, on any backend,
//! becomes one of these by `From`.
//!
//! The types here have only the traits' methods, so no call changes its meaning. The inherent
//! interface of this crate does more: it chooses backends, accepts uninitialised output and works
//! on messages in pieces.

mod aead_impl;
mod cipher_impl;
mod hash_impl;

pub use aead::{self, AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, consts};
pub use cipher::{self, KeyIvInit, StreamCipher, StreamCipherSeek};
pub use rand_core;
pub use universal_hash::{self, UniversalHash};

pub use crate::chacha20::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng};

pub use aead_impl::{ChaCha20Poly1305, Key, Nonce, Tag, XChaCha20Poly1305, XNonce};
#[cfg(feature = "commit")]
pub use aead_impl::{CommittingChaCha20Poly1305, CommittingXChaCha20Poly1305};
pub use cipher_impl::{
    ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, LegacyNonce, StreamCipherOf, XChaCha8, XChaCha12, XChaCha20,
};
pub use hash_impl::{Block, Poly1305};
