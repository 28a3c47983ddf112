//! The cipher and the authenticator of one message.

use sealane_simd::tuning::{MIN_GROUPS_TO_DECRYPT_WITHOUT_WAITING, TWO_PASS_PIECE_BYTES};
use sealane_simd::{Level, dispatch};

use super::authenticator::Authenticator;
use super::direction::Direction;
use super::groups::{self, Waiting};
use super::pairs;
use super::window::{Wanted, Window};
use crate::aead::MAX_MESSAGE_BYTES;
use crate::aead::construction::one_time_key;
use crate::aead::interleaved::EIGHT_BLOCK_GROUP_BYTES;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::state::State;
use crate::poly1305::{self, Pieces, Tag};

/// Why the authenticator of a window that is a group has no sum in lanes.
const NO_SUM: &str = "groups need no sum";

/// The cipher and the authenticator of one message, and the number of bytes that they have
/// processed.
///
/// Nothing is computed before the first piece comes, unless the associated data is longer than a
/// block: block 0 is computed together with the key stream of the first piece.
#[derive(Clone)]
pub(super) struct StreamState {
    pub(super) window: Window,
    mac: Authenticator,
    /// The offset in the window from which the ciphertext is not in `mac` yet. It is a multiple of
    /// 16.
    authenticated: usize,
    /// The sum of pieces that were only authenticated. While there is one, the window and
    /// `authenticated` are not up to date: [`Self::return_to_window`] updates them.
    only_authenticated: Pieces,
    aad_bytes: u64,
    /// Bytes of the message so far.
    pub(super) bytes: u64,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The associated data is at the start of the window, and the authenticator has no key.
    New,
    /// Block 0 has been computed, beside the key stream of a first piece or without any. No other
    /// piece has needed key stream.
    FirstPiece,
    /// A piece has needed key stream after block 0 was computed, so it is computed ahead for the
    /// next one.
    Pieces,
}

impl StreamState {
    /// Starts with the associated data. `fill` fills the state of the cipher.
    pub(super) fn new(level: Level, fill: impl FnOnce(&mut State), aad: &[u8]) -> Self {
        let mut stream = Self {
            window: Window::new(level),
            mac: Authenticator::new(&[0; 32], false),
            authenticated: 0,
            only_authenticated: Pieces::default(),
            aad_bytes: aad.len() as u64,
            bytes: 0,
            progress: Progress::New,
        };
        fill(&mut stream.window.state);
        if aad.len() <= BLOCK_BYTES {
            stream.window.bytes[..aad.len()].copy_from_slice(aad);
        } else {
            stream.start_with(aad, Wanted::Exactly(0));
        }
        stream
    }

    /// Returns the number of bytes that the message may still have.
    pub(super) fn remaining(&self) -> u64 {
        MAX_MESSAGE_BYTES - self.bytes
    }

    /// Encrypts or decrypts the next piece, and authenticates the ciphertext. The message must not
    /// become longer than [`MAX_MESSAGE_BYTES`].
    #[inline]
    pub(super) fn apply(&mut self, piece: &mut [u8], direction: Direction) {
        self.bytes += piece.len() as u64;
        if self.progress == Progress::Pieces && piece.len() <= self.window.left() {
            self.window.xor_and_keep_ciphertext(piece, direction);
        } else {
            self.apply_beyond_window(piece, direction);
        }
        if direction == Direction::Encrypt {
            crate::fault::flip("aead", self.window.level, piece);
        }
    }

    /// Does the work of [`StreamState::apply`] if the window has too little key stream, or may not
    /// be up to date. `bytes` counts the piece already.
    fn apply_beyond_window(&mut self, piece: &mut [u8], direction: Direction) {
        self.return_to_window(self.bytes - piece.len() as u64);
        let is_first = self.progress == Progress::New;
        let bytes = piece.len();
        let mut rest = piece;
        while !rest.is_empty() {
            if self.window.left() == 0 {
                if rest.len() >= self.window.len() && self.can_continue_in_place() {
                    rest = self.apply_in_place(rest, direction);
                    continue;
                }
                // A first piece may be the whole message.
                let wanted = if !is_first && self.window.computes_ahead_for(bytes) {
                    Wanted::AtLeast(self.window.len())
                } else if bytes < self.window.len() {
                    Wanted::AtLeast(rest.len())
                } else {
                    Wanted::Exactly(rest.len())
                };
                self.next_key_stream(wanted);
            }
            let len = rest.len().min(self.window.left());
            let (next, after) = rest.split_at_mut(len);
            self.window.xor_and_keep_ciphertext(next, direction);
            rest = after;
        }
        if !is_first {
            self.progress = Progress::Pieces;
        }
    }

