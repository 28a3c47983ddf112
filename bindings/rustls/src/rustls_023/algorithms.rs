//! The algorithms of the suites, and QUIC header protection. This file is compiled once for each
//! version of rustls, with the names from that version's module `generation`.

use sealane::quic::SAMPLE_BYTES;
use sealane::{KEY_BYTES, quic};

use super::generation::{
    AeadKey, Algorithm, ConnectionTrafficSecrets, Error, FipsStatus, HeaderProtectionKey, Iv, KeyBlockShape, NONCE_LEN,
    PacketKey, RecordDecrypter, RecordEncrypter, Tls12AeadAlgorithm, Tls13AeadAlgorithm, UNVALIDATED,
    UnsupportedOperationError, iv,
};
use super::{packets, tls12, tls13};
use crate::aead::{Keys, key_bytes};
use crate::quic::header::{self, WrongLength};

/// ChaCha20-Poly1305 for TLS 1.3 records.
pub(super) struct Tls13;

impl Tls13AeadAlgorithm for Tls13 {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn RecordEncrypter> {
        Box::new(tls13::Records(Keys::new(key.as_ref(), iv.as_ref())))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn RecordDecrypter> {
        Box::new(tls13::Records(Keys::new(key.as_ref(), iv.as_ref())))
    }

    fn key_len(&self) -> usize {
        KEY_BYTES
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv })
    }

    fn fips(&self) -> FipsStatus {
        UNVALIDATED
    }
}

/// ChaCha20-Poly1305 for TLS 1.2 records.
pub(super) struct Tls12;

impl Tls12AeadAlgorithm for Tls12 {
    fn encrypter(&self, key: AeadKey, iv: &[u8], _extra: &[u8]) -> Box<dyn RecordEncrypter> {
        Box::new(tls12::Records(Keys::new(key.as_ref(), iv)))
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn RecordDecrypter> {
        Box::new(tls12::Records(Keys::new(key.as_ref(), iv)))
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: KEY_BYTES, fixed_iv_len: NONCE_LEN, explicit_nonce_len: 0 }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        bytes: &[u8],
        _explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv: iv(bytes)? })
    }

    fn fips(&self) -> FipsStatus {
        UNVALIDATED
    }
}

/// ChaCha20-Poly1305 for QUIC packets, and ChaCha20 for their headers (RFC 9001, section 5).
pub(super) struct Quic;

impl Algorithm for Quic {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(packets::Packets(Keys::new(key.as_ref(), iv.as_ref())))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Headers(quic::HeaderProtectionKey::new(key_bytes(key.as_ref()))))
    }

    fn aead_key_len(&self) -> usize {
        KEY_BYTES
    }

    fn fips(&self) -> FipsStatus {
        UNVALIDATED
    }
}

/// Header protection for one direction.
struct Headers(quic::HeaderProtectionKey);

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
