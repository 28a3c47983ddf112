//! Authenticated encryption with associated data, with the names of `ring::aead`.
//!
//! ```
//! use sealane::ring::aead::{Aad, Algorithm, BoundKey, CHACHA20_POLY1305, NONCE_LEN, Nonce, NonceSequence};
//! use sealane::ring::aead::{OpeningKey, SealingKey, Tag, UnboundKey};
//! use sealane::ring::error::Unspecified;
//!
//! /// Counts packets.
//! struct Counter(u64);
//!
//! impl NonceSequence for Counter {
//!     fn advance(&mut self) -> Result<Nonce, Unspecified> {
//!         let mut nonce = [0; NONCE_LEN];
//!         nonce[4..].copy_from_slice(&self.0.to_be_bytes());
//!         self.0 = self.0.checked_add(1).ok_or(Unspecified)?;
//!         Ok(Nonce::assume_unique_for_key(nonce))
//!     }
//! }
//!
//! let algorithm: &Algorithm = &CHACHA20_POLY1305;
//! let key = || UnboundKey::new(algorithm, &[0x42; 32]); // from a secure generator
//! let mut sealing = SealingKey::new(key()?, Counter(0));
//! let mut opening = OpeningKey::new(key()?, Counter(0));
//!
//! let mut message = *b"attack at dawn";
//! let tag: Tag = sealing.seal_in_place_separate_tag(Aad::empty(), &mut message)?;
//! let mut packet = [&message, tag.as_ref()].concat();
//! assert_eq!(opening.open_in_place(Aad::empty(), &mut packet)?, b"attack at dawn");
//! # Ok::<(), Unspecified>(())
//! ```

mod bound;
pub mod chacha20_poly1305_openssh;
mod unbound;

use core::fmt;

pub use bound::{BoundKey, NonceSequence, OpeningKey, SealingKey};
pub use unbound::{LessSafeKey, UnboundKey};

use super::error::Unspecified;
use crate::aead::KEY_BYTES;
use crate::poly1305::TAG_BYTES;

/// Length of a nonce in bytes.
pub const NONCE_LEN: usize = 12;
/// Length of the longest tag in bytes. All tags have this length.
pub const MAX_TAG_LEN: usize = TAG_BYTES;

/// An algorithm: [`CHACHA20_POLY1305`] is the only one.
#[derive(PartialEq, Eq)]
pub struct Algorithm(Id);

#[derive(PartialEq, Eq)]
enum Id {
    ChaCha20Poly1305,
}

/// ChaCha20-Poly1305 (RFC 8439).
pub static CHACHA20_POLY1305: Algorithm = Algorithm(Id::ChaCha20Poly1305);

impl Algorithm {
    /// Returns the length of a key in bytes.
    #[must_use]
    #[inline]
    pub fn key_len(&self) -> usize {
        match self.0 {
            Id::ChaCha20Poly1305 => KEY_BYTES,
        }
    }

    /// Returns the length of a tag in bytes.
    #[must_use]
    #[inline]
    pub fn tag_len(&self) -> usize {
        MAX_TAG_LEN
    }

    /// Returns the length of a nonce in bytes.
    #[must_use]
    #[inline]
    pub fn nonce_len(&self) -> usize {
        NONCE_LEN
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Id::ChaCha20Poly1305 => "CHACHA20_POLY1305",
        })
    }
}

/// A nonce for one message.
///
/// It is not `Clone`, so each nonce is used at most once.
#[derive(Debug)]
pub struct Nonce([u8; NONCE_LEN]);

impl Nonce {
    /// Returns the nonce with these bytes. The caller promises that no other message under the key
    /// has it.
    ///
    /// # Errors
    /// [`Unspecified`] if `value` does not have [`NONCE_LEN`] bytes.
    #[inline]
    pub fn try_assume_unique_for_key(value: &[u8]) -> Result<Self, Unspecified> {
        Ok(Self(value.try_into()?))
    }

    /// Returns the nonce with these bytes. The caller promises that no other message under the key
    /// has it.
    #[must_use]
    #[inline]
    pub fn assume_unique_for_key(value: [u8; NONCE_LEN]) -> Self {
        Self(value)
    }
}

impl AsRef<[u8; NONCE_LEN]> for Nonce {
    fn as_ref(&self) -> &[u8; NONCE_LEN] {
        &self.0
    }
}

/// Associated data: authenticated, and not encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aad<A>(A);

impl<A: AsRef<[u8]>> Aad<A> {
    /// Returns these bytes as associated data.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "the crate's name; `From` would convert from itself")]
    pub fn from(aad: A) -> Self {
        Self(aad)
    }
}

impl Aad<[u8; 0]> {
    /// Returns empty associated data.
    #[must_use]
    #[inline]
    pub fn empty() -> Self {
        Self([])
    }
}

impl<A: AsRef<[u8]>> AsRef<[u8]> for Aad<A> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// An authentication tag.
///
/// It has no `PartialEq`: a tag is checked by opening its message, in constant time.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub struct Tag([u8; MAX_TAG_LEN]);

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<[u8; MAX_TAG_LEN]> for Tag {
    #[inline]
    fn from(value: [u8; MAX_TAG_LEN]) -> Self {
        Self(value)
    }
}

impl TryFrom<&[u8]> for Tag {
    type Error = Unspecified;

    fn try_from(value: &[u8]) -> Result<Self, Unspecified> {
        Ok(Self(value.try_into()?))
    }
}
