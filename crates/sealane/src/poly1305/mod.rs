//! The one-time authenticator Poly1305 (RFC 8439, section 2.5).

mod accumulator;
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
mod bounds;
mod field;
mod kernel;
#[cfg(feature = "alloc")]
mod lane_sum;
mod limbs26;
pub(crate) mod many;
#[cfg_attr(not(feature = "alloc"), path = "no_pieces.rs")]
mod pieces;
mod rows;
pub(crate) mod search;
mod short;
mod table;
mod tag;

use core::fmt;

use sealane_simd::tuning::POLY1305_LEAST_MIN_BYTES;
use sealane_simd::{Level, dispatch};

pub(crate) use accumulator::Accumulator;
pub(crate) use field::Element;
pub(crate) use kernel::{padded, padded_end, padded_piece};
#[cfg(feature = "alloc")]
pub(crate) use pieces::BufferedSum;
pub(crate) use pieces::Pieces;
pub(crate) use rows::{INTEGER_BYTES, OnIntegers, ROW_BYTES, RowsMac, RowsPowers, padded_and_lengths};
pub(crate) use short::{Short, add_pending_block};
use short::{ended, filled_with_zeros};
pub(crate) use table::Table;
pub(crate) use tag::tags_equal;
pub use tag::{TAG_BYTES, Tag};

use crate::backend::Backend;
use crate::error::OpenError;
use crate::wipe::wipe;

/// Length of a block in bytes.
pub(crate) const BLOCK_BYTES: usize = 16;

/// Returns the last block of what an AEAD authenticates: both lengths in bytes (RFC 8439, section
/// 2.8).
#[inline(always)]
pub(crate) fn lengths(aad_bytes: u64, ciphertext_bytes: u64) -> [u8; BLOCK_BYTES] {
    (u128::from(aad_bytes) | u128::from(ciphertext_bytes) << 64).to_le_bytes()
}

/// Poly1305: a tag of 16 bytes for one message under a key that is used once.
///
/// A key that authenticates two messages lets an attacker forge others. [`crate::ChaCha20Poly1305`]
/// derives a new key for each message.
///
/// With the feature `alloc`, and on a backend with fast vectors, a message in many pieces
/// allocates 4 KiB for powers of the key and a buffer. This happens in the fifth piece and after 1
/// KiB at the earliest. The memory is wiped with the value.
///
/// ```
/// use sealane::Poly1305;
///
/// let one_time_key = [0x85; 32];
/// let mut poly1305 = Poly1305::new(&one_time_key);
/// poly1305.update(b"in ");
/// poly1305.update(b"pieces");
/// let tag = poly1305.finalize();
/// assert!(Poly1305::verify_mac(&one_time_key, b"in pieces", &tag).is_ok());
/// ```
#[derive(Clone)]
pub struct Poly1305 {
    accumulator: Accumulator,
    /// The bytes after the last whole block.
    buffer: [u8; BLOCK_BYTES],
    /// The number of bytes of the message so far.
    bytes: u64,
    /// Once this has a sum of pieces, `buffer` is no longer used.
    pieces: Pieces,
    level: Level,
}

impl Poly1305 {
    /// Starts a message under a one-time key: `r`, which is clamped here, followed by `s`.
    #[inline]
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// Does the same as [`Poly1305::new`], on the given backend.
    #[inline]
    #[must_use]
    pub fn with_backend(key: &[u8; 32], backend: Backend) -> Self {
        Self {
            accumulator: Accumulator::new(key),
            buffer: [0; BLOCK_BYTES],
            bytes: 0,
            pieces: Pieces::default(),
            level: backend.level(),
        }
    }

    /// Returns the tag of a whole message. To check a tag, use [`Poly1305::verify_mac`], because
    /// `==` is not constant time.
    #[inline]
    #[must_use]
    pub fn mac(key: &[u8; 32], message: &[u8]) -> Tag {
        Self::mac_with_backend(key, message, Backend::detect())
    }

