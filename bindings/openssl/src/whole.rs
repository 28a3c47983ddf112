//! AEAD messages in one call.

use std::mem::MaybeUninit;

use sealane::{AeadLayout, ChaChaPoly1305, TAG_BYTES, Tag};

use crate::boundary::Buffers;
use crate::reason::Reason;

/// The longest associated data that is stored until it is passed along with the whole message.
const SHORT_AAD_BYTES: usize = 64;

/// Associated data that has not been processed yet.
#[derive(Clone)]
pub(crate) struct ShortAad {
    bytes: [u8; SHORT_AAD_BYTES],
    len: usize,
}

impl ShortAad {
    pub(crate) fn new() -> Self {
        Self { bytes: [0; SHORT_AAD_BYTES], len: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends data. Returns whether there was room for it.
    pub(crate) fn append(&mut self, data: &[u8]) -> bool {
        let Some(place) = self.bytes[self.len..].get_mut(..data.len()) else { return false };
        place.copy_from_slice(data);
        self.len += data.len();
        true
    }

    pub(crate) fn get(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns whether the data is the header of a TLS 1.3 record with this length of plaintext
    /// (RFC 8446, section 5.2). If it is, a piece of that length is the whole message.
    pub(crate) fn is_header_of_record(&self, plaintext_bytes: usize) -> bool {
        match *self.get() {
            [0x17, 3, 3, high, low] => usize::from(u16::from_be_bytes([high, low])) == plaintext_bytes + TAG_BYTES,
            _ => false,
        }
    }
}

/// Encrypts. Returns the ciphertext and the tag.
pub(crate) fn seal<'a, L: AeadLayout>(
    cipher: &ChaChaPoly1305<L>,
    nonce: &L::Nonce,
    aad: &[u8],
    buffers: Buffers<'a>,
) -> (&'a mut [u8], Tag) {
    match buffers {
        Buffers::InPlace(buffer) => {
            let tag = cipher.seal_in_place(nonce, aad, buffer);
            (buffer, tag)
        }
        Buffers::Separate(from, to) => cipher.seal_into(nonce, aad, from, to),
    }
}

/// Decrypts if the message is authentic. Otherwise, an in-place buffer holds the ciphertext as
/// before, and a separate output is filled with zeros.
pub(crate) fn open<L: AeadLayout>(
    cipher: &ChaChaPoly1305<L>,
    nonce: &L::Nonce,
    aad: &[u8],
    buffers: &mut Buffers<'_>,
    tag: &Tag,
) -> Result<(), Reason> {
    match buffers {
        Buffers::InPlace(buffer) => Ok(cipher.open_in_place(nonce, aad, buffer, tag)?),
        Buffers::Separate(from, to) => {
            if cipher.open_into(nonce, aad, from, tag, &mut **to).is_err() {
                to.fill(MaybeUninit::new(0));
                return Err(Reason::NotAuthentic);
            }
            Ok(())
        }
    }
}
