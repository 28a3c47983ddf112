//! Keys without a sequence of nonces.

use core::fmt;
use core::ops::RangeFrom;

use zeroize::ZeroizeOnDrop;

use super::super::error::Unspecified;
use super::{Aad, Algorithm, MAX_TAG_LEN, Nonce, Tag};
use crate::aead::{ChaCha20Poly1305, MAX_MESSAGE_BYTES};

/// A key that has no purpose yet: it becomes a [`LessSafeKey`], or a
/// [`SealingKey`](super::SealingKey) or [`OpeningKey`](super::OpeningKey).
pub struct UnboundKey(LessSafeKey);

impl UnboundKey {
    /// Returns the key with these bytes, on the backend of [`crate::Backend::detect`].
    ///
    /// # Errors
    /// [`Unspecified`] if `key_bytes` does not have [`Algorithm::key_len`] bytes.
    #[inline]
    pub fn new(algorithm: &'static Algorithm, key_bytes: &[u8]) -> Result<Self, Unspecified> {
        let cipher = ChaCha20Poly1305::new(key_bytes.try_into()?);
        Ok(Self(LessSafeKey { cipher, algorithm }))
    }

    /// Returns the algorithm.
    #[inline]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.0.algorithm
    }
}

// The key inside wipes itself.
impl ZeroizeOnDrop for UnboundKey {}

impl fmt::Debug for UnboundKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_as("UnboundKey", f)
    }
}

/// A key that takes a nonce with each message, and does not check that the nonce is new.
#[derive(Clone)]
pub struct LessSafeKey {
    cipher: ChaCha20Poly1305,
    algorithm: &'static Algorithm,
}

// The cipher inside wipes itself.
impl ZeroizeOnDrop for LessSafeKey {}

impl LessSafeKey {
    /// Returns `key`, ready to seal and open.
    #[must_use]
    #[inline]
    pub fn new(key: UnboundKey) -> Self {
        key.0
    }

    /// Returns the algorithm.
    #[inline]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Encrypts `in_out` in place, and appends the tag.
    ///
    /// # Errors
    /// [`Unspecified`] if `in_out` is longer than [`crate::MAX_MESSAGE_BYTES`].
    #[inline]
    pub fn seal_in_place_append_tag<A, InOut>(
        &self,
        nonce: Nonce,
        aad: Aad<A>,
        in_out: &mut InOut,
    ) -> Result<(), Unspecified>
    where
        A: AsRef<[u8]>,
        InOut: AsMut<[u8]> + for<'in_out> Extend<&'in_out u8>,
    {
        let tag = self.seal_in_place_separate_tag(nonce, aad, in_out.as_mut())?;
        in_out.extend(tag.as_ref());
        Ok(())
    }

    /// Encrypts `in_out` in place. Returns the tag.
    ///
    /// # Errors
    /// [`Unspecified`] if `in_out` is longer than [`crate::MAX_MESSAGE_BYTES`].
    #[inline]
    pub fn seal_in_place_separate_tag<A: AsRef<[u8]>>(
        &self,
        nonce: Nonce,
        aad: Aad<A>,
        in_out: &mut [u8],
    ) -> Result<Tag, Unspecified> {
        if in_out.len() as u64 > MAX_MESSAGE_BYTES {
            return Err(Unspecified);
        }
        Ok(Tag(self.cipher.seal_in_place(&nonce.0, aad.as_ref(), in_out)))
    }

    /// Decrypts `in_out`, a ciphertext with its tag after it, in place. Returns the plaintext.
    ///
    /// # Errors
    /// [`Unspecified`] if the message is not authentic.
    #[inline]
    pub fn open_in_place<'in_out, A: AsRef<[u8]>>(
        &self,
        nonce: Nonce,
        aad: Aad<A>,
        in_out: &'in_out mut [u8],
    ) -> Result<&'in_out mut [u8], Unspecified> {
        self.open_within(nonce, aad, in_out, 0..)
    }

    /// Decrypts `in_out[ciphertext_and_tag]` to the start of `in_out`. Returns the plaintext.
    ///
    /// # Errors
    /// [`Unspecified`] if the message is not authentic, or the range is shorter than a tag.
    #[inline]
    pub fn open_within<'in_out, A: AsRef<[u8]>>(
        &self,
        nonce: Nonce,
        aad: Aad<A>,
        in_out: &'in_out mut [u8],
        ciphertext_and_tag: RangeFrom<usize>,
    ) -> Result<&'in_out mut [u8], Unspecified> {
        let (in_out, tag) = in_out.split_last_chunk_mut::<MAX_TAG_LEN>().ok_or(Unspecified)?;
        self.open_in_place_separate_tag(nonce, aad, Tag(*tag), in_out, ciphertext_and_tag)
    }

    /// Decrypts `in_out[ciphertext]` to the start of `in_out`. Returns the plaintext.
    ///
    /// # Errors
    /// [`Unspecified`] if the message is not authentic, or the range starts after the end of
    /// `in_out`.
    #[inline]
    pub fn open_in_place_separate_tag<'in_out, A: AsRef<[u8]>>(
        &self,
        nonce: Nonce,
        aad: Aad<A>,
        tag: Tag,
        in_out: &'in_out mut [u8],
        ciphertext: RangeFrom<usize>,
    ) -> Result<&'in_out mut [u8], Unspecified> {
        let length = in_out.len().checked_sub(ciphertext.start).ok_or(Unspecified)?;
        if ciphertext.start > 0 {
            in_out.copy_within(ciphertext, 0);
        }
        let message = &mut in_out[..length];
        self.cipher.open_in_place(&nonce.0, aad.as_ref(), message, &tag.0)?;
        Ok(message)
    }

    pub(super) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name).field("algorithm", self.algorithm).finish()
    }
}

impl fmt::Debug for LessSafeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as("LessSafeKey", f)
    }
}
