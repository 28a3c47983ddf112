//! Encrypts and decrypts files in the age v1 format (<https://age-encryption.org/v1>) with
//! Sealane's ChaCha20-Poly1305.
//!
//! This crate implements the header, its MAC, the armor and the payload. It is strict: everything
//! that the specification forbids is an error with a specific type and a one-line message.
//!
//! - [`x25519`], [`scrypt`] and [`mlkem768x25519`] contain the specification's recipients and
//!   identities. [`threshold`] combines recipients so that a chosen number of their holders must
//!   cooperate. [`Recipient`] and [`Identity`] are the traits for other kinds of keys.
//! - [`key_file`] parses files of identities and of recipients, and decrypts identity files that
//!   are encrypted with a passphrase.
//! - `folder` encrypts, decrypts and verifies folders. It needs the feature `folders`.
//! - [`Encryptor`] prepares a file for recipients or a passphrase, and returns a [`StreamWriter`].
//! - [`Decryptor`] reads a header, finds the identity that opens the file, and returns a
//!   [`StreamReader`]. The reader hands out only authenticated plaintext, in order. It can seek if
//!   its input can.
//! - [`encrypt`], [`encrypt_and_armor`] and [`decrypt`](decrypt()) do all of this for small files
//!   in memory.
//! - `Encryptor::wrap_async_output` and `Decryptor::new_async` do the same for tokio's writers and
//!   readers. They need the feature `tokio`.
//! - [`Preamble`], [`stream::PayloadKey`] and [`stream::SealingKey`] are the engine underneath, and
//!   do no I/O. [`LockedFile`] and [`RangeReader`] use it to read ranges of the plaintext, blocking
//!   or async.
//! - [`armor`] encodes and decodes the text form.
//! - [`header`] and [`stream`] implement the two parts of a file.
//!
//! Memory does not grow with the file: readers and writers work in place in a buffer of four chunks
//! of 64 KiB. Keys and buffers with plaintext are wiped.
//!
//! # Example
//!
//! ```
//! use std::io::{Read, Seek, SeekFrom, Write};
//!
//! use sealane_age::{Decryptor, Encryptor, Identity, Recipient, x25519};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = x25519::Identity::generate()?;
//! let recipient = identity.to_public();
//!
//! let encryptor = Encryptor::with_recipients([&recipient as &dyn Recipient])?;
//! let mut writer = encryptor.wrap_output(Vec::new())?;
//! writer.write_all(b"the quick brown fox")?;
//! let file: Vec<u8> = writer.finish()?;
//!
//! let decryptor = Decryptor::new(&file[..])?;
//! let mut reader = decryptor.decrypt([&identity as &dyn Identity])?;
//! let mut plaintext = Vec::new();
//! reader.read_to_end(&mut plaintext)?;
//! assert_eq!(plaintext, b"the quick brown fox");
//!
//! // A file that can seek can be read from any position. Only the chunks that are needed are
//! // decrypted.
//! let decryptor = Decryptor::new(std::io::Cursor::new(&file))?;
//! let mut reader = decryptor.decrypt([&identity as &dyn Identity])?;
//! reader.seek(SeekFrom::End(-3))?;
//! let mut end = String::new();
//! reader.read_to_string(&mut end)?;
//! assert_eq!(end, "fox");
//! # Ok(())
//! # }
//! ```
//!
//! With a passphrase and armor:
//!
//! ```
//! use std::io::{Read, Write};
//!
//! use sealane_age::armor::{ArmoredReader, ArmoredWriter};
//! use sealane_age::{Decryptor, Encryptor, secrecy::SecretString};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let passphrase = SecretString::from("correct horse battery staple");
//! # // A low work factor, for the example to be quick.
//! # let encryptor = Encryptor::with_passphrase_and_work_factor(passphrase.clone(), 4)?;
//! # if false {
//! let encryptor = Encryptor::with_passphrase(passphrase.clone())?;
//! # }
//! let mut writer = encryptor.wrap_output(ArmoredWriter::new(Vec::new()))?;
//! writer.write_all(b"attack at dawn")?;
//! let text: Vec<u8> = writer.finish()?.finish()?;
//! assert!(text.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
//!
//! let decryptor = Decryptor::new(ArmoredReader::new(&text[..]))?;
//! assert!(decryptor.is_scrypt());
//! let mut plaintext = String::new();
//! decryptor.decrypt_with_passphrase(passphrase)?.read_to_string(&mut plaintext)?;
//! assert_eq!(plaintext, "attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `std` (default) | everything that needs `std::io` or the system's random numbers |
//! | `parallel` (default) | sealing and opening on several threads |
//! | `graviola` (default) | X25519 in less than half the time, where the CPU has the instructions |
//! | `avx512` (default) | backends with vectors of 512 bits on x86; enables `avx2` |
//! | `avx2` (default) | backends with vectors of 256 bits on x86; enables `simd` |
//! | `simd` (default) | backends with vectors of one width, which has 128 bits on x86 |
//! | `tokio` | readers and writers for tokio |
//! | `folders` | encrypted folders with manifests |
//! | `serde` | serde's traits for [`threshold::Part`] |
//! | `age` | adapters from and to the recipients and identities of the crate `age` |
//! | `ssh` | ssh keys, through the crate `age` |
//! | `plugin` | starts plugins |
//!
//! Without `std`, the crate is `no_std` with `alloc`: it parses headers and key files, unlocks
//! files, and opens chunks. Where the system has no random number generator, such as in a browser,
//! `std` needs the settings that the crate `getrandom` documents.
//!
//! # Errors
//!
//! [`EncryptError`] and [`DecryptError`] are returned before the first byte of plaintext. Readers
//! and writers return [`io::Error`](std::io::Error)s after that. If the file is damaged, these wrap
//! a [`StreamError`] or an [`ArmorError`](armor::ArmorError):
//!
//! ```
//! # use std::io::{Read, Write};
//! # use sealane_age::{Decryptor, Encryptor, Identity, Recipient, x25519};
//! use sealane_age::StreamError;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let identity = x25519::Identity::generate()?;
//! # let mut writer = Encryptor::with_recipients([&identity.to_public() as &dyn Recipient])?.wrap_output(Vec::new())?;
//! # writer.write_all(&[0; 1 << 17])?;
//! # let mut file = writer.finish()?;
//! # file.truncate(file.len() - 1);
//! // A file of two chunks that lost its last byte:
//! let mut reader = Decryptor::new(&file[..])?.decrypt([&identity as &dyn Identity])?;
//! let mut plaintext = Vec::new();
//! let error = reader.read_to_end(&mut plaintext).unwrap_err();
//! assert_eq!(StreamError::of(&error), Some(StreamError::CorruptEnd { number: 1 }));
//! // All earlier bytes are authentic.
//! assert_eq!(plaintext.len(), 65536);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
// Marks items that need a feature, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

