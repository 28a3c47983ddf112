//! Long pieces on CPUs that authenticate most blocks on integers, beside pairs of groups.
//! [`portions`](crate::aead::portions) has the plan.

use sealane_simd::tuning::MIN_PAIRS_OF_PIECES;
use sealane_simd::{Level, Simd};

use super::direction::Direction;
use crate::aead::ciphertext_copy::CiphertextCopy;
use crate::aead::construction::block_at;
use crate::aead::first_portion::PAIR_BYTES;
use crate::aead::payload::InPlace;
use crate::aead::portions::{Pairs, decrypt_pairs, encrypt_pairs};
use crate::chacha20::paired::Groups;
use crate::chacha20::state::State;
use crate::chacha20::xor_chacha20;
use crate::poly1305::{Accumulator, ROW_BYTES, RowsMac, RowsPowers};

/// Returns whether [`apply`] takes a piece of `bytes` bytes.
pub(super) fn takes(level: Level, bytes: usize) -> bool {
    bytes >= MIN_PAIRS_OF_PIECES * PAIR_BYTES && level.tuning().poly1305_beside_pairs.here()
}

/// Encrypts or decrypts whole blocks with the key stream from block `counter` on, and adds the
/// ciphertext to `mac`.
#[inline(always)]
pub(super) fn apply<S: Simd>(
    token: S,
    level: Level,
    state: &State,
    mac: &mut Accumulator,
    counter: u32,
    blocks: &mut [u8],
    direction: Direction,
) {
    if const { !S::MUL_ADD_52 || S::TUNING.vertical_sets != 2 } {
        unreachable!("`takes` excludes these vectors");
    }
    let cipher = token.for_cipher();
    let pairs_end = blocks.len() - blocks.len() % PAIR_BYTES;
    let whole_rows = (blocks.len() - 1) / ROW_BYTES * ROW_BYTES;
    let rest_counter = block_at(counter, pairs_end);
    let mut short = mac.short();
    let mut powers = RowsPowers::<S::U64Lanes>::empty(token);
    let mut rows = RowsMac::new(token, &mut powers, &short, blocks.len(), true);
    let mut groups = Groups::empty(cipher, state);
    groups.fill(cipher);
    let sum = match direction {
        Direction::Encrypt => {
            encrypt_pairs(token, &groups, &mut rows, counter, &mut InPlace(blocks), 0..pairs_end);
            xor_chacha20(level, state, rest_counter, &mut blocks[pairs_end..]);
            rows.add_rows(token, &blocks[..whole_rows]);
            rows.finish_piece(token, &blocks[whole_rows..])
        }
        Direction::Decrypt => {
            let mut last_row = CiphertextCopy::<ROW_BYTES>::empty();
            let last_row = last_row.of(&blocks[whole_rows..]);
            let pairs = Pairs { bytes: 0..pairs_end, whole_rows };
            let mut copy = CiphertextCopy::<{ 5 * ROW_BYTES }>::empty();
            decrypt_pairs(token, &groups, &mut rows, counter, &mut InPlace(blocks), &pairs, &mut copy);
            rows.add_rows(token, &blocks[..whole_rows]);
            xor_chacha20(level, state, rest_counter, &mut blocks[pairs_end..]);
            rows.finish_piece(token, last_row)
        }
    };
    mac.continue_with(sum);
    short.wipe();
    groups.wipe(cipher);
}
