//! The start of a message. Its key stream is computed together with block 0.

use sealane_simd::Words;

use super::construction::one_time_key;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::rows::{self, Rows, xor_rows};
use crate::chacha20::state::xor_bytes;
use crate::poly1305::Short;
use crate::wipe::wipe;

/// Combines the head of a message with the key stream from block 1 on. Returns the authenticator,
/// with its key from block 0.
#[inline(always)]
pub(super) fn encrypt_head<W: Words, const SETS: usize>(rows: &[Rows<W>; SETS], head: &mut [u8]) -> Short {
    let (mut first, mut others) = in_memory(rows);
    let mac = Short::new(one_time_key(first.as_ref()));
    apply((&first, &others), rows, head);
    wipe_blocks::<W, SETS>(&mut first, &mut others);
    mac
}

/// Stores the first set of blocks, which begins with the one-time key, in memory. If the rows fill
/// all the CPU's registers, it stores all other sets too. Without this, the compiler would move
/// parts of the transposition after each later branch, and spill their inputs.
#[inline(always)]
pub(super) fn in_memory<W: Words, const SETS: usize>(rows: &[Rows<W>; SETS]) -> (W::Blocks, [W::Blocks; SETS]) {
    let mut others = [W::ZERO_BLOCKS; SETS];
    if is_large::<SETS>() {
        for set in 1..SETS {
            others[set] = rows::blocks(&rows[set]);
        }
    }
    (rows::blocks(&rows[0]), others)
}

const fn is_large<const SETS: usize>() -> bool {
    SETS > 3
}

/// Combines the message with the key stream from block 1 on.
#[inline(always)]
pub(super) fn apply<W: Words, const SETS: usize>(
    (first, others): (&W::Blocks, &[W::Blocks; SETS]),
    rows: &[Rows<W>; SETS],
    message: &mut [u8],
) {
    let first = &first.as_ref()[BLOCK_BYTES..];
    let (head, mut rest) = message.split_at_mut(message.len().min(first.len()));
    xor_bytes(head, first);
    if is_large::<SETS>() {
        for set in &others[1..] {
            let (head, after) = rest.split_at_mut(rest.len().min(W::ROWS * BLOCK_BYTES));
            xor_bytes(head, set.as_ref());
            rest = after;
        }
    } else {
        xor_rows(&rows[1..], rest);
    }
}

#[inline(always)]
pub(super) fn wipe_blocks<W: Words, const SETS: usize>(first: &mut W::Blocks, others: &mut [W::Blocks; SETS]) {
    wipe(first.as_mut());
    if is_large::<SETS>() {
        for set in &mut others[1..] {
            wipe(set.as_mut());
        }
    }
}
