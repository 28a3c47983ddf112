//! Known answers that a backend must give before it is used.
//!
//! Emulators and virtual machines have shipped with wrong vector instructions. A few microseconds once in a process make
//! sure that a fault shows as a slower backend, not as a file that nobody can open.

use core::sync::atomic::{AtomicU32, Ordering};

use sealane_simd::{Level, dispatch};

use super::Backend;
use crate::chacha20::kernel::{self, State};
use crate::poly1305::{self, Accumulator};
use crate::{SealRequest, XChaCha20Poly1305};

/// What a backend's known-answer test said, primitive by primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfTest {
    chacha20: bool,
    poly1305: bool,
}

const TESTED: u32 = 1;
const CHACHA20: u32 = 2;
const POLY1305: u32 = 4;
/// Bits for each level in the cache.
const WIDTH: usize = 4;

impl SelfTest {
    /// Whether ChaCha20 gave the known answers.
    #[must_use]
    pub fn chacha20(self) -> bool {
        self.chacha20
    }

    /// Whether Poly1305 gave the known answers.
    #[must_use]
    pub fn poly1305(self) -> bool {
        self.poly1305
    }

    /// Whether all primitives did.
    #[must_use]
    pub fn passed(self) -> bool {
        self.chacha20 && self.poly1305
    }

    /// The result for `level`, computed on the first call in a process.
    pub(super) fn of(level: Level) -> Self {
        static CACHE: AtomicU32 = AtomicU32::new(0);
        const { assert!(WIDTH * Level::NAMES.len() <= 32, "one more backend than the cache has room for") };
        let shift = WIDTH * level.index();
        // Relaxed: the value stands for itself, and every thread would compute the same one.
        let cached = CACHE.load(Ordering::Relaxed);
        let mut bits = cached >> shift;
        if bits & TESTED == 0 {
            bits = TESTED;
            bits |= if chacha20_digest(level) == CHACHA20_DIGEST { CHACHA20 } else { 0 };
            bits |= if poly1305_digest(level) == POLY1305_DIGEST { POLY1305 } else { 0 };
            // Of both, with kernels of its own.
            bits &= if batch_digest(level) == BATCH_DIGEST { bits } else { TESTED };
            // Not an atomic "or", which not every CPU has: should another thread's result get lost, it is computed again.
            CACHE.store(cached | bits << shift, Ordering::Relaxed);
        }
        Self { chacha20: bits & CHACHA20 != 0, poly1305: bits & POLY1305 != 0 }
    }
}

/// Lengths in bytes that between them reach every ChaCha kernel of every backend: one to four horizontal sets and vertical
/// groups of 4, 8 and 16 blocks, each with and without a rest.
const CHACHA20_LENGTHS: [usize; 7] = [64, 150, 300, 500, 700, 900, 2300];
const MAX_CHACHA20_LENGTH: usize = 2300;

/// Lengths in bytes that reach every number of rows between two carries of Poly1305, on vectors of 2, 4 and 8 blocks.
const POLY1305_LENGTHS: [usize; 6] = [64, 150, 550, 1100, 2300, 6400];
const MAX_POLY1305_LENGTH: usize = 6400;

/// A message of large, small and mixed bytes.
static MESSAGE: [u8; MAX_POLY1305_LENGTH] = {
    let mut message = [0xff; MAX_POLY1305_LENGTH];
    let mut i = 200;
    while i < message.len() {
        message[i] = ((i * i) >> 3) as u8;
        i += 1 + (i >> 10);
    }
    message
};

const CHACHA20_DIGEST: u64 = 10_759_987_996_218_673_221;
/// Messages of a batch: more than any vector has lanes for Poly1305. Message i has 37 i bytes, and i of associated data.
const BATCH_MESSAGES: usize = 11;
const MAX_BATCH_LENGTH: usize = 37 * (BATCH_MESSAGES - 1);
const BATCH_KEY: [u8; 32] = [0x80; 32];

const BATCH_DIGEST: u64 = 13_830_803_506_501_804_337;
const POLY1305_DIGEST: u64 = 3_703_912_576_234_969_133;

