//! `aead::AeadInOut`.

use aead::array::Array;
use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, TagPosition};

/// A key of 32 bytes.
pub type Key = Array<u8, U32>;
/// A nonce of 12 bytes.
pub type Nonce = Array<u8, U12>;
/// A nonce of 24 bytes.
pub type XNonce = Array<u8, U24>;
/// A tag of 16 bytes.
pub type Tag = Array<u8, U16>;

macro_rules! aead {
    ($(#[$doc:meta])* $name:ident($inner:ty), $nonce:ty, $tag:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name($inner);

        impl KeySizeUser for $name {
            type KeySize = U32;
        }

        impl KeyInit for $name {
            fn new(key: &Key) -> Self {
                Self(<$inner>::new(&key.0))
            }
        }

        impl AeadCore for $name {
            type NonceSize = $nonce;
            type TagSize = $tag;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $name {
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> Result<Array<u8, $tag>, Error> {
                if buffer.len() as u64 > crate::MAX_MESSAGE_BYTES {
                    return Err(Error);
                }
                Ok(self.0.seal_in_place(&nonce.0, associated_data, buffer.into_out_with_copied_in()).into())
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &Array<u8, $tag>,
            ) -> Result<(), Error> {
                self.0.open_in_place(&nonce.0, associated_data, buffer.into_out_with_copied_in(), &tag.0).map_err(|_| Error)
            }
        }

        impl From<$inner> for $name {
            /// The same key, on the same backend.
            fn from(cipher: $inner) -> Self {
                Self(cipher)
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}
    };
}

aead! {
    /// [`crate::ChaCha20Poly1305`] under the traits of the crate `aead`.
    ChaCha20Poly1305(crate::ChaCha20Poly1305), U12, U16
}

aead! {
    /// [`crate::XChaCha20Poly1305`] under the traits of the crate `aead`.
    XChaCha20Poly1305(crate::XChaCha20Poly1305), U24, U16
}

#[cfg(feature = "commit")]
aead! {
    /// [`crate::CommittingChaCha20Poly1305`] under the traits of the crate `aead`.
    CommittingChaCha20Poly1305(crate::CommittingChaCha20Poly1305), U12, U32
}

#[cfg(feature = "commit")]
aead! {
    /// [`crate::CommittingXChaCha20Poly1305`] under the traits of the crate `aead`.
    CommittingXChaCha20Poly1305(crate::CommittingXChaCha20Poly1305), U24, U32
}
