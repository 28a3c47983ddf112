//! XChaCha: draft-irtf-cfrg-xchacha-03, sections 2.2 and 2.3.

use alloc::vec::Vec;

use crate::chacha::{Nonce, chacha_encrypt, permute, serialize, state, words};

/// Computes HChaCha (section 2.2) with `rounds` rounds: the first and last four words of the
/// permuted state, without the final addition of the initial state.
#[must_use]
pub fn hchacha(rounds: usize, key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    let bytes = serialize(&permute(rounds, state(key, words(nonce))));
    let mut subkey = [0; 32];
    subkey[..16].copy_from_slice(&bytes[..16]);
    subkey[16..].copy_from_slice(&bytes[48..]);
    subkey
}

/// Computes HChaCha20.
#[must_use]
pub fn hchacha20(key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    hchacha(20, key, nonce)
}

/// Returns the key and the nonce for ChaCha (RFC 8439): HChaCha of the key and the first 16 bytes
/// of the nonce, and four zero bytes followed by the last 8.
#[must_use]
pub fn subkey_and_nonce(rounds: usize, key: &[u8; 32], nonce: &[u8; 24]) -> ([u8; 32], [u8; 12]) {
    let mut first = [0; 16];
    first.copy_from_slice(&nonce[..16]);
    let mut chacha20_nonce = [0; 12];
    chacha20_nonce[4..].copy_from_slice(&nonce[16..]);
    (hchacha(rounds, key, &first), chacha20_nonce)
}

/// Computes xchacha20_encrypt(key, nonce, plaintext, blk_ctr) of section 2.3.1, with `rounds`
/// rounds.
///
/// # Panics
/// If the counter runs past its last value.
#[must_use]
pub fn xchacha_encrypt(rounds: usize, key: &[u8; 32], blk_ctr: u32, nonce: &[u8; 24], plaintext: &[u8]) -> Vec<u8> {
    let (subkey, chacha20_nonce) = subkey_and_nonce(rounds, key, nonce);
    chacha_encrypt(rounds, &subkey, blk_ctr.into(), &Nonce::Ietf(chacha20_nonce), plaintext)
}
