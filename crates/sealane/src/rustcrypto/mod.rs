//! The ciphers of this crate under the traits of the RustCrypto project.
//!
//! A program that uses one of the crates below only has to change its `use` lines. It then runs on
//! the backend of [`crate::Backend::detect`]. There is a submodule for each crate, with the names
//! of the crate's root:
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
//! All names are also here, at the module's root. Apart from [`ChaChaPoly1305::with_backend`], the
//! types have only the methods of the crates' types, so no call changes its meaning. The ciphers of
//! the same names at the root of this crate and in [`crate::chacha20`] do more: they run on a
//! chosen backend, accept uninitialised output and work on messages in pieces. They can be
//! converted to the types of this module with `From`, and keep their backend.
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
//! turns: per byte they cost the sum of both, and a short message costs two more calls of kernels.
//!
//! # Differences from the crates
//! - `ChaCha20` and the other stream ciphers are types of this crate, and not
//!   `StreamCipherCoreWrapper<ChaChaCore<…>>`: they have the same traits, but neither `from_core`
//!   nor `get_core`. They are `Clone`, and can use the last block of the key stream.
//! - At the end of the key stream, their methods `unchecked_apply_keystream`, its forms for two
//!   buffers and `unchecked_write_keystream` panic and leave the output unchanged. The crate's do
//!   not notice the end, and use key stream twice.
//! - [`ChaChaPoly1305<C, N>`](ChaChaPoly1305) encrypts with the stream ciphers of this module only:
//!   a function that is generic over `C` needs the bound [`AeadCipher`], where the crate needs
//!   `StreamCipher` and `StreamCipherSeek`.
//! - If a message is not authentic, a separate output buffer holds its ciphertext afterwards. The
//!   crate leaves it as it was. Neither leaves plaintext in it.
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
///
/// ```
/// use sealane::rustcrypto::cipher::{KeyIvInit, StreamCipherCore};
/// use sealane::rustcrypto::variants::{Ietf, Legacy, Variant};
/// use sealane::rustcrypto::{ChaChaCore, R8};
///
/// /// Skips a block of a key stream.
/// fn skip<V: Variant>(core: &mut ChaChaCore<R8, V>) {
///     core.write_keystream_block(&mut Default::default());
/// }
///
/// let mut ietf = ChaChaCore::<R8, Ietf>::new(&[7; 32].into(), &[0; 12].into());
/// skip(&mut ietf);
/// assert_eq!(ietf.get_block_pos(), 1_u32);
///
/// let mut legacy = ChaChaCore::<R8, Legacy>::new(&[7; 32].into(), &[0; 8].into());
/// skip(&mut legacy);
/// assert_eq!(legacy.get_block_pos(), 1_u64);
/// ```
pub mod variants {
    pub use super::stream::Variant;
    pub use crate::chacha20::{Ietf, Original as Legacy};
}

/// The names of the crate `chacha20`, version 0.10.
///
/// ```
/// use sealane::rustcrypto::chacha20::cipher::{StreamCipher, StreamCipherCore, StreamCipherSeek};
/// use sealane::rustcrypto::chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, Key, KeyIvInit, LegacyNonce, Nonce};
/// use sealane::rustcrypto::chacha20::{ChaCha20LegacyCore, ChaChaCore, R8, R12, R20, Rounds, variants::Ietf};
/// use sealane::rustcrypto::chacha20::{XChaCha8, XChaCha12, XChaCha20, XNonce};
/// use sealane::rustcrypto::StreamCipherOf;
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
/// /// Returns the first block of a key stream.
/// fn block<R: Rounds>(key: &Key, nonce: &Nonce) -> [u8; 64] {
///     let mut block = [0; 64].into();
///     ChaChaCore::<R, Ietf>::new(key, nonce).write_keystream_block(&mut block);
///     block.into()
/// }
/// assert!(block::<R8>(&key, &nonce) != block::<R12>(&key, &nonce));
/// let mut first = [0; 64];
/// ChaCha20::new(&key, &nonce).apply_keystream(&mut first);
/// assert_eq!(block::<R20>(&key, &nonce), first);
///
/// // The type behind the names of the stream ciphers.
/// let _: StreamCipherOf<20, Ietf> = ChaCha20::new(&key, &nonce);
/// assert_eq!(ChaCha20LegacyCore::new(&key, &[0; 8].into()).get_block_pos(), 0);
/// ```
pub mod chacha20 {
    pub use super::{
        ChaCha8, ChaCha8Rng, ChaCha12, ChaCha12Rng, ChaCha20, ChaCha20Legacy, ChaCha20LegacyCore, ChaCha20Rng,
        ChaChaCore, Key, KeyIvInit, LegacyNonce, Nonce, R8, R12, R20, Rounds, Seed, SerializedRngState, XChaCha8,
        XChaCha12, XChaCha20, XNonce, cipher, hchacha, rand_core, variants,
    };
}

