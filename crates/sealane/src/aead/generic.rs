//! A trait for code that works with any of the AEADs.

use core::fmt::Debug;

use sealane_simd::Output;
use zeroize::ZeroizeOnDrop;

use super::byte_array::ByteArray;
use super::cipher::{AeadLayout, ChaChaPoly1305, KEY_BYTES};
#[cfg(feature = "commit")]
use super::committing::{CommittingChaChaPoly1305, CommittingTag};
use crate::backend::Backend;
use crate::error::OpenError;
use crate::poly1305::Tag;

mod sealed {
    pub trait Sealed {}
}

/// Any of the AEADs of this crate, for code that is written once for all of them:
/// [`ChaCha20Poly1305`](crate::ChaCha20Poly1305), [`XChaCha20Poly1305`](crate::XChaCha20Poly1305),
/// and their committing forms.
///
/// Each method does the same as the type's own method of that name. The trait is sealed.
///
/// ```
/// use sealane::{Aead, ByteArray, ChaCha20Poly1305, OpenError, XChaCha20Poly1305};
///
/// /// Seals a numbered packet. Appends the tag.
/// fn seal_packet<A: Aead>(cipher: &A, number: u64, packet: &mut Vec<u8>) {
///     let mut nonce = A::Nonce::default();
///     nonce.as_mut()[..8].copy_from_slice(&number.to_le_bytes());
///     let tag = cipher.seal_in_place(&nonce, b"", packet);
///     packet.extend_from_slice(tag.as_ref());
/// }
///
/// let mut packet = b"hello".to_vec();
/// seal_packet(&ChaCha20Poly1305::new(&[0x42; 32]), 1, &mut packet);
/// assert_eq!(packet.len(), 5 + <ChaCha20Poly1305 as Aead>::Tag::BYTES);
/// seal_packet(&XChaCha20Poly1305::new(&[0x43; 32]), 1, &mut packet);
/// ```
pub trait Aead: sealed::Sealed + Clone + Debug + Send + Sync + ZeroizeOnDrop + 'static {
    /// A nonce: 12 bytes, or 24 for XChaCha20-Poly1305.
    type Nonce: ByteArray;
    /// A tag: 16 bytes, or 32 for the committing ciphers.
    type Tag: ByteArray;

    /// Returns a cipher on the backend of [`Backend::detect`].
    #[must_use]
    fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// Returns a cipher on the given backend.
    #[must_use]
    fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self;

    /// Returns the backend.
    #[must_use]
    fn backend(&self) -> Backend;

    /// Encrypts `buffer` in place and authenticates it together with the associated data `aad`.
    ///
    /// # Panics
    /// If `buffer` is longer than [`MAX_MESSAGE_BYTES`](crate::MAX_MESSAGE_BYTES); nothing is
    /// written then.
    #[must_use = "without its tag a message cannot be opened"]
    fn seal_in_place(&self, nonce: &Self::Nonce, aad: &[u8], buffer: &mut [u8]) -> Self::Tag;

    /// Decrypts `buffer` in place if it, `aad`, `nonce` and `tag` are authentic together.
    ///
    /// # Errors
    /// [`OpenError`] if they are not; `buffer` then holds the ciphertext as before.
    fn open_in_place(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        buffer: &mut [u8],
        tag: &Self::Tag,
    ) -> Result<(), OpenError>;

    /// Encrypts `plaintext` into `ciphertext` and authenticates it together with `aad`. Returns
    /// `ciphertext` and the tag.
    ///
    /// Do not pass memory that another process can read: the plaintext is copied there first.
    ///
    /// # Panics
    /// If the lengths differ or are above [`MAX_MESSAGE_BYTES`](crate::MAX_MESSAGE_BYTES); nothing
    /// is written then.
    #[must_use = "without its tag a message cannot be opened"]
    fn seal_into<'o>(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: impl Into<Output<'o>>,
    ) -> (&'o mut [u8], Self::Tag);

    /// Decrypts `ciphertext` into `plaintext` if it, `aad`, `nonce` and `tag` are authentic
    /// together. Returns `plaintext`.
    ///
    /// # Errors
    /// [`OpenError`] if they are not. `plaintext` then holds no part of the message.
    ///
    /// # Panics
    /// If the lengths differ.
    fn open_into<'o>(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Self::Tag,
        plaintext: impl Into<Output<'o>>,
    ) -> Result<&'o mut [u8], OpenError>;

    /// Encrypts `plaintext`. Returns the ciphertext with the tag after it.
    ///
    /// # Panics
    /// The panics of [`Self::seal_in_place`].
    #[cfg(feature = "alloc")]
    #[must_use]
    fn seal(&self, nonce: &Self::Nonce, aad: &[u8], plaintext: &[u8]) -> alloc::vec::Vec<u8>;

    /// Decrypts a result of [`Self::seal`]. Returns the plaintext.
    ///
    /// # Errors
    /// [`OpenError`] if `nonce`, `aad` and `sealed` are not authentic together, or `sealed` is
    /// shorter than a tag.
    #[cfg(feature = "alloc")]
    fn open(&self, nonce: &Self::Nonce, aad: &[u8], sealed: &[u8]) -> Result<alloc::vec::Vec<u8>, OpenError>;
}

macro_rules! aead {
    ($cipher:ident, $tag:ty) => {
        impl<L: AeadLayout> sealed::Sealed for $cipher<L> {}

        impl<L: AeadLayout> Aead for $cipher<L> {
            type Nonce = L::Nonce;
            type Tag = $tag;

            fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self {
                Self::with_backend(key, backend)
            }

            fn backend(&self) -> Backend {
                self.backend()
            }

            fn seal_in_place(&self, nonce: &L::Nonce, aad: &[u8], buffer: &mut [u8]) -> $tag {
                self.seal_in_place(nonce, aad, buffer)
            }

            fn open_in_place(
                &self,
                nonce: &L::Nonce,
                aad: &[u8],
                buffer: &mut [u8],
                tag: &$tag,
            ) -> Result<(), OpenError> {
                self.open_in_place(nonce, aad, buffer, tag)
            }

            fn seal_into<'o>(
                &self,
                nonce: &L::Nonce,
                aad: &[u8],
                plaintext: &[u8],
                ciphertext: impl Into<Output<'o>>,
            ) -> (&'o mut [u8], $tag) {
                self.seal_into(nonce, aad, plaintext, ciphertext)
            }

            fn open_into<'o>(
                &self,
                nonce: &L::Nonce,
                aad: &[u8],
                ciphertext: &[u8],
                tag: &$tag,
                plaintext: impl Into<Output<'o>>,
            ) -> Result<&'o mut [u8], OpenError> {
                self.open_into(nonce, aad, ciphertext, tag, plaintext)
            }

            #[cfg(feature = "alloc")]
            fn seal(&self, nonce: &L::Nonce, aad: &[u8], plaintext: &[u8]) -> alloc::vec::Vec<u8> {
                self.seal(nonce, aad, plaintext)
            }

            #[cfg(feature = "alloc")]
            fn open(&self, nonce: &L::Nonce, aad: &[u8], sealed: &[u8]) -> Result<alloc::vec::Vec<u8>, OpenError> {
                self.open(nonce, aad, sealed)
            }
        }
    };
}

aead!(ChaChaPoly1305, Tag);
#[cfg(feature = "commit")]
aead!(CommittingChaChaPoly1305, CommittingTag);
