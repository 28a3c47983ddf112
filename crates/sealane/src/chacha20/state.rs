//! The input of the block function.

use super::KEY_BYTES;

/// "expand 32-byte k" (RFC 8439, section 2.3).
pub(crate) const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The input of the block function (RFC 8439, section 2.3): constants, key, block counter, nonce.
///
/// Most kernels ignore word 12 and get the block counter as an argument. HChaCha uses all words,
/// and [`super::paired`] starts at word 12 if two groups belong to two messages. With a 64-bit
/// counter, the argument is its low half, and [`super::kernel::with_word_13`] sets word 13 to its
/// high half.
pub(crate) type State = [u32; 16];

/// Fills `state` with the constants, the key, and a last row with the halves `low` and `high`, as
/// little-endian words. The row is passed as halves, because kernels load it in parts: a load whose
/// bytes come from two stores has to wait until both are in the cache.
#[inline(always)]
pub(super) fn fill(state: &mut State, key: &[u8; KEY_BYTES], low: u64, high: u64) {
    state[..4].copy_from_slice(&CONSTANTS);
    for (word, bytes) in state[4..12].iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    state[12..].copy_from_slice(&[low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]);
}

/// Returns eight bytes as a little-endian number.
#[inline(always)]
pub(super) fn half(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes"))
}
