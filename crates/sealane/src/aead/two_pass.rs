//! Messages of any length in two passes, cipher and authenticator, over pieces that stay in the
//! first-level cache.
//!
//! One key stream call makes block 0 and the blocks of the message's head.

use sealane_simd::Simd;
use sealane_simd::tuning::{TWO_PASS_FIRST_BLOCKS, TWO_PASS_PIECE_BYTES as PIECE_BYTES};

use super::construction::{KEY_BLOCK, ROUNDS, begin_long_mac, finish_long_mac, message_block, undo_decryption, verify};
use super::payload::Payload;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel;
use crate::chacha20::rows::{self};
use crate::chacha20::state::{State, xor_bytes};
use crate::error::OpenError;
use crate::poly1305;
use crate::poly1305::Tag;
use crate::wipe::wipe;

/// Bytes of key stream that are computed first.
const FIRST_BYTES: usize = TWO_PASS_FIRST_BLOCKS * BLOCK_BYTES;
/// Bytes of the message that use the start of the key stream.
const HEAD_BYTES: usize = FIRST_BYTES - BLOCK_BYTES;

/// Encrypts. Returns the tag.
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.input().len();
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, head, &mut first);
    let mut mac = begin_long_mac(token, &first, aad);
    xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    wipe(&mut first);
    poly1305::padded(token, &mut mac, message.upto(head));
    let mut table = None;
    for start in (head..length).step_by(PIECE_BYTES) {
        let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
        kernel::apply::<_, ROUNDS>(token, state, message_block(start), piece);
        poly1305::padded_piece(token, &mut mac, &mut table, piece);
    }
    finish_long_mac(&mut mac, aad.len(), length)
}

/// Decrypts if the tag is right. Otherwise leaves the message unchanged.
///
/// A message that is longer than its head is decrypted piece by piece while it is authenticated,
/// and encrypted again if it turns out to be a forgery.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Payload,
) -> Result<(), OpenError> {
    let length = message.input().len();
    let head = length.min(HEAD_BYTES);
    let mut first = [0; FIRST_BYTES];
    first_key_stream(token, state, head, &mut first);
    let mut mac = begin_long_mac(token, &first, aad);
    poly1305::padded(token, &mut mac, &message.input()[..head]);
    let is_longer = length > head;
    if is_longer {
        xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
        let mut table = None;
        for start in (head..length).step_by(PIECE_BYTES) {
            let piece = &mut message.upto(length.min(start + PIECE_BYTES))[start..];
            poly1305::padded_piece(token, &mut mac, &mut table, piece);
            kernel::apply::<_, ROUNDS>(token, state, message_block(start), piece);
        }
    }
    let result = verify(&finish_long_mac(&mut mac, aad.len(), length), tag);
    if result.is_ok() && !is_longer {
        xor_bytes(message.upto(head), &first[BLOCK_BYTES..]);
    } else if result.is_err() && is_longer {
        undo_decryption(token, state, &mut message);
    }
    wipe(&mut first);
    result
}

/// Fills the start of the key stream: block 0, the blocks for `bytes` of the message, and further
/// blocks that cost nothing.
#[inline(always)]
fn first_key_stream<S: Simd>(token: S, state: &State, bytes: usize, first: &mut [u8; FIRST_BYTES]) {
    let needed = (BLOCK_BYTES + bytes).next_multiple_of(rows::set_bytes::<S>()).min(FIRST_BYTES);
    kernel::apply::<_, ROUNDS>(token, state, KEY_BLOCK, &mut first[..needed]);
}
