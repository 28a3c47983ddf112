//! The generators give the words of the key stream, in their order.

use rand_core::{Rng, SeedableRng};
use sealane::chacha20::{ChaChaRng, Original};

use crate::common::{Reference, array, backends};

/// More than two buffers of 256 words.
const WORDS: usize = 700;

fn words<const ROUNDS: usize>(seed: &[u8; 32]) -> Vec<u32> {
    let octets = Original::key_stream(ROUNDS, seed, &[0; 8], 0, WORDS.div_ceil(16) as u64);
    octets.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn generator<const ROUNDS: usize>() {
    let seed = array(1);
    let words = words::<ROUNDS>(&seed);
    let octets: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for backend in backends() {
        let start = ChaChaRng::<ROUNDS>::with_backend(&seed, backend);

        let mut rng = start.clone();
        for (i, &word) in words.iter().take(WORDS).enumerate() {
            assert_eq!(rng.next_u32(), word, "word {i} of ChaCha{ROUNDS} on {backend}");
        }

        // 64 bits are two words, the low one first, also across the end of a buffer.
        for skip in [0, 1] {
            let mut rng = start.clone();
            for _ in 0..skip {
                let _ = rng.next_u32();
            }
            for pair in words[skip..WORDS].as_chunks::<2>().0 {
                assert_eq!(rng.next_u64(), u64::from(pair[0]) | u64::from(pair[1]) << 32);
            }
        }

        // A request for octets takes whole words.
        for length in [0, 1, 3, 4, 5, 63, 64, 65, 1023, 1024, 1025, 2500] {
            let mut rng = start.clone();
            let mut buffer = vec![0; length];
            rng.fill_bytes(&mut buffer);
            assert!(buffer == octets[..length], "{length} octets of ChaCha{ROUNDS} on {backend}");
            assert_eq!(rng.next_u32(), words[length.div_ceil(4)], "after {length} octets on {backend}");
        }

        // A clone continues from the same position, independently of the original.
        let mut rng = start.clone();
        for _ in 0..300 {
            let _ = rng.next_u32();
        }
        let mut clone = rng.clone();
        for &word in &words[300..WORDS] {
            assert_eq!(rng.next_u32(), word);
        }
        for &word in &words[300..WORDS] {
            assert_eq!(clone.next_u32(), word);
        }
    }
    let mut seeded = ChaChaRng::<ROUNDS>::from_seed(seed);
    assert!(words[..WORDS].iter().all(|&word| seeded.next_u32() == word));
}

#[test]
fn chacha20() {
    generator::<20>();
}

#[test]
fn chacha12() {
    generator::<12>();
}

#[test]
fn chacha8() {
    generator::<8>();
}

#[test]
fn the_seed_is_not_printed() {
    let text = format!("{:?}", ChaChaRng::<20>::from_seed([0xAB; 32]));
    assert!(!text.contains("171") && text.len() < 100, "{text}");
}
