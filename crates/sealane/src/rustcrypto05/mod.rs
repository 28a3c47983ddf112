//! The ciphers of this crate under the traits of `aead` 0.5, `cipher` 0.4 and `universal-hash` 0.5,
//! the generation of RustCrypto's traits before the one in `sealane::rustcrypto`.
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
//! | `rand_core` (on by default, and with `rustcrypto`) | `generate_key`, `generate_nonce`; `AeadInPlace` is then not dyn-compatible |
//! | `getrandom` (on by default) | `aead::OsRng`, and `rand_core` |
//! | `arrayvec` `bytes` `heapless` | `aead::Buffer` for `ArrayVec`, `BytesMut` and `heapless::Vec` |
//!
//! Items that the crates have behind other features (`reduced-round`, `stream`, `zeroize`) are
//! always available.
//!
//! # Differences from the crates
//! - `ChaCha20` and the other stream ciphers are types of this crate, and not
//!   `StreamCipherCoreWrapper<ChaChaCore<…>>`: they have the same traits, but neither `from_core`
//!   nor `get_core`. They can use the last block of the key stream.
//! - [`ChaCha20Legacy`] has a block counter of 64 bits; in the crate, it has 32 bits.
//! - [`ChaChaPoly1305<C, N>`](ChaChaPoly1305) encrypts with the stream ciphers of
//!   this module only.
//! - The cores and `hchacha` take `U4`, `U6` and `U10`, and no other number of double rounds.

// The files in `../rustcrypto` are compiled once for each generation of the traits. Names that
// differ between the generations come from the module `generation` beside each `mod.rs`.
#[path = "../rustcrypto/block_core.rs"]
mod block_core;
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
///
/// ```
/// use sealane::rustcrypto05::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherCore, StreamCipherSeek, consts::U10};
/// use sealane::rustcrypto05::chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, Key, LegacyNonce, Nonce, XNonce};
/// use sealane::rustcrypto05::chacha20::{ChaCha20LegacyCore, ChaChaCore, Rounds, StreamCipherOf, Variant, XChaChaCore};
/// use sealane::rustcrypto05::chacha20::{XChaCha8, XChaCha12, XChaCha20};
///
/// let (key, nonce) = (Key::from([7; 32]), Nonce::from([0; 12]));
/// let mut data = *b"some data";
/// let mut cipher = ChaCha20::new(&key, &nonce);
/// cipher.apply_keystream(&mut data);
/// cipher.seek(0_u32);
/// cipher.apply_keystream(&mut data);
/// assert_eq!(&data, b"some data");
///
/// // Fewer rounds, and other nonces.
/// ChaCha12::new(&key, &nonce).apply_keystream(&mut data);
/// ChaCha8::new(&key, &nonce).apply_keystream(&mut data);
/// ChaCha20Legacy::new(&key, &LegacyNonce::from([0; 8])).apply_keystream(&mut data);
/// for nonce in [XNonce::from([0; 24]), XNonce::from([1; 24])] {
///     XChaCha20::new(&key, &nonce).apply_keystream(&mut data);
///     XChaCha12::new(&key, &nonce).apply_keystream(&mut data);
///     XChaCha8::new(&key, &nonce).apply_keystream(&mut data);
/// }
///
/// /// Returns the first block of a key stream. `R` is the number of double rounds.
/// fn block<R: Rounds>(key: &Key, nonce: &Nonce) -> [u8; 64] {
///     let mut block = [0; 64].into();
///     ChaChaCore::<R>::new(key, nonce).write_keystream_block(&mut block);
///     block.into()
/// }
/// let mut first = [0; 64];
/// ChaCha20::new(&key, &nonce).apply_keystream(&mut first);
/// assert_eq!(block::<U10>(&key, &nonce), first);
/// assert_eq!(XChaChaCore::<U10>::new(&key, &[0; 24].into()).get_block_pos(), 0);
/// assert_eq!(ChaCha20LegacyCore::new(&key, &[0; 8].into()).get_block_pos(), 0);
///
/// /// Takes any of the stream ciphers with 20 rounds.
/// fn encrypt<V: Variant>(mut cipher: StreamCipherOf<20, V>, data: &mut [u8])
/// where
///     StreamCipherOf<20, V>: StreamCipher,
/// {
///     cipher.apply_keystream(data);
/// }
/// encrypt(ChaCha20::new(&key, &nonce), &mut data);
/// ```
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
///
/// ```
/// use sealane::rustcrypto05::chacha20poly1305::aead::Aead;
/// use sealane::rustcrypto05::chacha20poly1305::{AeadCipher, ChaCha20Poly1305, ChaChaPoly1305, Tag, XChaCha20Poly1305};
/// use sealane::rustcrypto05::chacha20poly1305::{AeadInPlace, Error, Key, KeyInit, Nonce, XNonce};
/// use sealane::rustcrypto05::chacha20poly1305::{ChaCha8Poly1305, ChaCha12Poly1305, XChaCha8Poly1305, XChaCha12Poly1305};
///
/// let key = Key::from([0x42; 32]); // from a secure generator
///
/// // With a nonce of 24 bytes, which may be drawn at random.
/// let cipher = XChaCha20Poly1305::new(&key);
/// let nonce = XNonce::from([7; 24]);
/// let ciphertext = cipher.encrypt(&nonce, b"message".as_ref())?;
/// assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"message");
///
/// // In place, with a detached tag.
/// let (nonce, mut message) = (Nonce::from([7; 12]), *b"message");
/// let tag: Tag = ChaCha20Poly1305::new(&key).encrypt_in_place_detached(&nonce, b"", &mut message)?;
/// assert_eq!(tag.len(), 16);
///
/// // Fewer rounds.
/// /// Returns the length of a sealed message.
/// fn sealed<A: Aead + KeyInit>() -> usize {
///     A::new(&Default::default()).encrypt(&Default::default(), b"message".as_ref()).map_or(0, |sealed| sealed.len())
/// }
/// assert_eq!([sealed::<ChaCha12Poly1305>(), sealed::<ChaCha8Poly1305>()], [23, 23]);
/// assert_eq!([sealed::<XChaCha12Poly1305>(), sealed::<XChaCha8Poly1305>()], [23, 23]);
///
/// /// Takes the AEAD of any stream cipher of `rustcrypto05`.
/// fn is_clone<C: AeadCipher + Clone>(cipher: &ChaChaPoly1305<C>) {
///     let _ = cipher.clone();
/// }
/// is_clone(&ChaCha20Poly1305::new(&key));
/// # Ok::<(), Error>(())
/// ```
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
///
/// ```
/// use sealane::rustcrypto05::poly1305::universal_hash::{KeyInit, UniversalHash};
/// use sealane::rustcrypto05::poly1305::{Block, Key, Poly1305, Tag};
///
/// let key = Key::from([0x42; 32]); // for one message only
/// let mut mac = Poly1305::new(&key);
/// mac.update(&[Block::from([1; 16])]);
/// let tag: Tag = mac.finalize();
/// assert_eq!(tag, Poly1305::new(&key).compute_unpadded(&[1; 16]));
/// ```
pub mod poly1305 {
    pub use super::hash::{BLOCK_SIZE, Block, KEY_SIZE, Key, Poly1305, Tag};
    pub use universal_hash_05 as universal_hash;
}
