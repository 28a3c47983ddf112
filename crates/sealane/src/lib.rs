//! ChaCha20-Poly1305 and its parts, with the fastest instructions of each CPU in one binary.
//!
//! - [`ChaCha20Poly1305`] and [`XChaCha20Poly1305`]: authenticated encryption (RFC 8439,
//!   draft-irtf-cfrg-xchacha-03). Many short messages are sealed and opened together by
//!   [`ChaChaPoly1305::seal_batch`] and [`ChaChaPoly1305::open_batch`]; [`XChaCha20Poly1305`] draws
//!   nonces at random on request.
//! - With the feature `commit`, `CommittingChaCha20Poly1305` and `CommittingXChaCha20Poly1305`: the
//!   same ciphers with tags that commit to the key, so that nobody can find a ciphertext that opens
//!   under two keys.
//! - [`OpenSshChaCha20Poly1305`]: the cipher `chacha20-poly1305@openssh.com` of SSH.
//! - [`chacha20`]: the stream ciphers ChaCha20, ChaCha12, ChaCha8 and their XChaCha forms,
//!   HChaCha20, and a generator.
//! - [`Poly1305`]: the one-time authenticator (RFC 8439, section 2.5).
//! - [`quic`]: masks of QUIC's header protection (RFC 9001, section 5.4.4), for one packet or for
//!   many at once.
//! - [`haraka`]: Haraka-256 and Haraka-512 v2, for hash-based signatures, one by one and in
//!   batches, and the sponge HarakaS.
//! - [`gf2n`]: arithmetic in the fields GF(2^n) of 8 to 2048 bits. [`gf8`]: multiplication of
//!   slices over GF(2^8) by a constant or a matrix, for erasure codes.
//! - [`shamir`]: Shamir's secret sharing, byte by byte for secrets of any length, or of one element
//!   of a field GF(2^n).
//! - [`Backend`]: the instruction set that does the work. It is chosen at run time, after a
//!   known-answer test. No compile flags are needed.
//! - [`rustcrypto`]: the same ciphers under the traits of `cipher`, `aead` and `universal-hash`,
//!   for programs that use the crates `chacha20poly1305`, `chacha20` or `poly1305` today. With the
//!   feature `rustcrypto-05`, `rustcrypto05` has the previous generation of these traits.
//! - [`ring`]: ChaCha20-Poly1305 with the names and methods of `ring::aead`.
//!
//! Every backend, including the portable one, is free of branches and memory addresses that depend
//! on secrets. Keys, key streams and intermediate states are wiped when they are dropped. Copies in
//! registers, spilled copies and copies made by moves are not wiped. The crate needs neither `std`
//! nor an allocator.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `simd` | yes | backends with vectors of 128 bits; without it, there is only portable code |
//! | `avx2`, `avx512` | yes | vectors of 256 and 512 bits, on x86; each includes the ones before |
//! | `std` | yes | detection of CPUs on Arm, `Backend::from_env`; includes `alloc` |
//! | `alloc` | yes | `seal` and `open` with vectors, `shamir::element`, `gf8::Matrix` and more |
//! | `getrandom` | yes | keys, nonces and coefficients from the operating system |
//! | `rand_core` | yes | the same from the caller's generator, and `chacha20::ChaCha20Rng` |
//! | `rustcrypto` | yes | the traits of `cipher` 0.5, `aead` 0.6 and `universal-hash` 0.6 |
//! | `rustcrypto-05` | no | the traits of `cipher` 0.4, `aead` 0.5 and `universal-hash` 0.5 |
//! | `arrayvec`, `bytes`, `heapless` | no | types of these crates as buffers of `aead` |
//! | `commit` | no | tags that commit to the key |
//! | `serde` | no | elements of GF(2^n), and shares of them, in serde's formats |
//! | `armv7` | no | vectors on 32-bit Arm, with a nightly compiler |
//!
//! The oldest supported compiler is Rust 1.89.
//!
//! ```
//! use sealane::ChaCha20Poly1305;
//!
//! let key = [0x42; 32]; // from a secure generator
//! let nonce = [0; 12]; // never used twice with one key
//! let cipher = ChaCha20Poly1305::new(&key);
//!
//! let mut message = *b"attack at dawn";
//! let tag = cipher.seal_in_place(&nonce, b"header", &mut message);
//! assert_ne!(&message, b"attack at dawn");
//!
//! cipher.open_in_place(&nonce, b"header", &mut message, &tag)?;
//! assert_eq!(&message, b"attack at dawn");
//! # Ok::<(), sealane::OpenError>(())
//! ```
#![no_std]
// Marks items that need a feature, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod aead;
mod backend;
pub mod chacha20;
mod declassify;
mod error;
mod fault;
mod frame;
pub mod gf2n;
pub mod gf8;
pub mod haraka;
mod poly1305;
pub mod quic;
#[cfg(any(feature = "getrandom", feature = "rand_core"))]
mod random;
pub mod ring;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;
#[cfg(feature = "rustcrypto-05")]
#[allow(clippy::duplicate_mod, reason = "its files are those of `rustcrypto`, with other traits")]
pub mod rustcrypto05;
mod self_test;
pub mod shamir;
mod wipe;

pub use aead::{
    Aead, AeadLayout, ByteArray, ChaCha20Poly1305, ChaChaPoly1305, KEY_BYTES, MAX_MESSAGE_BYTES, OpenRequest,
    OpenSshChaCha20Poly1305, Opener, SealRequest, Sealer, Verified, XChaCha20Poly1305,
};
#[cfg(feature = "commit")]
pub use aead::{
    COMMITTING_TAG_BYTES, CommittingChaCha20Poly1305, CommittingChaChaPoly1305, CommittingTag,
    CommittingXChaCha20Poly1305,
};
#[cfg(feature = "alloc")]
pub use backend::PiecesFamily;
pub use backend::{
    AesBackend, AesFamily, Backend, BackendOf, BackendStatus, BackendStatusOf, BatchFamily, ChaChaFamily, ClmulBackend,
    ClmulFamily, Family, Gf8Backend, Gf8Family, SelfTest, SelfTestOf,
};
#[cfg(sealane_declassify)]
#[doc(hidden)]
pub use declassify::on_declassify;
pub use error::{BackendError, CounterOverflow, OpenError, RandomError};
pub use poly1305::{Poly1305, TAG_BYTES, Tag};
pub use sealane_simd::Output;
#[cfg(feature = "checks")]
#[doc(hidden)]
pub use self_test::check_every_level;

/// Runs the example of the README as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
