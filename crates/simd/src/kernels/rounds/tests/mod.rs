//! Compares the assembly with RFC 8439 on plain integers.

extern crate std;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
use neon::{LANES, kernels};
#[cfg(target_arch = "x86_64")]
use x86::{LANES, kernels};

use crate::pending_poly1305::PendingPoly1305;
use crate::tuning::{POLY1305_BLOCKS_PER_DOUBLE_ROUND as FEWER, POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND as MOST};

/// The words of several blocks: `[i][lane]` is word i of the block in that lane.
type Lanes<const LANES: usize> = [[u32; LANES]; 16];

/// A kernel of this module that adds blocks of Poly1305, for words in memory.
type Kernel = unsafe fn(&Lanes<LANES>, u8, &mut PendingPoly1305<'_>) -> Lanes<LANES>;

/// Returns whether this CPU has the instructions. A run that must test a backend names it in
/// `SEALANE_BACKEND`.
///
/// # Panics
/// If one of `backends`, which have the instructions, is named, and the CPU does not have them.
fn runs(detected: bool, backends: &[&str]) -> bool {
    let named = std::env::var("SEALANE_BACKEND").unwrap_or_default();
    let must_run = named.split(',').any(|name| backends.contains(&name));
    assert!(detected || !must_run, "SEALANE_BACKEND={named}: this CPU lacks the instructions of {}", backends[0]);
    detected
}

/// Computes a quarter round (RFC 8439, section 2.1) of one lane.
fn quarter_round<const LANES: usize>(v: &mut Lanes<LANES>, lane: usize, [a, b, c, d]: [usize; 4]) {
    for (sum, term, turned, left) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        v[sum][lane] = v[sum][lane].wrapping_add(v[term][lane]);
        v[turned][lane] = (v[turned][lane] ^ v[sum][lane]).rotate_left(left);
    }
}

fn round<const LANES: usize>(v: &mut Lanes<LANES>, quarters: [[usize; 4]; 4]) {
    for lane in 0..LANES {
        quarters.into_iter().for_each(|indices| quarter_round(v, lane, indices));
    }
}

fn column_round<const LANES: usize>(v: &mut Lanes<LANES>) {
    round(v, [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]);
}

fn diagonal_round<const LANES: usize>(v: &mut Lanes<LANES>) {
    round(v, [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]]);
}

fn plain_double_round<const LANES: usize>(v: &mut Lanes<LANES>) {
    column_round(v);
    diagonal_round(v);
}

/// A number: its bits from 128 on, then the 128 low bits. Results of `sum` and `product` are below
/// p.
type Number = (u64, u128);

/// 2^130 - 5.
const P: Number = (3, u128::MAX - 4);

fn sum(a: Number, b: Number) -> Number {
    let (low, carry) = a.1.overflowing_add(b.1);
    let mut sum = (a.0 + b.0 + u64::from(carry), low);
    while sum >= P {
        let (low, borrow) = sum.1.overflowing_sub(P.1);
        sum = (sum.0 - P.0 - u64::from(borrow), low);
    }
    sum
}

/// Multiplies by doubling and adding.
fn product(a: Number, b: u128) -> Number {
    let mut product = (0, 0);
    for bit in (0..128).rev() {
        product = sum(product, product);
        if b >> bit & 1 == 1 {
            product = sum(product, a);
        }
    }
    product
}

fn number([h0, h1, h2]: [u64; 3]) -> Number {
    sum((h2, u128::from(h0) | u128::from(h1) << 64), (0, 0))
}

/// Returns a value without a pattern, which differs for each seed.
fn scramble(seed: u64) -> u64 {
    let x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0;
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
}

fn some_words<const LANES: usize>() -> Lanes<LANES> {
    core::array::from_fn(|i| core::array::from_fn(|lane| scramble(1000 + (LANES * i + lane) as u64) as u32))
}

const COUNTS: [u8; 5] = [0, 4, 6, 10, u8::MAX];
const MOST_BLOCKS: usize = 45;

/// The bits that r may have.
const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

/// Returns h and the clamped r for a kernel, before it adds `blocks`.
fn pending(h: [u64; 3], r: u128, blocks: &[[u8; 16]]) -> PendingPoly1305<'_> {
    let (r0, r1) = (r as u64, (r >> 64) as u64);
    PendingPoly1305 { h, r: [r0, r1, r1 + (r1 >> 2)], blocks }
}

