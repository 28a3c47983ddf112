//! TLS 1.3 records (RFC 8446, section 5.2).

use rustls_024::crypto::cipher::{
    EncryptBuffer, InboundOpaque, OutboundPlain, Record, RecordDecrypter, RecordEncrypter, make_tls13_aad,
};
use rustls_024::enums::ContentType;
use rustls_024::error::Error;
use sealane::TAG_BYTES;

use super::decrypt_error;
use crate::aead::Keys;

/// Record protection for one direction.
pub(super) struct Records(pub(super) Keys);

impl RecordEncrypter for Records {
    fn encrypt<'a>(
        &mut self,
        record: Record<OutboundPlain<'_>>,
        seq: u64,
        out: &'a mut [u8],
    ) -> Result<Record<&'a [u8]>, Error> {
        let total = self.encrypted_payload_len(record.payload.len());
        let mut payload = EncryptBuffer::new(out, total)?;
        payload.extend_from_chunks(&record.payload);
        payload.extend_from_slice(&record.typ.to_array());
        let typ = ContentType::ApplicationData;
        let aad = make_tls13_aad(typ, record.version.encode(), total);
        let tag = self.0.seal(self.0.nonce(0, seq), &aad, payload.as_mut());
        payload.extend_from_slice(&tag);
        Ok(Record { typ, version: record.version, payload: payload.into_written() })
    }

    /// Returns the length including the content type, which takes one byte, and the tag.
    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG_BYTES
    }
}

impl RecordDecrypter for Records {
    fn decrypt<'a>(&mut self, mut record: Record<InboundOpaque<'a>>, seq: u64) -> Result<Record<&'a [u8]>, Error> {
        let payload = &mut record.payload;
        let aad = make_tls13_aad(record.typ, record.version.version(), payload.len());
        let plaintext_len = self.0.open(self.0.nonce(0, seq), &aad, payload).map_err(decrypt_error)?;
        payload.truncate(plaintext_len);
        record.into_tls13_unpadded_record()
    }
}
