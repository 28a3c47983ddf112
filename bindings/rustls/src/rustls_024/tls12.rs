//! Records of TLS 1.2 (RFC 7905, section 2).

use rustls_024::ConnectionTrafficSecrets;
use rustls_024::crypto::cipher::{
    AeadKey, EncryptBuffer, InboundOpaque, Iv, KeyBlockShape, NONCE_LEN, OutboundPlain, Record, RecordDecrypter,
    RecordEncrypter, Tls12AeadAlgorithm, UnsupportedOperationError, make_tls12_aad,
};
use rustls_024::error::Error;
use rustls_024::pki_types::FipsStatus;
use sealane::{KEY_BYTES, TAG_BYTES};

use super::decrypt_error;
use crate::aead::Keys;

/// The largest plaintext of a record in bytes (RFC 5246, section 6.2.1).
const MAX_FRAGMENT_BYTES: usize = 1 << 14;

/// ChaCha20-Poly1305 for records of TLS 1.2.
pub(crate) struct ChaCha20Poly1305;

impl Tls12AeadAlgorithm for ChaCha20Poly1305 {
    fn encrypter(&self, key: AeadKey, iv: &[u8], _extra: &[u8]) -> Box<dyn RecordEncrypter> {
        Box::new(Records(Keys::new(key.as_ref(), iv)))
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn RecordDecrypter> {
        Box::new(Records(Keys::new(key.as_ref(), iv)))
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: KEY_BYTES, fixed_iv_len: NONCE_LEN, explicit_nonce_len: 0 }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        _explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        let iv = Iv::new(iv).map_err(|_| UnsupportedOperationError)?;
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv })
    }

    fn fips(&self) -> FipsStatus {
        FipsStatus::Unvalidated
    }
}

/// The records of one direction.
struct Records(Keys);

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
