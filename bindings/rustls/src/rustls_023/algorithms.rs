//! The algorithms of TLS 1.3 and QUIC, QUIC header protection, and the numbers of the suites. This
//! file is compiled once for each version of rustls, with the names from that version's module
//! `generation`.

use sealane::quic::SAMPLE_BYTES;
use sealane::{KEY_BYTES, quic};

use super::generation::{
    AeadKey, Algorithm, CipherSuite, ConnectionTrafficSecrets, Error, FipsStatus, HeaderProtectionKey, Iv, PacketKey,
    RecordDecrypter, RecordEncrypter, Tls13AeadAlgorithm, UNVALIDATED, UnsupportedOperationError,
};
use super::{packets, tls13};
use crate::aead::{Keys, key_bytes};
use crate::quic::header::{self, WrongLength};

/// Returns whether a suite's cipher is ChaCha20-Poly1305. rustls's providers lack the suite with
/// DHE, but a program's own provider may have it. rustls has no key exchange for the suites with
/// PSK.
pub(super) fn is_chacha20(suite: CipherSuite) -> bool {
    matches!(
        suite,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    )
}

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
