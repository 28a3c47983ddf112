//! The names of rustls 0.24.

pub(super) use rustls_024::ConnectionTrafficSecrets;
pub(super) use rustls_024::crypto::CipherSuite;
pub(super) use rustls_024::crypto::cipher::{
    AeadKey, Iv, KeyBlockShape, NONCE_LEN, RecordDecrypter, RecordEncrypter, Tls12AeadAlgorithm, Tls13AeadAlgorithm,
    UnsupportedOperationError,
};
pub(super) use rustls_024::error::Error;
pub(super) use rustls_024::pki_types::FipsStatus;
pub(super) use rustls_024::quic::{Algorithm, HeaderProtectionKey, PacketKey};

/// The algorithm is not FIPS-validated.
pub(super) const UNVALIDATED: FipsStatus = FipsStatus::Unvalidated;

/// Returns an IV.
pub(super) fn iv(bytes: &[u8]) -> Result<Iv, UnsupportedOperationError> {
    Iv::new(bytes).map_err(|_| UnsupportedOperationError)
}
