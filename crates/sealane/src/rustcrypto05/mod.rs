//! The same ciphers under the traits of `aead` 0.5, `cipher` 0.4 and `universal-hash` 0.5: the
//! generation of the RustCrypto project before `sealane::rustcrypto`.
//!
//! | instead of | use |
//! |---|---|
//! | `chacha20poly1305::…`, version 0.10 | [`sealane::rustcrypto05::chacha20poly1305::…`](chacha20poly1305) |
//! | `chacha20::…`, version 0.9 | [`sealane::rustcrypto05::chacha20::…`](chacha20) |
//! | `poly1305::…`, version 0.8 | [`sealane::rustcrypto05::poly1305::…`](poly1305) |
//!
#![cfg_attr(
    all(feature = "alloc", feature = "getrandom"),
    doc = "
```
// use chacha20poly1305::{ChaCha20Poly1305, aead::{Aead, AeadCore, KeyInit, OsRng}};
use sealane::rustcrypto05::chacha20poly1305::{ChaCha20Poly1305, aead::{Aead, AeadCore, KeyInit, OsRng}};

let cipher = ChaCha20Poly1305::new(&ChaCha20Poly1305::generate_key(&mut OsRng));
let nonce = ChaCha20Poly1305::generate_nonce(&mut OsRng);
let ciphertext = cipher.encrypt(&nonce, b\"message\".as_ref())?;
assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b\"message\");
# Ok::<(), sealane::rustcrypto05::chacha20poly1305::Error>(())
```
"
)]
//!
//! All names are also here, at the module's root.
//!
//! # Features
//! | feature of this crate | gives |
//! |---|---|
//! | `std` (on by default) | `std::error::Error` for the errors of the traits |
//! | `alloc` (on by default) | `aead::Aead`; `aead::Buffer` for `Vec<u8>` |
//! | `rand_core` (on by default, and with `rustcrypto`) | `generate_key`, `generate_nonce`; `AeadInPlace` is then no trait object |
//! | `getrandom` (on by default) | `aead::OsRng`, and `rand_core` |
//! | `arrayvec` `bytes` `heapless` | `aead::Buffer` for `ArrayVec`, `BytesMut` and `heapless::Vec` |
//!
//! Items that the crates have behind other features (`reduced-round`, `stream`, `zeroize`) are
//! always available.
//!
//! # Differences from the crates
//! - `ChaCha20` and the other stream ciphers are types of this crate, and not
//!   `StreamCipherCoreWrapper<ChaChaCore<…>>`: they have the same traits, but neither `from_core`
//!   nor `get_core`. They reach the last block of the key stream.
//! - [`ChaCha20Legacy`] has a 64-bit block counter; in the crate it has 32 bits.
//! - [`ChaChaPoly1305<C, N>`](ChaChaPoly1305) encrypts with the stream ciphers of
//!   this module only.
//! - The cores and `hchacha` take `U4`, `U6` and `U10`, and no other number of double rounds.

#[path = "../rustcrypto/block_core.rs"]
mod block_core;
// Each file is compiled once for each generation, with the names of its `generation`.
#[path = "../rustcrypto/chacha_poly1305.rs"]
mod chacha_poly1305;
mod generation;
#[path = "../rustcrypto/hash.rs"]
mod hash;
#[path = "../rustcrypto/rounds.rs"]
mod rounds;
#[path = "../rustcrypto/stream.rs"]
mod stream;
mod traits;

pub use chacha20::*;
pub use chacha20poly1305::*;
pub use poly1305::{BLOCK_SIZE, Block, KEY_SIZE, Poly1305, universal_hash};

/// The names of the crate `chacha20`, version 0.9.
pub mod chacha20 {
    use super::block_core;
    use super::generation::R20;
    pub use super::rounds::{Rounds, hchacha};
    pub use super::stream::{
        ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, Key, LegacyNonce, Nonce, StreamCipherOf, Variant, XChaCha8,
        XChaCha12, XChaCha20, XNonce,
    };
    use crate::chacha20::{Extended, Ietf, Original};
    pub use cipher_04 as cipher;

    /// The ChaCha key stream in blocks, with a 96-bit nonce.
    pub type ChaChaCore<R> = block_core::ChaChaCore<R, Ietf>;
    /// The XChaCha key stream in blocks.
    pub type XChaChaCore<R> = block_core::ChaChaCore<R, Extended>;
    /// The ChaCha20 key stream in blocks, with a 64-bit nonce.
    pub type ChaCha20LegacyCore = block_core::ChaChaCore<R20, Original>;
}

/// The names of the crate `chacha20poly1305`, version 0.10.
pub mod chacha20poly1305 {
    pub use super::chacha_poly1305::{
        AeadCipher, ChaCha8Poly1305, ChaCha12Poly1305, ChaCha20Poly1305, ChaChaPoly1305, Tag, XChaCha8Poly1305,
        XChaCha12Poly1305, XChaCha20Poly1305,
    };
    pub use super::generation::aead::{AeadCore, AeadInPlace, Error, KeyInit, KeySizeUser, consts};
    pub use super::stream::{Key, Nonce, XNonce};
    pub use aead_05 as aead;
}

/// The names of the crate `poly1305`, version 0.8.
pub mod poly1305 {
    pub use super::hash::{BLOCK_SIZE, Block, KEY_SIZE, Key, Poly1305, Tag};
    pub use universal_hash_05 as universal_hash;
}
