//! Short associated data of messages in one call.

use sealane::TAG_BYTES;

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