    /// Does the same as [`Poly1305::mac`], on the given backend.
    #[inline]
    #[must_use]
    pub fn mac_with_backend(key: &[u8; 32], message: &[u8], backend: Backend) -> Tag {
        let level = backend.level();
        let mut tag = if message.len() < POLY1305_LEAST_MIN_BYTES || message.len() < kernel::min_call_bytes(level) {
            Short::new(key).message(message).tag()
        } else {
            mac_in_one_call(level, key, message)
        };
        crate::fault::flip("poly1305", level, &mut tag);
        tag
    }

    /// Compares the tag of a whole message with `tag`, in constant time.
    ///
    /// # Errors
    /// [`OpenError`] if they differ.
    #[inline]
    pub fn verify_mac(key: &[u8; 32], message: &[u8], tag: &Tag) -> Result<(), OpenError> {
        tags_equal(&Self::mac(key, message), tag)
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// Adds a piece of the message. The tag does not depend on where the message is cut into
    /// pieces.
    pub fn update(&mut self, mut data: &[u8]) {
        let (before, in_block) = (self.bytes, self.bytes_in_block());
        self.bytes += data.len() as u64;
        if self.pieces.add(self.level, before, &self.accumulator, &self.buffer[..in_block], data) {
            return;
        }
        if in_block > 0 {
            let taken = data.len().min(BLOCK_BYTES - in_block);
            let (piece, rest) = data.split_at(taken);
            self.buffer[in_block..][..taken].copy_from_slice(piece);
            data = rest;
            if in_block + taken < BLOCK_BYTES {
                return;
            }
            self.accumulator.block(&self.buffer);
        }
        let (whole, rest) = data.split_at(data.len() - data.len() % BLOCK_BYTES);
        kernel::whole_blocks(self.level, &mut self.accumulator, whole);
        if !rest.is_empty() {
            self.buffer = filled_with_zeros(rest);
        }
    }

    /// Returns the number of bytes after the last whole block.
    #[inline(always)]
    fn bytes_in_block(&self) -> usize {
        (self.bytes % BLOCK_BYTES as u64) as usize
    }

    /// Fills an incomplete block with zeros, as an AEAD does after the associated data and after
    /// the ciphertext (RFC 8439, section 2.8).
    #[cfg(any(feature = "rustcrypto", feature = "rustcrypto-05"))]
    pub(crate) fn pad(&mut self) {
        let in_block = self.bytes_in_block();
        if in_block > 0 {
            self.update(&[0; BLOCK_BYTES][in_block..]);
        }
    }

    /// Returns the tag.
    #[inline]
    #[must_use]
    pub fn finalize(mut self) -> Tag {
        self.tag()
    }

    /// Does the same as [`Poly1305::finalize`] without moving the state, which would leave a copy
    /// behind. The state must not be used afterwards.
    pub(crate) fn tag(&mut self) -> Tag {
        let end = &self.buffer[..self.bytes_in_block()];
        let end = self.pieces.finish(self.level, &mut self.accumulator).unwrap_or(end);
        if !end.is_empty() {
            self.accumulator.last_block(&ended(end));
        }
        let mut tag = self.accumulator.tag();
        crate::fault::flip("poly1305", self.level, &mut tag);
        tag
    }

    /// Compares the message's tag with `tag`, in constant time.
    ///
    /// # Errors
    /// [`OpenError`] if they differ.
    #[inline]
    pub fn verify(self, tag: &Tag) -> Result<(), OpenError> {
        tags_equal(&self.finalize(), tag)
    }
}

/// Returns the tag of a message that has at least [`kernel::min_call_bytes`] bytes.
// A separate function keeps the choice out of the path of the shortest messages.
#[inline(never)]
fn mac_in_one_call(level: Level, key: &[u8; 32], message: &[u8]) -> Tag {
    let mut accumulator = Accumulator::new(key);
    dispatch!(level, token => kernel::message(token, &mut accumulator, message));
    accumulator.tag()
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        // The accumulator wipes itself.
        wipe(&mut self.buffer);
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poly1305").field("backend", &self.level).finish_non_exhaustive()
    }
}
