//! The random coefficients: the key stream of ChaCha20 in the layout with a 64-bit counter.
//!
//! The secret's bytes are counted in blocks of 64. For block b, key-stream blocks (k - 1) b to (k - 1) b + k - 2 are the
//! coefficients of x, x^2, …, x^(k-1). So a secret gets the same coefficients in one piece and in many, and no bytes of
//! key stream serve twice.

use sealane_simd::Simd;

use crate::chacha20::{BLOCK_BYTES, CONSTANTS, State, kernel};
use crate::wipe::wipe;

/// What the coefficients are for: the nonce, so that one seed does not give the same ones for two purposes.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Split = 0,
    Refresh = 1,
}

/// A key stream and how many bytes of the secret have had their coefficients.
pub(super) struct Coefficients {
    state: State,
    position: u64,
}

impl Coefficients {
    pub(super) fn new(seed: &[u8; 32], purpose: Purpose) -> Self {
        let mut state = [0; 16];
        state[..4].copy_from_slice(&CONSTANTS);
        for (word, bytes) in state[4..12].iter_mut().zip(seed.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        state[14] = purpose as u32;
        Self { state, position: 0 }
    }

    /// Where in its block the next byte of the secret is.
    #[inline(always)]
    pub(super) fn offset(&self) -> usize {
        (self.position % BLOCK_BYTES as u64) as usize
    }

    /// Fills `buffer` with the coefficients, `per_byte` for each byte of the secret, from the block on that the next byte is
    /// in.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&self, token: S, per_byte: usize, buffer: &mut [u8]) {
        buffer.fill(0);
        if !buffer.is_empty() {
            let counter = (self.position / BLOCK_BYTES as u64).checked_mul(per_byte as u64);
            // 2^64 blocks of key stream take centuries.
            let counter = counter.expect("fewer than 2^62 bytes are shared with one seed");
            kernel::apply::<S, 20, true>(token, &self.state, counter, buffer);
        }
    }

    /// Goes on by so many bytes of the secret.
    #[inline(always)]
    pub(super) fn advance(&mut self, bytes: usize) {
        self.position += bytes as u64;
    }
}

impl Drop for Coefficients {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl zeroize::ZeroizeOnDrop for Coefficients {}
