//! Mixes words in all lanes side by side with additions, XORs and rotations, as many
//! hashes and generators do. The level is chosen once and kept.
//!
//! `cargo run --release -p sealane-simd --example mixed_words`

use sealane_simd::{CachedLevel, Level, LevelList, MAX_WORDS_LANES, Simd, Words, dispatch};

/// The level in use. A program that forces one, for tests, sets it here.
static LEVEL: CachedLevel<Level> = CachedLevel::new();

fn level() -> Level {
    LEVEL.get().unwrap_or_else(|| {
        let widest = Level::detect();
        LEVEL.set(widest);
        widest
    })
}

/// Mixes a counter and a seed in each lane, and returns the XOR of all words.
#[inline(always)]
fn mix<S: Simd>(token: S, seed: u32, count: u32) -> u32 {
    let mut sum = 0;
    let mut next = 0;
    while next < count {
        let mut counters = [0; MAX_WORDS_LANES];
        for lane in 0..S::Words::LANES as u32 {
            counters[lane as usize] = next + lane;
        }
        let mut a = S::Words::from_lanes(token, &counters);
        let mut b = S::Words::splat(token, seed);
        for _ in 0..4 {
            a = a.add(b);
            b = b.xor(a).rotate_left_16();
            a = a.add(b);
            b = b.xor(a).rotate_left_7();
        }
        sum ^= exclusive_or::<S>(b);
        next += S::Words::LANES as u32;
    }
    sum
}

/// Returns the XOR of all lanes.
#[inline(always)]
fn exclusive_or<S: Simd>(words: S::Words) -> u32 {
    let mut memory = [0; 4 * 4 * MAX_WORDS_LANES];
    let zero = words.xor(words);
    S::Words::xor_rows(words, zero, zero, zero, &mut memory[..16 * S::Words::LANES]);
    let (memory, _) = memory.as_chunks::<4>();
    memory.iter().fold(0, |sum, word| sum ^ u32::from_le_bytes(*word))
}

fn main() {
    let expected = dispatch!(level(), token => mix(token, 7, 1 << 16));
    println!("{}: {expected:08x}", level().name());
    // Each level gives the same result.
    for level in Level::available() {
        assert_eq!(dispatch!(level, token => mix(token, 7, 1 << 16)), expected, "{level:?}");
    }
}
