//! ChaCha, Poly1305 and their combinations: the known answers that a backend must give before it is
//! used.

use sealane_simd::{Level, LevelList};

use super::absorb;
use crate::aead::{OpenRequest, SealRequest, XChaCha20Poly1305};
use crate::backend::{Backend, BatchFamily, ChaChaFamily, Family};
use crate::chacha20::state::State;
use crate::chacha20::xor_chacha20;
use crate::poly1305::{self, Accumulator};
use crate::quic::{HeaderProtectionKey, Mask, Sample};

impl Family for ChaChaFamily {
    type Level = Level;
    // The AEAD is listed too, because it has separate kernels for the combination of both.
    const PRIMITIVES: &'static [&'static str] = &["chacha20", "poly1305", "xchacha20poly1305"];

    fn gives_known_answers(level: Level, primitive: usize) -> bool {
        if is_portable(level) { portable_code_is_right(level, primitive) } else { vectors_are_right(level, primitive) }
    }

    caches!(Level);
}

impl Family for BatchFamily {
    type Level = Level;
    const PRIMITIVES: &'static [&'static str] = &["batch"];

    fn gives_known_answers(level: Level, _: usize) -> bool {
        batch_digest(level) == BATCH_DIGEST
    }

    caches!(Level);
}

/// Lengths in bytes that together reach one to seven horizontal sets and vertical groups of 4, 8
/// and 16 blocks, most of them with a remainder, and groups that share a prepared state.
const CHACHA20_LENGTHS: [usize; 11] = [64, 150, 300, 500, 700, 900, 1150, 1400, 1700, 2300, 4200];
/// The first of these lengths, which reach all portable code: groups of 4 blocks.
const PORTABLE_CHACHA20_LENGTHS: &[usize] = CHACHA20_LENGTHS.split_at(5).0;

/// Lengths in bytes that reach every number of rows between two carries of Poly1305, on vectors of
/// 2, 4 and 8 blocks.
const POLY1305_LENGTHS: [usize; 11] = [64, 150, 550, 800, 1100, 600, 1600, 2300, 6400, 8400, 16_700];
/// The first of these lengths, which reach all portable code: one chain and two chains.
const PORTABLE_POLY1305_LENGTHS: &[usize] = POLY1305_LENGTHS.split_at(5).0;

/// Lengths in bytes of messages that are sealed and opened alone: short, medium and long. After
/// their groups, some have one set, and some have two. On CPUs with AVX-512 and IFMA of the classes
/// `one-cycle` and `half-width`, 40 bytes are processed on narrower vectors, on `half-width` also
/// 300, and 250, 500, 1000 and 2040 bytes fill sets or groups, beside which block 0 is computed on
/// integers. On `half-width`, 540 bytes are sets of narrower vectors, and 1100 a group and such a
/// set. 2100 bytes are two groups and a set.
const AEAD_LENGTHS: [usize; 15] = [100, 300, 1300, 40, 250, 500, 540, 700, 1000, 1100, 1200, 1700, 2040, 2100, 5000];
/// The first of these lengths, which reach all portable code.
const PORTABLE_AEAD_LENGTHS: &[usize] = AEAD_LENGTHS.split_at(3).0;
const AEAD_KEY: [u8; 32] = [0x80; 32];

/// The number of messages in a batch. It is enough to use every way of processing several short
/// messages at once on each backend, and then single messages. Message i has i bytes of associated
/// data.
const BATCH_MESSAGES: usize = 38;
const MAX_BATCH_LENGTH: usize = 237;
/// The number of messages in a batch of longer messages, of 390 to 1166 bytes. After their groups,
/// some messages have one set, some two, and some more.
const LONG_BATCH_MESSAGES: usize = 9;
const MAX_LONG_BATCH_LENGTH: usize = long_batch_length(LONG_BATCH_MESSAGES - 1);
/// The number of packets whose masks are computed together. It is enough to use every way of
/// processing several packets at once, and then single packets.
const PACKETS: usize = 37;

/// Returns the length of message i in a batch, in bytes.
const fn batch_length(i: usize) -> usize {
    match i % 3 {
        0 => 90 - i,
        1 => 200 + i,
        _ => i,
    }
}

/// Returns the length of message i in a batch of longer messages, in bytes.
const fn long_batch_length(i: usize) -> usize {
    390 + 97 * i
}

