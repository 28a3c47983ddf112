//! Chunks that are being collected, opened and handed out: what a reader does between two calls of the reader below it.

use std::ops::Range;

use super::{CHUNK_LEN, CHUNKS, ChunkCipher, Counter, SEALED_CHUNK_LEN, StreamError, TAG_LEN};
use crate::buffer::Buffer;

/// So much is read first, in bytes: most files are small.
const FIRST_READ: usize = 16 << 10;

/// Takes sealed chunks, and hands out authenticated plaintext, in order. It does no I/O: when [`Opener::advance`] asks for it, bytes are to be
/// read into its [room](Opener::room), and to be [said](Opener::filled) to be there.
pub(crate) struct Opener {
    pub(crate) cipher: ChunkCipher,
    pub(crate) counter: Counter,
    buf: Buffer,
    /// The chunk that was opened last, in `buf`, and how far it has been handed out.
    chunk: Range<usize>,
    at: usize,
    /// What follows in `buf`, not opened yet.
    sealed: Range<usize>,
    /// The input has ended: nothing follows `sealed`.
    pub(crate) eof: bool,
    /// What comes after `chunk`.
    pub(crate) next: Next,
    /// Plaintext to leave out of the next chunk, after a move.
    skip: usize,
    /// The position in the plaintext.
    pub(super) position: u64,
    /// The length of the plaintext, once the last chunk has been authenticated.
    pub(crate) plaintext_len: Option<u64>,
}

/// What comes after the chunk that is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another chunk.
    Chunk,
    /// The end of the plaintext.
    End,
    /// An error.
    Error(StreamError),
}

/// A place to come back to when a move fails.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) position: u64,
    /// The error to which the plaintext has been handed out.
    error: Option<StreamError>,
}

impl Opener {
    pub(crate) fn new(cipher: ChunkCipher) -> Self {
        Self {
            cipher,
            counter: Counter::START,
            // The byte after the chunks tells whether the last of them is the last of the file.
            buf: Buffer::new(CHUNKS * SEALED_CHUNK_LEN + 1),
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

    /// Whether [`Opener::plaintext`] is what is to be handed out next, or empty at the end; opens a chunk for that. If not, more of the
    /// input is needed.
    pub(crate) fn advance(&mut self) -> Result<bool, StreamError> {
        // A chunk can have nothing to give after a seek to its end.
        while self.at == self.chunk.end {
            (self.chunk, self.at) = (0..0, 0);
            match self.next {
                Next::Chunk => {}
                Next::End => return Ok(true),
                Next::Error(error) => return Err(error),
            }
            if !self.eof && self.sealed.len() <= SEALED_CHUNK_LEN {
                return Ok(false);
            }
            self.open_next()?;
        }
        Ok(true)
    }

    /// The plaintext that has been opened and not been handed out.
    pub(crate) fn plaintext(&self) -> &[u8] {
        &self.buf[self.at..self.chunk.end]
    }

    /// So much of it has been handed out.
    pub(crate) fn consume(&mut self, amount: usize) {
        let amount = amount.min(self.chunk.end - self.at);
        self.at += amount;
        self.position += amount as u64;
    }

    /// Where bytes of the input belong.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.sealed.end == self.buf.capacity() || self.sealed.is_empty() {
            self.buf.copy_within(self.sealed.clone(), 0);
            self.sealed = 0..self.sealed.len();
        }
        // More when it is full, up to all of it.
        let end = match self.buf.len() {
            len if self.sealed.end < len => len,
            len => (4 * len).clamp(FIRST_READ, self.buf.capacity()),
        };
        self.buf.room(self.sealed.end..end)
    }

    /// The room has so many bytes now. None is the end of the input.
    pub(crate) fn filled(&mut self, amount: usize) {
        self.sealed.end += amount;
        self.eof = amount == 0;
    }

    /// What was read ahead.
    pub(crate) fn sealed(&self) -> &[u8] {
        &self.buf[self.sealed.clone()]
    }

    /// Whether the position is in a chunk, open or to be opened next, and not at its start.
    pub(crate) fn is_within_chunk(&self) -> bool {
        self.at < self.chunk.end || self.skip > 0
    }

    /// Opens the chunk at the start of `sealed`, which is all there or ends with the input.
    fn open_next(&mut self) -> Result<(), StreamError> {
        let len = self.sealed.len().min(SEALED_CHUNK_LEN);
        let more = self.sealed.len() > len;
        if len == 0 {
            return Err(self.fail(StreamError::Truncated));
        }
        let number = self.counter.take().map_err(|e| self.fail(e))?;
        let range = self.sealed.start..self.sealed.start + len;
        self.next = self.cipher.open_next(number, more, &mut self.buf[range.clone()]).map_err(|e| self.fail(e))?;
        self.sealed.start = range.end;
        let mut chunk = range.start..range.end - TAG_LEN;
        if self.next == Next::End {
            let before = number.checked_mul(CHUNK_LEN as u64);
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

/// Moves.
impl Opener {
    /// The position in the plaintext.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Moves to `target` if the input need not move for that, and says whether it did.
    pub(crate) fn move_within_buffer(&mut self, target: u64) -> bool {
        if let Some(at) = self.within_chunk(target) {
            (self.at, self.position) = (at, target);
            return true;
        }
        target == self.position && !matches!(self.next, Next::Error(_))
    }

    /// The place of `target` in the buffer, if it lies in the chunk that is open there.
    fn within_chunk(&self, target: u64) -> Option<usize> {
        let first = self.position.checked_sub((self.at - self.chunk.start) as u64)?;
        let offset = usize::try_from(target.checked_sub(first)?).ok()?;
        (offset < self.chunk.len()).then(|| self.chunk.start + offset)
    }

    /// Leaves the position for `target`, and says whether the input has to move for that: then nothing can be read before
    /// [`Opener::arrive`].
    pub(crate) fn leave(&mut self, target: u64) -> bool {
        (self.chunk, self.at, self.sealed, self.skip) = (0..0, 0, 0..0, 0);
        if self.plaintext_len.is_some_and(|len| target >= len) {
            // The end, if it is known, is the end.
            (self.next, self.position) = (Next::End, target);
            return false;
        }
        self.fail(StreamError::EarlierFailure);
        true
    }

    /// The input is at the chunk of `target`: that byte is the next one to be read.
    pub(crate) fn arrive(&mut self, target: u64) {
        self.eof = false;
        self.counter = Counter(Some(target / CHUNK_LEN as u64));
        self.skip = (target % CHUNK_LEN as u64) as usize;
        (self.next, self.position) = (Next::Chunk, target);
    }

    /// Where this is, to come back.
    pub(crate) fn place(&self) -> Place {
        let error = match self.next {
            Next::Error(error) if self.at == self.chunk.end => Some(error),
            _ => None,
        };
        Place { position: self.position, error }
    }

    /// It is at that place again.
    pub(crate) fn came_back(&mut self, place: Place) {
        if let Some(error) = place.error {
            self.fail(error);
        }
    }
}

/// Where the chunk of the byte `target` starts, if the payload starts at `payload_start`, both in bytes.
pub(crate) fn chunk_start(payload_start: u64, target: u64) -> Option<u64> {
    (target / CHUNK_LEN as u64).checked_mul(SEALED_CHUNK_LEN as u64)?.checked_add(payload_start)
}

/// The number of the chunk with which a payload of so many bytes ends; 0 if there is none.
pub(crate) fn last_chunk(payload_len: u64) -> u64 {
    payload_len.div_ceil(SEALED_CHUNK_LEN as u64).saturating_sub(1)
}
