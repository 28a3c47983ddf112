//! TLS 1.2 records.

use sealane::TAG_BYTES;

use crate::abi::EVP_AEAD_TLS1_AAD_LEN;
use crate::direction::Direction;
use crate::reason::Reason;

/// A TLS 1.2 record (RFC 5246, section 6.2.3.3), which is one piece followed by the tag.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) aad: [u8; EVP_AEAD_TLS1_AAD_LEN],
    pub(crate) plaintext_bytes: usize,
}

impl Record {
    /// Reads the associated data, which ends with the length.
    pub(crate) fn new(direction: Direction, aad: &[u8]) -> Result<Self, Reason> {
        let mut aad: [u8; EVP_AEAD_TLS1_AAD_LEN] = aad.try_into().map_err(|_| Reason::TlsRecord)?;
        let [.., high, low] = aad;
        let mut plaintext_bytes = usize::from(u16::from_be_bytes([high, low]));
        if direction == Direction::Decrypt {
            plaintext_bytes = plaintext_bytes.checked_sub(TAG_BYTES).ok_or(Reason::TlsRecord)?;
            aad[EVP_AEAD_TLS1_AAD_LEN - 2..].copy_from_slice(&(plaintext_bytes as u16).to_be_bytes());
        }
        Ok(Self { aad, plaintext_bytes })
    }
}