    /// Adds ciphertext that is not to be decrypted.
    #[inline]
    pub(super) fn authenticate(&mut self, ciphertext: &[u8]) {
        let before = self.bytes;
        self.bytes += ciphertext.len() as u64;
        // If several pieces were decrypted, the next one probably is too, so its key stream stays
        // in the window.
        if self.progress != Progress::Pieces
            && let Some(mac) = self.mac.accumulator()
        {
            let waiting = &self.window.bytes[self.authenticated..self.window.used];
            if self.only_authenticated.add(self.window.level, before, mac, waiting, ciphertext) {
                return;
            }
        }
        if self.progress != Progress::New && ciphertext.len() <= self.window.len() - self.window.used {
            self.window.store_ciphertext(ciphertext);
        } else {
            self.authenticate_beyond_window(ciphertext);
        }
    }

    /// Does the work of [`StreamState::authenticate`] if the window has no room for all of the
    /// piece, or block 0 has not been computed.
    fn authenticate_beyond_window(&mut self, mut ciphertext: &[u8]) {
        self.start(Wanted::Exactly(0));
        while !ciphertext.is_empty() {
            if self.window.is_full() {
                self.flush();
                self.window.advance();
                self.authenticated = 0;
            }
            let in_block = (self.window.used - self.authenticated) % poly1305::BLOCK_BYTES;
            if in_block == 0 && ciphertext.len() >= self.window.len() {
                self.flush();
                let (whole, rest) = ciphertext.split_at(ciphertext.len() - ciphertext.len() % poly1305::BLOCK_BYTES);
                self.mac.add(self.window.level, self.bytes, &mut None, whole);
                self.window.seek(self.window.position() + whole.len() as u64);
                self.authenticated = self.window.used;
                ciphertext = rest;
                continue;
            }
            let room = if in_block > 0 && ciphertext.len() >= self.window.len() {
                poly1305::BLOCK_BYTES - in_block
            } else {
                self.window.len() - self.window.used
            };
            let (next, rest) = ciphertext.split_at(ciphertext.len().min(room));
            self.window.store_ciphertext(next);
            ciphertext = rest;
        }
    }

    /// Ends the sum of pieces that were only authenticated, if there is one. `bytes` is the length
    /// of the message before the next piece.
    pub(super) fn return_to_window(&mut self, bytes: u64) {
        if let Some(mac) = self.mac.accumulator()
            && let Some(rest) = self.only_authenticated.finish(self.window.level, mac)
        {
            self.window.seek(BLOCK_BYTES as u64 + bytes - rest.len() as u64);
            self.authenticated = self.window.used;
            self.window.store_ciphertext(rest);
            self.only_authenticated = Pieces::default();
        }
    }

    /// Returns the tag. The state must not be used afterwards, except for its key stream.
    pub(super) fn tag(&mut self) -> Tag {
        self.start(Wanted::Exactly(0));
        self.return_to_window(self.bytes);
        self.flush();
        let mut tag = self.mac.tag(self.window.level, &poly1305::lengths(self.aad_bytes, self.bytes));
        crate::fault::flip("poly1305", self.window.level, &mut tag);
        tag
    }

    /// Moves to a position in the key stream.
    #[cfg(feature = "checks")]
    pub(super) fn seek(&mut self, position: u64) {
        self.window.seek(position);
        self.authenticated = self.window.used;
    }

    /// Computes more key stream. The window has none left.
    fn next_key_stream(&mut self, wanted: Wanted) {
        if self.progress == Progress::New {
            return self.start(wanted);
        }
        if !self.window.is_full() {
            return self.window.fill(wanted);
        }
        if self.window.is_interleaved() {
            return self.refill_group(wanted);
        }
        self.flush();
        self.window.advance();
        self.authenticated = 0;
        self.window.fill(wanted);
    }

    /// Authenticates the window, which is full, and at the same time replaces it with the next key
    /// stream.
    fn refill_group(&mut self, wanted: Wanted) {
        self.window.advance();
        let end = self.window.end_for(wanted);
        let Window { level, state, bytes, block, .. } = &mut self.window;
        let waiting = Waiting {
            window: bytes.first_chunk_mut().expect("a group"),
            range: self.authenticated..EIGHT_BLOCK_GROUP_BYTES,
        };
        let (mac, counter) = (self.mac.accumulator().expect(NO_SUM), *block as u32);
        dispatch!(*level, token => groups::refill(token, state, mac, waiting, counter));
        self.window.filled_to(end);
        self.authenticated = 0;
    }

    /// Computes block 0 and the wanted key stream, unless that has been done. Takes the one-time
    /// key from block 0 (RFC 8439, section 2.6), and adds the associated data to the authenticator.
    #[inline]
    fn start(&mut self, wanted: Wanted) {
        if self.progress == Progress::New {
            let mut aad = [0; BLOCK_BYTES];
            aad.copy_from_slice(&self.window.bytes[..BLOCK_BYTES]);
            self.start_with(&aad[..self.aad_bytes as usize], wanted);
        }
    }

