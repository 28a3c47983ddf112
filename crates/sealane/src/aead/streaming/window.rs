//! Key stream that is computed ahead, and the ciphertext that takes its place.

use sealane_simd::tuning::NARROWER_MAX_BYTES_OF_PIECES;
use sealane_simd::{Level, dispatch, xor_bytes};

use super::direction::Direction;
use super::groups;
use crate::aead::construction::block_at;
use crate::aead::interleaved;
use crate::chacha20::rows::set_bytes;
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, xor_chacha20};
use crate::wipe::wipe;

/// Bytes of a window if cipher and authenticator take turns: a group of the widest vectors. This
/// limits the memory, because each message in progress has a window.
const MAX_WINDOW_BYTES: usize = 1024;

/// A part of the key stream, from the start of a block on.
///
/// Key stream that has been used is replaced by the ciphertext that it belongs to, which waits
/// there for the authenticator. So one buffer serves both.
// It starts at a cache line, so that no vector is in two lines.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Window {
    pub(super) bytes: [u8; MAX_WINDOW_BYTES],
    pub(super) state: State,
    pub(super) level: Level,
    /// The number of the block at the start of the window.
    pub(super) block: u64,
    /// The offset in the window of the next byte of the message.
    pub(super) used: usize,
    /// The offset in the window at which the key stream ends.
    filled: usize,
    /// Bytes of the whole window. Like `set_bytes`, it follows from the level, and is kept so that
    /// pieces need not look it up.
    len: usize,
    /// Bytes of a set: fewer bytes take the same time.
    pub(super) set_bytes: usize,
}

/// How much key stream is wanted, in bytes.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// The blocks for these bytes.
    Exactly(usize),
    /// The whole sets for these bytes, which take no longer to compute.
    AtLeast(usize),
}

impl Wanted {
    /// Returns the same amount, and `before` bytes more.
    pub(super) fn and_before(self, before: usize) -> Self {
        match self {
            Self::Exactly(bytes) => Self::Exactly(bytes.saturating_add(before)),
            Self::AtLeast(bytes) => Self::AtLeast(bytes.saturating_add(before)),
        }
    }
}

impl Window {
    /// Returns a window at block 0, whose state must still be filled.
    pub(super) fn new(level: Level) -> Self {
        let (len, set_bytes) = dispatch!(level, token => shape(token));
        Self { bytes: [0; MAX_WINDOW_BYTES], state: [0; 16], level, block: 0, used: 0, filled: 0, len, set_bytes }
    }

    /// Returns the bytes of the whole window.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the window is a group whose key stream is computed beside the authenticator.
    pub(super) fn is_interleaved(&self) -> bool {
        self.len == interleaved::EIGHT_BLOCK_GROUP_BYTES
    }

    /// Returns whether the groups are computed on the vectors of `Simd::Narrower`.
    pub(super) fn is_narrower(&self) -> bool {
        self.level.tuning().narrower_max_bytes.is_some()
    }

    /// Returns whether whole groups of a piece with this many bytes left are processed beside the
    /// authenticator.
    pub(super) fn takes_groups_of(&self, bytes: usize) -> bool {
        self.is_interleaved() && (bytes <= NARROWER_MAX_BYTES_OF_PIECES || !self.is_narrower())
    }

    /// Returns whether key stream for the next piece should be computed together with that for the
    /// end of a piece of `bytes` bytes. The next piece is probably as long. It needs no window if
    /// it has whole groups only, or if the window is not interleaved and the piece has whole blocks
    /// only and is no shorter.
    pub(super) fn computes_ahead_for(&self, bytes: usize) -> bool {
        let unit = if self.is_interleaved() { self.len } else { BLOCK_BYTES };
        bytes < self.len || !bytes.is_multiple_of(unit)
    }

    /// Returns whether all of the window has been used.
    pub(super) fn is_full(&self) -> bool {
        self.used == self.len
    }

    /// Returns whether the next byte of the message begins a block.
    pub(super) fn is_at_block(&self) -> bool {
        self.used.is_multiple_of(BLOCK_BYTES)
    }

    /// Returns the bytes of key stream that are left.
    pub(super) fn left(&self) -> usize {
        self.filled - self.used
    }

    /// Returns the position in the key stream.
    pub(super) fn position(&self) -> u64 {
        self.block * BLOCK_BYTES as u64 + self.used as u64
    }

    /// Moves to a position in the key stream. The contents of the window are dropped.
    pub(super) fn seek(&mut self, position: u64) {
        self.block = position / BLOCK_BYTES as u64;
        self.used = (position % BLOCK_BYTES as u64) as usize;
        self.filled = self.used;
    }

    /// Moves to the next window.
    pub(super) fn advance(&mut self) {
        self.seek(self.position());
    }

    /// Returns the offset at which the wanted key stream ends, or the end of the window.
    pub(super) fn end_for(&self, wanted: Wanted) -> usize {
        let (bytes, unit) = match wanted {
            Wanted::Exactly(bytes) => (bytes, BLOCK_BYTES),
            Wanted::AtLeast(bytes) => (bytes, self.set_bytes),
        };
        self.used.saturating_add(bytes).min(self.len).next_multiple_of(unit).min(self.len)
    }

