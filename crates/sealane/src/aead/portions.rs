//! Seals and opens messages of more than a few blocks, on CPUs with products of 52 bits for
//! Poly1305.
//!
//! The key stream is computed in portions ([`crate::chacha20::rows`] explains groups): [the first
//! one](FirstPortion), and then pairs of groups. The powers of r are computed after block 0. To
//! seal, each portion is authenticated after the next one has been encrypted. To open, each later
//! portion is authenticated before it is decrypted. On some classes of CPUs, most bytes are
//! authenticated on integers while the key stream of a pair is computed
//! ([decision](../../../../docs/decisions/0027-poly1305-on-integers-beside-pairs.md)).

use core::ops::Range;

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{AlignedBytes, Level, Simd, Words};

use super::ciphertext_copy::CiphertextCopy;
use super::construction::{ROUNDS, block_at, lengths, message_block, undo_decryption, verify};
use super::first_portion::{FirstPortion, PAIR_BYTES};
use super::payload::{Ciphertext, Payload};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::interleaved_poly1305::{self, ScalarPoly1305};
use crate::chacha20::paired::{self, Groups, SET_BYTES};
use crate::chacha20::state::State;
use crate::error::OpenError;
use crate::poly1305::{Element, INTEGER_BYTES, OnIntegers, ROW_BYTES, RowsMac, RowsPowers, Tag};
use crate::wipe::wipe;

/// The bytes of the shortest portion that can be authenticated on integers beside the next pair: a
/// row, the blocks on integers, and another row.
const MIN_BYTES_BEFORE_PAIR: usize = ROW_BYTES + INTEGER_BYTES + ROW_BYTES;

/// The vectors of words for the cipher.
type WordsOf<S> = <<S as Simd>::Cipher as Simd>::Words;

/// Returns whether [`seal`] and [`open`] take a message that is too long for [`super::short`] and
/// [`super::one_call`].
#[inline(always)]
pub(super) fn takes<S: Simd>(aad: &[u8]) -> bool {
    S::MUL_ADD_52 && S::TUNING.vertical_sets == 2 && aad.len() <= SHORT_MAX_AAD_BYTES
}

/// Does the same as [`super::plan::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.length();
    let cipher = token.for_cipher();
    let first = FirstPortion::of::<S>(token.cpu_class(), length);
    let mut set = AlignedBytes([0; SET_BYTES]);
    let end = first.head;
    let short = first.xor(cipher, state, length, &mut set.0, message.upto(end)).padded(aad);
    let mut powers = RowsPowers::<S::U64Lanes>::empty(token);
    let portions_end = length - first.tail;
    // A short first portion has too few blocks for the first pair.
    let integers_start = if end < MIN_BYTES_BEFORE_PAIR { end + PAIR_BYTES } else { end };
    let mut mac = RowsMac::new(token, &mut powers, &short, length, integers_start < portions_end);
    let mut groups = Groups::empty(cipher, state);
    if end < portions_end {
        groups.fill(cipher);
    }
    encrypt_pairs(token, &groups, &mut mac, message_block(0), &mut message, end..portions_end);
    let ciphertext = message.upto(length);
    S::Words::xor_bytes(token, &mut ciphertext[portions_end..], &set.0[BLOCK_BYTES..]);
    mac.add_rows(token, ciphertext);
    let tag = mac.finish(token, short, &ciphertext[length - length % ROW_BYTES..], &lengths(aad.len(), length));
    wipe(&mut set.0);
    groups.wipe(cipher);
    tag
}

/// Does the same as [`super::plan::open`]. Decrypts while it authenticates, and encrypts again
/// if the message turns out to be a forgery.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    level: Level,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Ciphertext,
) -> Result<(), OpenError> {
    let length = message.length();
    let whole_rows = length - length % ROW_BYTES;
    let mut last_row = CiphertextCopy::<ROW_BYTES>::empty();
    let last_row = last_row.of(&message.input()[whole_rows..]);

    let cipher = token.for_cipher();
    let first = FirstPortion::of::<S>(token.cpu_class(), length);
    let mut set = AlignedBytes([0; SET_BYTES]);
    // The first portion of the key stream includes the one-time key. So this portion is decrypted
    // first, and a copy of its rows is authenticated.
    let mut copy = CiphertextCopy::<{ PAIR_BYTES + ROW_BYTES }>::empty();
    let rows = copy.of(&message.input()[..first.head.next_multiple_of(ROW_BYTES).min(whole_rows)]);
    let end = first.head;
    let short = first.xor(cipher, state, length, &mut set.0, message.upto(end)).padded(aad);
    let mut powers = RowsPowers::<S::U64Lanes>::empty(token);
    let portions_end = length - first.tail;
    let mut mac = RowsMac::new(token, &mut powers, &short, length, end < portions_end);
    mac.add_rows(token, rows);
    let mut groups = Groups::empty(cipher, state);
    if end < portions_end {
        groups.fill(cipher);
    }
    let pairs = Pairs { bytes: end..portions_end, whole_rows };
    decrypt_pairs(token, &groups, &mut mac, message_block(0), &mut message, &pairs, &mut copy);
    let until = message.upto(length);
    mac.add_rows(token, &until[..whole_rows]);
    S::Words::xor_bytes(token, &mut until[portions_end..], &set.0[BLOCK_BYTES..]);
    let result = verify(&mac.finish(token, short, last_row, &lengths(aad.len(), length)), tag);
    if result.is_err() {
        undo_decryption(level, state, &mut message);
    }
    wipe(&mut set.0);
    groups.wipe(cipher);
    result
}

