use sealane_simd::{Bounds, Level, LevelList, Simd, dispatch};

#[cfg(feature = "alloc")]
use super::LaneSum52;
use super::lanes::row_limbs;
use super::limbs::Limbs as _;
use super::powers::{Powers, Rows, in_lane_0};
use super::{ROW_BYTES, in_limbs_26, in_limbs_52, padded_and_lengths};
#[cfg(feature = "alloc")]
use crate::poly1305::accumulator::Accumulator;
use crate::poly1305::field::{Element, Multiplier};
#[cfg(feature = "alloc")]
use crate::poly1305::lane_sum::LaneSum as _;
use crate::poly1305::short::Short;

/// Rows between which other rows are added on integers, on upper bounds: see
/// [`bounds`](crate::poly1305::bounds).
#[test]
fn no_limb_overflows_with_integers() {
    let token = Bounds::<8, true>::new();
    let mut powers = Powers::<<Bounds<8, true> as Simd>::U64Lanes>::empty(token);
    powers.fill(token, Multiplier::clamp([u64::MAX; 2]), Rows::FoursAndIntegers);
    // The largest result of operations on integers.
    let element = in_lane_0(token, Element([u64::MAX, u64::MAX, 4]));
    let rows = [0; 3 * ROW_BYTES];
    for is_four in [false, true] {
        let mut sum = element.add(row_limbs(token, &rows));
        for _ in 0..4 {
            sum = powers.skip(token, sum).add(element).add(row_limbs(token, &rows));
            if is_four {
                sum = powers.three_rows(token, sum, &rows);
            }
            for tail in 0..ROW_BYTES {
                let _ = powers.finish(token, sum, &rows[..tail], Some(&[0xff; 16]));
            }
        }
    }
}

/// A message in pieces whose sum stays in lanes, on upper bounds, with every number of blocks at
/// its end.
#[cfg(feature = "alloc")]
#[test]
fn no_limb_overflows_between_pieces() {
    let token = Bounds::<8, true>::new();
    let mut accumulator = Accumulator::new(&[0xff; 32]);
    accumulator.h = Element([u64::MAX, u64::MAX, 4]);
    let mut sum = LaneSum52::new();
    for _ in 0..4 {
        sum.add(token, &accumulator, &[0; 8 * ROW_BYTES]);
        for end in 0..8 * ROW_BYTES {
            sum.finish(token, &mut accumulator.clone(), &[0; 8 * ROW_BYTES][..end]);
        }
    }
}

/// Compares rows, in both sizes of limbs, with block after block, on every backend. Backends
/// without the instructions for 52 bits emulate them in software. The last block is whole or short.
#[test]
fn rows_are_blocks() {
    for level in Level::available() {
        dispatch!(level, token => on(token));
    }
}

/// Four rows of eight lanes, which are whole groups on every backend.
#[cfg(feature = "alloc")]
const GROUP_BYTES: usize = 4 * ROW_BYTES;

#[inline(always)]
fn on<S: Simd>(token: S) {
    let mixed: [u8; 32] = core::array::from_fn(|i| (i as u8).wrapping_mul(167) ^ 0x5a);
    // The largest r, and blocks with the largest limbs, bring the sums nearest to an overflow.
    for (key, seed) in [([0xff; 32], None), (mixed, None), (mixed, Some(1_u32))] {
        let mut state = seed.unwrap_or_default();
        let data: [u8; 16 * 8 * 70] = core::array::from_fn(|_| match seed {
            None => 0xff,
            Some(_) => {
                state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                (state >> 24) as u8
            }
        });
        for count in 17..=560 {
            for message in [&data[..count * 16], &data[..count * 16 - 1 - count % 15]] {
                let mac = Short::new(&key);
                let expected = mac.message(message).tag();
                for h in [in_limbs_52(token, mac, message), in_limbs_26(token, mac, message)] {
                    assert_eq!(Short { h, ..mac }.tag(), expected, "{} bytes", message.len());
                }
            }
            #[cfg(feature = "alloc")]
            {
                let (groups, end) = data[..count * 16].split_at(count * 16 / GROUP_BYTES * GROUP_BYTES);
                let mut accumulator = Accumulator::new(&key);
                let mut sum = LaneSum52::new();
                for group in groups.chunks(if count % 2 == 0 { GROUP_BYTES } else { 2 * GROUP_BYTES }) {
                    sum.add(token, &accumulator, group);
                }
                if !groups.is_empty() {
                    assert_eq!(sum.finish(token, &mut accumulator, end), end.len());
                    let expected = Short::new(&key).padded(&data[..count * 16]).tag();
                    assert_eq!(accumulator.tag(), expected, "{count} blocks, in groups of {GROUP_BYTES} bytes");
                }
            }
            let lengths = [0x7f; 16];
            let mut short = Short::new(&key);
            let bytes = count * 16 - count % 16;
            let message = &data[..bytes];
            short = short.padded(message).block(&lengths);
            let other = padded_and_lengths(token, Short::new(&key), message, &lengths);
            assert_eq!(short.tag(), other, "{bytes} bytes");
        }
    }
}
