//! Processes messages one after the other. Their blocks 0 are computed together, and they are
//! authenticated on integers between the rounds of the cipher. To seal, a group of blocks is
//! authenticated beside the rounds of the next group, which may belong to the next message. To
//! open, a group is authenticated beside its own rounds.

use sealane_simd::Simd;

use super::request::Request;
use crate::aead::construction::{begin_mac, lengths, message_block};
use crate::aead::interleaved::{self, EIGHT_BLOCK_GROUP_BYTES, authenticate_and_xor, open_groups};
use crate::aead::payload::InPlace;
use crate::chacha20::many::{self, Block, Keys, Row};
use crate::chacha20::state::State;
use crate::poly1305::Short;
use crate::wipe::wipe;

/// Seals all messages, or opens them. `last_rows` are the last rows of their states, with block
/// counter 0. `key_blocks` are overwritten with their blocks 0.
#[inline(always)]
pub(super) fn run<S: Simd>(
    token: S,
    keys: Keys<'_>,
    last_rows: &[Row],
    messages: &mut [Request<'_>],
    key_blocks: &mut [Block],
    opens: bool,
) {
    many::block_starts(token, keys, last_rows.iter().copied(), key_blocks);
    let mut state = [0; 16];
    // The authenticator of the message before, once that message is encrypted.
    let mut before = None;
    for (i, block_0) in key_blocks.iter().enumerate() {
        keys.fill_state(i, &last_rows[i], &mut state);
        let (earlier, message) = messages[..=i].split_at_mut(i);
        let message = &mut message[0];
        let mac = begin_mac(block_0, message.aad);
        if opens {
            let tag = open_groups(token, &state, mac, message.aad, 0, &mut InPlace(&mut *message.data));
            message.finish(&tag);
        } else {
            seal(token, &state, mac, message, earlier.last_mut(), &mut before);
        }
    }
    finish(token, messages.last_mut(), &mut before);
    wipe(&mut state);
}

/// The authenticator of a message to seal.
struct Encrypted {
    mac: Short,
    /// The bytes of the ciphertext that `mac` has processed.
    done: usize,
}

impl Encrypted {
    /// Combines a group, which is at `offset` in its message, with the key stream. Beside that,
    /// adds the next blocks of `ciphertext` to the authenticator.
    #[inline(always)]
    fn add_beside<S: Simd>(&mut self, token: S, ciphertext: &[u8], state: &State, offset: usize, group: &mut [u8]) {
        let (rest, counter) = (&ciphertext[self.done..], message_block(offset));
        self.done += authenticate_and_xor(token, state, &mut self.mac, Some(rest), counter, group);
    }
}

/// Authenticates the rest of `message`, without other work, and writes its tag. Does nothing if
/// there is no message or no authenticator for it.
#[inline(always)]
fn finish<S: Simd>(token: S, message: Option<&mut Request<'_>>, encrypted: &mut Option<Encrypted>) {
    if let (Some(message), Some(Encrypted { mac, done })) = (message, encrypted.as_mut()) {
        let lengths = lengths(message.aad.len(), message.data.len());
        message.finish(&interleaved::finish(token, *mac, &message.data[*done..], &lengths));
        mac.wipe();
    }
    *encrypted = None;
}

/// Encrypts a message, and finishes the one before. Leaves the message's authenticator in `before`.
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
    for offset in (0..length).step_by(EIGHT_BLOCK_GROUP_BYTES) {
        let (ciphertext, group) = message.data[..length.min(offset + EIGHT_BLOCK_GROUP_BYTES)].split_at_mut(offset);
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
