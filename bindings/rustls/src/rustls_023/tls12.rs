//! TLS 1.2 records (RFC 7905, section 2).

use rustls::Error;
use rustls::crypto::cipher::{
    InboundOpaqueMessage, InboundPlainMessage, MessageDecrypter, MessageEncrypter, OutboundOpaqueMessage,
    OutboundPlainMessage, PrefixedPayload, make_tls12_aad,
};
use sealane::TAG_BYTES;

use super::decrypt_error;
use crate::aead::Keys;

/// The maximum length of a record's plaintext in bytes (RFC 5246, section 6.2.1).
const MAX_FRAGMENT_BYTES: usize = 1 << 14;

/// Record protection for one direction.
pub(super) struct Records(pub(super) Keys);

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
