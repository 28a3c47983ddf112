//! Opens the chunks of a range as they arrive.

use std::sync::Arc;

use sealane_age::StreamError;
use sealane_age::stream::{SEALED_CHUNK_BYTES, SealedRange, TAG_BYTES};

use crate::opened::Opened;

/// Opens the chunks of a range of plaintext.
pub(crate) struct Opening {
    opened: Arc<Opened>,
    /// The number of the next chunk.
    next: u64,
    /// Sealed bytes that are still to come, with those in `buffer`.
    left: u64,
    is_last: bool,
    /// Plaintext to leave out before the range.
    skip: usize,
    /// Plaintext of the range that is still to come.
    len: u64,
    /// The start of a chunk.
    buffer: Vec<u8>,
}

impl Opening {
    pub(crate) fn new(opened: Arc<Opened>, range: &SealedRange) -> Self {
        let left = range.sealed.end - range.sealed.start;
        Self {
            opened,
            next: range.first,
            left,
            is_last: range.is_last,
            skip: range.skip,
            len: range.len,
            buffer: Vec::new(),
        }
    }

    /// Takes sealed bytes, and returns the plaintext of the chunks that are complete. All of it is
    /// authentic.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<u8>, StreamError> {
        if (self.buffer.len() + bytes.len()) as u64 > self.left {
            return Err(StreamError::TrailingData);
        }
        let mut out = Vec::new();
        if !self.buffer.is_empty() {
            let missing = self.next_len() - self.buffer.len();
            let (more, rest) = bytes.split_at(missing.min(bytes.len()));
            self.buffer.extend_from_slice(more);
            bytes = rest;
            if more.len() < missing {
                return Ok(out);
            }
            let chunk = std::mem::take(&mut self.buffer);
            self.open(&chunk, &mut out)?;
        }
        let whole = if bytes.len() as u64 == self.left {
            bytes.len()
        } else {
            bytes.len() / SEALED_CHUNK_BYTES * SEALED_CHUNK_BYTES
        };
        let (chunks, rest) = bytes.split_at(whole);
        self.open(chunks, &mut out)?;
        if !rest.is_empty() {
            self.buffer.reserve_exact(SEALED_CHUNK_BYTES);
            self.buffer.extend_from_slice(rest);
        }
        Ok(out)
    }

    /// Checks that all chunks have come.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        if self.left == 0 { Ok(()) } else { Err(StreamError::Truncated) }
    }

    /// Returns the length of the next chunk.
    fn next_len(&self) -> usize {
        usize::try_from(self.left).map_or(SEALED_CHUNK_BYTES, |left| left.min(SEALED_CHUNK_BYTES))
    }

    /// Opens whole chunks, and appends the plaintext within the range.
    fn open(&mut self, chunks: &[u8], out: &mut Vec<u8>) -> Result<(), StreamError> {
        if chunks.is_empty() {
            return Ok(());
        }
        let count = chunks.len().div_ceil(SEALED_CHUNK_BYTES);
        self.left -= chunks.len() as u64;
        let is_last = self.is_last && self.left == 0;
        let before = out.len();
        out.resize(before + chunks.len().saturating_sub(count * TAG_BYTES), 0);
        self.opened.key.open_chunks(self.next, is_last, chunks, &mut out[before..])?;
        self.next += count as u64;
        let skipped = self.skip.min(out.len() - before);
        self.skip -= skipped;
        out.drain(before..before + skipped);
        let wanted = usize::try_from(self.len).unwrap_or(usize::MAX).min(out.len() - before);
        out.truncate(before + wanted);
        self.len -= wanted as u64;
        Ok(())
    }
}
