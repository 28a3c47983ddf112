//! Packets of QUIC (RFC 9001, section 5).

use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};
use sealane::quic::SAMPLE_BYTES;
use sealane::{KEY_BYTES, TAG_BYTES};

use super::decrypt_error;
use crate::aead::{Keys, key_bytes};
use crate::quic::header::{self, WrongLength};
use crate::quic::{CONFIDENTIALITY_LIMIT, INTEGRITY_LIMIT};

/// ChaCha20-Poly1305 for packets, and ChaCha20 for their headers.
pub(crate) struct ChaCha20Poly1305;

impl Algorithm for ChaCha20Poly1305 {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packets(Keys::new(key.as_ref(), iv.as_ref())))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Headers(sealane::quic::HeaderProtectionKey::new(key_bytes(key.as_ref()))))
    }

    fn aead_key_len(&self) -> usize {
        KEY_BYTES
    }

    fn fips(&self) -> bool {
        false
    }
}

/// The payloads of one direction.
struct Packets(Keys);

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

/// The headers of one direction.
struct Headers(sealane::quic::HeaderProtectionKey);

impl HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        header::protect(&self.0, sample, first, packet_number).map_err(wrong_length)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        header::unprotect(&self.0, sample, first, packet_number).map_err(wrong_length)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_BYTES
    }
}

fn wrong_length(error: WrongLength) -> Error {
    Error::General(error.to_string())
}