const CHACHA20_DIGEST: u64 = 2_642_807_610_203_066_892;
const PORTABLE_CHACHA20_DIGEST: u64 = 17_091_570_735_982_981_729;
const POLY1305_DIGEST: u64 = 17_426_362_172_233_920_430;
const PORTABLE_POLY1305_DIGEST: u64 = 3_316_389_953_678_492_430;
const AEAD_DIGEST: u64 = 16_455_823_870_855_954_320;
const PORTABLE_AEAD_DIGEST: u64 = 5_084_563_460_976_788_541;
const BATCH_DIGEST: u64 = 14_804_887_820_058_162_888;

/// Returns the last of the lengths, which is the largest.
const fn largest(lengths: &[usize]) -> usize {
    lengths[lengths.len() - 1]
}

/// Returns whether the level is portable code, which is the first in every list. On targets without
/// vectors, the compiler knows the answer.
fn is_portable(level: Level) -> bool {
    level.index() == 0
}

/// Checks the primitive on vectors.
// Not inlined: a microcontroller has no stack for these buffers.
#[inline(never)]
fn vectors_are_right(level: Level, primitive: usize) -> bool {
    match primitive {
        0 => chacha20_digest(level, &CHACHA20_LENGTHS, &mut [0; largest(&CHACHA20_LENGTHS)]) == CHACHA20_DIGEST,
        1 => poly1305_digest(level, &POLY1305_LENGTHS, &mut [0; largest(&POLY1305_LENGTHS)]) == POLY1305_DIGEST,
        _ => aead_digest(level, &AEAD_LENGTHS, &mut [0; largest(&AEAD_LENGTHS)]) == AEAD_DIGEST,
    }
}

/// Checks the primitive in portable code, which has fewer kernels and may have little memory.
fn portable_code_is_right(level: Level, primitive: usize) -> bool {
    let mut buffer = [0; largest(PORTABLE_AEAD_LENGTHS)];
    match primitive {
        0 => chacha20_digest(level, PORTABLE_CHACHA20_LENGTHS, &mut buffer) == PORTABLE_CHACHA20_DIGEST,
        1 => poly1305_digest(level, PORTABLE_POLY1305_LENGTHS, &mut buffer) == PORTABLE_POLY1305_DIGEST,
        _ => aead_digest(level, PORTABLE_AEAD_LENGTHS, &mut buffer) == PORTABLE_AEAD_DIGEST,
    }
}

fn state() -> State {
    let mut state = [0; 16];
    for (i, word) in (0..).zip(&mut state) {
        *word = 0x0102_0304_u32.wrapping_mul(2 * i + 1);
    }
    state
}

/// Returns a digest of the start of `buffer`, encrypted at each length in turn.
// Not inlined, so that what it keeps on the stack is there only during this call. The same holds
// for the digests of the other primitives.
#[inline(never)]
fn chacha20_digest(level: Level, lengths: &[usize], buffer: &mut [u8]) -> u64 {
    chacha20_digest_with(lengths, buffer, |state, counter, data| {
        xor_chacha20(level, state, counter, data);
    })
}

fn chacha20_digest_with(lengths: &[usize], buffer: &mut [u8], mut apply: impl FnMut(&State, u32, &mut [u8])) -> u64 {
    let state = state();
    let mut digest = 0;
    for &length in lengths {
        let data = &mut buffer[..length];
        apply(&state, length as u32, data);
        digest = absorb(digest, data);
    }
    digest
}

/// Returns a digest of the tags of messages of each length, which are written to `buffer`.
#[inline(never)]
fn poly1305_digest(level: Level, lengths: &[usize], buffer: &mut [u8]) -> u64 {
    poly1305_digest_with(lengths, buffer, |key, message| {
        let mut accumulator = Accumulator::new(key);
        poly1305::padded(level, &mut accumulator, message);
        accumulator.tag()
    })
}

/// Does the same as [`poly1305_digest`]. `mac` computes the tag of a message, filled with zeros to
/// whole blocks. Each key depends on the previous tag.
fn poly1305_digest_with(
    lengths: &[usize],
    buffer: &mut [u8],
    mut mac: impl FnMut(&[u8; 32], &[u8]) -> [u8; 16],
) -> u64 {
    fill_message(buffer);
    let mut key = [0xff; 32];
    let mut digest = 0;
    for &length in lengths {
        let tag = mac(&key, &buffer[..length]);
        digest = absorb(digest, &tag);
        key[..16].copy_from_slice(&tag);
    }
    digest
}

