//! Records of TLS 1.2 (RFC 7905, section 2).

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    NONCE_LEN, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};
use sealane::{KEY_BYTES, TAG_BYTES};

use super::decrypt_error;
use crate::aead::Keys;

/// The largest plaintext of a record in bytes (RFC 5246, section 6.2.1).
const MAX_FRAGMENT_BYTES: usize = 1 << 14;

/// ChaCha20-Poly1305 for records of TLS 1.2.
pub(crate) struct ChaCha20Poly1305;

impl Tls12AeadAlgorithm for ChaCha20Poly1305 {
    fn encrypter(&self, key: AeadKey, iv: &[u8], _extra: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Records(Keys::new(key.as_ref(), iv)))
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
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
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv: Iv::copy(iv) })
    }

    fn fips(&self) -> bool {
        false
    }
}

/// The records of one direction.
struct Records(Keys);

impl MessageEncrypter for Records {
    fn encrypt(&mut self, message: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let OutboundPlainMessage { typ, version, payload: plaintext } = message;
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(plaintext.len()));
        payload.extend_from_chunks(&plaintext);
        let aad = make_tls12_aad(seq, typ, version, plaintext.len());
        let tag = self.0.seal(self.0.nonce(0, seq), &aad, payload.as_mut());
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(typ, version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let (typ, version, payload) = (message.typ, message.version, &mut message.payload);
        let plaintext_len = payload.len().checked_sub(TAG_BYTES).ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(seq, typ, version, plaintext_len);
        self.0.open(self.0.nonce(0, seq), &aad, payload).map_err(decrypt_error)?;
        if plaintext_len > MAX_FRAGMENT_BYTES {
            return Err(Error::PeerSentOversizedRecord);
        }
        payload.truncate(plaintext_len);
        Ok(message.into_plain_message())
    }
}
