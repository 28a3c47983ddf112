//! Opens the chunks of a range as they arrive.

use std::sync::Arc;

use sealane_age::StreamError;
use sealane_age::stream::{SEALED_CHUNK_BYTES, SealedRange, TAG_BYTES};

use crate::unlocked::UnlockedObject;

/// Assembles the chunks of a range from pieces of any length.
pub(crate) struct ChunkAssembler {
    /// The number of the next chunk.
    next: u64,
    /// The number of sealed bytes that are still to come, including those in `buffer`.
    left: u64,
    is_last: bool,
    /// The start of a chunk that is not complete.
    buffer: Vec<u8>,
}

impl ChunkAssembler {
    pub(crate) fn new(range: &SealedRange) -> Self {
        let left = range.sealed.end - range.sealed.start;
        Self { next: range.first, left, is_last: range.is_last, buffer: Vec::new() }
    }

    /// Takes sealed bytes, and calls `open` with the chunks that are complete. Its arguments are
    /// the number of the first of these chunks, whether they end with the last chunk of the object,
    /// and the chunks.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        mut open: impl FnMut(u64, bool, &[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        if (self.buffer.len() + bytes.len()) as u64 > self.left {
            return Err(StreamError::TrailingData);
        }
        if !self.buffer.is_empty() {
            let missing = self.next_len() - self.buffer.len();
            let (more, rest) = bytes.split_at(missing.min(bytes.len()));
            self.buffer.extend_from_slice(more);
            bytes = rest;
            if more.len() < missing {
                return Ok(());
            }
            let mut chunk = std::mem::take(&mut self.buffer);
            self.give(&chunk, &mut open)?;
            // Its allocation is used again.
            chunk.clear();
            self.buffer = chunk;
        }
        let whole = if bytes.len() as u64 == self.left {
            bytes.len()
        } else {
            bytes.len() / SEALED_CHUNK_BYTES * SEALED_CHUNK_BYTES
        };
        let (chunks, rest) = bytes.split_at(whole);
        self.give(chunks, &mut open)?;
        if !rest.is_empty() {
            self.buffer.reserve_exact(SEALED_CHUNK_BYTES);
            self.buffer.extend_from_slice(rest);
        }
        Ok(())
    }

    /// Checks that all chunks have arrived.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        if self.left == 0 { Ok(()) } else { Err(StreamError::Truncated) }
    }

    /// Returns the length of the next chunk.
    fn next_len(&self) -> usize {
        usize::try_from(self.left).map_or(SEALED_CHUNK_BYTES, |left| left.min(SEALED_CHUNK_BYTES))
    }

    fn give(
        &mut self,
        chunks: &[u8],
        open: &mut impl FnMut(u64, bool, &[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        if chunks.is_empty() {
            return Ok(());
        }
        let first = self.next;
        self.next += chunks.len().div_ceil(SEALED_CHUNK_BYTES) as u64;
        self.left -= chunks.len() as u64;
        open(first, self.is_last && self.left == 0, chunks)
    }
}

/// Opens the chunks of a range of plaintext.
pub(crate) struct RangeDecryptor {
    assembler: ChunkAssembler,
    plaintext: PlaintextRange,
}

impl RangeDecryptor {
    pub(crate) fn new(object: Arc<UnlockedObject>, range: &SealedRange) -> Self {
        let plaintext = PlaintextRange { object, skip: range.skip, len: range.len };
        Self { assembler: ChunkAssembler::new(range), plaintext }
    }

    /// Takes sealed bytes, opens the chunks that are complete, and returns the part of their
    /// plaintext that is in the range. All of it is authentic.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, StreamError> {
        let mut out = Vec::new();
        self.assembler.push(bytes, |first, is_last, chunks| self.plaintext.open(first, is_last, chunks, &mut out))?;
        Ok(out)
    }

    /// Checks that all chunks have arrived.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        self.assembler.finish()
    }
}

/// The part of a range of plaintext that is still to come.
struct PlaintextRange {
    object: Arc<UnlockedObject>,
    /// The number of plaintext bytes to leave out before the range.
    skip: usize,
    /// The number of plaintext bytes of the range that are still to come.
    len: u64,
}

impl PlaintextRange {
    /// Opens whole chunks, and appends the plaintext within the range.
    fn open(&mut self, first: u64, is_last: bool, chunks: &[u8], out: &mut Vec<u8>) -> Result<(), StreamError> {
        let count = chunks.len().div_ceil(SEALED_CHUNK_BYTES);
        let before = out.len();
        out.resize(before + chunks.len().saturating_sub(count * TAG_BYTES), 0);
        self.object.key.open_chunks(first, is_last, chunks, &mut out[before..])?;
        let skipped = self.skip.min(out.len() - before);
        self.skip -= skipped;
        out.drain(before..before + skipped);
        let wanted = usize::try_from(self.len).unwrap_or(usize::MAX).min(out.len() - before);
        out.truncate(before + wanted);
        self.len -= wanted as u64;
        Ok(())
    }
}
