//! The AEADs with tags that commit to the key, under the traits of `aead` 0.6.

use aead::array::Array;
use aead::consts::{U12, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, TagPosition};

macro_rules! committing {
    ($(#[$doc:meta])* $name:ident($inner:ty), $nonce:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name($inner);

        impl KeySizeUser for $name {
            type KeySize = U32;
        }

        impl KeyInit for $name {
            fn new(key: &Array<u8, U32>) -> Self {
                Self(<$inner>::new(&key.0))
            }
        }

        impl AeadCore for $name {
            type NonceSize = $nonce;
            type TagSize = U32;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $name {
            fn encrypt_inout_detached(
                &self,
                nonce: &Array<u8, $nonce>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> Result<Array<u8, U32>, Error> {
                if buffer.len() as u64 > crate::MAX_MESSAGE_BYTES {
                    return Err(Error);
                }
                Ok(self.0.seal_in_place(&nonce.0, associated_data, buffer.into_out_with_copied_in()).into())
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &Array<u8, $nonce>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &Array<u8, U32>,
            ) -> Result<(), Error> {
                let buffer = buffer.into_out_with_copied_in();
                self.0.open_in_place(&nonce.0, associated_data, buffer, &tag.0).map_err(|_| Error)
            }
        }

        impl From<$inner> for $name {
            /// Returns the same key, on the same backend.
            fn from(cipher: $inner) -> Self {
                Self(cipher)
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}
    };
}

committing! {
    /// [`crate::CommittingChaCha20Poly1305`] under the traits of the crate `aead`.
    CommittingChaCha20Poly1305(crate::CommittingChaCha20Poly1305), U12
}

committing! {
    /// [`crate::CommittingXChaCha20Poly1305`] under the traits of the crate `aead`.
    CommittingXChaCha20Poly1305(crate::CommittingXChaCha20Poly1305), U24
}
