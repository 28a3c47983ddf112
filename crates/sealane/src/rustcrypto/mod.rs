//! The same ciphers under the traits of the RustCrypto project, and with no other methods.
//!
//! A program that uses one of the crates below changes its `use` lines, and runs on
//! [`crate::Backend::detect`]. The module has a module for each crate, with the names of the
//! crate's root:
//!
//! | instead of | use |
//! |---|---|
//! | `chacha20poly1305::…`, version 0.11 | [`sealane::rustcrypto::chacha20poly1305::…`](chacha20poly1305) |
//! | `chacha20::…`, version 0.10 | [`sealane::rustcrypto::chacha20::…`](chacha20) |
//! | `poly1305::…`, version 0.9 | [`sealane::rustcrypto::poly1305::…`](poly1305) |
//!
//! The previous generation (versions 0.10, 0.9 and 0.8) is in `sealane::rustcrypto05`, with the
//! feature `rustcrypto-05`.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! // use chacha20poly1305::{ChaCha20Poly1305, Key, KeyInit, Nonce, aead::Aead};
//! use sealane::rustcrypto::chacha20poly1305::{ChaCha20Poly1305, Key, KeyInit, Nonce, aead::Aead};
//!
//! let cipher = ChaCha20Poly1305::new(&Key::from([0x42; 32]));
//! let nonce = Nonce::from([0; 12]); // never used twice with one key
//! let ciphertext = cipher.encrypt(&nonce, b"message".as_ref())?;
//! assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"message");
//! # }
//! # Ok::<(), sealane::rustcrypto::Error>(())
//! ```
//!
//! All names are also here, at the module's root. The types have only the traits' methods, so no
//! call changes its meaning. The inherent interface of this crate does more: it chooses backends,
//! accepts uninitialised output and works on messages in pieces. A cipher of the inherent
//! interface, on any backend, becomes one of these by `From`.
//!
//! # Features
//! | feature of this crate | gives |
//! |---|---|
//! | `alloc` (on by default) | `aead::Aead`; `aead::Buffer` for `Vec<u8>` |
//! | `getrandom` (on by default) | `aead::Generate::generate` for keys and nonces |
//! | `arrayvec` | `aead::Buffer` for `arrayvec::ArrayVec` |
//! | `bytes` | `aead::Buffer` for `bytes::BytesMut` |
//!
//! Items that the crates have behind other features (`reduced-round`, `legacy`, `xchacha`, `rng`,
//! `zeroize`, `rand_core`) are always available.
//!
//! # Reduced rounds
//! The stream ciphers with 8 and 12 rounds run in the same kernels as those with 20. The AEADs with
//! 8 and 12 rounds run on the vectors of every backend too, but cipher and authenticator take
//! turns: per byte they cost the sum of both, and a short message costs two more calls of a kernel.
//!
//! # Differences from the crates
//! - `ChaCha20` and the other stream ciphers are types of this crate, and not
//!   `StreamCipherCoreWrapper<ChaChaCore<…>>`: they have the same traits, but neither `from_core`
//!   nor `get_core`. They are `Clone`, and reach the last block of the key stream.
//! - [`ChaChaPoly1305<C, N>`](ChaChaPoly1305) encrypts with the stream ciphers of this module only:
//!   a generic function over `C` asks for [`AeadCipher`], where the crate asks for `StreamCipher`
//!   and `StreamCipherSeek`.
//! - [`Rounds`] is implemented for 8, 12 and 20 rounds only.

mod block_core;
mod chacha_poly1305;
#[cfg(feature = "commit")]
mod committing;
mod generation;
mod hash;
mod rounds;
mod stream;
mod traits;

pub use aead::{self, AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, consts};
pub use block_core::ChaChaCore;
pub use chacha_poly1305::{
    AeadCipher, ChaCha8Poly1305, ChaCha12Poly1305, ChaCha20Poly1305, ChaChaPoly1305, Tag, XChaCha8Poly1305,
    XChaCha12Poly1305, XChaCha20Poly1305,
};
pub use cipher::{self, KeyIvInit, StreamCipher, StreamCipherSeek};
#[cfg(feature = "commit")]
pub use committing::{CommittingChaCha20Poly1305, CommittingXChaCha20Poly1305};
pub use generation::{R8, R12, R20};
pub use hash::{BLOCK_SIZE, Block, KEY_SIZE, Poly1305};
pub use rand_core;
pub use rounds::{Rounds, hchacha};
pub use stream::{
    ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, Key, LegacyNonce, Nonce, StreamCipherOf, XChaCha8, XChaCha12,
    XChaCha20, XNonce,
};
pub use universal_hash::{self, UniversalHash};

pub use crate::chacha20::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng, Seed, SerializedRngState};

/// [`ChaChaCore`] with 20 rounds, a 64-bit block counter and a 64-bit nonce.
pub type ChaCha20LegacyCore = ChaChaCore<R20, variants::Legacy>;

/// The layouts of the state.
pub mod variants {
    pub use super::stream::Variant;
    pub use crate::chacha20::{Ietf, Original as Legacy};
}

/// The names of the crate `chacha20`, version 0.10.
pub mod chacha20 {
    pub use super::{
        ChaCha8, ChaCha8Rng, ChaCha12, ChaCha12Rng, ChaCha20, ChaCha20Legacy, ChaCha20LegacyCore, ChaCha20Rng,
        ChaChaCore, Key, KeyIvInit, LegacyNonce, Nonce, R8, R12, R20, Rounds, Seed, SerializedRngState, XChaCha8,
        XChaCha12, XChaCha20, XNonce, cipher, hchacha, rand_core, variants,
    };
}

/// The names of the crate `chacha20poly1305`, version 0.11.
pub mod chacha20poly1305 {
    pub use super::{
        AeadCore, AeadInOut, ChaCha8Poly1305, ChaCha12Poly1305, ChaCha20Poly1305, ChaChaPoly1305, Error, Key, KeyInit,
        KeySizeUser, Nonce, Tag, XChaCha8Poly1305, XChaCha12Poly1305, XChaCha20Poly1305, XNonce, aead, consts,
    };
}

/// The names of the crate `poly1305`, version 0.9.
pub mod poly1305 {
    pub use super::hash::{BLOCK_SIZE, Block, KEY_SIZE, Key, Poly1305, Tag};
    pub use super::universal_hash;
}
