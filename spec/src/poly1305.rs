//! Poly1305: RFC 8439, sections 2.5 and 2.6.

use crate::chacha::chacha20_block;
use crate::num::Num;

/// Computes clamp(r): r &= 0x0ffffffc0ffffffc0ffffffc0fffffff.
#[must_use]
pub fn clamp(r: Num) -> Num {
    r & Num::le_bytes_to_num(&0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128.to_le_bytes())
}

/// Computes one step of the loop of section 2.5.1: a = (r * (a + n)) % p. n is the block of 1 to 16
/// bytes, followed by a byte 1.
///
/// # Panics
/// If the block is empty or longer than 16 bytes.
#[must_use]
pub fn accumulate(a: Num, r: Num, block: &[u8]) -> Num {
    assert!((1..=16).contains(&block.len()));
    let mut bytes = [0; 17];
    bytes[..block.len()].copy_from_slice(block);
    bytes[block.len()] = 0x01;
    (r * (a + Num::le_bytes_to_num(&bytes))) % Num::p()
}

/// Returns the clamped r, and s.
#[must_use]
pub fn r_and_s(key: &[u8; 32]) -> (Num, Num) {
    (clamp(Num::le_bytes_to_num(&key[..16])), Num::le_bytes_to_num(&key[16..]))
}

/// Computes poly1305_mac(msg, key) of section 2.5.1.
#[must_use]
pub fn poly1305_mac(msg: &[u8], key: &[u8; 32]) -> [u8; 16] {
    let (r, s) = r_and_s(key);
    let mut a = Num::ZERO;
    for block in msg.chunks(16) {
        a = accumulate(a, r, block);
    }
    (a + s).num_to_16_le_bytes()
}

/// Computes poly1305_key_gen(key, nonce) of section 2.6.1.
#[must_use]
pub fn poly1305_key_gen(key: &[u8; 32], nonce: &[u8; 12]) -> [u8; 32] {
    let block = chacha20_block(key, 0, nonce);
    let mut one_time_key = [0; 32];
    one_time_key.copy_from_slice(&block[..32]);
    one_time_key
}
