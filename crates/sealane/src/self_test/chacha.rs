//! ChaCha, Poly1305 and their combinations: the known answers that a backend must give before it is
//! used.

use sealane_simd::{CachedLevel, Level, dispatch};

use super::absorb;
use crate::aead::{SealRequest, XChaCha20Poly1305};
use crate::backend::{Backend, BatchFamily, ChaChaFamily, Family, SelfTestCache};
use crate::chacha20::kernel;
use crate::chacha20::state::State;
use crate::poly1305::{self, Accumulator};
use crate::quic::{HeaderProtectionKey, Mask, Sample};

impl Family for ChaChaFamily {
    type Level = Level;
    // The combination of both has separate kernels.
    const PRIMITIVES: &'static [&'static str] = &["chacha20", "poly1305", "xchacha20poly1305"];

    fn gives_known_answers(level: Level, primitive: usize) -> bool {
        match primitive {
            0 => chacha20_digest(level) == CHACHA20_DIGEST,
            1 => poly1305_digest(level) == POLY1305_DIGEST,
            _ => aead_digest(level) == AEAD_DIGEST,
        }
    }

    fn chosen() -> &'static CachedLevel<Level> {
        static CHOSEN: CachedLevel<Level> = CachedLevel::new();
        &CHOSEN
    }

    fn tested() -> &'static SelfTestCache {
        static TESTED: SelfTestCache = SelfTestCache::new();
        &TESTED
    }
}

impl Family for BatchFamily {
    type Level = Level;
    const PRIMITIVES: &'static [&'static str] = &["batch"];

    fn gives_known_answers(level: Level, _: usize) -> bool {
        batch_digest(level) == BATCH_DIGEST
    }

    fn chosen() -> &'static CachedLevel<Level> {
        static CHOSEN: CachedLevel<Level> = CachedLevel::new();
        &CHOSEN
    }

    fn tested() -> &'static SelfTestCache {
        static TESTED: SelfTestCache = SelfTestCache::new();
        &TESTED
    }
}

/// Lengths in bytes that between them reach every ChaCha kernel of every backend: one to four
/// horizontal sets and vertical groups of 4, 8 and 16 blocks, each with and without a rest, and
/// groups that are prepared together.
const CHACHA20_LENGTHS: [usize; 8] = [64, 150, 300, 500, 700, 900, 2300, 4200];
const MAX_CHACHA20_LENGTH: usize = 4200;

/// Lengths in bytes that reach every number of rows between two carries of Poly1305, on vectors of
/// 2, 4 and 8 blocks.
const POLY1305_LENGTHS: [usize; 9] = [64, 150, 550, 800, 1100, 2300, 6400, 8400, 16_700];
const MAX_POLY1305_LENGTH: usize = 16_700;

/// Returns a message of large, small and mixed bytes.
fn message<const BYTES: usize>() -> [u8; BYTES] {
    let mut message = [0xff; BYTES];
    let mut i = 200;
    while i < message.len() {
        message[i] = ((i * i) >> 3) as u8;
        i += 1 + (i >> 10);
    }
    message
}

const CHACHA20_DIGEST: u64 = 4_914_756_061_528_962_870;
/// The messages of a batch. There are enough to use every way of processing several at once on each
/// backend, and then single ones. Message i has i bytes of associated data.
const BATCH_MESSAGES: usize = 30;
const MAX_BATCH_LENGTH: usize = 229;
/// Packets whose masks are computed together: every way of processing several at once, and then
/// single ones.
const PACKETS: usize = 37;
/// Lengths of messages that are sealed and opened alone: short, of middle length, and longer.
const AEAD_LENGTHS: [usize; 4] = [100, 300, 1300, 5000];
const AEAD_KEY: [u8; 32] = [0x80; 32];

/// Returns the length of message i in a batch, in bytes.
const fn batch_length(i: usize) -> usize {
    match i % 3 {
        0 => 90 - i,
        1 => 200 + i,
        _ => i,
    }
}

const AEAD_DIGEST: u64 = 1_667_449_409_618_402_591;
const BATCH_DIGEST: u64 = 15_999_411_364_152_543_933;
const POLY1305_DIGEST: u64 = 13_478_069_683_544_395_994;

fn state() -> State {
    let mut state = [0; 16];
    for (i, word) in (0..).zip(&mut state) {
        *word = 0x0102_0304_u32.wrapping_mul(2 * i + 1);
    }
    state
}

fn chacha20_digest(level: Level) -> u64 {
    chacha20_digest_with(|state, counter, data| {
        dispatch!(level, token => kernel::apply::<_, 20>(token, state, counter, data));
    })
}

