//! The start of a message. Its key stream is computed together with block 0.

use core::iter::{once, repeat};

use sealane_simd::Words;

use super::construction::one_time_key;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::rows::{self, Rows, xor_rows};
use crate::chacha20::state::xor_bytes;
use crate::poly1305::Short;
use crate::wipe::wipe;

/// The most sets that leave registers free for the code after their rounds.
pub(super) const MAX_SETS_IN_REGISTERS: usize = 3;

/// Combines the head of a message with the key stream from block 1 on. Returns the authenticator,
/// with its key from block 0.
#[inline(always)]
pub(super) fn encrypt_head<W: Words, const SETS: usize>(rows: &[Rows<W>; SETS], head: &mut [u8]) -> Short {
    if SETS > MAX_SETS_IN_REGISTERS {
        let mut key_stream = in_memory(rows);
        let mac = Short::new(one_time_key(key_stream[0].as_ref()));
        apply::<W>(&mut key_stream, head);
        return mac;
    }
    let mut first = rows::blocks(&rows[0]);
    let mac = Short::new(one_time_key(first.as_ref()));
    let key_stream = &first.as_ref()[BLOCK_BYTES..];
    let (head, rest) = head.split_at_mut(head.len().min(key_stream.len()));
    xor_bytes(head, key_stream);
    xor_rows(&rows[1..], rest);
    wipe(first.as_mut());
    mac
}

/// Stores the key stream in memory. Its rows may fill all the CPU's registers. Code with branches
/// after it would spill them, and the compiler would move parts of the transposition after each
/// branch.
#[inline(always)]
pub(super) fn in_memory<W: Words, const SETS: usize>(rows: &[Rows<W>; SETS]) -> [W::Blocks; SETS] {
    let mut key_stream = [W::ZERO_BLOCKS; SETS];
    for (set, rows) in key_stream.iter_mut().zip(rows) {
        *set = rows::blocks(rows);
    }
    key_stream
}

/// Combines the message with the key stream from block 1 on, and wipes all of that.
#[inline(always)]
pub(super) fn apply<W: Words>(key_stream: &mut [W::Blocks], message: &mut [u8]) {
    let mut rest = message;
    for (set, start) in key_stream.iter_mut().zip(once(BLOCK_BYTES).chain(repeat(0))) {
        let key_stream = &set.as_ref()[start..];
        let (head, after) = rest.split_at_mut(rest.len().min(key_stream.len()));
        xor_bytes(head, key_stream);
        rest = after;
        wipe(set.as_mut());
    }
}