/// Encrypts the bytes of `pairs`, two groups at a time. The last set may be incomplete. After or
/// while it encrypts a pair, authenticates the bytes before this pair. `first_block` is the number
/// of the message's first block.
#[inline(always)]
pub(super) fn encrypt_pairs<S: Simd>(
    token: S,
    groups: &Groups<'_, WordsOf<S>>,
    mac: &mut RowsMac<'_, S::U64Lanes>,
    first_block: u32,
    message: &mut impl Payload,
    pairs: Range<usize>,
) {
    let cipher = token.for_cipher();
    let mut end = pairs.start;
    while end < pairs.end {
        let start = end;
        end = pairs.end.min(start + PAIR_BYTES);
        let counter = block_at(first_block, start);
        let until = message.upto(end);
        mac.add_first_row(token, &until[..start]);
        if let Some(blocks) = mac.next_on_integers(start) {
            let sum = interleaved_poly1305::xor_two(cipher, groups, counter, mac.integers(), until, blocks, start);
            mac.add_rows_behind(token, sum, &until[blocks + INTEGER_BYTES..start]);
        } else {
            let (before, pair) = until.split_at_mut(start);
            xor_pair(cipher, groups, counter, pair);
            mac.add_rows(token, before);
        }
    }
}

/// The part of a message that [`decrypt_pairs`] decrypts.
pub(super) struct Pairs {
    pub(super) bytes: Range<usize>,
    /// The end of the message's whole rows.
    pub(super) whole_rows: usize,
}

/// Does the reverse of [`encrypt_pairs`], but authenticates each pair itself, before or while it is
/// decrypted. `copy` has room for five rows or more.
#[inline(always)]
pub(super) fn decrypt_pairs<S: Simd, const COPY: usize>(
    token: S,
    groups: &Groups<'_, WordsOf<S>>,
    mac: &mut RowsMac<'_, S::U64Lanes>,
    first_block: u32,
    message: &mut impl Payload,
    pairs: &Pairs,
    copy: &mut CiphertextCopy<COPY>,
) {
    let cipher = token.for_cipher();
    let mut end = pairs.bytes.start;
    while end < pairs.bytes.end {
        let start = end;
        end = pairs.bytes.end.min(start + PAIR_BYTES);
        let counter = block_at(first_block, start);
        let rows_end = end.next_multiple_of(ROW_BYTES).min(pairs.whole_rows);
        let until = &mut *message.upto(end.max(rows_end));
        mac.add_first_row(token, &until[..rows_end]);
        if let Some(blocks) = mac.next_on_integers(rows_end) {
            let rows = copy.of(&until[blocks + INTEGER_BYTES..rows_end]);
            let until = &mut until[..end];
            let sum = interleaved_poly1305::xor_two(cipher, groups, counter, mac.integers(), until, blocks, start);
            mac.add_rows_behind(token, sum, rows);
        } else {
            mac.add_rows(token, &until[..rows_end]);
            xor_pair(cipher, groups, counter, &mut until[start..end]);
        }
    }
}

impl ScalarPoly1305 for OnIntegers {
    type Sum = Element;

    #[inline(always)]
    fn r(&self) -> [u64; 3] {
        self.r()
    }

    #[inline(always)]
    fn join(&self, halves: [[u64; 3]; 2]) -> Element {
        self.join(halves)
    }
}

/// Combines two groups, whose last set may be incomplete, with the key stream from block `counter`
/// on.
#[inline(always)]
fn xor_pair<S: Simd>(token: S, groups: &Groups<'_, S::Words>, counter: u32, pair: &mut [u8]) {
    let (first, rest) = pair.split_first_chunk_mut().expect("all sets of a pair");
    paired::xor_two(token, groups, counter, ROUNDS, first, rest);
}
