//! Compares ChaCha with the reference, at every length and every address.

use sealane::chacha20::ChaCha;

use crate::common::{Reference, array, at_block, backends, for_every_variant, test_bytes, xor};

/// Four vertical groups of the widest kernel, of 16 blocks each, which share a common part, and the
/// start of a fifth group.
const LONGEST: usize = 4 * 1024 + 200;

/// Bytes after the data, which must not change.
const GUARD: usize = 70;

fn every_length<const ROUNDS: usize, L: Reference>() {
    let (key, nonce, first) = (array(10), L::nonce(11), 7);
    let plaintext = test_bytes(12, LONGEST + GUARD);
    let key_stream = L::key_stream(ROUNDS, &key, &nonce, first, LONGEST.div_ceil(64) as u64);
    let ciphertext = xor(&plaintext[..LONGEST], &key_stream[..LONGEST]);
    for backend in backends() {
        let start: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, first.into());
        let mut buffer = plaintext.clone();
        for length in 0..=LONGEST {
            buffer.copy_from_slice(&plaintext);
            let mut cipher = start.clone();
            cipher.apply_keystream(&mut buffer[..length]).unwrap();
            assert!(buffer[..length] == ciphertext[..length], "{} {ROUNDS}, {length} bytes on {backend}", L::NAME);
            assert!(buffer[length..] == plaintext[length..], "{length} bytes on {backend}: wrote past the data");
            assert_eq!(cipher.position(), u128::from(first) * 64 + length as u128);
        }
    }
}

#[test]
fn every_length_of_every_variant() {
    for_every_variant!(every_length);
}

/// Lengths around the sizes of sets and groups of every width.
fn lengths_at_boundaries() -> impl Iterator<Item = usize> {
    [0, 64, 128, 192, 256, 512, 768, 1024, 1088, 1280, 1536, 2048]
        .into_iter()
        .flat_map(|length: usize| [length.saturating_sub(1), length, length + 1, length + 17])
}

fn every_address<const ROUNDS: usize, L: Reference>() {
    let (key, nonce) = (array(20), L::nonce(21));
    let key_stream = L::key_stream(ROUNDS, &key, &nonce, 0, 34);
    for backend in backends() {
        let start: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, 0);
        for length in lengths_at_boundaries() {
            let before = test_bytes(22, length + 2 * 64);
            for offset in 0..=64 {
                let mut buffer = before.clone();
                start.clone().apply_keystream(&mut buffer[offset..offset + length]).unwrap();
                let mut expected = before.clone();
                expected[offset..offset + length]
                    .copy_from_slice(&xor(&before[offset..offset + length], &key_stream[..length]));
                assert!(buffer == expected, "{} {ROUNDS}, {length} bytes at {offset} on {backend}", L::NAME);
            }
        }
    }
}

#[test]
fn every_address_of_every_variant() {
    for_every_variant!(every_address);
}

#[test]
fn keys_and_nonces_of_all_ones_and_zeros() {
    fn check<const ROUNDS: usize, L: Reference>() {
        for backend in backends() {
            for (key, seed) in [([0; 32], 0), ([0xff; 32], 1)] {
                let nonce = L::nonce(seed);
                let mut buffer = vec![0; 2000];
                at_block::<ROUNDS, L>(&key, &nonce, backend, 0).apply_keystream(&mut buffer).unwrap();
                let expected = L::key_stream(ROUNDS, &key, &nonce, 0, 32);
                assert!(buffer == expected[..2000], "{} {ROUNDS} on {backend}", L::NAME);
            }
        }
    }
    for_every_variant!(check);
}
