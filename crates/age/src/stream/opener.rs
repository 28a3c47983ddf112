//! Collects, opens and hands out chunks: the part of a reader that does no I/O.

use core::ops::Range;

use super::{CHUNK_BYTES, CHUNKS, Counter, Next, PayloadKey, SEALED_CHUNK_BYTES, StreamError, TAG_BYTES};
use crate::buffer::Buffer;

/// Takes sealed chunks, and hands out authenticated plaintext, in order.
///
/// It does no I/O. When [`Opener::advance`] asks for input, read bytes into [`Opener::room`], and
/// call [`Opener::filled`].
pub(crate) struct Opener {
    pub(crate) key: PayloadKey,
    pub(crate) counter: Counter,
    buf: Buffer,
    /// The position in `buf` of the plaintext of the most recently opened chunk. `at` is the
    /// position of the next byte to hand out.
    chunk: Range<usize>,
    at: usize,
    /// The position in `buf` of the sealed bytes after that chunk.
    sealed: Range<usize>,
    /// Whether the input has ended after `sealed`.
    pub(crate) eof: bool,
    /// The content of the file after `chunk`, or the error that every later call returns.
    pub(crate) next: Next,
    /// The number of plaintext bytes to skip in the next chunk, after a seek.
    skip: usize,
    /// The position in the plaintext.
    pub(super) position: u64,
    /// The length of the plaintext, once the last chunk has been authenticated.
    pub(crate) plaintext_len: Option<u64>,
}

/// A state to restore when a seek fails.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot {
    pub(crate) position: u64,
    /// The error, if all plaintext before it has been handed out.
    error: Option<StreamError>,
}

impl Opener {
    pub(crate) fn new(key: PayloadKey) -> Self {
        Self {
            key,
            counter: Counter::START,
            // The byte after the chunks shows whether the last of them is the last of the file.
            buf: Buffer::new(CHUNKS * SEALED_CHUNK_BYTES + 1),
            chunk: 0..0,
            at: 0,
            sealed: 0..0,
            eof: false,
            next: Next::Chunk,
            skip: 0,
            position: 0,
            plaintext_len: None,
        }
    }

    /// Opens the next chunk if needed. Returns true if [`Opener::plaintext`] is ready, which is
    /// empty at the end of the file, and false if more input is needed.
    pub(crate) fn advance(&mut self) -> Result<bool, StreamError> {
        // This is a loop because a chunk has no plaintext to hand out after a seek to its end.
        while self.at == self.chunk.end {
            (self.chunk, self.at) = (0..0, 0);
            match self.next {
                Next::Chunk => {}
                Next::End => return Ok(true),
                Next::Error(error) => return Err(error),
            }
            if !self.eof && self.sealed.len() <= SEALED_CHUNK_BYTES {
                return Ok(false);
            }
            self.open_next()?;
        }
        Ok(true)
    }

    /// Returns the plaintext that has been opened and not yet handed out.
    pub(crate) fn plaintext(&self) -> &[u8] {
        &self.buf[self.at..self.chunk.end]
    }

    /// Notes that `amount` bytes of the plaintext have been handed out.
    pub(crate) fn consume(&mut self, amount: usize) {
        let amount = amount.min(self.chunk.end - self.at);
        self.at += amount;
        self.position += amount as u64;
    }

