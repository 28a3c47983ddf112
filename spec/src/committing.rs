//! CTX over ChaCha20-Poly1305 and XChaCha20-Poly1305: Chan and Rogaway, "On Committing
//! Authenticated-Encryption" (ESORICS 2022, IACR ePrint 2022/1260, figure 2).
//!
//! The tag T of the AEAD is replaced by T* = H(K, N, A, T). H is BLAKE2b-256 of K | N | A | T. K, N
//! and T have fixed lengths, so different inputs give different messages for H. Decryption computes
//! T from the ciphertext, as encryption does, and compares T*.

use alloc::vec::Vec;

use crate::aead::{Unauthenticated, chacha20_aead_encrypt, mac_data};
use crate::blake2b::blake2b;
use crate::chacha::chacha20_encrypt;
use crate::poly1305::{poly1305_key_gen, poly1305_mac};
use crate::xchacha::subkey_and_nonce;

/// Computes H(K, N, A, T).
#[must_use]
pub fn commitment(key: &[u8; 32], nonce: &[u8], aad: &[u8], tag: &[u8; 16]) -> [u8; 32] {
    blake2b(&[key, nonce, aad, tag].concat())
}

/// Returns the ciphertext and T* of CTX over ChaCha20-Poly1305.
#[must_use]
pub fn ctx_chacha20_encrypt(aad: &[u8], key: &[u8; 32], nonce: &[u8; 12], plaintext: &[u8]) -> (Vec<u8>, [u8; 32]) {
    let (ciphertext, tag) = chacha20_aead_encrypt(aad, key, nonce, plaintext);
    (ciphertext, commitment(key, nonce, aad, &tag))
}

/// Returns the plaintext if T* is right.
///
/// # Errors
/// [`Unauthenticated`] if T* is wrong.
pub fn ctx_chacha20_decrypt(
    aad: &[u8],
    key: &[u8; 32],
    nonce: &[u8; 12],
    ciphertext: &[u8],
    tag: &[u8; 32],
) -> Result<Vec<u8>, Unauthenticated> {
    let poly1305_tag = poly1305_mac(&mac_data(aad, ciphertext), &poly1305_key_gen(key, nonce));
    if commitment(key, nonce, aad, &poly1305_tag) == *tag {
        Ok(chacha20_encrypt(key, 1, nonce, ciphertext))
    } else {
        Err(Unauthenticated)
    }
}

/// Returns the ciphertext and T* of CTX over XChaCha20-Poly1305. H gets the given key and the nonce
/// of 24 bytes, not those derived from them.
#[must_use]
pub fn ctx_xchacha20_encrypt(aad: &[u8], key: &[u8; 32], nonce: &[u8; 24], plaintext: &[u8]) -> (Vec<u8>, [u8; 32]) {
    let (subkey, chacha20_nonce) = subkey_and_nonce(20, key, nonce);
    let (ciphertext, tag) = chacha20_aead_encrypt(aad, &subkey, &chacha20_nonce, plaintext);
    (ciphertext, commitment(key, nonce, aad, &tag))
}

/// Returns the plaintext if T* is right.
///
/// # Errors
/// [`Unauthenticated`] if T* is wrong.
pub fn ctx_xchacha20_decrypt(
    aad: &[u8],
    key: &[u8; 32],
    nonce: &[u8; 24],
    ciphertext: &[u8],
    tag: &[u8; 32],
) -> Result<Vec<u8>, Unauthenticated> {
    let (subkey, chacha20_nonce) = subkey_and_nonce(20, key, nonce);
    let poly1305_tag = poly1305_mac(&mac_data(aad, ciphertext), &poly1305_key_gen(&subkey, &chacha20_nonce));
    if commitment(key, nonce, aad, &poly1305_tag) == *tag {
        Ok(chacha20_encrypt(&subkey, 1, &chacha20_nonce, ciphertext))
    } else {
        Err(Unauthenticated)
    }
}
