//! The generators return the words of the key stream in order.

use rand_core::{Rng, SeedableRng};
use sealane::chacha20::{ChaChaRng, Original};

use crate::common::{Reference, array, backends};

/// More than two buffers of 256 words.
const WORDS: usize = 700;

fn words<const ROUNDS: usize>(seed: &[u8; 32]) -> Vec<u32> {
    let bytes = Original::key_stream(ROUNDS, seed, &[0; 8], 0, WORDS.div_ceil(16) as u64);
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn generator<const ROUNDS: usize>() {
    let seed = array(1);
    let words = words::<ROUNDS>(&seed);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for backend in backends() {
        let start = ChaChaRng::<ROUNDS>::with_backend(&seed, backend);

        let mut rng = start.clone();
        for (i, &word) in words.iter().take(WORDS).enumerate() {
            assert_eq!(rng.next_u32(), word, "word {i} of ChaCha{ROUNDS} on {backend}");
        }

        // A 64-bit number is two words, the low one first, also across the end of a buffer.
        for skip in [0, 1] {
            let mut rng = start.clone();
            for _ in 0..skip {
                let _ = rng.next_u32();
            }
            for pair in words[skip..WORDS].as_chunks::<2>().0 {
                assert_eq!(rng.next_u64(), u64::from(pair[0]) | u64::from(pair[1]) << 32);
            }
        }

        // A request for bytes takes whole words.
        for length in [0, 1, 3, 4, 5, 63, 64, 65, 1023, 1024, 1025, 2500] {
            let mut rng = start.clone();
            let mut buffer = vec![0; length];
            rng.fill_bytes(&mut buffer);
            assert!(buffer == bytes[..length], "{length} bytes of ChaCha{ROUNDS} on {backend}");
            assert_eq!(rng.next_u32(), words[length.div_ceil(4)], "after {length} bytes on {backend}");
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

/// Checks streams, positions and saved states, on every backend.
fn streams_and_positions<const ROUNDS: usize>() {
    let (seed, stream) = (array(2), array(3));
    // Blocks on both sides of a carry into the upper half of the counter, and of its end.
    let starts = [0, 5, (1 << 32) - 2, u64::MAX - 20];
    for backend in backends() {
        let mut rng = ChaChaRng::<ROUNDS>::with_backend(&seed, backend);
        rng.set_stream(u64::from_le_bytes(stream));
        assert_eq!((rng.get_stream().to_le_bytes(), rng.get_seed(), rng.get_word_pos()), (stream, seed, 0));
        for start in starts {
            let to_end = u128::from(u64::MAX - start) + 1;
            let mut bytes = Original::key_stream(ROUNDS, &seed, &stream, start, to_end.min(44) as u64);
            bytes.extend(Original::key_stream(ROUNDS, &seed, &stream, 0, 44 - to_end.min(44) as u64));
            let words: Vec<_> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            for skip in [0, 1, 15, 16, 255, 256, 300] {
                let position = (u128::from(start) * 16 + skip as u128) % (1 << 68);
                rng.set_word_pos(position);
                for (drawn, &word) in words[skip..].iter().enumerate() {
                    let position = (position + drawn as u128) % (1 << 68);
                    assert_eq!(rng.get_word_pos(), position, "{skip} words after block {start} on {backend}");
                    assert_eq!(u128::from(rng.get_block_pos()), position / 16);
                    if drawn % 97 == 0 {
                        let restored = ChaChaRng::deserialize_state(&rng.serialize_state());
                        assert!(restored == rng && restored.clone().next_u32() == word);
                    }
                    let before = rng.clone();
                    assert_eq!(rng.next_u32(), word, "{skip} words after block {start} on {backend}");
                    assert!(before != rng);
                }
            }
        }
        rng.set_block_pos(7);
        assert_eq!((rng.get_block_pos(), rng.get_word_pos()), (7, 7 * 16));
        let mut other = ChaChaRng::<ROUNDS>::with_backend(&array(4), backend);
        other.set_stream(u64::from_le_bytes(stream));
        other.set_block_pos(7);
        assert!(other != rng, "another seed");
        other = ChaChaRng::with_backend(&seed, backend);
        other.set_block_pos(7);
        assert!(other != rng, "another stream");
    }
}

#[test]
fn streams_and_positions_of_every_generator() {
    streams_and_positions::<20>();
    streams_and_positions::<12>();
    streams_and_positions::<8>();
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