/// Returns the accumulator after a block.
fn with_block(h: Number, r: u128, block: &[u8; 16]) -> Number {
    product(sum(h, (1, u128::from_le_bytes(*block))), r)
}

/// Checks each count of double rounds with each number of blocks. The blocks are in `memory` from
/// byte 1 on, so that they are not aligned.
fn check(h: [u64; 3], r: u128, memory: &[u8; 16 * MOST_BLOCKS + 1]) {
    let r = r & CLAMP;
    let (all_blocks, _) = memory[1..].as_chunks::<16>();
    let words: Lanes<LANES> = some_words();

    // The accumulator after each number of blocks.
    let mut accumulators = [(0, 0); MOST_BLOCKS + 1];
    accumulators[0] = number(h);
    for (i, block) in all_blocks.iter().enumerate() {
        accumulators[i + 1] = with_block(accumulators[i], r, block);
    }

    for count in COUNTS {
        let mut expected = words;
        (0..count).for_each(|_| plain_double_round(&mut expected));
        for blocks in 0..=MOST_BLOCKS {
            for kernel in kernels() {
                let mut pending = pending(h, r, &all_blocks[..blocks]);
                // SAFETY: `kernels` has detected the features.
                let got = unsafe { kernel(&words, count, &mut pending) };
                assert!(got == expected, "{count} double rounds beside {blocks} blocks");
                // A double round takes one of two numbers of blocks, or none.
                let taken = blocks.min(MOST * usize::from(count).min(blocks / FEWER));
                assert_eq!(pending.blocks, &all_blocks[taken..blocks], "{count} double rounds beside {blocks} blocks");
                if taken == 0 {
                    assert_eq!(pending.h, h, "no block was taken of {blocks}");
                } else {
                    assert!(pending.h[2] <= 4, "the last limb is {} after {taken} blocks", pending.h[2]);
                }
                assert_eq!(
                    number(pending.h),
                    accumulators[taken],
                    "{count} double rounds, {taken} of {blocks} blocks, h = {h:x?}, r = {r:x}"
                );
            }
        }
    }
}

#[test]
fn rounds_and_blocks_are_those_of_plain_integers() {
    let memory = core::array::from_fn(|i| scramble(i as u64) as u8);
    for seed in 0..4 {
        let h = [scramble(seed), scramble(10 + seed), seed];
        check(h, u128::from(scramble(20 + seed)) << 64 | u128::from(scramble(30 + seed)), &memory);
    }
}

#[test]
fn each_loop_has_up_to_255_turns() {
    let memory: [[u8; 16]; 255 * MOST] =
        core::array::from_fn(|i| core::array::from_fn(|byte| scramble((16 * i + byte) as u64) as u8));
    let (h, r) = ([1, 2, 3], u128::from(scramble(1)) << 60 & CLAMP);
    let words: Lanes<LANES> = some_words();
    let mut expected = words;
    (0..u8::MAX).for_each(|_| plain_double_round(&mut expected));
    for blocks in [&memory[..255 * FEWER], &memory] {
        let accumulator = blocks.iter().fold(number(h), |h, block| with_block(h, r, block));
        for kernel in kernels() {
            let mut pending = pending(h, r, blocks);
            // SAFETY: `kernels` has detected the features.
            let got = unsafe { kernel(&words, u8::MAX, &mut pending) };
            assert!(got == expected, "beside {} blocks", blocks.len());
            assert!(pending.blocks.is_empty(), "{} blocks are left of {}", pending.blocks.len(), blocks.len());
            assert_eq!(number(pending.h), accumulator, "{} blocks", blocks.len());
        }
    }
}

#[test]
fn the_longest_carries_fit() {
    // The largest r, and values of r with one word. The last limb of h is at most 8: with a larger
    // one and the largest r, sums do not fit.
    let ones = u128::MAX;
    for r in [ones, ones << 64, ones >> 64, 1, 4 << 64, 0] {
        for h in [[u64::MAX, u64::MAX, 8], [u64::MAX, u64::MAX, 3], [u64::MAX - 4, u64::MAX, 3], [0, 0, 8], [0; 3]] {
            check(h, r, &[0xff; _]);
            check(h, r, &[0; _]);
        }
    }
}
