//! ChaCha20-Poly1305 and XChaCha20-Poly1305 (RFC 8439, section 2.8; draft-irtf-cfrg-xchacha-03, section 2).

mod incremental;
mod one_shot;

use core::fmt;
use core::mem::MaybeUninit;

use sealane_simd::{Level, Output, dispatch};

pub use incremental::{Opener, Sealer, Verified};

use crate::chacha20::{ChaCha, Extended, Ietf, Layout};
use crate::wipe::wipe;
use crate::{Backend, OpenError};

/// Length of a key in bytes.
pub const KEY_BYTES: usize = 32;
/// Length of a tag in bytes.
pub const TAG_BYTES: usize = 16;
/// The longest message in bytes: 2^32 - 1 blocks, for block 0 makes the one-time key (RFC 8439, section 2.8).
pub const MAX_MESSAGE_BYTES: u64 = (1 << 38) - 64;

/// An authentication tag.
pub type Tag = [u8; TAG_BYTES];

/// ChaCha20-Poly1305: authenticated encryption with a 96-bit nonce (RFC 8439).
///
/// A nonce must never be used for two messages under one key: that reveals both and lets anyone forge more. 96 bits are for
/// counters; to draw nonces at random, use [`XChaCha20Poly1305`].
pub type ChaCha20Poly1305 = ChaChaPoly1305<Ietf>;

/// XChaCha20-Poly1305: authenticated encryption with a 192-bit nonce, which may be drawn at random
/// (draft-irtf-cfrg-xchacha-03).
pub type XChaCha20Poly1305 = ChaChaPoly1305<Extended>;

/// A key for [`ChaCha20Poly1305`] or [`XChaCha20Poly1305`], and the backend that works with it.
///
/// Keys have 32 bytes, tags 16; a ciphertext is as long as its plaintext, and the tag is kept apart from it.
#[derive(Clone)]
pub struct ChaChaPoly1305<L> {
    key: [u8; KEY_BYTES],
    level: Level,
    layout: core::marker::PhantomData<L>,
}

impl<L: Layout> ChaChaPoly1305<L> {
    /// A cipher on the backend of [`Backend::detect`].
    #[must_use]
    #[inline]
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// A cipher on the given backend.
    #[must_use]
    #[inline]
    pub fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self {
        Self { key: *key, level: backend.level(), layout: core::marker::PhantomData }
    }

    /// The backend that does the work.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// Encrypts `buffer` in place and authenticates it together with the associated data `aad`.
    ///
    /// # Panics
    /// If `buffer` is longer than [`MAX_MESSAGE_BYTES`]; nothing is written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_in_place(&self, nonce: &L::Nonce, aad: &[u8], buffer: &mut [u8]) -> Tag {
        check_length(buffer.len());
        let mut state = self.state(nonce);
        let tag = dispatch!(self.level, token => one_shot::seal(token, &state, aad, one_shot::InPlace(buffer)));
        wipe(&mut state);
        tag
    }

    /// Decrypts `buffer` in place if it, `aad`, `nonce` and `tag` are authentic together.
    ///
    /// # Errors
    /// [`OpenError`] if they are not; `buffer` then holds the ciphertext as before.
    pub fn open_in_place(&self, nonce: &L::Nonce, aad: &[u8], buffer: &mut [u8], tag: &Tag) -> Result<(), OpenError> {
        self.open(nonce, aad, tag, buffer.len(), one_shot::InPlace(buffer))
    }

    /// Encrypts `plaintext` into `ciphertext`, which need not be initialised, and authenticates it together with `aad`.
    /// Returns `ciphertext`, which is now initialised, and the tag.
    ///
    /// # Panics
    /// If the lengths differ or are above [`MAX_MESSAGE_BYTES`]; nothing is written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &'o mut [MaybeUninit<u8>],
    ) -> (&'o mut [u8], Tag) {
        assert_eq!(plaintext.len(), ciphertext.len(), "plaintext and ciphertext have one length");
        check_length(plaintext.len());
        let mut state = self.state(nonce);
        let mut output = Output::new(ciphertext);
        let copied = one_shot::Copied { input: plaintext, output: &mut output };
        let tag = dispatch!(self.level, token => one_shot::seal(token, &state, aad, copied));
        wipe(&mut state);
        (output.finish(), tag)
    }

    /// Decrypts `ciphertext` into `plaintext`, which need not be initialised, if it, `aad`, `nonce` and `tag` are authentic
    /// together. Returns `plaintext`, which is now initialised.
    ///
    /// # Errors
    /// [`OpenError`] if they are not; nothing has been written to `plaintext` then.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn open_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Tag,
        plaintext: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], OpenError> {
        assert_eq!(plaintext.len(), ciphertext.len(), "plaintext and ciphertext have one length");
        let mut output = Output::new(plaintext);
        let copied = one_shot::Copied { input: ciphertext, output: &mut output };
        self.open(nonce, aad, tag, ciphertext.len(), copied)?;
        Ok(output.finish())
    }

    /// Starts a message that is encrypted in pieces.
    #[must_use]
    pub fn sealer(&self, nonce: &L::Nonce, aad: &[u8]) -> Sealer {
        Sealer::new(self.cipher(nonce), aad)
    }

    /// Starts a message that is authenticated, then decrypted, in pieces.
    #[must_use]
    pub fn opener(&self, nonce: &L::Nonce, aad: &[u8]) -> Opener {
        Opener::new(self.cipher(nonce), aad)
    }

    fn open(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        tag: &Tag,
        length: usize,
        pieces: impl one_shot::Pieces,
    ) -> Result<(), OpenError> {
        if length as u64 > MAX_MESSAGE_BYTES {
            return Err(OpenError);
        }
        let mut state = self.state(nonce);
        let result = dispatch!(self.level, token => one_shot::open(token, &state, aad, tag, pieces));
        wipe(&mut state);
        result
    }

    fn state(&self, nonce: &L::Nonce) -> [u32; 16] {
        L::state::<20>(&self.key, nonce, self.level)
    }

    /// The key stream from block 0.
    fn cipher(&self, nonce: &L::Nonce) -> ChaCha<20, Ietf> {
        ChaCha::from_state(self.state(nonce), self.level)
    }
}

fn check_length(length: usize) {
    assert!(length as u64 <= MAX_MESSAGE_BYTES, "a message has at most 2^38 - 64 bytes");
}

impl<L> Drop for ChaChaPoly1305<L> {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}

impl<L> zeroize::ZeroizeOnDrop for ChaChaPoly1305<L> {}

impl<L> fmt::Debug for ChaChaPoly1305<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaPoly1305").field("backend", &self.level).finish_non_exhaustive()
    }
}