    /// Returns the room for bytes of the input.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.sealed.end == self.buf.capacity() || self.sealed.is_empty() {
            self.buf.copy_within(self.sealed.clone(), 0);
            self.sealed = 0..self.sealed.len();
        }
        self.buf.room_to_read(self.sealed.end, self.buf.capacity())
    }

    /// Notes that `amount` bytes were read into the room. 0 means the end of the input.
    pub(crate) fn filled(&mut self, amount: usize) {
        self.sealed.end += amount;
        self.eof = amount == 0;
    }

    /// Returns the bytes that were read ahead.
    #[cfg(feature = "parallel")]
    pub(crate) fn sealed(&self) -> &[u8] {
        &self.buf[self.sealed.clone()]
    }

    /// Returns whether the position is inside a chunk, and not at its start.
    #[cfg(feature = "parallel")]
    pub(crate) fn is_within_chunk(&self) -> bool {
        self.at < self.chunk.end || self.skip > 0
    }

    /// Opens the chunk at the start of `sealed`, which is complete or ends with the input.
    fn open_next(&mut self) -> Result<(), StreamError> {
        let len = self.sealed.len().min(SEALED_CHUNK_BYTES);
        let is_last = self.sealed.len() == len;
        if len == 0 {
            return Err(self.fail(StreamError::Truncated));
        }
        let number = self.counter.take().map_err(|e| self.fail(e))?;
        let range = self.sealed.start..self.sealed.start + len;
        self.next =
            self.key.cipher.open_next(number, is_last, &mut self.buf[range.clone()]).map_err(|e| self.fail(e))?;
        self.sealed.start = range.end;
        let mut chunk = range.start..range.end - TAG_BYTES;
        if self.next == Next::End {
            let before = number.checked_mul(CHUNK_BYTES as u64);
            self.plaintext_len = before.and_then(|n| n.checked_add(chunk.len() as u64));
        }
        if self.skip > chunk.len() {
            // A seek went beyond the end, and this is the last chunk.
            chunk.start = chunk.end;
        }
        self.at = chunk.end.min(chunk.start + self.skip);
        self.skip = 0;
        self.chunk = chunk;
        Ok(())
    }

    fn fail(&mut self, error: StreamError) -> StreamError {
        self.next = Next::Error(error);
        error
    }
}

/// Seeking.
impl Opener {
    /// Returns the position in the plaintext.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Moves to `target` if this needs no seek of the input. Returns whether it did.
    pub(crate) fn move_within_buffer(&mut self, target: u64) -> bool {
        if let Some(at) = self.within_chunk(target) {
            (self.at, self.position) = (at, target);
            return true;
        }
        target == self.position && !matches!(self.next, Next::Error(_))
    }

    /// Returns the position of `target` in the buffer, if it is in the open chunk.
    fn within_chunk(&self, target: u64) -> Option<usize> {
        let first = self.position.checked_sub((self.at - self.chunk.start) as u64)?;
        let offset = usize::try_from(target.checked_sub(first)?).ok()?;
        (offset < self.chunk.len()).then(|| self.chunk.start + offset)
    }

    /// Moves to `target` if it is known to be at or beyond the end. Returns whether it did. If so,
    /// the input need not seek, because nothing can be read there.
    pub(crate) fn move_to_end(&mut self, target: u64) -> bool {
        let is_end = self.plaintext_len.is_some_and(|len| target >= len);
        if is_end {
            self.discard();
            (self.next, self.position) = (Next::End, target);
        }
        is_end
    }

    /// Notes that the input has moved. Nothing can be read before [`Opener::finish_seek`].
    pub(crate) fn begin_seek(&mut self) {
        self.discard();
        self.fail(StreamError::EarlierFailure);
    }

    /// Discards the open chunk and the bytes that were read ahead.
    fn discard(&mut self) {
        (self.chunk, self.at, self.sealed, self.skip) = (0..0, 0, 0..0, 0);
    }

    /// Finishes a seek: the input is at the start of the chunk with the byte `target`, which
    /// becomes the next byte to be read.
    pub(crate) fn finish_seek(&mut self, target: u64) {
        self.eof = false;
        self.counter = Counter(Some(target / CHUNK_BYTES as u64));
        self.skip = (target % CHUNK_BYTES as u64) as usize;
        (self.next, self.position) = (Next::Chunk, target);
    }

    /// Returns the state to restore if a seek fails.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let error = match self.next {
            Next::Error(error) if self.at == self.chunk.end => Some(error),
            _ => None,
        };
        Snapshot { position: self.position, error }
    }

    /// Notes that the reader could not move back to the position in `snapshot`. Unless it is still
    /// there, nothing can be read.
    pub(crate) fn strand(&mut self, snapshot: Snapshot) {
        if self.position != snapshot.position {
            self.begin_seek();
            self.position = snapshot.position;
        }
    }

    /// Restores the error in `snapshot`, after the reader has moved back to the position in it.
    pub(crate) fn restore(&mut self, snapshot: Snapshot) {
        if let Some(error) = snapshot.error {
            self.fail(error);
        }
    }
}