/// A digest that every byte goes into. It guards against faults, not against people.
fn absorb(digest: u64, bytes: &[u8]) -> u64 {
    let mut digest = digest;
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        digest = (digest ^ u64::from_le_bytes(padded)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    digest
}

fn state() -> State {
    let mut state = [0; 16];
    for (i, word) in (0..).zip(&mut state) {
        *word = 0x0102_0304_u32.wrapping_mul(2 * i + 1);
    }
    state
}

fn chacha20_digest(level: Level) -> u64 {
    chacha20_digest_with(|wide_counter, state, counter, data| {
        if wide_counter {
            dispatch!(level, token => kernel::apply::<_, 20, true>(token, state, counter, data));
        } else {
            dispatch!(level, token => kernel::apply::<_, 20, false>(token, state, counter, data));
        }
    })
}

/// Key streams with a 32-bit counter, and with a 64-bit one that carries within the widest group.
fn chacha20_digest_with(mut apply: impl FnMut(bool, &State, u64, &mut [u8])) -> u64 {
    let state = state();
    let mut buffer = [0; MAX_CHACHA20_LENGTH];
    let mut digest = 0;
    for length in CHACHA20_LENGTHS {
        let data = &mut buffer[..length];
        apply(false, &state, length as u64, data);
        apply(true, &state, u64::from(u32::MAX) - 2, data);
        digest = absorb(digest, data);
    }
    digest
}

fn poly1305_digest(level: Level) -> u64 {
    poly1305_digest_with(|key, message| {
        let mut accumulator = Accumulator::new(key);
        dispatch!(level, token => poly1305::padded(token, &mut accumulator, message));
        accumulator.tag()
    })
}

/// Tags of messages, filled with zeros to whole blocks, each under a key that depends on the tag before.
fn poly1305_digest_with(mut mac: impl FnMut(&[u8; 32], &[u8]) -> [u8; 16]) -> u64 {
    let mut key = [0xff; 32];
    let mut digest = 0;
    for length in POLY1305_LENGTHS {
        let tag = mac(&key, &MESSAGE[..length]);
        digest = absorb(digest, &tag);
        key[..16].copy_from_slice(&tag);
    }
    digest
}

fn batch_digest(level: Level) -> u64 {
    let mut tags = [[0; 16]; BATCH_MESSAGES];
    let mut buffers = [[0; MAX_BATCH_LENGTH]; BATCH_MESSAGES];
    let mut outputs = buffers.iter_mut().zip(&mut tags);
    let mut requests: [_; BATCH_MESSAGES] = core::array::from_fn(|i| {
        let (buffer, tag) = outputs.next().expect("one for each message");
        SealRequest::new([i as u8; 24], &MESSAGE[..i], &mut buffer[..37 * i], tag)
    });
    XChaCha20Poly1305::with_backend(&BATCH_KEY, Backend::of(level)).seal_batch(&mut requests);
    buffers.iter().zip(&tags).fold(0, |digest, (buffer, tag)| absorb(absorb(digest, buffer), tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_gives_the_known_answers() {
        for level in Level::available() {
            assert_eq!(chacha20_digest(level), CHACHA20_DIGEST, "{level:?}");
            assert_eq!(poly1305_digest(level), POLY1305_DIGEST, "{level:?}");
            assert_eq!(batch_digest(level), BATCH_DIGEST, "{level:?}");
            assert!(SelfTest::of(level).passed());
            assert!(SelfTest::of(level).passed(), "and again, from the cache");
        }
    }

    #[test]
    fn the_known_answers_are_those_of_the_references() {
        let chacha20 = chacha20_digest_with(|wide_counter, state, counter, data| {
            for (i, block) in (0..).zip(data.chunks_mut(64)) {
                let mut state = *state;
                let counter: u64 = counter + i;
                state[12] = counter as u32;
                if wide_counter {
                    state[13] = (counter >> 32) as u32;
                }
                let mut sum = sealane_spec::chacha::permute(20, state);
                sum.iter_mut().zip(state).for_each(|(word, initial)| *word = word.wrapping_add(initial));
                let key_stream = sealane_spec::chacha::serialize(&sum);
                block.iter_mut().zip(key_stream).for_each(|(byte, key)| *byte ^= key);
            }
        });
        assert_eq!(chacha20, CHACHA20_DIGEST);
        let poly1305 = poly1305_digest_with(|key, message| {
            let mut padded = message.to_vec();
            padded.resize(message.len().next_multiple_of(16), 0);
            sealane_spec::poly1305::poly1305_mac(&padded, key)
        });
        assert_eq!(poly1305, POLY1305_DIGEST);
        let batch = (0..BATCH_MESSAGES).fold(0, |digest, i| {
            let (aad, plaintext) = (&MESSAGE[..i], [0; MAX_BATCH_LENGTH]);
            let (mut ciphertext, tag) =
                sealane_spec::aead::xchacha20_aead_encrypt(aad, &BATCH_KEY, &[i as u8; 24], &plaintext[..37 * i]);
            ciphertext.resize(MAX_BATCH_LENGTH, 0);
            absorb(absorb(digest, &ciphertext), &tag)
        });
        assert_eq!(batch, BATCH_DIGEST);
    }

    #[test]
    fn a_digest_sees_every_byte() {
        let bytes = [7; 100];
        for i in 0..bytes.len() {
            let mut wrong = bytes;
            wrong[i] ^= 0x10;
            assert_ne!(absorb(0, &wrong), absorb(0, &bytes));
        }
    }
}
