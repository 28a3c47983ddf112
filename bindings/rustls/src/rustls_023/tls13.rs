//! TLS 1.3 records (RFC 8446, section 5.2).

use rustls::crypto::cipher::{
    InboundOpaqueMessage, InboundPlainMessage, MessageDecrypter, MessageEncrypter, OutboundOpaqueMessage,
    OutboundPlainMessage, PrefixedPayload, make_tls13_aad,
};
use rustls::{ContentType, Error, ProtocolVersion};
use sealane::TAG_BYTES;

use super::decrypt_error;
use crate::aead::Keys;

/// Record protection for one direction.
pub(super) struct Records(pub(super) Keys);

impl MessageEncrypter for Records {
    fn encrypt(&mut self, message: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let total = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(total);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&[message.typ.into()]);
        let tag = self.0.seal(self.0.nonce(0, seq), &make_tls13_aad(total), payload.as_mut());
        payload.extend_from_slice(&tag);
        // Protected records look like application data of TLS 1.2.
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    /// Returns the length including the content type, which takes one byte, and the tag.
    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut message.payload;
        let aad = make_tls13_aad(payload.len());
        let plaintext_len = self.0.open(self.0.nonce(0, seq), &aad, payload).map_err(decrypt_error)?;
        payload.truncate(plaintext_len);
        message.into_tls13_unpadded_message()
    }
}
