//! The algorithm of TLS 1.2. As `algorithms`, this file is compiled once for each version of
//! rustls.

use sealane::KEY_BYTES;

use super::generation::{
    AeadKey, ConnectionTrafficSecrets, FipsStatus, KeyBlockShape, NONCE_LEN, RecordDecrypter, RecordEncrypter,
    Tls12AeadAlgorithm, UNVALIDATED, UnsupportedOperationError, iv,
};
use super::tls12;
use crate::aead::Keys;

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