/// Returns the samples of packets, each with a different block counter and nonce.
fn samples() -> [Sample; PACKETS] {
    core::array::from_fn(|i| core::array::from_fn(|j| (i * 29 + j * 83) as u8))
}

/// Writes a message of large, small and mixed bytes.
fn fill_message(message: &mut [u8]) {
    message.fill(0xff);
    let mut i = 200;
    while i < message.len() {
        message[i] = ((i * i) >> 3) as u8;
        i += 1 + (i >> 10);
    }
}

/// Returns a digest of two batches that are sealed under one key, of the longer messages when they
/// are opened, and of the masks of packets.
fn batch_digest(level: Level) -> u64 {
    let cipher = XChaCha20Poly1305::with_backend(&AEAD_KEY, Backend::of(level));
    let digest = short_batch_digest(&cipher);
    let mut masks: [Mask; PACKETS] = [[0; _]; _];
    let key = HeaderProtectionKey::with_backend(&AEAD_KEY, Backend::of(level));
    key.header_protection_masks_untested(&samples(), &mut masks);
    long_batch_digest(absorb(digest, masks.as_flattened()), &cipher)
}

// Neither this function nor `long_batch_digest` is inlined, so that their buffers are not on the
// stack at the same time.
#[inline(never)]
fn short_batch_digest(cipher: &XChaCha20Poly1305) -> u64 {
    let aad = [0xff; BATCH_MESSAGES];
    let mut tags = [[0; 16]; BATCH_MESSAGES];
    let mut buffers = [[0; MAX_BATCH_LENGTH]; BATCH_MESSAGES];
    let mut outputs = buffers.iter_mut().zip(&mut tags);
    let mut requests: [_; BATCH_MESSAGES] = core::array::from_fn(|i| {
        let (buffer, tag) = outputs.next().expect("one for each message");
        SealRequest::new([i as u8; 24], &aad[..i], &mut buffer[..batch_length(i)], tag)
    });
    cipher.seal_batch_untested(&mut requests);
    absorb_batch(0, &buffers, &tags)
}

/// Returns a digest of `digest` and sealed messages.
fn absorb_batch<const BYTES: usize>(digest: u64, buffers: &[[u8; BYTES]], tags: &[[u8; 16]]) -> u64 {
    buffers.iter().zip(tags).fold(digest, |digest, (buffer, tag)| absorb(absorb(digest, buffer), tag))
}

/// Returns a digest of `digest` and the batch of longer messages, sealed and opened.
#[inline(never)]
fn long_batch_digest(mut digest: u64, cipher: &XChaCha20Poly1305) -> u64 {
    let mut tags = [[0; 16]; LONG_BATCH_MESSAGES];
    let mut buffers = [[0; MAX_LONG_BATCH_LENGTH]; LONG_BATCH_MESSAGES];
    let mut outputs = buffers.iter_mut().zip(&mut tags);
    let mut requests: [_; LONG_BATCH_MESSAGES] = core::array::from_fn(|i| {
        let (buffer, tag) = outputs.next().expect("one for each message");
        SealRequest::new([i as u8; 24], &[0xff; 13], &mut buffer[..long_batch_length(i)], tag)
    });
    cipher.seal_batch_untested(&mut requests);
    digest = absorb_batch(digest, &buffers, &tags);

    let mut inputs = buffers.iter_mut().zip(&tags);
    let mut requests: [_; LONG_BATCH_MESSAGES] = core::array::from_fn(|i| {
        let (buffer, tag) = inputs.next().expect("one for each message");
        OpenRequest::new([i as u8; 24], &[0xff; 13], &mut buffer[..long_batch_length(i)], tag)
    });
    cipher.open_batch_untested(&mut requests);
    let are_authentic = requests.iter_mut().all(|request| request.plaintext().is_ok());
    let are_restored = buffers.as_flattened().iter().all(|byte| *byte == 0);
    absorb(digest, &[u8::from(are_authentic && are_restored)])
}

/// Returns a digest of messages of zeros that are sealed in `buffer`. Opens each again, which must
/// restore the zeros.
#[inline(never)]
fn aead_digest(level: Level, lengths: &[usize], buffer: &mut [u8]) -> u64 {
    let cipher = XChaCha20Poly1305::with_backend(&AEAD_KEY, Backend::of(level));
    let mut digest = 0;
    for &length in lengths {
        let (nonce, data) = ([length as u8; 24], &mut buffer[..length]);
        let tag = cipher.seal_in_place(&nonce, &[0xff; 13], data);
        digest = absorb(absorb(digest, data), &tag);
        let opened = cipher.open_in_place(&nonce, &[0xff; 13], data, &tag);
        digest = absorb(digest, &[u8::from(opened.is_ok() && data.iter().all(|byte| *byte == 0))]);
    }
    digest
}