    fn start_with(&mut self, aad: &[u8], wanted: Wanted) {
        self.window.fill(wanted.and_before(BLOCK_BYTES));
        self.mac = Authenticator::new(one_time_key(&self.window.bytes), !self.window.is_interleaved());
        self.window.used = BLOCK_BYTES;
        self.authenticated = BLOCK_BYTES;
        self.progress = Progress::FirstPiece;
        self.mac.add(self.window.level, 0, &mut None, aad);
    }

    /// Adds the ciphertext in the window to the authenticator. A short last block is padded with
    /// zeros.
    fn flush(&mut self) {
        let ciphertext = &self.window.bytes[self.authenticated..self.window.used];
        if self.window.is_narrower() {
            // On integers, so that the clock stays high. The time is about the same.
            let accumulator = self.mac.accumulator().expect(NO_SUM);
            let mut mac = accumulator.short().padded(ciphertext);
            accumulator.continue_after(&mac);
            mac.wipe();
        } else {
            self.mac.add(self.window.level, self.bytes, &mut None, ciphertext);
        }
        self.authenticated = self.window.used;
    }

    /// Returns whether the next blocks may be processed in place. In a window that is a group, the
    /// first group must compute block 0 too.
    fn can_continue_in_place(&self) -> bool {
        let is_after_block_0 = self.progress != Progress::New || !self.window.is_interleaved();
        is_after_block_0 && self.window.is_at_block()
    }

    /// Processes the whole groups or blocks of `data` in place. The window has no key stream left,
    /// and its position is at the start of a block. Returns the rest of `data`.
    fn apply_in_place<'a>(&mut self, data: &'a mut [u8], direction: Direction) -> &'a mut [u8] {
        self.start(Wanted::Exactly(0));
        if self.window.takes_groups_of(data.len()) {
            self.apply_groups(data, direction)
        } else {
            self.apply_blocks(data, direction)
        }
    }

    /// Processes whole groups. Beside each one, the group before is authenticated, so the last
    /// group waits in the window. To decrypt, each group may be authenticated beside its own rounds
    /// instead.
    #[inline(never)]
    fn apply_groups<'a>(&mut self, data: &'a mut [u8], direction: Direction) -> &'a mut [u8] {
        let (groups, rest) = data.as_chunks_mut::<EIGHT_BLOCK_GROUP_BYTES>();
        let position = self.window.position();
        let Window { level, state, bytes, used, set_bytes, .. } = &mut self.window;
        let waiting = Waiting { window: bytes.first_chunk_mut().expect("a group"), range: self.authenticated..*used };
        let (mac, counter) = (self.mac.accumulator().expect(NO_SUM), (position / BLOCK_BYTES as u64) as u32);
        // If the rest is longer, a group that waits can be authenticated while its key stream is
        // computed.
        let nothing_should_wait = rest.len() <= *set_bytes || groups.len() >= MIN_GROUPS_TO_DECRYPT_WITHOUT_WAITING;
        if direction == Direction::Decrypt && (waiting.range.is_empty() || nothing_should_wait) {
            dispatch!(*level, token => groups::decrypt_all(token, state, mac, waiting, counter, groups));
            self.authenticated = EIGHT_BLOCK_GROUP_BYTES;
        } else {
            dispatch!(*level, token => groups::apply(token, state, mac, waiting, counter, groups, direction));
            self.authenticated = 0;
        }
        self.window.use_up_to(position + groups.as_flattened().len() as u64);
        rest
    }

    /// Processes whole blocks, cipher and authenticator one after the other.
    #[inline(never)]
    fn apply_blocks<'a>(&mut self, data: &'a mut [u8], direction: Direction) -> &'a mut [u8] {
        self.flush();
        let level = self.window.level;
        let (blocks, rest) = data.split_at_mut(data.len() - data.len() % BLOCK_BYTES);
        if pairs::takes(level, blocks.len())
            && let Some(mac) = self.mac.accumulator()
        {
            let position = self.window.position();
            let (state, counter) = (&self.window.state, (position / BLOCK_BYTES as u64) as u32);
            dispatch!(level, token => pairs::apply(token, level, state, mac, counter, blocks, direction));
            self.window.seek(position + blocks.len() as u64);
            self.authenticated = 0;
            return rest;
        }
        let mut table = None;
        for piece in blocks.chunks_mut(TWO_PASS_PIECE_BYTES) {
            if direction == Direction::Decrypt {
                self.mac.add(level, self.bytes, &mut table, piece);
            }
            self.window.apply_blocks(piece);
            if direction == Direction::Encrypt {
                self.mac.add(level, self.bytes, &mut table, piece);
            }
        }
        self.authenticated = 0;
        rest
    }
}
