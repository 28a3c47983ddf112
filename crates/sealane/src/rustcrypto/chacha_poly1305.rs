//! Keys of the AEAD with any of the stream ciphers. [`super::traits`] implements the traits that
//! seal and open with them.

use core::fmt;
use core::marker::PhantomData;

use super::generation::aead::{KeyInit, KeySizeUser};
use super::generation::cipher::{Iv, IvSizeUser};
use super::generation::{Array, U12, U16, U24, U32};
use super::stream::{ChaCha8, ChaCha12, ChaCha20, Key, StreamCipherOf, Variant, XChaCha8, XChaCha12, XChaCha20};
use crate::aead::any_cipher::KeyOfAnyCipher;
use crate::backend::Backend;
use crate::chacha20::{Extended, Ietf};
use crate::error::{CounterOverflow, OpenError};
use crate::poly1305::Tag as TagBytes;

/// A tag of 16 bytes.
pub type Tag = Array<u8, U16>;

mod sealed {
    use super::{CounterOverflow, Iv, IvSizeUser, KeyOfAnyCipher, OpenError, TagBytes};

    /// Seals and opens messages with this crate's AEAD, with the stream cipher `Self`.
    pub trait Sealed: IvSizeUser {
        fn aead_seal(
            key: &KeyOfAnyCipher,
            nonce: &Iv<Self>,
            aad: &[u8],
            buffer: &mut [u8],
        ) -> Result<TagBytes, CounterOverflow>;
        fn aead_open(
            key: &KeyOfAnyCipher,
            nonce: &Iv<Self>,
            aad: &[u8],
            buffer: &mut [u8],
            tag: &TagBytes,
        ) -> Result<(), OpenError>;
    }
}
pub(super) use sealed::Sealed;

/// A stream cipher for the AEAD: [`StreamCipherOf`] with 8, 12 or 20 rounds and any layout. Other
/// numbers of rounds do not compile.
///
/// ```
/// use sealane::rustcrypto::{AeadInOut, ChaChaPoly1305, KeyInit, StreamCipherOf, variants::Ietf};
///
/// let cipher = ChaChaPoly1305::<StreamCipherOf<8, Ietf>>::new(&[0x42; 32].into());
/// let mut message = *b"message";
/// cipher.encrypt_inout_detached(&[0; 12].into(), b"", message.as_mut_slice().into())?;
/// # Ok::<(), sealane::rustcrypto::Error>(())
/// ```
///
/// ```compile_fail
/// use sealane::rustcrypto::{AeadInOut, ChaChaPoly1305, KeyInit, StreamCipherOf, variants::Ietf};
///
/// let cipher = ChaChaPoly1305::<StreamCipherOf<4, Ietf>>::new(&[0x42; 32].into());
/// let mut message = *b"message";
/// cipher.encrypt_inout_detached(&[0; 12].into(), b"", message.as_mut_slice().into())?;
/// # Ok::<(), sealane::rustcrypto::Error>(())
/// ```
pub trait AeadCipher: Sealed {}

impl<const ROUNDS: usize, L: Variant> AeadCipher for StreamCipherOf<ROUNDS, L> {}

impl<const ROUNDS: usize, L: Variant> Sealed for StreamCipherOf<ROUNDS, L> {
    fn aead_seal(
        key: &KeyOfAnyCipher,
        nonce: &Iv<Self>,
        aad: &[u8],
        buffer: &mut [u8],
    ) -> Result<TagBytes, CounterOverflow> {
        key.seal::<ROUNDS, L>(L::nonce_of_layout(nonce), aad, buffer)
    }

    fn aead_open(
        key: &KeyOfAnyCipher,
        nonce: &Iv<Self>,
        aad: &[u8],
        buffer: &mut [u8],
        tag: &TagBytes,
    ) -> Result<(), OpenError> {
        key.open::<ROUNDS, L>(L::nonce_of_layout(nonce), aad, buffer, tag)
    }
}

/// [`crate::ChaCha20Poly1305`] under the traits of the crate `aead`.
pub type ChaCha20Poly1305 = ChaChaPoly1305<ChaCha20, U12>;
/// [`crate::XChaCha20Poly1305`] under the traits of the crate `aead`.
pub type XChaCha20Poly1305 = ChaChaPoly1305<XChaCha20, U24>;
/// [`ChaCha20Poly1305`] with 12 rounds. No standard defines it.
pub type ChaCha12Poly1305 = ChaChaPoly1305<ChaCha12, U12>;
/// [`ChaCha20Poly1305`] with 8 rounds. No standard defines it.
pub type ChaCha8Poly1305 = ChaChaPoly1305<ChaCha8, U12>;
/// [`XChaCha20Poly1305`] with 12 rounds, also in HChaCha. No standard defines it.
pub type XChaCha12Poly1305 = ChaChaPoly1305<XChaCha12, U24>;
/// [`XChaCha20Poly1305`] with 8 rounds, also in HChaCha. No standard defines it.
pub type XChaCha8Poly1305 = ChaChaPoly1305<XChaCha8, U24>;

/// The AEAD of RFC 8439, section 2.8, with the stream cipher `C` and its nonces of `N` bytes.
///
/// [`ChaCha20Poly1305`] and [`XChaCha20Poly1305`] have kernels of their own. The backend and the
/// lengths decide whether these encrypt and authenticate in one pass. The other ciphers use the
/// vectors of every backend too, but always need two passes.
pub struct ChaChaPoly1305<C, N = U12> {
    pub(super) key: KeyOfAnyCipher,
    cipher: PhantomData<fn() -> (C, N)>,
}

impl<C, N> ChaChaPoly1305<C, N> {
    /// Does the same as `KeyInit::new`, on the given backend.
    #[must_use]
    pub fn with_backend(key: &Key, backend: Backend) -> Self {
        Self::of(KeyOfAnyCipher::with_backend(key.as_ref(), backend))
    }

    fn of(key: KeyOfAnyCipher) -> Self {
        Self { key, cipher: PhantomData }
    }
}

impl<C, N> KeySizeUser for ChaChaPoly1305<C, N> {
    type KeySize = U32;
}

impl<C, N> KeyInit for ChaChaPoly1305<C, N> {
    fn new(key: &Key) -> Self {
        Self::with_backend(key, Backend::detect())
    }
}

impl<C, N> Clone for ChaChaPoly1305<C, N> {
    fn clone(&self) -> Self {
        Self::of(self.key.clone())
    }
}

impl<C, N> fmt::Debug for ChaChaPoly1305<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaPoly1305").finish_non_exhaustive()
    }
}

impl From<crate::ChaChaPoly1305<Ietf>> for ChaCha20Poly1305 {
    /// Returns the same key, on the same backend.
    fn from(cipher: crate::ChaChaPoly1305<Ietf>) -> Self {
        Self::of((&cipher).into())
    }
}

impl From<crate::ChaChaPoly1305<Extended>> for XChaCha20Poly1305 {
    /// Returns the same key, on the same backend.
    fn from(cipher: crate::ChaChaPoly1305<Extended>) -> Self {
        Self::of((&cipher).into())
    }
}

// The key wipes itself.
impl<C, N> zeroize::ZeroizeOnDrop for ChaChaPoly1305<C, N> {}