#[cfg(feature = "age")]
pub mod adapter;
#[cfg(feature = "std")]
pub mod armor;
#[cfg(feature = "std")]
mod buffer;
#[cfg(feature = "std")]
mod decryptor;
#[cfg(feature = "std")]
mod encryptor;
mod error;
mod file_key;
#[cfg(feature = "folders")]
pub mod folder;
pub mod header;
mod identity;
#[cfg(feature = "std")]
mod input;
pub mod key_file;
mod keys;
mod lengths;
mod message;
pub mod mlkem768x25519;
#[cfg(feature = "std")]
mod oneshot;
#[cfg(feature = "parallel")]
mod parallel;
pub mod plugin;
mod preamble;
#[cfg(feature = "std")]
mod random;
#[cfg(feature = "std")]
mod random_access;
#[cfg(feature = "std")]
mod range_reader;
mod recipient;
#[cfg(feature = "std")]
mod rekey;
#[cfg(feature = "std")]
mod salvage;
pub mod scrypt;
#[cfg(feature = "ssh")]
mod ssh;
mod stanza;
pub mod stream;
mod text;
pub mod threshold;
mod threshold_error;
#[cfg(feature = "tokio")]
mod tokio;
pub mod x25519;

pub use sealane::Backend;
pub use secrecy;

#[cfg(feature = "std")]
pub use crate::decryptor::{Decryptor, passphrase_identity};
#[cfg(feature = "std")]
pub use crate::encryptor::Encryptor;
#[cfg(feature = "std")]
pub use crate::error::CopyError;
pub use crate::error::{DecryptError, EncryptError};
pub use crate::file_key::{FILE_KEY_BYTES, FileKey};
pub use crate::identity::{Identity, UnwrapError};
pub use crate::keys::FILE_ID_BYTES;
#[cfg(feature = "std")]
pub use crate::oneshot::{decrypt, encrypt, encrypt_and_armor};
#[cfg(feature = "parallel")]
pub use crate::parallel::Threads;
pub use crate::preamble::{Preamble, Prefix};
#[cfg(feature = "std")]
pub use crate::random_access::{ReadAt, WriteAt};
#[cfg(feature = "std")]
pub use crate::range_reader::{AsyncReadAt, LockedFile, RangeReader};
pub use crate::recipient::{Recipient, WrapError, Wrapped};
#[cfg(feature = "std")]
pub use crate::rekey::{Existing, RekeyError, Rekeyed};
#[cfg(feature = "std")]
pub use crate::salvage::{Moved, Salvaged, Salvaging};
pub use crate::scrypt::{DEFAULT_MAX_WORK_FACTOR, DEFAULT_WORK_FACTOR};
pub use crate::stanza::Stanza;
pub use crate::stream::StreamError;
#[cfg(feature = "std")]
pub use crate::stream::{StreamReader, StreamWriter};
pub use crate::text::ParseError;
#[cfg(feature = "tokio")]
pub use crate::tokio::{AsyncStreamReader, AsyncStreamWriter};

/// Runs the README's example as a documentation test.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
