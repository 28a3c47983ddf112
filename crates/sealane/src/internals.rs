//! Kernels on a token that the caller holds, for the benchmark of dispatch (`sealane bench`).
//!
//! No promise of stability: this is not part of the interface. `state` is the input of ChaCha20's block function
//! (RFC 8439, section 2.3), whose counter word is ignored.

use sealane_simd::Simd;

use crate::Tag;
use crate::chacha20::kernel::{self, xor_bytes};
use crate::poly1305::{Accumulator, padded};

/// The longest message of [`seal`] in bytes.
pub const MAX_SEAL_BYTES: usize = 448;

/// Exclusive or of `data` with the ChaCha20 key stream from block `counter` on.
#[inline(always)]
pub fn chacha20<S: Simd>(token: S, state: &[u32; 16], counter: u32, data: &mut [u8]) {
    kernel::apply::<S, 20, false>(token, state, counter.into(), data);
}

/// The tag of `message`, filled with zeros to whole blocks.
#[inline(always)]
pub fn poly1305<S: Simd>(token: S, key: &[u8; 32], message: &[u8]) -> Tag {
    let mut mac = Accumulator::new(key);
    padded(token, &mut mac, message);
    mac.tag()
}

/// ChaCha20-Poly1305 of a message of up to [`MAX_SEAL_BYTES`], in place, with one call of the cipher.
#[inline(always)]
pub fn seal<S: Simd>(token: S, state: &[u32; 16], aad: &[u8], message: &mut [u8]) -> Tag {
    let mut key_stream = [0; 64 + MAX_SEAL_BYTES];
    chacha20(token, state, 0, &mut key_stream[..64 + message.len().next_multiple_of(64)]);
    let mut mac = Accumulator::new(key_stream.first_chunk().expect("half of block 0"));
    padded(token, &mut mac, aad);
    xor_bytes(message, &key_stream[64..]);
    padded(token, &mut mac, message);
    let lengths = [(aad.len() as u64).to_le_bytes(), (message.len() as u64).to_le_bytes()];
    padded(token, &mut mac, lengths.as_flattened());
    crate::wipe::wipe(&mut key_stream);
    mac.tag()
}
