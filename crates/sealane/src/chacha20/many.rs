//! Key streams of many messages at once: vertical groups whose lanes hold blocks of different
//! messages.
//!
//! One message's blocks differ only in the counter, and a long message fills the lanes of a wide
//! vector. Here each lane has a separate block counter and nonce, and, for XChaCha, a separate key.

use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Words};

use super::BLOCK_BYTES;
use super::rows::{transpose, xor_rows};
use super::state::CONSTANTS;
use super::vertical::rounds;
use crate::wipe::wipe;

/// A row of a state, four words: a half of the key, or block counter and nonce.
pub(crate) type Row = [u32; 4];

/// Key stream bytes of the widest group.
const MAX_GROUP_BYTES: usize = MAX_WORDS_LANES * BLOCK_BYTES;

/// Returns sixteen bytes as a row, little-endian.
#[inline(always)]
pub(crate) fn row(bytes: &[u8; 16]) -> Row {
    let mut row = [0; 4];
    for (word, bytes) in row.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    row
}

/// The keys of the messages: rows 1 and 2 of their states.
#[derive(Clone, Copy)]
pub(crate) enum Keys<'a> {
    /// One key for all messages.
    Shared([&'a Row; 2]),
    /// One key for each message.
    Each(&'a [[Row; 2]]),
}

/// Consecutive blocks of one message's key stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Run {
    /// Number of the message.
    pub(crate) message: usize,
    /// Block counter of the first block.
    pub(crate) counter: u32,
    /// Number of blocks, at least 1.
    pub(crate) blocks: usize,
}

/// Computes `counts[i]` blocks of the key stream of each message `i`, from block `first` on. Passes
/// them to `visit` in several calls, each with some runs and the bytes of all of them.
///
/// `last_rows` has the last row of each message's state; its counter is ignored.
#[inline(always)]
pub(crate) fn key_streams<S: Simd>(
    token: S,
    keys: Keys<'_>,
    last_rows: &[Row],
    first: u32,
    counts: &[usize],
    mut visit: impl FnMut(&[Run], &[u8]),
) {
    let mut group = Group::new();
    let mut cursor = Cursor { message: 0, done: 0 };
    while let runs @ 1.. = group.fill(S::Words::LANES, keys, last_rows, first, counts, &mut cursor) {
        group.block_function(token, keys);
        visit(&group.runs[..runs], &group.bytes);
        wipe(&mut group.bytes[..S::Words::LANES * BLOCK_BYTES]);
    }
    if let Keys::Each(_) = keys {
        wipe(group.key_rows.as_flattened_mut());
    }
}

/// Block number `done` of `message` is the next one.
struct Cursor {
    message: usize,
    done: usize,
}

/// Computes HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2) for many messages: the key of each
/// message from `key` and its `prefix`, the first 16 bytes of its nonce. All slices have equal
/// lengths.
#[inline(always)]
pub(crate) fn subkeys<S: Simd>(token: S, key: [&Row; 2], prefixes: &[Row], subkeys: &mut [[Row; 2]]) {
    let mut group = Group::new();
    for (prefixes, subkeys) in prefixes.chunks(S::Words::LANES).zip(subkeys.chunks_mut(S::Words::LANES)) {
        group.last_rows[..prefixes.len()].copy_from_slice(prefixes);
        let mut v = group.initial(token, Keys::Shared(key));
        rounds::<_, 20>(&mut v, &mut PendingPoly1305::none());
        xor_rows(&transpose(&v), &mut group.bytes[..S::Words::LANES * BLOCK_BYTES]);
        for (subkey, block) in subkeys.iter_mut().zip(group.bytes.as_chunks::<BLOCK_BYTES>().0) {
            let (rows, _) = block.as_chunks::<16>();
            *subkey = [row(&rows[0]), row(&rows[3])];
        }
        wipe(&mut group.bytes[..S::Words::LANES * BLOCK_BYTES]);
    }
}

/// Computes the block of each last row, which has the block counter and the nonce, under one key.
/// Copies the first bytes of each block to `starts`, which has the length of `last_rows`.
#[inline(always)]
pub(crate) fn block_starts<S: Simd, const BYTES: usize>(
    token: S,
    key: [&Row; 2],
    last_rows: &[[u8; 16]],
    starts: &mut [[u8; BYTES]],
) {
    let mut group = Group::new();
    for (last_rows, starts) in last_rows.chunks(S::Words::LANES).zip(starts.chunks_mut(S::Words::LANES)) {
        for (lane, last_row) in group.last_rows.iter_mut().zip(last_rows) {
            *lane = row(last_row);
        }
        group.block_function(token, Keys::Shared(key));
        for (start, block) in starts.iter_mut().zip(group.bytes.as_chunks::<BLOCK_BYTES>().0) {
            start.copy_from_slice(&block[..BYTES]);
        }
        wipe(&mut group.bytes[..S::Words::LANES * BLOCK_BYTES]);
    }
}

/// One block for each lane of a vector, in the order of their bytes. Lanes without a block hold any
/// value.
struct Group {
    key_rows: [[Row; MAX_WORDS_LANES]; 2],
    last_rows: [Row; MAX_WORDS_LANES],
    runs: [Run; MAX_WORDS_LANES],
    /// The output is combined with these bytes by exclusive or, so they are zeros before.
    bytes: [u8; MAX_GROUP_BYTES],
}

impl Group {
    #[inline(always)]
    fn new() -> Self {
        let rows = [[0; 4]; MAX_WORDS_LANES];
        let runs = [Run::default(); MAX_WORDS_LANES];
        Self { key_rows: [rows; 2], last_rows: rows, runs, bytes: [0; MAX_GROUP_BYTES] }
    }

    /// Takes up to `lanes` blocks. Returns the number of their runs.
    // Not inlined: between the kernels its few values would live in memory.
    #[inline(never)]
    fn fill(
        &mut self,
        lanes: usize,
        keys: Keys<'_>,
        last_rows: &[Row],
        first: u32,
        counts: &[usize],
        cursor: &mut Cursor,
    ) -> usize {
        let (mut runs, mut filled) = (0, 0);
        let Cursor { mut message, mut done } = *cursor;
        while filled < lanes && message < counts.len() {
            let blocks = (counts[message] - done).min(lanes - filled);
            if blocks > 0 {
                let counter = first.wrapping_add(done as u32);
                let [_, n0, n1, n2] = last_rows[message];
                for (counter, row) in (counter..).zip(&mut self.last_rows[filled..filled + blocks]) {
                    *row = [counter, n0, n1, n2];
                }
                if let Keys::Each(keys) = keys {
                    let [upper, lower] = keys[message];
                    self.key_rows[0][filled..filled + blocks].fill(upper);
                    self.key_rows[1][filled..filled + blocks].fill(lower);
                }
                self.runs[runs] = Run { message, counter, blocks };
                runs += 1;
                filled += blocks;
                done += blocks;
            }
            if done == counts[message] {
                message += 1;
                done = 0;
            }
        }
        *cursor = Cursor { message, done };
        runs
    }

    /// Returns word i of all blocks' states in vector i.
    #[inline(always)]
    fn initial<S: Simd>(&self, token: S, keys: Keys<'_>) -> [S::Words; 16] {
        let mut v = [S::Words::splat(token, 0); 16];
        for i in 0..4 {
            v[i] = S::Words::splat(token, CONSTANTS[i]);
        }
        match keys {
            Keys::Shared([upper, lower]) => {
                for i in 0..4 {
                    v[4 + i] = S::Words::splat(token, upper[i]);
                    v[8 + i] = S::Words::splat(token, lower[i]);
                }
            }
            Keys::Each(_) => {
                (v[4], v[5], v[6], v[7]) = transposed(token, &self.key_rows[0]);
                (v[8], v[9], v[10], v[11]) = transposed(token, &self.key_rows[1]);
            }
        }
        (v[12], v[13], v[14], v[15]) = transposed(token, &self.last_rows);
        v
    }

    /// Computes the block function (RFC 8439, section 2.3).
    #[inline(always)]
    fn block_function<S: Simd>(&mut self, token: S, keys: Keys<'_>) {
        let initial = self.initial(token, keys);
        let mut v = initial;
        rounds::<_, 20>(&mut v, &mut PendingPoly1305::none());
        for i in 0..16 {
            v[i] = v[i].add(initial[i]);
        }
        xor_rows(&transpose(&v), &mut self.bytes[..S::Words::LANES * BLOCK_BYTES]);
    }
}

/// Returns one word of each row in each vector, with block `ROWS * column + row` in lane `4 * row +
/// column`, as [`transpose`] expects.
#[inline(always)]
fn transposed<S: Simd>(token: S, rows: &[Row; MAX_WORDS_LANES]) -> (S::Words, S::Words, S::Words, S::Words) {
    let words = rows.as_flattened();
    let vector = |column: usize| {
        let words = words[column * S::Words::LANES..].first_chunk().expect("four times the lanes of the widest vector");
        S::Words::from_lanes(token, words)
    };
    S::Words::transpose(vector(0), vector(1), vector(2), vector(3))
}