    /// Computes the wanted key stream, as far as there is room. The window has none left and is not
    /// full.
    pub(super) fn fill(&mut self, wanted: Wanted) {
        let end = self.end_for(wanted);
        let in_block = self.used % BLOCK_BYTES;
        if in_block > 0 {
            let start = self.used - in_block;
            let mut block = [0; BLOCK_BYTES];
            xor_chacha20(self.level, &self.state, self.block_at(start), &mut block);
            self.bytes[self.used..start + BLOCK_BYTES].copy_from_slice(&block[in_block..]);
            wipe(&mut block);
            self.filled = start + BLOCK_BYTES;
        }
        if self.filled < end {
            let start = self.filled;
            self.bytes[start..end].fill(0);
            groups::xor(self.level, &self.state, self.block_at(start), &mut self.bytes[start..end]);
            self.filled = end;
        }
    }

    /// Continues at `position` with a full window, which holds the ciphertext before `position` if
    /// that still waits.
    pub(super) fn use_up_to(&mut self, position: u64) {
        self.block = (position - self.len as u64) / BLOCK_BYTES as u64;
        (self.used, self.filled) = (self.len, self.len);
    }

    /// Takes over key stream that was computed from the start of the window to `end`.
    pub(super) fn filled_to(&mut self, end: usize) {
        self.filled = end;
    }

    /// Combines `data` with key stream of the window. The ciphertext takes the place of the key
    /// stream that was used.
    pub(super) fn xor_and_keep_ciphertext(&mut self, data: &mut [u8], direction: Direction) {
        let end = self.used + data.len();
        debug_assert!(end <= self.filled, "key stream is left");
        let place = &mut self.bytes[self.used..end];
        match direction {
            Direction::Encrypt => xor_and_keep_ciphertext::<true>(data, place),
            Direction::Decrypt => xor_and_keep_ciphertext::<false>(data, place),
        }
        self.used = end;
    }

    /// Combines `data` with the key stream, and keeps no ciphertext. `remaining` is the length of
    /// the message from `data` on.
    pub(super) fn apply(&mut self, mut data: &mut [u8], mut remaining: u64) {
        while !data.is_empty() {
            if self.left() == 0 {
                if self.is_full() {
                    self.advance();
                }
                if data.len() >= self.len && self.is_at_block() {
                    let (blocks, rest) = data.split_at_mut(data.len() - data.len() % BLOCK_BYTES);
                    self.apply_blocks(blocks);
                    remaining -= blocks.len() as u64;
                    data = rest;
                    continue;
                }
                self.fill(Wanted::AtLeast(remaining.min(self.len as u64) as usize));
            }
            let (piece, rest) = data.split_at_mut(data.len().min(self.left()));
            let end = self.used + piece.len();
            xor_bytes(piece, &self.bytes[self.used..end]);
            self.used = end;
            remaining -= piece.len() as u64;
            data = rest;
        }
    }

    /// Combines whole blocks with the key stream, outside the window. The window has no key stream
    /// left, and its position is at the start of a block.
    pub(super) fn apply_blocks(&mut self, blocks: &mut [u8]) {
        xor_chacha20(self.level, &self.state, self.block_at(self.used), blocks);
        self.seek(self.position() + blocks.len() as u64);
    }

    /// Copies ciphertext to the place of its key stream, which is not needed.
    pub(super) fn store_ciphertext(&mut self, ciphertext: &[u8]) {
        let end = self.used + ciphertext.len();
        self.bytes[self.used..end].copy_from_slice(ciphertext);
        self.used = end;
        self.filled = self.filled.max(end);
    }

    /// Returns the number of the block at offset `place` of the window.
    fn block_at(&self, place: usize) -> u32 {
        block_at(self.block as u32, place)
    }
}

/// Returns the bytes of a window and of a set.
fn shape<S: sealane_simd::Simd>(_: S) -> (usize, usize) {
    let len =
        if S::TUNING.interleaves_short_messages() { interleaved::EIGHT_BLOCK_GROUP_BYTES } else { MAX_WINDOW_BYTES };
    let is_narrower = S::TUNING.narrower_max_bytes.is_some();
    (len, if is_narrower { set_bytes::<S::Narrower>() } else { set_bytes::<S>() })
}

/// Combines `data` with the key stream in `place`, and leaves the ciphertext there.
#[inline(always)]
fn xor_and_keep_ciphertext<const ENCRYPTS: bool>(data: &mut [u8], place: &mut [u8]) {
    let (data, rest) = data.as_chunks_mut::<32>();
    let (place, rest_place) = place.as_chunks_mut::<32>();
    for (data, place) in data.iter_mut().zip(place) {
        xor_array_and_keep_ciphertext::<32, ENCRYPTS>(data, place);
    }
    let (data, rest) = rest.as_chunks_mut::<8>();
    let (place, rest_place) = rest_place.as_chunks_mut::<8>();
    for (data, place) in data.iter_mut().zip(place) {
        xor_array_and_keep_ciphertext::<8, ENCRYPTS>(data, place);
    }
    for (data, place) in rest.iter_mut().zip(rest_place) {
        let output = *data ^ *place;
        *place = if ENCRYPTS { output } else { *data };
        *data = output;
    }
}

#[inline(always)]
fn xor_array_and_keep_ciphertext<const N: usize, const ENCRYPTS: bool>(data: &mut [u8; N], place: &mut [u8; N]) {
    let input = *data;
    let mut output = *place;
    for (output, input) in output.as_chunks_mut::<8>().0.iter_mut().zip(input.as_chunks::<8>().0) {
        *output = (u64::from_ne_bytes(*output) ^ u64::from_ne_bytes(*input)).to_ne_bytes();
    }
    *place = if ENCRYPTS { output } else { input };
    *data = output;
}

impl Drop for Window {
    fn drop(&mut self) {
        wipe(&mut self.state);
        let len = self.len;
        wipe(&mut self.bytes[..len]);
    }
}
