//! Key streams of many messages at once: vertical groups whose lanes hold blocks of different
//! messages.
//!
//! The blocks of one message differ only in the counter, and only a long message fills the lanes of
//! a wide vector. Here each lane has its own block counter and nonce, and for XChaCha its own key.
//!
//! Where the registers hold two groups, two groups advance together, as in [`super::paired`], and
//! the whole groups of the messages come first, in pairs: all lanes of such a group belong to one
//! message. [`super::rows`] explains groups.

use core::mem::take;

use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Token, Words};

use super::BLOCK_BYTES;
use super::pair_rounds::{double_rounds, enter_with_rounds};
use super::paired::{self, GROUP_BLOCKS, GroupOfMessage};
use super::rows::{Rows, transpose};
use super::state::{CONSTANTS, State};
use super::vertical::rounds;
use crate::wipe::wipe;

/// A row of a state (four words): half of the key, or the block counter and the nonce.
pub(crate) type Row = [u32; 4];

/// The most blocks that are computed together: two groups of the widest vectors.
const MAX_BLOCKS: usize = 2 * MAX_WORDS_LANES;

/// Returns sixteen bytes as a row of little-endian words.
#[inline(always)]
pub(crate) fn row(bytes: &[u8; 16]) -> Row {
    let mut row = [0; 4];
    for (word, bytes) in row.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    row
}

/// A block of a message or of a key stream.
pub(crate) type Block = [u8; BLOCK_BYTES];

/// The keys of the messages: rows 1 and 2 of their states.
#[derive(Clone, Copy)]
pub(crate) enum Keys<'a> {
    /// One key for all messages.
    Shared([&'a Row; 2]),
    /// One key for each message.
    Each(&'a [[Row; 2]]),
}

impl Keys<'_> {
    /// Returns the keys of the messages from number `message` on.
    #[inline(always)]
    pub(crate) fn from(&self, message: usize) -> Keys<'_> {
        match self {
            Self::Shared(key) => Keys::Shared(*key),
            Self::Each(keys) => Keys::Each(&keys[message..]),
        }
    }

    /// Fills `state` with the state of message number `message`, whose last row is given.
    #[inline(always)]
    pub(crate) fn fill_state(&self, message: usize, last_row: &Row, state: &mut State) {
        let [upper, lower] = self.of(message);
        state[..4].copy_from_slice(&CONSTANTS);
        state[4..8].copy_from_slice(upper);
        state[8..12].copy_from_slice(lower);
        state[12..].copy_from_slice(last_row);
    }

    /// Returns the key of message number `message`.
    #[inline(always)]
    pub(super) fn of(&self, message: usize) -> [&Row; 2] {
        match self {
            Self::Shared(key) => *key,
            Self::Each(keys) => keys[message].each_ref(),
        }
    }
}

/// Consecutive blocks of one message, which are to be combined with its key stream: an iterator
/// over those that are left.
#[derive(Default)]
pub(crate) struct Target<'a> {
    pub(crate) start: Option<&'a mut Block>,
    pub(crate) middle: &'a mut [Block],
    pub(crate) end: Option<&'a mut Block>,
}

impl<'a> Target<'a> {
    /// Returns the number of whole groups before the block at the end.
    #[inline(always)]
    fn groups(&self) -> usize {
        (usize::from(self.start.is_some()) + self.middle.len()) / GROUP_BLOCKS
    }

    /// Takes the first whole group before the block at the end.
    #[inline(always)]
    fn take_group(&mut self) -> Option<GroupOfMessage<'a>> {
        if self.groups() == 0 {
            return None;
        }
        let first = self.next()?;
        let ([a, b, c], blocks) = take(&mut self.middle).split_first_chunk_mut()?;
        let (rest, blocks) = blocks.split_first_chunk_mut()?;
        self.middle = blocks;
        Some(GroupOfMessage { first: [first, a, b, c], rest })
    }
}

impl<'a> Iterator for Target<'a> {
    type Item = &'a mut Block;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(block) = self.start.take() {
            return Some(block);
        }
        self.middle.split_off_first_mut().or_else(|| self.end.take())
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let blocks = usize::from(self.start.is_some()) + self.middle.len() + usize::from(self.end.is_some());
        (blocks, Some(blocks))
    }
}

impl ExactSizeIterator for Target<'_> {}

