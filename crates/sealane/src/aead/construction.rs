//! The construction AEAD_CHACHA20_POLY1305 (RFC 8439, section 2.8), on one page.
//!
//! ```text
//! one_time_key = the first 32 bytes of block 0 of the key stream               (section 2.6)
//! ciphertext   = plaintext xor the key stream from block 1 on                  (section 2.4)
//! mac_data     = aad | pad16(aad) | ciphertext | pad16(ciphertext)
//!                | num_to_8_le_bytes(aad.length) | num_to_8_le_bytes(ciphertext.length)
//! tag          = poly1305_mac(mac_data, one_time_key)                          (section 2.5)
//! ```
//!
//! The plans for a message ([`super::short`], [`super::one_call`], [`super::portions`],
//! [`super::interleaved`], [`super::two_pass`]) and batches differ in the order of the work, and in
//! the number of blocks that they compute at once. This module defines their results: the key of
//! the authenticator, the padding, the lengths, and the counters of the message's blocks.

use sealane_simd::Level;

use super::payload::Ciphertext;
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, xor_chacha20};
use crate::error::OpenError;
use crate::poly1305::{self, Accumulator, Short, Tag, tags_equal};

/// Rounds of the cipher.
pub(super) const ROUNDS: usize = 20;
/// The number of the block that holds the one-time key.
pub(super) const KEY_BLOCK: u32 = 0;
/// The number of the block for the first bytes of the message.
const FIRST_MESSAGE_BLOCK: u32 = 1;

/// Returns the key of the authenticator: the first half of block 0.
#[inline(always)]
pub(super) fn one_time_key(block_0: &[u8]) -> &[u8; 32] {
    block_0.first_chunk().expect("half of block 0")
}

/// Returns the number of the key stream block for the message's byte at `offset`, a multiple of 64.
#[inline(always)]
pub(super) fn message_block(offset: usize) -> u32 {
    block_at(FIRST_MESSAGE_BLOCK, offset)
}

/// Returns the number of the block at `offset`, a multiple of 64, from the start of block `first`.
#[inline(always)]
pub(super) fn block_at(first: u32, offset: usize) -> u32 {
    first.wrapping_add((offset / BLOCK_BYTES) as u32)
}

/// Returns the last block of `mac_data`: both lengths in bytes.
#[inline(always)]
pub(super) fn lengths(aad_bytes: usize, ciphertext_bytes: usize) -> [u8; 16] {
    poly1305::lengths(aad_bytes as u64, ciphertext_bytes as u64)
}

/// Starts `mac_data` with the associated data and its padding, one block at a time.
#[inline(always)]
pub(super) fn begin_mac(block_0: &[u8], aad: &[u8]) -> Short {
    Short::new(one_time_key(block_0)).padded(aad)
}

/// Adds `rest`, which is the end of the ciphertext, its padding and the [`lengths`] to `mac`.
/// Returns the tag.
#[inline(always)]
pub(super) fn finish_mac(mac: Short, rest: &[u8], lengths: &[u8; 16]) -> Tag {
    mac.padded(rest).block(lengths).tag()
}

/// Does the same as [`begin_mac`], for associated data of any length.
#[inline(always)]
pub(super) fn begin_long_mac(level: Level, block_0: &[u8], aad: &[u8]) -> Accumulator {
    let mut mac = Accumulator::new(one_time_key(block_0));
    poly1305::padded(level, &mut mac, aad);
    mac
}

/// Returns the tag, once all of the ciphertext and its padding are in `mac`: adds the [`lengths`].
#[inline(always)]
pub(super) fn finish_long_mac(mac: &mut Accumulator, aad_bytes: usize, ciphertext_bytes: usize) -> Tag {
    mac.block(&lengths(aad_bytes, ciphertext_bytes));
    mac.tag()
}

/// Compares the computed tag with the one that came with the message, in constant time.
#[inline(always)]
pub(super) fn verify(computed: &Tag, tag: &Tag) -> Result<(), OpenError> {
    tags_equal(computed, tag)
}

/// Undoes the decryption of a forged message: encrypts it again in place, or wipes a separate
/// output.
#[inline(always)]
pub(super) fn undo_decryption(level: Level, state: &State, payload: &mut impl Ciphertext) {
    payload.undo_decryption(
        #[inline(always)]
        |message| xor_chacha20(level, state, message_block(0), message),
    );
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use sealane_simd::Scalar;

    use super::*;
    use crate::chacha20::kernel;
    use crate::chacha20::state::CONSTANTS;

    /// Follows the construction step by step, and compares the result with the reference.
    #[test]
    fn the_parts_make_the_construction() {
        let (key, nonce) = ([0x42; 32], [7; 12]);
        let mut state: State = [0; 16];
        state[..4].copy_from_slice(&CONSTANTS);
        state[4..12].fill(u32::from_le_bytes([0x42; 4]));
        state[13..].fill(u32::from_le_bytes([7; 4]));
        let data: Vec<u8> = (0..200).map(|i| (i * 31 + 5) as u8).collect();
        for (aad, plaintext) in (0..100).map(|i| data.split_at(i)).map(|(aad, rest)| (aad, &rest[..aad.len()])) {
            let at = |block, bytes: &mut [u8]| kernel::apply::<_, ROUNDS>(Scalar::new(), &state, block, bytes);
            let mut block_0 = [0; 64];
            at(KEY_BLOCK, &mut block_0);
            let mut ciphertext = plaintext.to_vec();
            at(message_block(0), &mut ciphertext);
            let tag = finish_mac(begin_mac(&block_0, aad), &ciphertext, &lengths(aad.len(), ciphertext.len()));
            let expected = sealane_spec::aead::chacha20_aead_encrypt(aad, &key, &nonce, plaintext);
            assert_eq!((ciphertext, tag), expected);
        }
    }
}
