//! QUIC's header protection with ChaCha20: RFC 9001, section 5.4.4.

use crate::chacha::chacha20_encrypt;

/// Computes header_protection(hp_key, sample) of section 5.4.4.
#[must_use]
pub fn header_protection(hp_key: &[u8; 32], sample: &[u8; 16]) -> [u8; 5] {
    let [c0, c1, c2, c3, nonce @ ..] = *sample;
    let counter = u32::from_le_bytes([c0, c1, c2, c3]);
    let mask = chacha20_encrypt(hp_key, counter, &nonce, &[0; 5]);
    core::array::from_fn(|i| mask[i])
}
