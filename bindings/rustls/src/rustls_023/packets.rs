//! QUIC packet protection (RFC 9001, section 5).

use rustls::Error;
use rustls::quic::{PacketKey, Tag};
use sealane::TAG_BYTES;

use super::decrypt_error;
use crate::aead::Keys;
use crate::quic::{CONFIDENTIALITY_LIMIT, INTEGRITY_LIMIT};

/// Payload protection for one direction.
pub(super) struct Packets(pub(super) Keys);

impl PacketKey for Packets {
    fn encrypt_in_place(&self, packet_number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.encrypt_in_place_for_path(0, packet_number, header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        Ok(Tag::from(&self.0.seal(self.0.nonce(path_id, packet_number), header, payload)[..]))
    }

    fn decrypt_in_place<'a>(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.decrypt_in_place_for_path(0, packet_number, header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let nonce = self.0.nonce(path_id, packet_number);
        let plaintext_len = self.0.open(nonce, header, payload).map_err(decrypt_error)?;
        Ok(&payload[..plaintext_len])
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        CONFIDENTIALITY_LIMIT
    }

    fn integrity_limit(&self) -> u64 {
        INTEGRITY_LIMIT
    }
}
