//! TLS 1.2 records (RFC 7905, section 2).

use rustls_024::crypto::cipher::{
    EncryptBuffer, InboundOpaque, OutboundPlain, Record, RecordDecrypter, RecordEncrypter, make_tls12_aad,
};
use rustls_024::error::Error;
use sealane::TAG_BYTES;

use super::decrypt_error;
use crate::aead::Keys;

/// The maximum length of a record's plaintext in bytes (RFC 5246, section 6.2.1).
const MAX_FRAGMENT_BYTES: usize = 1 << 14;

/// Record protection for one direction.
pub(super) struct Records(pub(super) Keys);

impl RecordEncrypter for Records {
    fn encrypt<'a>(
        &mut self,
        record: Record<OutboundPlain<'_>>,
        seq: u64,
        out: &'a mut [u8],
    ) -> Result<Record<&'a [u8]>, Error> {
        let Record { typ, version, payload: plaintext } = record;
        let mut payload = EncryptBuffer::new(out, self.encrypted_payload_len(plaintext.len()))?;
        payload.extend_from_chunks(&plaintext);
        let aad = make_tls12_aad(seq, typ, version.encode(), plaintext.len());
        let tag = self.0.seal(self.0.nonce(0, seq), &aad, payload.as_mut());
        payload.extend_from_slice(&tag);
        Ok(Record { typ, version, payload: payload.into_written() })
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + TAG_BYTES
    }
}

impl RecordDecrypter for Records {
    fn decrypt<'a>(&mut self, mut record: Record<InboundOpaque<'a>>, seq: u64) -> Result<Record<&'a [u8]>, Error> {
        let payload = &mut record.payload;
        let plaintext_len = payload.len().checked_sub(TAG_BYTES).ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(seq, record.typ, record.version.version(), plaintext_len);
        self.0.open(self.0.nonce(0, seq), &aad, payload).map_err(decrypt_error)?;
        if plaintext_len > MAX_FRAGMENT_BYTES {
            return Err(Error::PeerSentOversizedRecord);
        }
        payload.truncate(plaintext_len);
        Ok(record.into_plain_record())
    }
}
