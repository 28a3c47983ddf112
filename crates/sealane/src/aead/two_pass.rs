//! Messages of any length in two passes, cipher and authenticator, over pieces that stay in the
//! first-level cache.
//!
//! One call computes the key stream for block 0 and the message's head.
//!
//! This plan calls kernels and has no vectors of its own, so all backends share one copy of it.

use sealane_simd::tuning::{TWO_PASS_FIRST_BLOCKS, TWO_PASS_PIECE_BYTES as PIECE_BYTES};
use sealane_simd::{Level, xor_bytes};

use super::construction::{KEY_BLOCK, begin_long_mac, finish_long_mac, message_block, undo_decryption, verify};
use super::payload::{Ciphertext, Payload};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, xor_chacha20};
use crate::error::OpenError;
use crate::poly1305::{self, Tag};
use crate::wipe::wipe;

/// Bytes of key stream that are computed first.
const FIRST_BYTES: usize = TWO_PASS_FIRST_BLOCKS * BLOCK_BYTES;
/// Bytes of the message's head, whose key stream is computed together with block 0.
const HEAD_BYTES: usize = FIRST_BYTES - BLOCK_BYTES;

/// Does the same as [`super::plan::seal`]. `set_bytes` is the length in bytes of a set of key
/// stream.
pub(super) fn seal(level: Level, set_bytes: usize, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.length();
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(level, state, (BLOCK_BYTES + head).next_multiple_of(set_bytes), &mut first);
    let mut mac = begin_long_mac(level, &first, aad);
    xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    wipe(&mut first);
    let mut table = None;
    // The head is authenticated together with the rest of the first piece, because each call of the
    // authenticator begins and ends with powers of r.
    let mut end = head;
    for start in (0..length).step_by(PIECE_BYTES) {
        let behind_head = end;
        end = length.min(start + PIECE_BYTES);
        let message = message.upto(end);
        // A message that is not longer than its head has been encrypted.
        if behind_head < end {
            xor_chacha20(level, state, message_block(behind_head), &mut message[behind_head..]);
        }
        poly1305::padded_piece(level, &mut mac, &mut table, &message[start..]);
    }
    finish_long_mac(&mut mac, aad.len(), length)
}

/// Does the same as [`super::plan::open`]. `set_bytes` is the length in bytes of a set of key
/// stream.
///
/// A message that is longer than its head is decrypted piece by piece while it is authenticated,
/// and encrypted again if it turns out to be a forgery.
pub(super) fn open(
    level: Level,
    set_bytes: usize,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Ciphertext,
) -> Result<(), OpenError> {
    let length = message.length();
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(level, state, (BLOCK_BYTES + head).next_multiple_of(set_bytes), &mut first);
    let mut mac = begin_long_mac(level, &first, aad);
    let is_longer = length > head;
    if is_longer {
        let mut table = None;
        let mut end = head;
        for start in (0..length).step_by(PIECE_BYTES) {
            let behind_head = end;
            end = length.min(start + PIECE_BYTES);
            let message = message.upto(end);
            poly1305::padded_piece(level, &mut mac, &mut table, &message[start..]);
            xor_bytes(&mut message[start..behind_head], &first[BLOCK_BYTES..]);
            xor_chacha20(level, state, message_block(behind_head), &mut message[behind_head..]);
        }
    } else {
        poly1305::padded(level, &mut mac, message.input());
    }
    let result = verify(&finish_long_mac(&mut mac, aad.len(), length), tag);
    if result.is_ok() && !is_longer {
        xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    } else if result.is_err() && is_longer {
        undo_decryption(level, state, &mut message);
    }
    wipe(&mut first);
    result
}

/// Computes the first `bytes` bytes of the key stream, or as many as `first` has room for.
fn first_key_stream(level: Level, state: &State, bytes: usize, first: &mut [u8; FIRST_BYTES]) {
    xor_chacha20(level, state, KEY_BLOCK, &mut first[..bytes.min(FIRST_BYTES)]);
}