/// The names of the crate `chacha20poly1305`, version 0.11.
///
/// ```
/// use sealane::rustcrypto::chacha20poly1305::aead::Aead;
/// use sealane::rustcrypto::chacha20poly1305::{ChaCha8Poly1305, ChaCha12Poly1305, ChaCha20Poly1305, ChaChaPoly1305};
/// use sealane::rustcrypto::chacha20poly1305::{AeadInOut, Error, Key, KeyInit, Nonce, Tag, XNonce};
/// use sealane::rustcrypto::chacha20poly1305::{XChaCha8Poly1305, XChaCha12Poly1305, XChaCha20Poly1305};
/// use sealane::rustcrypto::{AeadCipher, ChaCha20, CommittingChaCha20Poly1305, CommittingXChaCha20Poly1305};
///
/// let key = Key::from([0x42; 32]); // from a secure generator
///
/// // With a nonce of 24 bytes, which may be drawn at random.
/// let cipher = XChaCha20Poly1305::new(&key);
/// let nonce = XNonce::from([7; 24]);
/// let ciphertext = cipher.encrypt(&nonce, b"message".as_ref())?;
/// assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"message");
///
/// // In place, with the tag apart.
/// let (nonce, mut message) = (Nonce::from([7; 12]), *b"message");
/// let tag: Tag = ChaCha20Poly1305::new(&key).encrypt_inout_detached(&nonce, b"", message.as_mut_slice().into())?;
/// assert_eq!(tag.len(), 16);
///
/// // Fewer rounds; tags that commit to the key.
/// /// Returns the length of a sealed message.
/// fn sealed<A: Aead + KeyInit>() -> usize {
///     A::new(&Default::default()).encrypt(&Default::default(), b"message".as_ref()).map_or(0, |sealed| sealed.len())
/// }
/// assert_eq!([sealed::<ChaCha12Poly1305>(), sealed::<ChaCha8Poly1305>()], [23, 23]);
/// assert_eq!([sealed::<XChaCha12Poly1305>(), sealed::<XChaCha8Poly1305>()], [23, 23]);
/// assert_eq!([sealed::<CommittingChaCha20Poly1305>(), sealed::<CommittingXChaCha20Poly1305>()], [39, 39]);
///
/// /// Takes the AEAD of any stream cipher of this module.
/// fn is_clone<C: AeadCipher + Clone>(cipher: &ChaChaPoly1305<C>) {
///     let _ = cipher.clone();
/// }
/// is_clone::<ChaCha20>(&ChaCha20Poly1305::new(&key));
/// # Ok::<(), Error>(())
/// ```
pub mod chacha20poly1305 {
    pub use super::{
        AeadCore, AeadInOut, ChaCha8Poly1305, ChaCha12Poly1305, ChaCha20Poly1305, ChaChaPoly1305, Error, Key, KeyInit,
        KeySizeUser, Nonce, Tag, XChaCha8Poly1305, XChaCha12Poly1305, XChaCha20Poly1305, XNonce, aead, consts,
    };
}

/// The names of the crate `poly1305`, version 0.9.
///
/// ```
/// use sealane::rustcrypto::poly1305::universal_hash::{KeyInit, UniversalHash};
/// use sealane::rustcrypto::poly1305::{Block, Key, Poly1305, Tag};
///
/// let key = Key::from([0x42; 32]); // for one message only
/// let mut mac = Poly1305::new(&key);
/// mac.update(&[Block::from([1; 16])]);
/// let tag: Tag = mac.finalize();
/// assert_eq!(tag, Poly1305::new(&key).compute_unpadded(&[1; 16]));
/// ```
pub mod poly1305 {
    pub use super::hash::{BLOCK_SIZE, Block, KEY_SIZE, Key, Poly1305, Tag};
    pub use super::universal_hash;
}
