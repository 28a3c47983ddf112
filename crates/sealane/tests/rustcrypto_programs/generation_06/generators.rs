// Simulations: streams, positions, and states that are saved.
use chacha20::rand_core::{CryptoRng, Rng, SeedableRng};
use chacha20::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng, Seed, SerializedRngState};

fn draw<R: Rng>(rng: &mut R) -> Vec<u8> {
    let mut bytes = vec![0; 77];
    rng.fill_bytes(&mut bytes);
    bytes.extend(rng.next_u32().to_le_bytes());
    bytes.extend(rng.next_u64().to_le_bytes());
    bytes
}

macro_rules! simulation {
    ($rng:ty) => {{
        let seed: Seed = [0x17; 32];
        let mut rng = <$rng>::from_seed(seed);
        let mut results = draw(&mut rng);
        rng.set_stream(0x0123_4567_89ab_cdef);
        results.extend(draw(&mut rng));
        results.extend(rng.get_stream().to_le_bytes());
        results.extend(rng.get_seed());
        for word in [0, 1, 15, 16, 63, 64, 65, 255, 256, 257, 12_345, 1 << 36, (1 << 68) - 1, (1 << 68) - 300, 1 << 90]
        {
            rng.set_word_pos(word);
            results.extend(rng.get_word_pos().to_le_bytes());
            for _ in 0..4 {
                results.extend(draw(&mut rng));
                results.extend(rng.get_word_pos().to_le_bytes());
            }
            let saved: SerializedRngState = rng.serialize_state();
            let mut again = <$rng>::deserialize_state(&saved);
            assert!(again == rng);
            assert_eq!(draw(&mut again), draw(&mut rng));
            assert!(again == rng);
            let _ = again.next_u32();
            assert!(again != rng);
            results.extend(saved);
        }
        for block in [0, 1, 17, 1 << 33, u64::MAX] {
            rng.set_block_pos(block);
            results.extend(rng.get_block_pos().to_le_bytes());
            results.extend(draw(&mut rng));
        }
        let mut child = <$rng>::from_rng(&mut rng);
        results.extend(draw(&mut child));
        results.extend(draw(&mut <$rng>::seed_from_u64(42)));
        results
    }};
}

fn secure(rng: &mut dyn CryptoRng) -> u64 {
    rng.next_u64()
}

fn run() -> Vec<u8> {
    let mut results = [simulation!(ChaCha8Rng), simulation!(ChaCha12Rng), simulation!(ChaCha20Rng)].concat();
    results.extend(secure(&mut ChaCha20Rng::from_seed([0; 32])).to_le_bytes());
    results
}
