//! New file keys, and the keys derived from a file key: <https://c2sp.org/age#file-key>.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
#[cfg(feature = "std")]
use sealane::RandomError;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::file_key::FileKey;
use crate::lengths::{MAC_BYTES, NONCE_BYTES};
#[cfg(feature = "std")]
use crate::random;

/// The length of a file's id, in bytes.
pub const FILE_ID_BYTES: usize = 32;

/// Returns a new random file key for one file, or one-time key for one share of a file key.
#[cfg(feature = "std")]
pub(crate) fn new_file_key() -> Result<FileKey, RandomError> {
    FileKey::try_init_with_mut(|key| random::fill(key))
}

/// Returns a new random payload nonce.
#[cfg(feature = "std")]
pub(crate) fn new_payload_nonce() -> Result<[u8; NONCE_BYTES], RandomError> {
    let mut nonce = [0; NONCE_BYTES];
    random::fill(&mut nonce)?;
    Ok(nonce)
}

/// Derives the key of the payload's chunks.
pub(crate) fn payload_key(file_key: &FileKey, nonce: &[u8; NONCE_BYTES]) -> Zeroizing<[u8; 32]> {
    derive(file_key, nonce, b"payload")
}

/// Derives the file's id, which only those who can open the file can compute: see
/// `docs/folders.md`.
pub(crate) fn file_id(file_key: &FileKey) -> [u8; FILE_ID_BYTES] {
    *derive(file_key, b"", b"sealane/file-id")
}

pub(crate) fn header_mac(file_key: &FileKey, authenticated: &[u8]) -> [u8; MAC_BYTES] {
    keyed_mac(file_key, authenticated).finalize().into_bytes().into()
}

/// Returns whether `mac` is right, in constant time.
pub(crate) fn verify_header_mac(file_key: &FileKey, authenticated: &[u8], mac: &[u8; MAC_BYTES]) -> bool {
    keyed_mac(file_key, authenticated).verify_slice(mac).is_ok()
}

fn keyed_mac(file_key: &FileKey, authenticated: &[u8]) -> Hmac<Sha256> {
    let key = derive(file_key, b"", b"header");
    let mut mac = Hmac::<Sha256>::new_from_slice(&*key).expect("HMAC takes a key of any length");
    mac.update(authenticated);
    mac
}

/// Derives a key from a file key, or from a one-time key or a share of the same type.
pub(crate) fn derive(file_key: &FileKey, salt: &[u8], info: &[u8]) -> Zeroizing<[u8; 32]> {
    hkdf(file_key.expose_secret(), salt, info)
}

/// Derives a key with HKDF-SHA-256 (RFC 5869).
pub(crate) fn hkdf(secret: &[u8], salt: &[u8], info: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    let hkdf = Hkdf::<Sha256>::new(Some(salt), secret);
    hkdf.expand(info, &mut *key).expect("32 bytes are within the limit of HKDF-SHA-256");
    key
}

/// Returns whether all bytes of a shared secret are 0, in constant time.
pub(crate) fn is_zero(secret: &[u8; 32]) -> bool {
    core::hint::black_box(secret.iter().fold(0, |all, byte| all | byte)) == 0
}
