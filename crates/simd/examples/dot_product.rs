//! Computes a dot product of 32-bit integers with 64-bit sums, on each instruction set of this CPU.
//!
//! `cargo run --release -p sealane-simd --example dot_product`

use sealane_simd::{Level, LevelList, MAX_U64_LANES, Simd, U64Lanes, dispatch};

/// Computes the dot product. Every function from `dispatch!` to the operations of vectors is
/// `#[inline(always)]`: otherwise each operation is a call.
#[inline(always)]
fn dot_product<S: Simd>(token: S, a: &[u32], b: &[u32]) -> u64 {
    let lanes = S::U64Lanes::LANES;
    let (a, b) = (a.chunks_exact(lanes), b.chunks_exact(lanes));
    // The values that do not fill a vector.
    let mut rest = 0_u64;
    for (a, b) in a.remainder().iter().zip(b.remainder()) {
        rest = rest.wrapping_add(u64::from(*a) * u64::from(*b));
    }
    let mut sums = S::U64Lanes::splat(token, 0);
    for (a, b) in a.zip(b) {
        sums = sums.add(load(token, a).mul_low(load(token, b)));
    }
    sums.sum_lanes().wrapping_add(rest)
}

/// Returns a vector with a word in each lane.
#[inline(always)]
fn load<S: Simd>(token: S, words: &[u32]) -> S::U64Lanes {
    let mut lanes = [0; MAX_U64_LANES];
    for (lane, word) in lanes.iter_mut().zip(words) {
        *lane = u64::from(*word);
    }
    S::U64Lanes::from_lanes(token, &lanes)
}

fn main() {
    let a: Vec<u32> = (0..1003).collect();
    let b: Vec<u32> = a.iter().map(|i| i * i).collect();
    // The sum of i^3 for i from 0 to 1002.
    let expected = (1002_u64 * 1003 / 2).pow(2);
    for level in Level::available() {
        let sum = dispatch!(level, token => dot_product(token, &a, &b));
        assert_eq!(sum, expected, "{level:?}");
        println!("{}: {sum}", level.name());
    }
}
