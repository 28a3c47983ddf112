//! Seals short messages. Their blocks share vectors, and they are authenticated on integers between
//! the rounds.
//!
//! A group computes the next blocks of key stream for as many messages as are needed to fill it, so
//! only the last group of a batch has empty lanes. During its rounds, the messages that have been
//! encrypted are authenticated.

use core::array;

use sealane_simd::tuning::POLY1305_BLOCKS_PER_DOUBLE_ROUND;
use sealane_simd::{PendingPoly1305, Simd, Words, xor_bytes};

use super::request::{MAX_MESSAGES, Request};
use crate::aead::construction::{begin_mac, finish_mac, lengths, message_block};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::many::{Block, Keys, Row, Target};
use crate::chacha20::runs::{Authentication, LANES, Runs};
use crate::poly1305::{self, Short};
use crate::wipe::wipe;

/// Bytes that are authenticated beside each double round.
const MIN_BYTES: usize = POLY1305_BLOCKS_PER_DOUBLE_ROUND * poly1305::BLOCK_BYTES;

/// Seals all messages. `last_rows` are the last rows of their states, with block counter 0.
/// `key_blocks` hold zeros, which are overwritten with the blocks 0.
#[inline(always)]
pub(super) fn seal<S: Simd>(
    token: S,
    keys: Keys<'_>,
    last_rows: &mut [Row],
    messages: &mut [Request<'_>],
    key_blocks: &mut [Block],
) {
    const { assert!(!S::TUNING.authenticate_pieces_between_rounds || S::Words::LANES == LANES) };
    let mut ends = [[0; BLOCK_BYTES]; MAX_MESSAGES];
    let mut spare = [[0; BLOCK_BYTES]; LANES];
    let mut runs = Runs::new();
    let mut progress = Progress { message: 0, bytes: 0, mac: None };
    // The first message whose key stream is not complete.
    let mut next = 0;
    while next < messages.len() {
        let (before, after) = messages.split_at_mut(next);
        let (keys_before, keys_after) = key_blocks.split_at_mut(next);
        let work = Work { messages: before, key_blocks: keys_before, progress: &mut progress };
        let (rows, ends) = (&mut last_rows[next..], &mut ends[next..]);
        let mut targets: [Target<'_>; LANES] = array::from_fn(|_| Target::default());
        let targets = fill_targets(&mut targets, rows, after, keys_after, ends);
        let mut blocks = spare.each_mut();
        let passed = runs.fill(rows, targets, &mut blocks);
        runs.xor(token, keys.from(next), &mut blocks, work);
        for (message, key_stream) in after.iter_mut().zip(ends).take(passed) {
            xor_bytes(message.data.as_chunks_mut::<BLOCK_BYTES>().1, key_stream);
        }
        next += passed;
    }
    while progress.message < messages.len() {
        progress.finish_message(token, messages, key_blocks);
    }
    wipe(spare.as_flattened_mut());
    wipe(ends.as_flattened_mut());
}

/// Collects the blocks of the next messages in `targets`: enough for a group, or all that remain.
/// Returns the targets that are in use.
#[inline(always)]
fn fill_targets<'t, 'b>(
    targets: &'t mut [Target<'b>; LANES],
    last_rows: &[Row],
    messages: &'b mut [Request<'_>],
    blocks_0: &'b mut [Block],
    ends: &'b mut [Block],
) -> &'t mut [Target<'b>] {
    let (mut filled, mut blocks) = (0, 0);
    let messages = messages.iter_mut().zip(last_rows).zip(blocks_0.iter_mut().zip(ends));
    for (target, ((message, row), (block_0, rest))) in targets.iter_mut().zip(messages) {
        if blocks >= LANES {
            break;
        }
        if row[0] == 0 {
            target.start = Some(block_0);
        }
        let done = row[0].saturating_sub(message_block(0)) as usize;
        let (all, tail) = message.data.as_chunks_mut();
        let has_end = !tail.is_empty() && done <= all.len();
        target.middle = all.get_mut(done..).unwrap_or_default();
        if has_end {
            target.end = Some(rest);
        }
        blocks += target.len();
        filled += 1;
    }
    &mut targets[..filled]
}

/// How far the messages are authenticated.
struct Progress {
    /// The index of the current message. The messages before it have tags.
    message: usize,
    /// The bytes of the current message's ciphertext that `mac` has processed.
    bytes: usize,
    mac: Option<Short>,
}

impl Progress {
    /// Authenticates the rest of the current message, without other work, and writes its tag.
    #[inline(always)]
    fn finish_message<S: Simd>(&mut self, token: S, messages: &mut [Request<'_>], key_blocks: &[Block]) {
        let (message, block_0) = (&mut messages[self.message], &key_blocks[self.message]);
        let mac = self.mac(message, block_0);
        let mac = poly1305::padded_end(token, mac, &message.data[self.bytes..]);
        self.finish(message, mac, 0);
    }

    /// Returns the authenticator of the current message. Starts it if necessary.
    #[inline(always)]
    fn mac(&mut self, message: &Request<'_>, block_0: &Block) -> Short {
        *self.mac.get_or_insert_with(
            #[inline(always)]
            || begin_mac(block_0, message.aad),
        )
    }

    /// Adds the last `bytes` bytes of the current message to `mac`, writes the tag, and moves on to
    /// the next message.
    #[inline(always)]
    fn finish(&mut self, message: &mut Request<'_>, mac: Short, bytes: usize) {
        let length = message.data.len();
        let rest = &message.data[length - bytes..];
        message.finish(&finish_mac(mac, rest, &lengths(message.aad.len(), length)));
        self.wipe();
        self.message += 1;
    }

    #[inline(always)]
    fn wipe(&mut self) {
        if let Some(mac) = &mut self.mac {
            mac.wipe();
        }
        (self.bytes, self.mac) = (0, None);
    }
}

/// The messages that are authenticated during the rounds.
struct Work<'w, 'a> {
    messages: &'w mut [Request<'a>],
    key_blocks: &'w [Block],
    progress: &'w mut Progress,
}

impl Authentication for Work<'_, '_> {
    // Not inlined, because its values would then be in memory between the rounds.
    #[inline(never)]
    fn pending(&mut self) -> PendingPoly1305<'_> {
        let progress = &mut *self.progress;
        loop {
            let i = progress.message;
            let Some(message) = self.messages.get_mut(i) else { return PendingPoly1305::none() };
            let mac = progress.mac(message, &self.key_blocks[i]);
            let rest = message.data.len() - progress.bytes;
            if rest >= MIN_BYTES {
                return mac.pending(&self.messages[i].data[progress.bytes..]);
            }
            progress.finish(message, mac, rest);
        }
    }

    #[inline(always)]
    fn added(&mut self, h: [u64; 3], blocks: usize) {
        if let Some(mac) = &mut self.progress.mac {
            mac.set_accumulator(h);
            self.progress.bytes += blocks * poly1305::BLOCK_BYTES;
        }
    }
}
