//! Compares tags with the reference, for sums and keys at the limits.

use std::vec;
use std::vec::Vec;

use sealane_simd::{Level, LevelList, dispatch};

use super::*;

/// The most messages at a time: more than are processed together.
const MESSAGES: usize = 5 * MAX_U64_LANES;

/// A one-time key, associated data, ciphertext.
type Case = ([u8; 32], Vec<u8>, Vec<u8>);

fn expected((key, aad, ciphertext): &Case) -> Tag {
    let pad = |bytes: &[u8]| [bytes, sealane_spec::aead::pad16(bytes)].concat();
    let lengths = [(aad.len() as u64).to_le_bytes(), (ciphertext.len() as u64).to_le_bytes()].concat();
    sealane_spec::poly1305::poly1305_mac(&[pad(aad), pad(ciphertext), lengths].concat(), key)
}

/// Compares tags with the reference on all backends, with the messages in the given order.
fn check(cases: &[Case]) {
    let expected: Vec<_> = cases.iter().map(expected).collect();
    for level in Level::available() {
        for (cases, expected) in cases.chunks(MESSAGES).zip(expected.chunks(MESSAGES)) {
            let blocks: Vec<KeyBlock> =
                cases.iter().map(|(key, ..)| [*key, [0xff; 32]].concat().try_into().unwrap()).collect();
            let keys: Vec<_> = blocks.iter().collect();
            let mut inputs: Vec<_> = cases.iter().map(|(_, aad, ciphertext)| Input { aad, ciphertext }).collect();
            let mut computed = vec![[0; 16]; cases.len()];
            dispatch!(level, token => tags(token, &keys, &mut inputs, &mut computed));
            for ((key, aad, ciphertext), (computed, expected)) in cases.iter().zip(computed.iter().zip(expected)) {
                assert_eq!(computed, expected, "{level:?}, key {key:x?}, {} and {}", aad.len(), ciphertext.len());
            }
        }
    }
}

fn key(r: u128, s: u128) -> [u8; 32] {
    [r.to_le_bytes(), s.to_le_bytes()].concat().try_into().unwrap()
}

#[test]
fn sums_next_to_p() {
    // With r = 1 the accumulator is the sum of three blocks, each with its 2^128: two of the
    // ciphertext, and the lengths.
    let lengths = 32_u128 << 64;
    let cases: Vec<_> = (0..24)
        .map(|i| {
            let blocks = [1 << 127, (1_u128 << 127).wrapping_sub(12 + lengths).wrapping_add(i)];
            (key(1, i << 100), Vec::new(), blocks.map(u128::to_le_bytes).concat())
        })
        .collect();
    check(&cases);
}

#[test]
fn carries_through_all_limbs() {
    for r in [0, 1, 2, 4, 1 << 26, u128::MAX, u128::MAX << 64, 0x0fff_fffc, !3, 1 << 52 | 1 << 78 | 1 << 104] {
        for length in [0, 1, 16, 17, 48, 144, 160, 257, 512] {
            for byte in [0, 0x7f, 0xff] {
                let case =
                    |i: usize| (key(r, u128::MAX - i as u128), [byte; 16][..i % 17].to_vec(), [byte].repeat(length));
                check(&(0..8).map(case).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn messages_of_any_lengths_in_any_order() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((state >> 33) % below) as usize
    };
    for round in 0..200 {
        let most = [40, 200, 700, 1500][round % 4];
        let cases: Vec<_> = (0..1 + random(MESSAGES as u64))
            .map(|i| {
                let (aad, ciphertext) = (random(50), random(most));
                let key = core::array::from_fn(|_| random(256) as u8);
                (key, [i as u8].repeat(aad), (0..ciphertext).map(|_| random(256) as u8).collect())
            })
            .collect();
        check(&cases);
    }
}
