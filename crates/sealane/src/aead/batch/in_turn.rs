//! Messages one after the other, whose blocks 0 are made together. They are authenticated on integers
//! between the rounds of the cipher. To seal, a group of blocks is authenticated beside the next one,
//! which may be of the next message. To open, it is authenticated beside its own rounds.

use sealane_simd::Simd;

use super::request::Request;
use crate::aead::construction::{KEY_BLOCK, begin_mac, finish_mac, lengths, message_block};
use crate::aead::interleaved::{GROUP_BYTES, authenticate_and_xor, authenticate_own_and_xor, behind_blocks};
use crate::chacha20::many::{self, Block, Keys, Row};
use crate::chacha20::state::{CONSTANTS, State};
use crate::poly1305::{self, Short};
use crate::wipe::wipe;

/// Seals all messages, or opens them. `key_blocks` become their blocks 0.
#[inline(always)]
pub(super) fn run<S: Simd>(
    token: S,
    keys: Keys<'_>,
    last_rows: &mut [Row],
    messages: &mut [Request<'_>],
    key_blocks: &mut [Block],
    opens: bool,
) {
    last_rows.iter_mut().for_each(|row| row[0] = KEY_BLOCK);
    many::block_starts(token, keys, last_rows.iter().copied(), key_blocks);
    let mut state = [0; 16];
    state[..4].copy_from_slice(&CONSTANTS);
    // The message before, once it is encrypted.
    let mut before = None;
    for (i, block_0) in key_blocks.iter().enumerate() {
        let [upper, lower] = keys.of(i);
        state[4..8].copy_from_slice(upper);
        state[8..12].copy_from_slice(lower);
        state[12..].copy_from_slice(&last_rows[i]);
        let (earlier, message) = messages[..=i].split_at_mut(i);
        let message = &mut message[0];
        let mac = begin_mac(block_0, message.aad);
        if opens {
            open(token, &state, mac, message);
        } else {
            seal(token, &state, mac, message, earlier.last_mut(), &mut before);
        }
    }
    finish(token, messages.last_mut(), &mut before);
    wipe(&mut state);
}

/// The authenticator of a message that is encrypted.
struct Encrypted {
    mac: Short,
    /// The bytes of the ciphertext that `mac` has.
    done: usize,
}

impl Encrypted {
    /// Combines a group with the key stream for the byte of its message at `offset`, and adds the next
    /// blocks of `ciphertext` beside that.
    #[inline(always)]
    fn add_beside<S: Simd>(&mut self, token: S, ciphertext: &[u8], state: &State, offset: usize, group: &mut [u8]) {
        let (rest, counter) = (&ciphertext[self.done..], message_block(offset));
        self.done += authenticate_and_xor(token, state, &mut self.mac, Some(rest), counter, group);
    }
}

/// Authenticates the rest of a message, if there is one, without other work.
#[inline(always)]
fn finish<S: Simd>(token: S, message: Option<&mut Request<'_>>, encrypted: &mut Option<Encrypted>) {
    if let (Some(message), Some(Encrypted { mac, done })) = (message, encrypted.as_mut()) {
        let all = poly1305::padded_end(token, *mac, &message.data[*done..]);
        message.finish(&finish_mac(all, &[], &lengths(message.aad.len(), message.data.len())));
        mac.wipe();
    }
    *encrypted = None;
}

/// Encrypts a message, and finishes the one before, whose place it takes.
#[inline(always)]
fn seal<S: Simd>(
    token: S,
    state: &State,
    mac: Short,
    message: &mut Request<'_>,
    mut earlier: Option<&mut Request<'_>>,
    before: &mut Option<Encrypted>,
) {
    let mut this = Encrypted { mac, done: 0 };
    let length = message.data.len();
    for offset in (0..length).step_by(GROUP_BYTES) {
        let (ciphertext, group) = message.data[..length.min(offset + GROUP_BYTES)].split_at_mut(offset);
        if let (Some(earlier), Some(before)) = (&earlier, before.as_mut()) {
            before.add_beside(token, earlier.data, state, offset, group);
        } else {
            this.add_beside(token, ciphertext, state, offset, group);
        }
        finish(token, earlier.take(), before);
    }
    finish(token, earlier, before);
    *before = Some(this);
}

/// Opens a message.
#[inline(always)]
fn open<S: Simd>(token: S, state: &State, mut mac: Short, message: &mut Request<'_>) {
    let length = message.data.len();
    let mut last_block = [0; poly1305::BLOCK_BYTES];
    let rest = behind_blocks(message.data, &mut last_block);
    for (number, group) in message.data.chunks_mut(GROUP_BYTES).enumerate() {
        authenticate_own_and_xor(token, state, &mut mac, message_block(number * GROUP_BYTES), group);
    }
    message.finish(&finish_mac(mac, rest, &lengths(message.aad.len(), length)));
    mac.wipe();
}
