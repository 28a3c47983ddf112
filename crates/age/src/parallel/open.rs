//! Opening on several threads.

use std::io::{self, BufRead as _, Read, Write};
use std::mem;

use zeroize::Zeroizing;

use super::{BATCH_CHUNKS, CopyError, Threads, buffer, fill, pipeline};
use crate::stream::{ChunkCipher, Counter, Next, SEALED_CHUNK_LEN, StreamError, StreamReader, TAG_LEN};

impl<R: Read> StreamReader<R> {
    /// Writes the rest of the plaintext, from the position of the reader on, opened on several threads. Flushes, and gives `output` back.
    ///
    /// Memory does not grow with the file: about 3 MiB for each thread.
    ///
    /// # Errors
    /// [`CopyError`], which says which side failed; in the file itself it is a [`StreamError`]. All plaintext before the
    /// place of the error has been written, and nothing else.
    pub fn copy_to<W: Write + Send>(mut self, mut output: W, threads: Threads) -> Result<W, CopyError> {
        // What is left of a chunk that is open, or of the one in which a seek ended.
        while threads.is_one() || self.is_within_chunk() {
            let plaintext = match self.fill_buf() {
                Ok(plaintext) => plaintext,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(CopyError::Read(error)),
            };
            if plaintext.is_empty() {
                break;
            }
            output.write_all(plaintext).map_err(CopyError::Write)?;
            let len = plaintext.len();
            self.consume(len);
        }
        match self.next {
            Next::Chunk => self.open_rest(&mut output, threads)?,
            Next::End => {}
            Next::Error(error) => return Err(CopyError::Read(error.into())),
        }
        output.flush().map_err(CopyError::Write)?;
        Ok(output)
    }

    fn open_rest<W: Write + Send>(mut self, output: &mut W, threads: Threads) -> Result<(), CopyError> {
        // What was read ahead comes first.
        let (mut ahead, input) = (&self.buf[self.sealed.clone()], &mut self.input);
        let read = |out: &mut [u8]| match ahead.read(out)? {
            0 => input.read(out),
            n => Ok(n),
        };
        let mut reader = Reader { read, held: None, counter: self.counter, ended: None };
        let cipher = &self.cipher;
        pipeline::run(
            threads.get(),
            Batch::new,
            |batch| reader.next(batch),
            |batch| batch.open(cipher),
            |batch| batch.write(output),
        )
    }
}

/// What follows a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    More,
    Nothing,
    /// It could not be read.
    Unknown,
}

/// Sealed chunks, then opened ones, each in its place.
struct Batch {
    buf: Zeroizing<Box<[u8]>>,
    /// Bytes of sealed chunks.
    len: usize,
    /// The number of the first chunk.
    first: u64,
    after: After,
    /// Chunks that were opened, from the first one on, and what is wrong with what follows them.
    opened: usize,
    error: Option<StreamError>,
}

impl Batch {
    fn new() -> Self {
        let buf = buffer(BATCH_CHUNKS * SEALED_CHUNK_LEN);
        Self { buf, len: 0, first: 0, after: After::Nothing, opened: 0, error: None }
    }

    fn open(&mut self, cipher: &ChunkCipher) {
        (self.opened, self.error) = (0, None);
        let chunks = self.len.div_ceil(SEALED_CHUNK_LEN);
        if chunks == 0 && self.after == After::Nothing {
            self.error = Some(StreamError::Truncated);
        }
        for (i, chunk) in self.buf[..self.len].chunks_mut(SEALED_CHUNK_LEN).enumerate() {
            let more = match self.after {
                _ if i + 1 < chunks => true,
                After::More => true,
                After::Nothing => false,
                // Whether it must be the last one is not known.
                After::Unknown => return,
            };
            match cipher.open_next(self.first + i as u64, more, chunk) {
                Ok(next) => {
                    self.opened += 1;
                    match next {
                        Next::Chunk if !more => self.error = Some(StreamError::Truncated),
                        Next::Chunk | Next::End => continue,
                        Next::Error(error) => self.error = Some(error),
                    }
                }
                Err(error) => self.error = Some(error),
            }
            return;
        }
    }

    fn write(&mut self, output: &mut impl Write) -> Result<(), CopyError> {
        for chunk in self.buf[..self.len].chunks(SEALED_CHUNK_LEN).take(self.opened) {
            output.write_all(&chunk[..chunk.len() - TAG_LEN]).map_err(CopyError::Write)?;
        }
        self.error.map_or(Ok(()), |error| Err(CopyError::Read(error.into())))
    }
}

/// Reads batches. What follows a batch is known when the next one has been read: it is held back until then.
struct Reader<F> {
    read: F,
    held: Option<Batch>,
    counter: Counter,
    /// The input has ended, with this.
    ended: Option<io::Result<()>>,
}

impl<F: FnMut(&mut [u8]) -> io::Result<usize>> Reader<F> {
    /// Makes `batch` the next one; false if there is none.
    fn next(&mut self, batch: &mut Batch) -> Result<bool, CopyError> {
        if self.held.is_none() && self.ended.is_none() {
            let mut first = Batch::new();
            self.fill(&mut first);
            self.held = Some(first);
        }
        let Some(mut held) = self.held.take() else {
            // All that could be read has been given out.
            return self.ended.take().unwrap_or(Ok(())).map(|()| false).map_err(CopyError::Read);
        };
        if self.ended.is_none() {
            self.fill(batch);
            if batch.len > 0 {
                mem::swap(&mut held, batch);
                self.held = Some(held);
                return self.number(batch, After::More);
            }
        }
        *batch = held;
        let after = if matches!(self.ended, Some(Err(_))) { After::Unknown } else { After::Nothing };
        self.number(batch, after)
    }

    fn fill(&mut self, batch: &mut Batch) {
        let (len, result) = fill(&mut batch.buf, &mut self.read);
        batch.len = len;
        if len < batch.buf.len() {
            self.ended = Some(result);
        }
    }

    fn number(&mut self, batch: &mut Batch, after: After) -> Result<bool, CopyError> {
        batch.after = after;
        let chunks = batch.len.div_ceil(SEALED_CHUNK_LEN) as u64;
        batch.first = self.counter.take_many(chunks).map_err(|error| CopyError::Read(error.into()))?;
        Ok(true)
    }
}
