//! Packets of QUIC (RFC 9001, section 5).

use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};
use sealane::TAG_BYTES;
use sealane::quic::{MASK_BYTES, SAMPLE_BYTES};

use crate::aead::{KEY_BYTES, Keys, key_bytes};

/// The number of packets that may be encrypted with one key. The limit is larger than the number of
/// packets of a connection (RFC 9001, section 6.6).
const CONFIDENTIALITY_LIMIT: u64 = u64::MAX;
/// The number of packets that may fail to decrypt with one key (RFC 9001, section 6.6).
const INTEGRITY_LIMIT: u64 = 1 << 36;

/// ChaCha20-Poly1305 for packets, and ChaCha20 for their headers.
pub(crate) struct ChaCha20Poly1305;

impl Algorithm for ChaCha20Poly1305 {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packets(Keys::new(&key, iv)))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Headers(sealane::quic::HeaderProtectionKey::new(key_bytes(&key))))
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
        Ok(Tag::from(&self.0.seal(packet_number, header, payload)[..]))
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        Ok(Tag::from(&self.0.seal_for_path(path_id, packet_number, header, payload)[..]))
    }

    fn decrypt_in_place<'a>(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let plaintext_len = self.0.open(packet_number, header, payload)?;
        Ok(&payload[..plaintext_len])
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let plaintext_len = self.0.open_for_path(path_id, packet_number, header, payload)?;
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

impl Headers {
    /// Returns the mask of a packet whose packet number has at most four bytes.
    fn mask(&self, sample: &[u8], packet_number: &[u8]) -> Result<[u8; MASK_BYTES], Error> {
        let sample = sample.try_into().map_err(|_| Error::General("a sample has 16 bytes".into()))?;
        if packet_number.len() >= MASK_BYTES {
            return Err(Error::General("a packet number has at most four bytes".into()));
        }
        Ok(self.0.header_protection_mask(sample))
    }
}

impl HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        let mask = self.mask(sample, packet_number)?;
        // The length is in the bits that are masked.
        let length = packet_number_length(*first);
        *first ^= mask[0] & protected_bits(*first);
        apply(&mask, packet_number, length);
        Ok(())
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        let mask = self.mask(sample, packet_number)?;
        *first ^= mask[0] & protected_bits(*first);
        apply(&mask, packet_number, packet_number_length(*first));
        Ok(())
    }

    fn sample_len(&self) -> usize {
        SAMPLE_BYTES
    }
}

/// Returns the bits of the first byte that are masked: four in a long header, five in a short one
/// (RFC 9001, section 5.4.1).
fn protected_bits(first: u8) -> u8 {
    if first & 0x80 == 0 { 0x1f } else { 0x0f }
}

/// Returns the length of the packet number in bytes, from the first byte without its mask.
fn packet_number_length(first: u8) -> usize {
    usize::from(first & 0x03) + 1
}

/// Masks the packet number, and no bytes after it.
fn apply(mask: &[u8; MASK_BYTES], packet_number: &mut [u8], length: usize) {
    for (octet, mask) in packet_number.iter_mut().zip(&mask[1..]).take(length) {
        *octet ^= mask;
    }
}
