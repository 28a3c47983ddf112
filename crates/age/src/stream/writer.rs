//! Seals a payload.

use std::fmt;
use std::io::{self, Write};

use sealane::Backend;

use super::{CHUNK_LEN, CHUNKS, ChunkCipher, Counter, SEALED_CHUNK_LEN, StreamError, TAG_LEN};
use crate::buffer::Buffer;

/// Plaintext that the buffer holds.
const CAPACITY: usize = CHUNKS * CHUNK_LEN;

/// Encrypts what is written to it.
///
/// [`StreamWriter::finish`] must be called at the end. If it is not, because of a failure perhaps, the file lacks its
/// last chunk, and nobody can open it to the end.
///
/// Plaintext is buffered: up to four chunks of 64 KiB wait for more. [`Write::flush`] writes all but the last of these,
/// of which it is not known whether it is the last of the file.
///
/// After an error of the inner writer every later call fails with [`StreamError::EarlierFailure`]: how much was written
/// is not known, and nothing is sealed twice.
pub struct StreamWriter<W> {
    pub(super) inner: W,
    cipher: ChunkCipher,
    pub(super) counter: Counter,
    /// Chunks with room for their tags between them, so that they are sealed where they are and written at once.
    buf: Buffer,
    /// Plaintext in the buffer.
    len: usize,
    failed: bool,
}

impl<W: Write> StreamWriter<W> {
    pub(crate) fn new(inner: W, key: &[u8; 32], backend: Backend) -> Self {
        Self {
            inner,
            cipher: ChunkCipher::new(key, backend),
            counter: Counter::START,
            buf: Buffer::new(CHUNKS * SEALED_CHUNK_LEN),
            len: 0,
            failed: false,
        }
    }

    /// Seals and writes the last chunk, flushes, and gives the inner writer back.
    ///
    /// # Errors
    ///
    /// Those of the inner writer, and a [`StreamError`] if an earlier call failed or there are too many chunks. The file
    /// is then incomplete.
    pub fn finish(mut self) -> io::Result<W> {
        self.check()?;
        let before = self.len.saturating_sub(1) / CHUNK_LEN;
        self.seal_full(before)?;
        let start = before * SEALED_CHUNK_LEN;
        let end = start + (self.len - before * CHUNK_LEN) + TAG_LEN;
        self.cipher.seal(self.counter.take()?, true, self.buf.room(start..end));
        self.inner.write_all(&self.buf[..end])?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn check(&self) -> io::Result<()> {
        if self.failed { Err(StreamError::EarlierFailure.into()) } else { Ok(()) }
    }

    /// Seals the first `chunks` chunks, which are full and not the last of the file.
    fn seal_full(&mut self, chunks: usize) -> Result<(), StreamError> {
        for chunk in self.buf.room(0..chunks * SEALED_CHUNK_LEN).chunks_exact_mut(SEALED_CHUNK_LEN) {
            self.cipher.seal(self.counter.take()?, false, chunk);
        }
        Ok(())
    }

    /// Seals and writes the first `chunks` chunks, and moves what follows them to the front.
    fn write_full(&mut self, chunks: usize) -> io::Result<()> {
        // From here on the buffer is partly sealed: if anything fails, it must not be used again.
        self.failed = true;
        self.seal_full(chunks)?;
        let sealed = chunks * SEALED_CHUNK_LEN;
        self.inner.write_all(&self.buf[..sealed])?;
        self.len -= chunks * CHUNK_LEN;
        self.buf.copy_within(sealed..sealed + self.len, 0);
        self.failed = false;
        Ok(())
    }
}

impl<W: Write> Write for StreamWriter<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.check()?;
        if data.is_empty() {
            return Ok(0);
        }
        if self.len == CAPACITY {
            // Only now it is known that the last chunk in the buffer is not the last of the file.
            self.write_full(CHUNKS)?;
        }
        let mut rest = &data[..data.len().min(CAPACITY - self.len)];
        let taken = rest.len();
        while !rest.is_empty() {
            let (chunk, offset) = (self.len / CHUNK_LEN, self.len % CHUNK_LEN);
            let (now, after) = rest.split_at(rest.len().min(CHUNK_LEN - offset));
            let start = chunk * SEALED_CHUNK_LEN + offset;
            self.buf.room(start..start + now.len()).copy_from_slice(now);
            self.len += now.len();
            rest = after;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        let chunks = self.len.saturating_sub(1) / CHUNK_LEN;
        if chunks > 0 {
            self.write_full(chunks)?;
        }
        self.inner.flush()
    }
}

impl<W> StreamWriter<W> {
    /// What a new writer has.
    pub(crate) fn into_parts(self) -> (W, ChunkCipher, Counter) {
        debug_assert!(self.len == 0 && !self.failed, "nothing has been written");
        (self.inner, self.cipher, self.counter)
    }
}

impl<W> fmt::Debug for StreamWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter").field("failed", &self.failed).finish_non_exhaustive()
    }
}