fn chacha20_digest_with(mut apply: impl FnMut(&State, u32, &mut [u8])) -> u64 {
    let state = state();
    let mut buffer = [0; MAX_CHACHA20_LENGTH];
    let mut digest = 0;
    for length in CHACHA20_LENGTHS {
        let data = &mut buffer[..length];
        apply(&state, length as u32, data);
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

/// Tags of messages, filled with zeros to whole blocks, each under a key that depends on the tag
/// before.
fn poly1305_digest_with(mut mac: impl FnMut(&[u8; 32], &[u8]) -> [u8; 16]) -> u64 {
    let message = message::<MAX_POLY1305_LENGTH>();
    let mut key = [0xff; 32];
    let mut digest = 0;
    for length in POLY1305_LENGTHS {
        let tag = mac(&key, &message[..length]);
        digest = absorb(digest, &tag);
        key[..16].copy_from_slice(&tag);
    }
    digest
}

/// Returns the samples of packets, with a different block counter and nonce each.
fn samples() -> [Sample; PACKETS] {
    core::array::from_fn(|i| core::array::from_fn(|j| (i * 29 + j * 83) as u8))
}

/// Seals a batch under one key, and computes the masks of packets.
fn batch_digest(level: Level) -> u64 {
    let cipher = XChaCha20Poly1305::with_backend(&AEAD_KEY, Backend::of(level));
    let aad = [0xff; BATCH_MESSAGES];
    let mut tags = [[0; 16]; BATCH_MESSAGES];
    let mut buffers = [[0; MAX_BATCH_LENGTH]; BATCH_MESSAGES];
    let mut outputs = buffers.iter_mut().zip(&mut tags);
    let mut requests: [_; BATCH_MESSAGES] = core::array::from_fn(|i| {
        let (buffer, tag) = outputs.next().expect("one for each message");
        SealRequest::new([i as u8; 24], &aad[..i], &mut buffer[..batch_length(i)], tag)
    });
    cipher.seal_batch_untested(&mut requests);
    let digest = buffers.iter().zip(&tags).fold(0, |digest, (buffer, tag)| absorb(absorb(digest, buffer), tag));
    let mut masks: [Mask; PACKETS] = [[0; _]; _];
    let key = HeaderProtectionKey::with_backend(&AEAD_KEY, Backend::of(level));
    key.header_protection_masks_untested(&samples(), &mut masks);
    absorb(digest, masks.as_flattened())
}

/// Seals messages, and opens them, which restores them.
fn aead_digest(level: Level) -> u64 {
    let cipher = XChaCha20Poly1305::with_backend(&AEAD_KEY, Backend::of(level));
    let mut digest = 0;
    let mut buffer = [0; AEAD_LENGTHS[AEAD_LENGTHS.len() - 1]];
    for length in AEAD_LENGTHS {
        let (nonce, data) = ([length as u8; 24], &mut buffer[..length]);
        let tag = cipher.seal_in_place(&nonce, &[0xff; 13], data);
        digest = absorb(absorb(digest, data), &tag);
        let opened = cipher.open_in_place(&nonce, &[0xff; 13], data, &tag);
        digest = absorb(digest, &[u8::from(opened.is_ok() && data.iter().all(|byte| *byte == 0))]);
    }
    digest
}

#[cfg(test)]
mod tests {
    use sealane_simd::LevelList;

    use super::*;
    use crate::backend::SelfTest;

    #[test]
    fn every_level_gives_the_known_answers() {
        for level in Level::available() {
            assert_eq!(chacha20_digest(level), CHACHA20_DIGEST, "{level:?}");
            assert_eq!(poly1305_digest(level), POLY1305_DIGEST, "{level:?}");
            assert_eq!(aead_digest(level), AEAD_DIGEST, "{level:?}");
            assert_eq!(batch_digest(level), BATCH_DIGEST, "{level:?}");
            assert!(SelfTest::of(level).passed());
            assert!(SelfTest::of(level).passed(), "and again, from the cache");
        }
    }

    #[test]
    fn the_known_answers_are_those_of_the_references() {
        let chacha20 = chacha20_digest_with(|state, counter, data| {
            for (i, block) in (0..).zip(data.chunks_mut(64)) {
                let mut state = *state;
                state[12] = counter + i;
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
        let seal = |aad, nonce: u8, length| {
            sealane_spec::aead::xchacha20_aead_encrypt(
                aad,
                &AEAD_KEY,
                &[nonce; 24],
                &[0; AEAD_LENGTHS[AEAD_LENGTHS.len() - 1]][..length],
            )
        };
        let batch = (0..BATCH_MESSAGES).fold(0, |digest, i| {
            let (mut ciphertext, tag) = seal(&[0xff; BATCH_MESSAGES][..i], i as u8, batch_length(i));
            ciphertext.resize(MAX_BATCH_LENGTH, 0);
            absorb(absorb(digest, &ciphertext), &tag)
        });
        let masks = samples().map(|sample| sealane_spec::quic::header_protection(&AEAD_KEY, &sample));
        assert_eq!(absorb(batch, masks.as_flattened()), BATCH_DIGEST);
        let aead = AEAD_LENGTHS.into_iter().fold(0, |digest, length| {
            let (ciphertext, tag) = seal(&[0xff; 13], length as u8, length);
            absorb(absorb(absorb(digest, &ciphertext), &tag), &[1])
        });
        assert_eq!(aead, AEAD_DIGEST);
    }
}
