//! Opens a payload.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::Range;

use sealane::Backend;

use super::{CHUNK_LEN, CHUNKS, ChunkCipher, Counter, SEALED_CHUNK_LEN, StreamError, TAG_LEN};
use crate::buffer::Buffer;
use crate::input::Input;

/// Decrypts what it reads, and hands out only what it has authenticated, in order.
///
/// The end of the file is reported (a read of 0 bytes) only after the last chunk has been authenticated as the last one.
/// Whatever is wrong with the file, what was handed out before the error is a prefix of the plaintext. Errors of the
/// payload are [`StreamError`]s wrapped in an [`io::Error`], and stay: every later read fails in the same way.
///
/// It holds one buffer of about 256 KiB, whose content is wiped when it is dropped. [`BufRead`] gives access to the
/// plaintext in the buffer, at best a chunk of 64 KiB at a time, without another copy.
///
/// [`Seek`](io::Seek) is there if the input has it.
pub struct StreamReader<R> {
    pub(crate) input: Input<R>,
    pub(crate) cipher: ChunkCipher,
    pub(crate) counter: Counter,
    pub(crate) buf: Buffer,
    /// The chunk that was opened last, in `buf`, and how far it has been handed out.
    pub(super) chunk: Range<usize>,
    pub(super) at: usize,
    /// What follows in `buf`, not opened yet.
    pub(crate) sealed: Range<usize>,
    /// The input has ended: nothing follows `sealed`.
    pub(crate) eof: bool,
    /// What comes after `chunk`.
    pub(crate) next: Next,
    /// Plaintext to leave out of the next chunk, after a seek.
    pub(super) skip: usize,
    /// The position in the plaintext.
    pub(super) position: u64,
    /// Where the payload starts, counted from the place where the input was when the decryptor got it.
    pub(crate) header_len: u64,
    /// That place, once it has been asked for.
    pub(super) base: Option<u64>,
    /// The length of the plaintext, once the last chunk has been authenticated.
    pub(super) plaintext_len: Option<u64>,
}

/// So much is read first, in bytes: most files are small.
const FIRST_READ: usize = 16 << 10;

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

impl<R> StreamReader<R> {
    pub(crate) fn new(input: Input<R>, header_len: u64, key: &[u8; 32], backend: Backend) -> Self {
        Self {
            input,
            cipher: ChunkCipher::new(key, backend),
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
            header_len,
            base: None,
            plaintext_len: None,
        }
    }

    /// Whether the position is in a chunk, open or to be opened next, and not at its start.
    pub(crate) fn is_within_chunk(&self) -> bool {
        self.at < self.chunk.end || self.skip > 0
    }

    pub(super) fn fail(&mut self, error: StreamError) -> StreamError {
        self.next = Next::Error(error);
        error
    }
}

impl<R: Read> StreamReader<R> {
    /// Opens the next chunk. At the end of the plaintext, leaves an empty one.
    fn load(&mut self) -> io::Result<()> {
        (self.chunk, self.at) = (0..0, 0);
        match self.next {
            Next::Chunk => {}
            Next::End => return Ok(()),
            Next::Error(error) => return Err(error.into()),
        }
        while !self.eof && self.sealed.len() <= SEALED_CHUNK_LEN {
            self.fetch()?;
        }
        self.open_next()?;
        Ok(())
    }

    /// Reads once into the buffer.
    fn fetch(&mut self) -> io::Result<()> {
        if self.sealed.end == self.buf.capacity() || self.sealed.is_empty() {
            self.buf.copy_within(self.sealed.clone(), 0);
            self.sealed = 0..self.sealed.len();
        }
        // More each time, up to all of it.
        let end = (4 * self.buf.len()).clamp(FIRST_READ, self.buf.capacity()).max(self.sealed.end + 1);
        let n = self.input.read(self.buf.room(self.sealed.end..end))?;
        self.sealed.end += n;
        self.eof = n == 0;
        Ok(())
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
}

impl<R: Read> BufRead for StreamReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // A chunk can have nothing to give after a seek to its end.
        while self.at == self.chunk.end {
            self.load()?;
            if self.next == Next::End && self.at == self.chunk.end {
                return Ok(&[]);
            }
        }
        Ok(&self.buf[self.at..self.chunk.end])
    }

    fn consume(&mut self, amount: usize) {
        let amount = amount.min(self.chunk.end - self.at);
        self.at += amount;
        self.position += amount as u64;
    }
}

impl<R: Read> Read for StreamReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let ready = self.fill_buf()?;
        let n = ready.len().min(out.len());
        out[..n].copy_from_slice(&ready[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R> fmt::Debug for StreamReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamReader").field("position", &self.position).finish_non_exhaustive()
    }
}
