//! Compares the kernels for groups of sixteen blocks with plain integers.

use core::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};

use super::super::super::avx512;
use super::super::{Lanes, Number, column_round, diagonal_round, number, product, runs, scramble, sum};
use crate::kernels::POLY1305_BLOCKS_PER_PAIR as BLOCKS;
use crate::x86::Avx512;

type Group = Lanes<16>;

#[target_feature(enable = "avx512f")]
fn vectors(group: &Group) -> [__m512i; 16] {
    // SAFETY: each array has the 64 bytes of a vector, and the load needs no alignment.
    group.map(|lanes| unsafe { _mm512_loadu_si512((&raw const lanes).cast()) })
}

#[target_feature(enable = "avx512f")]
fn lanes(vectors: [__m512i; 16]) -> Group {
    vectors.map(|vector| {
        let mut lanes = [0; 16];
        // SAFETY: the array has the 64 bytes of a vector, and the store needs no alignment.
        unsafe { _mm512_storeu_si512((&raw mut lanes).cast(), vector) };
        lanes
    })
}

#[target_feature(enable = "avx512f")]
fn double_rounds(group: &Group, count: u8) -> Group {
    let mut v = vectors(group);
    avx512::double_rounds(&mut v, count);
    lanes(v)
}

#[target_feature(enable = "avx512f")]
fn double_rounds_of_two([first, second]: &[Group; 2], count: u8) -> [Group; 2] {
    let (mut v, mut w) = (vectors(first), vectors(second));
    avx512::double_rounds_of_two(&mut v, &mut w, count);
    [lanes(v), lanes(w)]
}

#[target_feature(enable = "avx512f,bmi2")]
fn with_poly1305(
    [first, second]: &[Group; 2],
    r: [u64; 3],
    blocks: &[[u8; 16]; BLOCKS],
) -> ([Group; 2], [[u64; 3]; 2]) {
    let (mut v, mut w) = (vectors(first), vectors(second));
    let sums = avx512::nineteen_rounds_with_poly1305(&mut v, &mut w, r, blocks);
    ([lanes(v), lanes(w)], sums)
}

fn can_run() -> bool {
    runs(Avx512::detect().is_some(), &["avx512", "avx512ifma"])
}

/// Returns two groups of words without a pattern, which differ for each seed.
fn groups(seed: u64) -> [Group; 2] {
    core::array::from_fn(|group| {
        core::array::from_fn(|i| {
            core::array::from_fn(|lane| scramble(1000 * seed + (256 * group + 16 * i + lane) as u64) as u32)
        })
    })
}

fn plain_double_rounds(group: &mut Group, count: u8) {
    for _ in 0..count {
        column_round(group);
        diagonal_round(group);
    }
}

#[test]
fn double_rounds_are_those_of_plain_integers() {
    if !can_run() {
        return;
    }
    for count in [0, 1, 2, 3, 4, 6, 9, 10, u8::MAX] {
        let groups = groups(count.into());
        let mut expected = groups;
        expected.iter_mut().for_each(|group| plain_double_rounds(group, count));
        // SAFETY: the features have been detected above.
        let one = unsafe { double_rounds(&groups[0], count) };
        // SAFETY: as above.
        let two = unsafe { double_rounds_of_two(&groups, count) };
        assert!(one == expected[0], "{count} double rounds of one group");
        assert!(two == expected, "{count} double rounds of two groups");
    }
}

/// Checks the words and both accumulators. The blocks are in `memory` from byte 1 on, so that they
/// are not aligned.
fn check(seed: u64, r: u128, memory: &[u8]) {
    const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    let r = r & CLAMP;
    let (r0, r1) = (r as u64, (r >> 64) as u64);
    let blocks: &[[u8; 16]; BLOCKS] = memory[1..].as_chunks().0.first_chunk().expect("all blocks");
    let add = |h: Number, block: &[u8; 16]| product(sum(h, (1, u128::from_le_bytes(*block))), r);
    let groups = groups(seed);
    let mut expected = groups;
    for group in &mut expected {
        diagonal_round(group);
        plain_double_rounds(group, 9);
    }
    // SAFETY: the callers have detected the features.
    let (words, sums) = unsafe { with_poly1305(&groups, [r0, r1, r1 + (r1 >> 2)], blocks) };
    assert!(words == expected, "seed {seed}");
    let (first, second) = blocks.split_at(BLOCKS / 2);
    for (got, blocks) in sums.into_iter().zip([first, second]) {
        assert!(got[2] <= 4, "the last limb is {}", got[2]);
        assert_eq!(number(got), blocks.iter().fold((0, 0), add), "seed {seed}, r = {r:x}");
    }
}

#[test]
fn nineteen_rounds_and_blocks_are_those_of_plain_integers() {
    if !can_run() {
        return;
    }
    for seed in 0..20 {
        let memory: [u8; 16 * BLOCKS + 1] = core::array::from_fn(|i| scramble(5000 * seed + i as u64) as u8);
        check(seed, u128::from(scramble(20 + seed)) << 64 | u128::from(scramble(30 + seed)), &memory);
    }
}

#[test]
fn the_longest_carries_of_both_accumulators_fit() {
    if !can_run() {
        return;
    }
    let ones = u128::MAX;
    for (seed, r) in (0..).zip([ones, ones << 64, ones >> 64, 1, 4 << 64, 0]) {
        for byte in [0xff, 0, 0xfb] {
            check(seed, r, &[byte; 16 * BLOCKS + 1]);
        }
    }
}
