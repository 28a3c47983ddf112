use sealane_simd::{Bounds, Level, LevelList, Simd, dispatch};

use super::lanes::row_limbs;
use super::limbs::Limbs as _;
use super::powers::{Powers, Rows, in_lane_0};
use super::{ROW_BYTES, in_limbs_26, in_limbs_52, padded_and_lengths};
use crate::poly1305::field::{Element, Multiplier};
use crate::poly1305::short::Short;

/// Rows between which other rows are added on integers, on upper bounds: see
/// [`bounds`](crate::poly1305::bounds).
#[test]
fn no_limb_overflows_beside_integers() {
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

/// Compares rows, in both sizes of limbs, with block after block, on every backend. Backends
/// without the instructions for 52 bits emulate them in software. The last block is whole or short.
#[test]
fn rows_are_blocks() {
    for level in Level::available() {
        dispatch!(level, token => on(token));
    }
}

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