/// For each i, combines the blocks of target i with the key stream of message i. The targets are
/// empty afterwards.
///
/// `last_rows` has the last row of each message's state, with the block counter of its next block.
/// The counters move on.
#[inline(always)]
pub(crate) fn xor_key_streams<S: Simd>(token: S, keys: Keys<'_>, last_rows: &mut [Row], targets: &mut [Target<'_>]) {
    if S::TUNING.vertical_sets == 2 {
        xor_whole_groups(token, keys, last_rows, targets);
    }
    let mut group = Group::new();
    let mut spare = [[0; BLOCK_BYTES]; MAX_BLOCKS];
    let mut message = 0;
    let together = blocks_together::<S>();
    loop {
        let mut blocks = spare.each_mut();
        let filled = group.fill(together, keys, last_rows, targets, &mut message, &mut blocks);
        if filled == 0 {
            break;
        }
        group.block_function(token, keys, filled, &mut blocks);
        if filled < together {
            // The lanes without a block of a message wrote their key stream here.
            wipe(spare.as_flattened_mut());
            break;
        }
    }
    if let Keys::Each(_) = keys {
        wipe(group.key_rows.as_flattened_mut());
    }
}

/// Takes whole groups from the targets, two at a time, and combines them with their key streams. If
/// the number of whole groups is odd, the last one stays.
// Not inlined: between the kernels, the registers are taken, and its few values would live in
// memory.
#[inline(never)]
fn xor_whole_groups<S: Simd>(token: S, keys: Keys<'_>, last_rows: &mut [Row], targets: &mut [Target<'_>]) {
    let mut left = targets.iter().map(Target::groups).sum::<usize>() & !1;
    if left == 0 {
        return;
    }
    let mut states = [[0; 16]; 2];
    let mut waiting = None;
    for (message, (last_row, target)) in last_rows.iter_mut().zip(targets).enumerate() {
        while left > 0 {
            let Some(group) = target.take_group() else { break };
            left -= 1;
            let state: &mut State = &mut states[usize::from(waiting.is_some())];
            keys.fill_state(message, last_row, state);
            last_row[0] = last_row[0].wrapping_add(GROUP_BLOCKS as u32);
            match waiting.take() {
                None => waiting = Some(group),
                Some(first) => paired::xor_two_messages(token.for_cipher(), &states, first, group),
            }
        }
    }
    wipe(states.as_flattened_mut());
}

/// Computes HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2) for many messages: derives the key
/// of each message from `key` and a prefix, the first 16 bytes of the message's nonce. `prefixes`
/// and `subkeys` have equal lengths.
#[inline(always)]
pub(crate) fn subkeys<S: Simd>(token: S, key: [&Row; 2], prefixes: &[Row], subkeys: &mut [[Row; 2]]) {
    let mut group = Group::new();
    for (prefixes, subkeys) in prefixes.chunks(S::Words::LANES).zip(subkeys.chunks_mut(S::Words::LANES)) {
        group.last_rows[..prefixes.len()].copy_from_slice(prefixes);
        let mut v = group.initial(token, Keys::Shared(key), 0);
        rounds::<_, 20>(&mut v, &mut PendingPoly1305::none());
        let mut permuted = [[0; BLOCK_BYTES]; MAX_WORDS_LANES];
        xor_group(&transpose(&v), &mut permuted.each_mut());
        for (subkey, block) in subkeys.iter_mut().zip(&permuted) {
            let (rows, _) = block.as_chunks::<16>();
            *subkey = [row(&rows[0]), row(&rows[3])];
        }
        wipe(permuted.as_flattened_mut());
    }
}

/// Computes one block of key stream for each last row, which has the block counter and the nonce.
/// Copies the first bytes of each block to `starts`, which has one element for each row.
#[inline(always)]
pub(crate) fn block_starts<S: Simd, const BYTES: usize>(
    token: S,
    keys: Keys<'_>,
    mut last_rows: impl Iterator<Item = Row>,
    starts: &mut [[u8; BYTES]],
) {
    let mut group = Group::new();
    let together = blocks_together::<S>();
    for (number, starts) in starts.chunks_mut(together).enumerate() {
        for (lane, row) in last_rows.by_ref().take(starts.len()).enumerate() {
            group.last_rows[lane] = row;
            if let Keys::Each(keys) = keys {
                let [upper, lower] = keys[number * together + lane];
                (group.key_rows[0][lane], group.key_rows[1][lane]) = (upper, lower);
            }
        }
        let mut blocks = [[0; BLOCK_BYTES]; MAX_BLOCKS];
        group.block_function(token, keys, starts.len(), &mut blocks.each_mut());
        for (start, block) in starts.iter_mut().zip(&blocks) {
            start.copy_from_slice(&block[..BYTES]);
        }
        wipe(blocks[..together].as_flattened_mut());
    }
    if let Keys::Each(_) = keys {
        wipe(group.key_rows.as_flattened_mut());
    }
}

/// Returns the number of blocks that are computed together.
const fn blocks_together<S: Simd>() -> usize {
    S::TUNING.vertical_sets * S::Words::LANES
}

/// The keys and last rows of up to two groups: one block for each lane of one or two vectors. The
/// values for lanes without a block do not matter.
struct Group {
    key_rows: [[Row; MAX_BLOCKS]; 2],
    last_rows: [Row; MAX_BLOCKS],
}

impl Group {
    #[inline(always)]
    fn new() -> Self {
        let rows = [[0; 4]; MAX_BLOCKS];
        Self { key_rows: [rows; 2], last_rows: rows }
    }

