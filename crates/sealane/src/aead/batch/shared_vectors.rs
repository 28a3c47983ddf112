//! Up to 32 messages processed together: the lanes of shared vectors compute all their blocks, or
//! only their blocks 0.

use core::array;
use core::cmp::Reverse;

use sealane_simd::tuning::BATCH_MAX_BYTES_IN_LANES;
use sealane_simd::{Level, Simd, Token, dispatch, xor_bytes};

use super::request::{MAX_MESSAGES, Operation, Request};
use super::{in_turn, interleaved};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::many::{self, Block, Keys, Row, Target};
use crate::poly1305::many::{Input, tags};
use crate::wipe::wipe;

/// Messages under one key, which are all sealed or all opened. The values that belong to a message
/// are at its index in each array.
pub(super) struct Batch<'a> {
    key: [Row; 2],
    messages: [Request<'a>; MAX_MESSAGES],
    len: usize,
    /// The last rows of the states, with block counter 0 until they are used.
    last_rows: [Row; MAX_MESSAGES],
    /// Whether the nonces have 192 bits. Their first 128 bits are in `prefixes`, and select a key
    /// for each message.
    extended: bool,
    prefixes: [Row; MAX_MESSAGES],
}

impl<'a> Batch<'a> {
    #[inline(always)]
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let (halves, _) = key.as_chunks::<16>();
        Self {
            key: [many::row(&halves[0]), many::row(&halves[1])],
            messages: array::from_fn(|_| Request::default()),
            len: 0,
            last_rows: [[0; 4]; MAX_MESSAGES],
            extended: false,
            prefixes: [[0; 4]; MAX_MESSAGES],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == MAX_MESSAGES
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a message. All nonces of a batch have the same length, 12 or 24 bytes.
    #[inline(always)]
    pub(super) fn push(&mut self, nonce: &[u8], message: Request<'a>) {
        let mut nonce = nonce;
        if let Some((prefix, rest)) = nonce.split_first_chunk() {
            self.extended = true;
            self.prefixes[self.len] = many::row(prefix);
            nonce = rest;
        }
        // The layout of `chacha20::layout::fill`.
        let words = nonce.as_chunks::<4>().0;
        let mut last_row = [0; 4];
        for (word, bytes) in last_row.iter_mut().rev().zip(words.iter().rev()) {
            *word = u32::from_le_bytes(*bytes);
        }
        self.last_rows[self.len] = last_row;
        self.messages[self.len] = message;
        self.len += 1;
    }

    /// Seals or opens each message, on vectors.
    #[inline(never)]
    pub(super) fn run(&mut self, level: Level) {
        dispatch!(level, token => self.run_inlined(token));
    }

    #[inline(always)]
    fn run_inlined<S: Simd>(&mut self, token: S) {
        assert!(S::VECTORS, "without vectors, messages are taken one by one");
        if S::TUNING.narrower_max_bytes.is_some() {
            return on_narrower!(token => self.run_inlined(token));
        }
        let len = self.len;
        let messages = &mut self.messages[..len];
        let last_rows = &mut self.last_rows[..len];
        // Blocks 0 of the key streams, whose first halves are the one-time keys.
        let mut key_blocks = [[0; BLOCK_BYTES]; MAX_MESSAGES];
        let key_blocks = &mut key_blocks[..len];
        let key = [&self.key[0], &self.key[1]];
        let mut subkeys;
        let keys = if self.extended {
            subkeys = Subkeys([[[0; 4]; 2]; MAX_MESSAGES]);
            many::subkeys(token, key, &self.prefixes[..len], &mut subkeys.0[..len]);
            Keys::Each(&subkeys.0[..len])
        } else {
            Keys::Shared(key)
        };

        let opens = messages.iter().any(|message| matches!(message.operation, Operation::Open(..)));
        if S::TUNING.authenticate_pieces_between_rounds {
            let bytes = messages.iter().map(|message| message.data.len()).sum::<usize>();
            if opens || bytes > BATCH_MAX_BYTES_IN_LANES * len {
                in_turn::run(token, keys, last_rows, messages, key_blocks, opens);
            } else {
                interleaved::seal(token, keys, last_rows, messages, key_blocks);
            }
            wipe(key_blocks.as_flattened_mut());
            return;
        }

        // The first halves of the blocks 0 are the one-time keys (RFC 8439, section 2.6).
        if opens {
            many::block_starts(token, keys, last_rows.iter().copied(), key_blocks);
        } else {
            xor_key_streams(token, keys, last_rows, messages, Some(key_blocks));
        }
        authenticate(token, messages, key_blocks);
        wipe(key_blocks.as_flattened_mut());
        if opens {
            // Messages that are not authentic have no data left.
            xor_key_streams(token, keys, last_rows, messages, None);
        }
    }
}

/// Combines the key streams with the blocks 0 in `key_blocks`, if they are given, and with the data
/// of the messages.
#[inline(always)]
fn xor_key_streams<S: Simd>(
    token: S,
    keys: Keys<'_>,
    last_rows: &mut [Row],
    messages: &mut [Request<'_>],
    key_blocks: Option<&mut [Block]>,
) {
    let first = u32::from(key_blocks.is_none());
    let mut key_blocks = key_blocks.unwrap_or_default().iter_mut();
    let mut ends = [[0; BLOCK_BYTES]; MAX_MESSAGES];
    let mut targets: [Target<'_>; MAX_MESSAGES] = array::from_fn(|_| Target::default());
    for ((target, message), block) in targets.iter_mut().zip(&mut *messages).zip(&mut ends) {
        let (blocks, rest) = message.data.as_chunks_mut();
        let end = if rest.is_empty() { None } else { Some(block) };
        *target = Target { start: key_blocks.next(), middle: blocks, end };
    }
    last_rows.iter_mut().for_each(|row| row[0] = first);
    let targets = &mut targets[..last_rows.len()];
    many::xor_key_streams(token, keys, last_rows, targets);
    for (message, key_stream) in messages.iter_mut().zip(&ends) {
        xor_bytes(message.data.as_chunks_mut::<BLOCK_BYTES>().1, key_stream);
    }
    wipe(ends.as_flattened_mut());
}

/// Computes the tags of the ciphertexts, and writes or compares them ([`Request::finish`]).
/// Ciphertexts of similar length are processed together.
#[inline(always)]
fn authenticate<S: Simd>(token: S, messages: &mut [Request<'_>], key_blocks: &[Block]) {
    let mut order: [(usize, usize); MAX_MESSAGES] = [(0, 0); MAX_MESSAGES];
    let order = &mut order[..messages.len()];
    for (i, (entry, message)) in order.iter_mut().zip(&*messages).enumerate() {
        *entry = (message.input().blocks(), i);
    }
    order.sort_unstable_by_key(|(blocks, _)| Reverse(*blocks));

    let mut inputs = [Input::default(); MAX_MESSAGES];
    let mut keys = [&key_blocks[0]; MAX_MESSAGES];
    for ((input, key), (_, i)) in inputs.iter_mut().zip(&mut keys).zip(&*order) {
        *input = messages[*i].input();
        *key = &key_blocks[*i];
    }
    let mut computed = [[0; 16]; MAX_MESSAGES];
    let count = order.len();
    tags(token, &keys[..count], &mut inputs[..count], &mut computed[..count]);
    for (tag, (_, i)) in computed.iter().zip(order) {
        messages[*i].finish(tag);
    }
}

/// Keys of the messages with nonces of 192 bits.
struct Subkeys([[Row; 2]; MAX_MESSAGES]);

impl Drop for Subkeys {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}
