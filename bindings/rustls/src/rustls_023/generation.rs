//! The names of rustls 0.23. Those that differ between versions are renamed to the names of rustls
//! 0.24.

pub(super) use rustls::crypto::cipher::{
    AeadKey, Iv, MessageDecrypter as RecordDecrypter, MessageEncrypter as RecordEncrypter, Tls13AeadAlgorithm,
    UnsupportedOperationError,
};
#[cfg(feature = "tls12")]
pub(super) use rustls::crypto::cipher::{KeyBlockShape, NONCE_LEN, Tls12AeadAlgorithm};
pub(super) use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey};
pub(super) use rustls::{CipherSuite, ConnectionTrafficSecrets, Error};

/// Whether an algorithm is FIPS-validated.
pub(super) type FipsStatus = bool;

/// The algorithm is not FIPS-validated.
pub(super) const UNVALIDATED: FipsStatus = false;

/// Returns an IV.
///
/// # Panics
/// If the length is wrong; rustls derives IVs of 12 bytes.
#[cfg(feature = "tls12")]
#[expect(clippy::unnecessary_wraps, reason = "later versions return an error")]
pub(super) fn iv(bytes: &[u8]) -> Result<Iv, UnsupportedOperationError> {
    Ok(Iv::copy(bytes))
}
