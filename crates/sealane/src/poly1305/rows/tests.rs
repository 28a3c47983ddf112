use sealane_simd::{Level, LevelList, Simd, dispatch};

use super::{in_limbs_26, in_limbs_52, padded_and_lengths};
use crate::poly1305::short::Short;

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
