//! Keys with a sequence of nonces.

use core::fmt;
use core::ops::RangeFrom;

use super::super::error::Unspecified;
use super::{Aad, Algorithm, LessSafeKey, Nonce, Tag, UnboundKey};

/// A sequence of nonces, in which no nonce occurs twice.
pub trait NonceSequence {
    /// Returns the next nonce.
    ///
    /// # Errors
    /// [`Unspecified`] once the sequence has ended, and in all later calls.
    fn advance(&mut self) -> Result<Nonce, Unspecified>;
}

/// A key for one direction, with its sequence of nonces.
pub trait BoundKey<N: NonceSequence>: fmt::Debug {
    /// Returns the key with this sequence of nonces.
    fn new(key: UnboundKey, nonce_sequence: N) -> Self;

    /// Returns the algorithm.
    fn algorithm(&self) -> &'static Algorithm;
}

/// A key that seals. It is not `Clone`: a copy would use the same nonces.
pub struct SealingKey<N: NonceSequence> {
    key: LessSafeKey,
    nonce_sequence: N,
}

/// A key that opens. It is not `Clone`.
pub struct OpeningKey<N: NonceSequence> {
    key: LessSafeKey,
    nonce_sequence: N,
}

macro_rules! bound_key {
    ($name:ident) => {
        impl<N: NonceSequence> BoundKey<N> for $name<N> {
            fn new(key: UnboundKey, nonce_sequence: N) -> Self {
                Self { key: LessSafeKey::new(key), nonce_sequence }
            }

            #[inline]
            fn algorithm(&self) -> &'static Algorithm {
                self.key.algorithm()
            }
        }

        // The key inside wipes itself. Nonces are public.
        impl<N: NonceSequence> zeroize::ZeroizeOnDrop for $name<N> {}

        impl<N: NonceSequence> fmt::Debug for $name<N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.key.fmt_as(stringify!($name), f)
            }
        }
    };
}
bound_key!(SealingKey);
bound_key!(OpeningKey);

impl<N: NonceSequence> SealingKey<N> {
    /// Encrypts `in_out` in place under the next nonce, and appends the tag.
    ///
    /// # Errors
    /// [`Unspecified`] if the sequence of nonces has ended, or `in_out` is longer than
    /// [`crate::MAX_MESSAGE_BYTES`].
    #[inline]
    pub fn seal_in_place_append_tag<A, InOut>(&mut self, aad: Aad<A>, in_out: &mut InOut) -> Result<(), Unspecified>
    where
        A: AsRef<[u8]>,
        InOut: AsMut<[u8]> + for<'in_out> Extend<&'in_out u8>,
    {
        self.key.seal_in_place_append_tag(self.nonce_sequence.advance()?, aad, in_out)
    }

    /// Encrypts `in_out` in place under the next nonce. Returns the tag.
    ///
    /// # Errors
    /// The errors of [`Self::seal_in_place_append_tag`].
    #[inline]
    pub fn seal_in_place_separate_tag<A: AsRef<[u8]>>(
        &mut self,
        aad: Aad<A>,
        in_out: &mut [u8],
    ) -> Result<Tag, Unspecified> {
        self.key.seal_in_place_separate_tag(self.nonce_sequence.advance()?, aad, in_out)
    }
}

impl<N: NonceSequence> OpeningKey<N> {
    /// Decrypts `in_out`, a ciphertext with its tag after it, in place under the next nonce.
    /// Returns the plaintext.
    ///
    /// # Errors
    /// [`Unspecified`] if the sequence of nonces has ended, or the message is not authentic. Each
    /// call takes a nonce from the sequence, whether the message is authentic or not.
    #[inline]
    pub fn open_in_place<'in_out, A: AsRef<[u8]>>(
        &mut self,
        aad: Aad<A>,
        in_out: &'in_out mut [u8],
    ) -> Result<&'in_out mut [u8], Unspecified> {
        self.key.open_in_place(self.nonce_sequence.advance()?, aad, in_out)
    }

    /// Decrypts `in_out[ciphertext_and_tag]` to the start of `in_out` under the next nonce. Returns
    /// the plaintext.
    ///
    /// To join the contents of packets, pass an `in_out` that starts where the previous content
    /// ends.
    ///
    /// # Errors
    /// The errors of [`Self::open_in_place`]. A range shorter than a tag is an error too.
    #[inline]
    pub fn open_within<'in_out, A: AsRef<[u8]>>(
        &mut self,
        aad: Aad<A>,
        in_out: &'in_out mut [u8],
        ciphertext_and_tag: RangeFrom<usize>,
    ) -> Result<&'in_out mut [u8], Unspecified> {
        self.key.open_within(self.nonce_sequence.advance()?, aad, in_out, ciphertext_and_tag)
    }
}
