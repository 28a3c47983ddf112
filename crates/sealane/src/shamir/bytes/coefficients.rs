//! The random coefficients: the key stream of ChaCha20 in the layout with a 64-bit counter.
//!
//! The secret is counted in blocks of 64 bytes. For block b, the k - 1 key-stream blocks from
//! (k - 1) b on are the coefficients of x, x^2, …, x^(k-1). A secret therefore gets the same
//! coefficients in one piece and in many, and no byte of key stream is used twice.

use sealane_simd::Simd;

use crate::chacha20::{BLOCK_BYTES, CONSTANTS, State, kernel};
use crate::wipe::wipe;

/// The purpose of the coefficients. It is the nonce, so that one seed gives different coefficients
/// for each purpose.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Split = 0,
    Refresh = 1,
}

/// A key stream, and the number of bytes of the secret that have received their coefficients.
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

    /// Returns the position of the secret's next byte in its block.
    #[inline(always)]
    pub(super) fn offset(&self) -> usize {
        (self.position % BLOCK_BYTES as u64) as usize
    }

    /// Fills `buffer` with coefficients, `per_byte` for each byte of the secret, starting at the
    /// block that contains the secret's next byte.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, token: S, per_byte: usize, buffer: &mut [u8]) {
        buffer.fill(0);
        if !buffer.is_empty() {
            let counter = (self.position / BLOCK_BYTES as u64).checked_mul(per_byte as u64);
            // Producing 2^64 blocks of key stream takes centuries.
            let counter = counter.expect("fewer than 2^62 bytes are shared with one seed");
            kernel::with_word_13(&mut self.state, counter, buffer, |state, counter, buffer| {
                kernel::apply::<S, 20>(token, state, counter, buffer);
            });
        }
    }

    /// Skips `bytes` bytes of the secret.
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
