//! Fills and seals chunks: the part of a writer that does no I/O.

use super::{CHUNK_BYTES, CHUNKS, Counter, PayloadKey, SEALED_CHUNK_BYTES, StreamError, TAG_BYTES};
use crate::buffer::Buffer;

/// The amount of plaintext that the buffer holds, in bytes.
const CAPACITY: usize = CHUNKS * CHUNK_BYTES;

/// Takes plaintext, and returns sealed chunks.
///
/// It does no I/O. After sealing, write [`Sealer::sealed`] and call [`Sealer::written`] before
/// anything else.
///
/// If sealing fails, the buffer is partly sealed, and must not be used again.
pub(crate) struct Sealer {
    key: PayloadKey,
    pub(super) counter: Counter,
    /// Chunks with room for their tags between them. They are sealed in place and written together.
    buf: Buffer,
    /// The number of sealed bytes at the start of the buffer.
    sealed: usize,
    /// The number of plaintext bytes after them.
    len: usize,
}

impl Sealer {
    pub(crate) fn new(key: PayloadKey) -> Self {
        Self { key, counter: Counter::START, buf: Buffer::new(CHUNKS * SEALED_CHUNK_BYTES), sealed: 0, len: 0 }
    }

    /// Returns whether there is no room for more plaintext.
    pub(crate) fn is_full(&self) -> bool {
        self.len == CAPACITY
    }

    /// Takes as much of `data` as there is room for. Returns the number of bytes.
    pub(crate) fn take(&mut self, data: &[u8]) -> usize {
        debug_assert_eq!(self.sealed, 0, "what is sealed has not been written");
        let mut rest = &data[..data.len().min(CAPACITY - self.len)];
        let taken = rest.len();
        while !rest.is_empty() {
            let (chunk, offset) = (self.len / CHUNK_BYTES, self.len % CHUNK_BYTES);
            let (now, after) = rest.split_at(rest.len().min(CHUNK_BYTES - offset));
            let start = chunk * SEALED_CHUNK_BYTES + offset;
            self.buf.room(start..start + now.len()).copy_from_slice(now);
            self.len += now.len();
            rest = after;
        }
        taken
    }

    /// Seals the full chunks. If the plaintext ends with a full chunk, seals that one only if
    /// `more` says that it is not the last of the file.
    ///
    /// If `more` is true, plaintext must follow, because a file must not end with an empty chunk.
    pub(crate) fn seal(&mut self, more: bool) -> Result<(), StreamError> {
        debug_assert_eq!(self.sealed, 0, "what is sealed has not been written");
        let chunks = if more { self.len / CHUNK_BYTES } else { self.len.saturating_sub(1) / CHUNK_BYTES };
        let sealed = chunks * SEALED_CHUNK_BYTES;
        for chunk in self.buf.room(0..sealed).chunks_exact_mut(SEALED_CHUNK_BYTES) {
            self.key.cipher.seal(self.counter.take()?, false, chunk);
        }
        self.sealed = sealed;
        self.len -= chunks * CHUNK_BYTES;
        Ok(())
    }

    /// Seals all plaintext. The last chunk becomes the last of the file.
    pub(crate) fn seal_last(&mut self) -> Result<(), StreamError> {
        self.seal(false)?;
        let end = self.sealed + self.len + TAG_BYTES;
        self.key.cipher.seal(self.counter.take()?, true, self.buf.room(self.sealed..end));
        (self.sealed, self.len) = (end, 0);
        Ok(())
    }

    /// Returns the sealed bytes that have not been written.
    pub(crate) fn sealed(&self) -> &[u8] {
        &self.buf[..self.sealed]
    }

    /// Notes that all of [`Sealer::sealed`] has been written. The plaintext after it moves to the
    /// front.
    pub(crate) fn written(&mut self) {
        if self.sealed > 0 {
            self.buf.copy_within(self.sealed..self.sealed + self.len, 0);
            self.sealed = 0;
        }
    }
}
