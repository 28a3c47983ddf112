use sealane_simd::{Level, LevelList, Simd, Wide, dispatch};

use super::{MIN_ROWS_FOR_TABLE, rows};
use crate::poly1305::kernel::Accumulator;

/// Rows in one call and in pieces, on every backend (those without the instruction have it in software), beside block after block.
#[test]
fn rows_are_blocks() {
    for level in Level::available() {
        dispatch!(level, token => on(token));
    }
}

#[inline(always)]
fn on<S: Simd>(token: S) {
    let row_bytes = 16 * S::Wide::LANES;
    let mixed: [u8; 32] = core::array::from_fn(|i| (i as u8).wrapping_mul(167) ^ 0x5a);
    // The largest r, and blocks with the largest limbs: sums come nearest to overflowing.
    for (key, seed) in [([0xff; 32], None), (mixed, None), (mixed, Some(1_u32))] {
        let mut state = seed.unwrap_or_default();
        let data: [u8; 16 * 8 * 70] = core::array::from_fn(|_| match seed {
            None => 0xff,
            Some(_) => {
                state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                (state >> 24) as u8
            }
        });
        for count in 2..=70 {
            let message = &data[..count * row_bytes];
            let mut expected = Accumulator::new(&key);
            for block in message.as_chunks().0 {
                expected.block(block);
            }
            let mut whole = Accumulator::new(&key);
            rows(token, &mut whole, &mut None, message);
            assert_eq!(whole.tag(), expected.tag(), "{count} rows");

            let (mut pieces, mut table) = (Accumulator::new(&key), None);
            // The first piece makes the table, and all use it.
            let (first, rest) = message.split_at(message.len().min((MIN_ROWS_FOR_TABLE + 2 + count % 2) * row_bytes));
            for piece in [first].into_iter().chain(rest.chunks(2 * row_bytes)) {
                rows(token, &mut pieces, &mut table, piece);
            }
            assert_eq!(pieces.tag(), expected.tag(), "{count} rows in pieces");
        }
    }
}
