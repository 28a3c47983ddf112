//! Messages one after the other, whose blocks 0 are made together, and which are authenticated on
//! integers between the rounds of the cipher: to seal, beside the group of blocks that follows, which
//! may be of the next message, and to open, beside the group itself.

use sealane_simd::Simd;

use super::request::Request;
use crate::aead::construction::{KEY_BLOCK, begin_mac, finish_mac, lengths, message_block};
use crate::aead::interleaved::{GROUP_BYTES, authenticate_and_xor, authenticate_own_and_xor};
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
    let mut waiting = None;
    for (i, block_0) in key_blocks.iter().enumerate() {
        let [upper, lower] = keys.of(i);
        state[4..8].copy_from_slice(upper);
        state[8..12].copy_from_slice(lower);
        state[12..].copy_from_slice(&last_rows[i]);
        let (before, message) = messages[..=i].split_at_mut(i);
        let message = &mut message[0];
        let mac = begin_mac(block_0, message.aad);
        if opens {
            open(token, &state, mac, message);
        } else {
            waiting = Some(seal(token, &state, mac, message, before.last_mut().zip(waiting.take())));
        }
    }
    if let Some((message, encrypted)) = messages.last_mut().zip(waiting.take()) {
        encrypted.finish(token, message);
    }
    wipe(&mut state);
}

/// A message that is encrypted, and authenticated up to a byte.
struct Encrypted {
    mac: Short,
    authenticated: usize,
}

impl Encrypted {
    /// Combines a group with the key stream, and authenticates the next blocks of the message beside
    /// that.
    #[inline(always)]
    fn authenticate_and_xor<S: Simd>(
        &mut self,
        token: S,
        state: &State,
        encrypted: &[u8],
        offset: usize,
        group: &mut [u8],
    ) {
        let waiting = &encrypted[self.authenticated..];
        let counter = message_block(offset);
        self.authenticated += authenticate_and_xor(token, state, &mut self.mac, Some(waiting), counter, group);
    }

    /// Authenticates the rest, without other work.
    #[inline(always)]
    fn finish<S: Simd>(mut self, token: S, message: &mut Request<'_>) {
        let mac = poly1305::padded_end(token, self.mac, &message.data[self.authenticated..]);
        message.finish(&finish_mac(mac, &[], &lengths(message.aad.len(), message.data.len())));
        self.mac.wipe();
    }
}

/// Encrypts a message, and finishes the one before.
#[inline(always)]
fn seal<S: Simd>(
    token: S,
    state: &State,
    mac: Short,
    message: &mut Request<'_>,
    mut before: Option<(&mut Request<'_>, Encrypted)>,
) -> Encrypted {
    let mut this = Encrypted { mac, authenticated: 0 };
    let length = message.data.len();
    for offset in (0..length).step_by(GROUP_BYTES) {
        let (encrypted, group) = message.data[..length.min(offset + GROUP_BYTES)].split_at_mut(offset);
        if let Some((message, mut waiting)) = before.take() {
            waiting.authenticate_and_xor(token, state, message.data, offset, group);
            waiting.finish(token, message);
        } else {
            this.authenticate_and_xor(token, state, encrypted, offset, group);
        }
    }
    if let Some((message, waiting)) = before {
        waiting.finish(token, message);
    }
    this
}

/// Opens a message.
#[inline(always)]
fn open<S: Simd>(token: S, state: &State, mut mac: Short, message: &mut Request<'_>) {
    let length = message.data.len();
    let mut last_block = [0; poly1305::BLOCK_BYTES];
    let rest = &mut last_block[..length % poly1305::BLOCK_BYTES];
    rest.copy_from_slice(&message.data[length - rest.len()..]);
    for (number, group) in message.data.chunks_mut(GROUP_BYTES).enumerate() {
        authenticate_own_and_xor(token, state, &mut mac, message_block(number * GROUP_BYTES), group);
    }
    message.finish(&finish_mac(mac, rest, &lengths(message.aad.len(), length)));
    mac.wipe();
}
