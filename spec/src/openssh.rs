//! chacha20-poly1305@openssh.com: OpenSSH, `PROTOCOL.chacha20poly1305`.
//!
//! ChaCha20 has a 64-bit nonce and a 64-bit block counter, as Bernstein published it.

use alloc::vec::Vec;

use crate::aead::Unauthenticated;
use crate::chacha::{Nonce, chacha_block, chacha_encrypt};
use crate::poly1305::poly1305_mac;

/// Returns K_1 and K_2. The first 256 bits of the key are K_2, the others are K_1.
#[must_use]
pub fn k_1_and_k_2(key: &[u8; 64]) -> ([u8; 32], [u8; 32]) {
    let (k_2, k_1) = key.split_at(32);
    (k_1.try_into().expect("32 bytes"), k_2.try_into().expect("32 bytes"))
}

/// Returns the packet sequence number as a uint64 under the SSH wire encoding rules.
#[must_use]
pub fn nonce(sequence_number: u32) -> Nonce {
    Nonce::Original(u64::from(sequence_number).to_be_bytes())
}

/// Encrypts or decrypts the four bytes of the packet length with K_1, from block counter 0.
#[must_use]
pub fn crypt_length(key: &[u8; 64], sequence_number: u32, length: &[u8; 4]) -> [u8; 4] {
    let (k_1, _) = k_1_and_k_2(key);
    chacha_encrypt(20, &k_1, 0, &nonce(sequence_number), length).try_into().expect("as long as the input")
}

/// Encrypts or decrypts the payload with K_2, from block counter 1.
#[must_use]
pub fn crypt_payload(key: &[u8; 64], sequence_number: u32, payload: &[u8]) -> Vec<u8> {
    let (_, k_2) = k_1_and_k_2(key);
    chacha_encrypt(20, &k_2, 1, &nonce(sequence_number), payload)
}

/// Returns the tag of the encrypted packet length and the encrypted payload. The Poly1305 key is
/// the first 256 bits of the key stream of K_2 at block counter 0.
#[must_use]
pub fn tag(key: &[u8; 64], sequence_number: u32, encrypted_packet: &[u8]) -> [u8; 16] {
    let (_, k_2) = k_1_and_k_2(key);
    let block = chacha_block(20, &k_2, 0, &nonce(sequence_number));
    poly1305_mac(encrypted_packet, block[..32].try_into().expect("32 bytes"))
}

/// Returns the encrypted packet, and the tag that follows it. The packet starts with its length.
///
/// # Panics
/// If the packet is shorter than the four bytes of its length.
#[must_use]
pub fn encrypt_packet(key: &[u8; 64], sequence_number: u32, packet: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (length, payload) = packet.split_first_chunk().expect("a packet starts with its length");
    let length = crypt_length(key, sequence_number, length);
    let payload = crypt_payload(key, sequence_number, payload);
    let encrypted = [&length[..], &payload].concat();
    let tag = tag(key, sequence_number, &encrypted);
    (encrypted, tag)
}

/// Returns the packet, with its length, if the tag is right.
///
/// # Errors
/// [`Unauthenticated`] if the tag is wrong, or the packet is shorter than the four bytes of its
/// length.
pub fn decrypt_packet(
    key: &[u8; 64],
    sequence_number: u32,
    encrypted: &[u8],
    received_tag: &[u8; 16],
) -> Result<Vec<u8>, Unauthenticated> {
    let (length, payload) = encrypted.split_first_chunk().ok_or(Unauthenticated)?;
    if tag(key, sequence_number, encrypted) != *received_tag {
        return Err(Unauthenticated);
    }
    let length = crypt_length(key, sequence_number, length);
    Ok([&length[..], &crypt_payload(key, sequence_number, payload)].concat())
}
