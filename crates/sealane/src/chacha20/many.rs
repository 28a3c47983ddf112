//! Key streams of many messages at once: vertical groups whose lanes hold blocks of different
//! messages.
//!
//! One message's blocks differ only in the counter, and a long message fills the lanes of a wide
//! vector. Here each lane has a separate block counter and nonce, and, for XChaCha, a separate key.
//! Where the registers hold two groups, these advance together, as in [`super::paired`].

use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Token, Words};

use super::BLOCK_BYTES;
use super::paired::double_rounds;
use super::rows::{Rows, blocks, transpose};
use super::state::CONSTANTS;
use super::vertical::rounds;
use crate::wipe::wipe;

/// A row of a state, four words: a half of the key, or block counter and nonce.
pub(crate) type Row = [u32; 4];

/// The most blocks that are computed together: two of the widest groups.
const MAX_BLOCKS: usize = 2 * MAX_WORDS_LANES;

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
    while let (runs @ 1.., blocks) = group.fill(blocks_together::<S>(), keys, last_rows, first, counts, &mut cursor) {
        group.block_function(token, keys, blocks);
        visit(&group.runs[..runs], &group.bytes);
    }
    group.wipe_key_stream::<S>();
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
        let mut v = group.initial(token, Keys::Shared(key), 0);
        rounds::<_, 20>(&mut v, &mut PendingPoly1305::none());
        store(&transpose(&v), &mut group.bytes);
        for (subkey, block) in subkeys.iter_mut().zip(group.bytes.as_chunks::<BLOCK_BYTES>().0) {
            let (rows, _) = block.as_chunks::<16>();
            *subkey = [row(&rows[0]), row(&rows[3])];
        }
    }
    group.wipe_key_stream::<S>();
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
    let together = blocks_together::<S>();
    for (last_rows, starts) in last_rows.chunks(together).zip(starts.chunks_mut(together)) {
        for (lane, last_row) in group.last_rows.iter_mut().zip(last_rows) {
            *lane = row(last_row);
        }
        group.block_function(token, Keys::Shared(key), last_rows.len());
        for (start, block) in starts.iter_mut().zip(group.bytes.as_chunks::<BLOCK_BYTES>().0) {
            start.copy_from_slice(&block[..BYTES]);
        }
    }
    group.wipe_key_stream::<S>();
}

/// Returns the number of blocks that are computed together.
const fn blocks_together<S: Simd>() -> usize {
    S::TUNING.vertical_sets * S::Words::LANES
}

/// One block for each lane of one or two vectors, in the order of their bytes. Lanes without a
/// block hold any value.
struct Group {
    key_rows: [[Row; MAX_BLOCKS]; 2],
    last_rows: [Row; MAX_BLOCKS],
    runs: [Run; MAX_BLOCKS],
    bytes: [u8; MAX_BLOCKS * BLOCK_BYTES],
}

impl Group {
    #[inline(always)]
    fn new() -> Self {
        let rows = [[0; 4]; MAX_BLOCKS];
        let runs = [Run::default(); MAX_BLOCKS];
        Self { key_rows: [rows; 2], last_rows: rows, runs, bytes: [0; MAX_BLOCKS * BLOCK_BYTES] }
    }

    /// Takes up to `lanes` blocks. Returns the number of their runs, and the number of blocks.
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
    ) -> (usize, usize) {
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
        (runs, filled)
    }

    /// Returns word i of the states of a group's blocks in vector i.
    #[inline(always)]
    fn initial<S: Simd>(&self, token: S, keys: Keys<'_>, first_block: usize) -> [S::Words; 16] {
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
                (v[4], v[5], v[6], v[7]) = transposed(token, &self.key_rows[0][first_block..]);
                (v[8], v[9], v[10], v[11]) = transposed(token, &self.key_rows[1][first_block..]);
            }
        }
        (v[12], v[13], v[14], v[15]) = transposed(token, &self.last_rows[first_block..]);
        v
    }

    /// Computes the block function (RFC 8439, section 2.3) for that many blocks.
    #[inline(always)]
    fn block_function<S: Simd>(&mut self, token: S, keys: Keys<'_>, blocks: usize) {
        if S::TUNING.vertical_sets == 1 {
            return self.one(token, keys);
        }
        // All callers share one copy of these functions.
        let token = token.for_cipher();
        if blocks <= S::Words::LANES {
            token.enter_apart(
                #[inline(always)]
                |token| self.one(token, keys),
            );
        } else {
            token.enter_apart(
                #[inline(always)]
                |token| self.two(token, keys),
            );
        }
    }

    #[inline(always)]
    fn one<S: Simd>(&mut self, token: S, keys: Keys<'_>) {
        let initial = self.initial(token, keys, 0);
        let mut v = initial;
        rounds::<_, 20>(&mut v, &mut PendingPoly1305::none());
        add(&mut v, &initial);
        store(&transpose(&v), &mut self.bytes);
    }

    #[inline(always)]
    fn two<S: Simd>(&mut self, token: S, keys: Keys<'_>) {
        let (first, second) = (self.initial(token, keys, 0), self.initial(token, keys, S::Words::LANES));
        let (mut v, mut w) = (first, second);
        double_rounds(&mut v, &mut w, 10);
        let (bytes, more_bytes) = self.bytes.split_at_mut(S::Words::LANES * BLOCK_BYTES);
        add(&mut v, &first);
        store(&transpose(&v), bytes);
        add(&mut w, &second);
        store(&transpose(&w), more_bytes);
    }

    fn wipe_key_stream<S: Simd>(&mut self) {
        wipe(&mut self.bytes[..blocks_together::<S>() * BLOCK_BYTES]);
    }
}

/// Adds the words of the initial states.
#[inline(always)]
fn add<W: Words>(v: &mut [W; 16], initial: &[W; 16]) {
    for i in 0..16 {
        v[i] = v[i].add(initial[i]);
    }
}

/// Writes the blocks of a group.
#[inline(always)]
fn store<W: Words>(rows: &[Rows<W>; 4], bytes: &mut [u8]) {
    for (rows, bytes) in rows.iter().zip(bytes.chunks_exact_mut(W::ROWS * BLOCK_BYTES)) {
        bytes.copy_from_slice(blocks(rows).as_ref());
    }
}

/// Returns one word of each row in each vector, with block `ROWS * column + row` in lane `4 * row +
/// column`, as [`transpose`] expects.
#[inline(always)]
fn transposed<S: Simd>(token: S, rows: &[Row]) -> (S::Words, S::Words, S::Words, S::Words) {
    let words = rows.as_flattened();
    let vector = |column: usize| {
        let words = words[column * S::Words::LANES..].first_chunk().expect("blocks for the widest vectors");
        S::Words::from_lanes(token, words)
    };
    S::Words::transpose(vector(0), vector(1), vector(2), vector(3))
}