    /// Moves up to `lanes` blocks from the targets to `blocks`, and copies their keys and last
    /// rows. Starts at target `message`, which becomes the first target that may have blocks left.
    /// Returns the number of blocks.
    // Not inlined: between the kernels, the registers are taken, and its few values would live in
    // memory.
    #[inline(never)]
    fn fill<'a, 'b: 'a>(
        &mut self,
        lanes: usize,
        keys: Keys<'_>,
        last_rows: &mut [Row],
        targets: &mut [Target<'b>],
        message: &mut usize,
        blocks: &mut [&'a mut Block; MAX_BLOCKS],
    ) -> usize {
        let mut filled = 0;
        while let Some(target) = targets.get_mut(*message) {
            // The counter is copied to a local variable. In memory, every step would wait for the
            // store of the previous step.
            let [mut next, n0, n1, n2] = last_rows[*message];
            let before = filled;
            while filled < lanes
                && let Some(block) = target.next()
            {
                self.last_rows[filled] = [next, n0, n1, n2];
                blocks[filled] = block;
                next = next.wrapping_add(1);
                filled += 1;
            }
            last_rows[*message][0] = next;
            if let Keys::Each(keys) = keys {
                let [upper, lower] = keys[*message];
                self.key_rows[0][before..filled].fill(upper);
                self.key_rows[1][before..filled].fill(lower);
            }
            if filled == lanes {
                break;
            }
            *message += 1;
        }
        filled
    }

    /// Returns the initial states of the group's blocks from `first_block` on: vector i has word i
    /// of each.
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

    /// Combines the first `count` of the blocks with the results of the block function (RFC 8439,
    /// section 2.3). It may change the other blocks.
    #[inline(always)]
    fn block_function<S: Simd>(&self, token: S, keys: Keys<'_>, count: usize, blocks: &mut [&mut Block; MAX_BLOCKS]) {
        if S::TUNING.vertical_sets == 1 {
            return self.xor_one(token, keys, blocks);
        }
        // All callers share one copy of these functions.
        let token = token.for_cipher();
        if count <= S::Words::LANES {
            token.enter_apart(
                #[inline(always)]
                |token| self.xor_one(token, keys, blocks),
            );
        } else {
            enter_with_rounds!(token, IN_ASSEMBLY => self.xor_two::<S::Cipher, IN_ASSEMBLY>(token, keys, blocks));
        }
    }

    #[inline(always)]
    fn xor_one<S: Simd>(&self, token: S, keys: Keys<'_>, blocks: &mut [&mut Block; MAX_BLOCKS]) {
        let initial = self.initial(token, keys, 0);
        let mut v = initial;
        rounds::<_, 20>(&mut v, &mut PendingPoly1305::none());
        add(&mut v, &initial);
        xor_group(&transpose(&v), blocks);
    }

    #[inline(always)]
    fn xor_two<S: Simd, const IN_ASSEMBLY: bool>(
        &self,
        token: S,
        keys: Keys<'_>,
        blocks: &mut [&mut Block; MAX_BLOCKS],
    ) {
        let (first, second) = (self.initial(token, keys, 0), self.initial(token, keys, S::Words::LANES));
        let (mut v, mut w) = (first, second);
        double_rounds::<_, IN_ASSEMBLY>(&mut v, &mut w, 10);
        add(&mut v, &first);
        add(&mut w, &second);
        let (blocks, more_blocks) = blocks.split_at_mut(S::Words::LANES);
        xor_group(&transpose(&v), blocks);
        xor_group(&transpose(&w), more_blocks);
    }
}

/// Adds the words of the initial states to `v`.
#[inline(always)]
pub(super) fn add<W: Words>(v: &mut [W; 16], initial: &[W; 16]) {
    for i in 0..16 {
        v[i] = v[i].add(initial[i]);
    }
}

/// Combines the blocks of a group with its key stream, in rows.
#[inline(always)]
pub(super) fn xor_group<W: Words>(rows: &[Rows<W>; 4], blocks: &mut [&mut Block]) {
    for (&Rows(a, b, c, d), blocks) in rows.iter().zip(blocks.chunks_exact_mut(W::ROWS)) {
        W::xor_blocks(a, b, c, d, blocks);
    }
}

/// Returns four vectors: vector i has word i of each row. Lane `4 * row + column` belongs to block
/// `ROWS * column + row`, as [`transpose`] expects.
#[inline(always)]
fn transposed<S: Simd>(token: S, rows: &[Row]) -> (S::Words, S::Words, S::Words, S::Words) {
    let words = rows.as_flattened();
    let vector = |column: usize| {
        let words = words[column * S::Words::LANES..].first_chunk().expect("blocks for the widest vectors");
        S::Words::from_lanes(token, words)
    };
    S::Words::transpose(vector(0), vector(1), vector(2), vector(3))
}
