//! AEAD_CHACHA20_POLY1305 (RFC 8439, section 2.8) and AEAD_XChaCha20_Poly1305
//! (draft-irtf-cfrg-xchacha-03, section 2).

use alloc::vec::Vec;

use crate::chacha::chacha20_encrypt;
use crate::poly1305::{poly1305_key_gen, poly1305_mac};
use crate::xchacha::subkey_and_nonce;

/// The error for a wrong tag.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Unauthenticated;

/// Computes pad16(x) of section 2.8.1.
#[must_use]
pub fn pad16(x: &[u8]) -> &'static [u8] {
    &[0; 15][..(16 - x.len() % 16) % 16]
}

/// Returns mac_data of section 2.8.1: the bytes over which the tag is computed.
#[must_use]
pub fn mac_data(aad: &[u8], ciphertext: &[u8]) -> Vec<u8> {
    let aad_length = (aad.len() as u64).to_le_bytes();
    let ciphertext_length = (ciphertext.len() as u64).to_le_bytes();
    [aad, pad16(aad), ciphertext, pad16(ciphertext), &aad_length, &ciphertext_length].concat()
}

/// Computes chacha20_aead_encrypt of section 2.8.1. The nonce is constant | iv. Returns the
/// ciphertext and the tag.
#[must_use]
pub fn chacha20_aead_encrypt(aad: &[u8], key: &[u8; 32], nonce: &[u8; 12], plaintext: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let otk = poly1305_key_gen(key, nonce);
    let ciphertext = chacha20_encrypt(key, 1, nonce, plaintext);
    let tag = poly1305_mac(&mac_data(aad, &ciphertext), &otk);
    (ciphertext, tag)
}

/// Decrypts as section 2.8 describes. Returns the plaintext if the tag is right.
///
/// # Errors
/// [`Unauthenticated`] if the tag is wrong.
pub fn chacha20_aead_decrypt(
    aad: &[u8],
    key: &[u8; 32],
    nonce: &[u8; 12],
    ciphertext: &[u8],
    tag: &[u8; 16],
) -> Result<Vec<u8>, Unauthenticated> {
    let otk = poly1305_key_gen(key, nonce);
    if poly1305_mac(&mac_data(aad, ciphertext), &otk) == *tag {
        Ok(chacha20_encrypt(key, 1, nonce, ciphertext))
    } else {
        Err(Unauthenticated)
    }
}

/// Computes xchacha20_aead_encrypt of the draft's section 2. Returns the ciphertext and the tag.
#[must_use]
pub fn xchacha20_aead_encrypt(aad: &[u8], key: &[u8; 32], nonce: &[u8; 24], plaintext: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (subkey, chacha20_nonce) = subkey_and_nonce(20, key, nonce);
    chacha20_aead_encrypt(aad, &subkey, &chacha20_nonce, plaintext)
}

/// Decrypts the result of [`xchacha20_aead_encrypt`]. Returns the plaintext if the tag is right.
///
/// # Errors
/// [`Unauthenticated`] if the tag is wrong.
pub fn xchacha20_aead_decrypt(
    aad: &[u8],
    key: &[u8; 32],
    nonce: &[u8; 24],
    ciphertext: &[u8],
    tag: &[u8; 16],
) -> Result<Vec<u8>, Unauthenticated> {
    let (subkey, chacha20_nonce) = subkey_and_nonce(20, key, nonce);
    chacha20_aead_decrypt(aad, &subkey, &chacha20_nonce, ciphertext, tag)
}