#[cfg(feature = "checks")]
pub(super) fn check_every_level() {
    use crate::backend::SelfTest;
    for level in Level::available() {
        for primitive in 0..ChaChaFamily::PRIMITIVES.len() {
            // Portable code gives both answers.
            assert!(vectors_are_right(level, primitive), "{level:?}, {primitive}");
            assert!(portable_code_is_right(level, primitive), "{level:?}, {primitive}");
        }
        assert_eq!(batch_digest(level), BATCH_DIGEST, "{level:?}");
        assert!(SelfTest::of(level).passed());
        assert!(SelfTest::of(level).passed(), "and again, from the cache");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answers_of_chacha20_are_those_of_the_reference() {
        let digest = |lengths: &[usize]| {
            chacha20_digest_with(lengths, &mut [0; largest(&CHACHA20_LENGTHS)], |state, counter, data| {
                for (i, block) in (0..).zip(data.chunks_mut(64)) {
                    let mut state = *state;
                    state[12] = counter + i;
                    let mut sum = sealane_spec::chacha::permute(20, state);
                    sum.iter_mut().zip(state).for_each(|(word, initial)| *word = word.wrapping_add(initial));
                    let key_stream = sealane_spec::chacha::serialize(&sum);
                    block.iter_mut().zip(key_stream).for_each(|(byte, key)| *byte ^= key);
                }
            })
        };
        assert_eq!(digest(&CHACHA20_LENGTHS), CHACHA20_DIGEST);
        assert_eq!(digest(PORTABLE_CHACHA20_LENGTHS), PORTABLE_CHACHA20_DIGEST);
    }

    #[test]
    fn the_known_answers_of_poly1305_are_those_of_the_reference() {
        let digest = |lengths: &[usize]| {
            poly1305_digest_with(lengths, &mut [0; largest(&POLY1305_LENGTHS)], |key, message| {
                let mut padded = message.to_vec();
                padded.resize(message.len().next_multiple_of(16), 0);
                sealane_spec::poly1305::poly1305_mac(&padded, key)
            })
        };
        assert_eq!(digest(&POLY1305_LENGTHS), POLY1305_DIGEST);
        assert_eq!(digest(PORTABLE_POLY1305_LENGTHS), PORTABLE_POLY1305_DIGEST);
    }

    #[test]
    fn the_known_answers_of_messages_are_those_of_the_reference() {
        let seal = |aad, nonce: u8, length| {
            let plaintext = &[0; largest(&AEAD_LENGTHS)][..length];
            sealane_spec::aead::xchacha20_aead_encrypt(aad, &AEAD_KEY, &[nonce; 24], plaintext)
        };
        let batch = (0..BATCH_MESSAGES).fold(0, |digest, i| {
            let (mut ciphertext, tag) = seal(&[0xff; BATCH_MESSAGES][..i], i as u8, batch_length(i));
            ciphertext.resize(MAX_BATCH_LENGTH, 0);
            absorb(absorb(digest, &ciphertext), &tag)
        });
        let masks = samples().map(|sample| sealane_spec::quic::header_protection(&AEAD_KEY, &sample));
        let batch = (0..LONG_BATCH_MESSAGES).fold(absorb(batch, masks.as_flattened()), |digest, i| {
            let (mut ciphertext, tag) = seal(&[0xff; 13], i as u8, long_batch_length(i));
            ciphertext.resize(MAX_LONG_BATCH_LENGTH, 0);
            absorb(absorb(digest, &ciphertext), &tag)
        });
        assert_eq!(absorb(batch, &[1]), BATCH_DIGEST);
        let digest = |lengths: &[usize]| {
            lengths.iter().fold(0, |digest, &length| {
                let (ciphertext, tag) = seal(&[0xff; 13], length as u8, length);
                absorb(absorb(absorb(digest, &ciphertext), &tag), &[1])
            })
        };
        assert_eq!(digest(&AEAD_LENGTHS), AEAD_DIGEST);
        assert_eq!(digest(PORTABLE_AEAD_LENGTHS), PORTABLE_AEAD_DIGEST);
    }
}
