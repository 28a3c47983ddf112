//! Chunks that are sealed or opened together, in place.
//!
//! Each chunk is read to where its result will be, so the result of a batch is in one piece, and
//! one call writes it. Writes to one file exclude each other, so with a call for each chunk,
//! threads wait for each other.

use std::io;

use crate::buffer::Buffer;
use crate::error::CopyError;
use crate::input::retry;
use crate::random_access::ReadAt;
use crate::stream::{CHUNK_BYTES, ChunkCipher, Next, SEALED_CHUNK_BYTES, StreamError, TAG_BYTES};

/// The number of chunks in a batch: enough that handing a batch over costs nothing, and few enough
/// that the batch stays in a cache until it is written.
pub(super) const CHUNKS: usize = 16;

/// Plaintext, with room for a tag after each chunk.
pub(super) type ToSeal = Batch<CHUNK_BYTES>;
/// Sealed chunks. The tag of a full chunk is kept elsewhere, and the next chunk takes its place.
pub(super) type ToOpen = Batch<SEALED_CHUNK_BYTES>;

/// Whether input follows a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    More,
    Nothing,
    /// The input could not be read, so it is not known whether the last chunk is the last of the
    /// file.
    Unknown,
}

/// Chunks of `CHUNK` bytes of input each.
pub(super) struct Batch<const CHUNK: usize> {
    buf: Buffer,
    /// The tags of full sealed chunks.
    tags: [[u8; TAG_BYTES]; CHUNKS],
    /// The number of bytes that were read.
    len: usize,
    /// The number of the first chunk.
    pub(super) first: u64,
    pub(super) after: After,
    /// The number of chunks that were sealed or opened, from the first one on. `error` is the
    /// reason why a file cannot go on after them.
    done: usize,
    error: Option<StreamError>,
}

impl<const CHUNK: usize> Batch<CHUNK> {
    /// The number of input bytes in a full batch.
    pub(super) const CAPACITY: usize = CHUNKS * CHUNK;
    /// The number of output bytes of a full batch: the length of the sealed chunks for plaintext,
    /// and of the plaintext for sealed chunks.
    pub(super) const RESULT: usize = CHUNKS * Self::CHUNK_RESULT;
    /// The number of output bytes of a full chunk.
    const CHUNK_RESULT: usize = if Self::OPENS { CHUNK_BYTES } else { SEALED_CHUNK_BYTES };
    /// Whether the input is sealed.
    const OPENS: bool = CHUNK == SEALED_CHUNK_BYTES;

    pub(super) fn new() -> Self {
        let buf = Buffer::new(CHUNKS * SEALED_CHUNK_BYTES);
        let tags = [[0; TAG_BYTES]; CHUNKS];
        Self { buf, tags, len: 0, first: 0, after: After::Nothing, done: 0, error: None }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == Self::CAPACITY
    }

    /// Returns whether the batch has chunks, and the last one is complete.
    pub(super) fn ends_with_chunk(&self) -> bool {
        self.len > 0 && self.len.is_multiple_of(CHUNK)
    }

    /// Returns the number of chunks, including an incomplete one.
    pub(super) fn chunks(&self) -> usize {
        self.len.div_ceil(CHUNK)
    }

    /// Returns the position of input byte `n` in the buffer.
    fn place(n: usize) -> usize {
        n / CHUNK * Self::CHUNK_RESULT + n % CHUNK
    }

    /// Reads the next input bytes with `read`, at most up to the end of the chunk. Returns their
    /// number. The batch must not be full.
    pub(super) fn fill(&mut self, mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> io::Result<usize> {
        let start = Self::place(self.len);
        let end = start + CHUNK - self.len % CHUNK;
        let room = self.buf.room_to_read(start, end);
        let n = retry(|| read(room))?;
        // Otherwise zeros, or plaintext of an earlier batch, would be sealed as input.
        assert!(n <= room.len(), "the input read more bytes than there is room for");
        self.len += n;
        if Self::OPENS && n > 0 && self.ends_with_chunk() {
            self.tags[self.chunks() - 1].copy_from_slice(&self.buf[end - TAG_BYTES..end]);
        }
        Ok(n)
    }

    /// Moves the last chunk to `next`, which is empty, if the chunk is incomplete and not the only
    /// one.
    pub(super) fn move_begun_chunk(&mut self, next: &mut Self) {
        let (whole, begun) = (self.len / CHUNK, self.len % CHUNK);
        if whole > 0 && begun > 0 {
            let start = Self::place(whole * CHUNK);
            next.buf.room(0..begun).copy_from_slice(&self.buf[start..start + begun]);
            next.len = begun;
            self.len -= begun;
        }
    }

    /// Fills the batch anew from byte `offset` of `input` on, as far as there is room. Finds out
    /// whether anything follows, unless `more` already says so.
    pub(super) fn load(&mut self, input: &impl ReadAt, offset: u64, more: bool) -> io::Result<()> {
        self.clear();
        self.after = After::Unknown;
        while !self.is_full() {
            let at = offset + self.len as u64;
            if self.fill(|out| input.read_at(out, at))? == 0 {
                self.after = After::Nothing;
                return Ok(());
            }
        }
        let follows = more || retry(|| input.read_at(&mut [0], offset + Self::CAPACITY as u64))? > 0;
        self.after = if follows { After::More } else { After::Nothing };
        Ok(())
    }

    /// Returns the results of the chunks that were sealed or opened.
    pub(super) fn result(&self) -> &[u8] {
        &self.buf[..Self::result_len(self.len, self.done)]
    }

    /// Returns the length of the results of the first `done` of `len` bytes' chunks.
    fn result_len(len: usize, done: usize) -> usize {
        let (input, tags) = (len.min(done * CHUNK), done * TAG_BYTES);
        if Self::OPENS { input - tags } else { input + tags }
    }

    /// Returns the error after the chunks that were opened, if there is one.
    pub(super) fn error(&self) -> Result<(), CopyError> {
        self.error.map_or(Ok(()), |error| Err(CopyError::Read(error.into())))
    }
}

impl ToSeal {
    /// Seals all chunks. If it is not known whether the last chunk is the last of the file, seals
    /// all but that one.
    pub(super) fn seal(&mut self, cipher: &ChunkCipher) {
        let chunks = self.chunks();
        self.done = match self.after {
            After::More => chunks,
            // An empty file has one chunk too.
            After::Nothing => chunks.max(1),
            After::Unknown => chunks.saturating_sub(1),
        };
        let len = Self::result_len(self.len, self.done);
        for (i, chunk) in self.buf.room(0..len).chunks_mut(SEALED_CHUNK_BYTES).enumerate() {
            cipher.seal(self.first + i as u64, self.after == After::Nothing && i + 1 == self.done, chunk);
        }
    }
}

impl ToOpen {
    /// Opens chunks, in order, as long as they are authentic. If it is not known whether the last
    /// chunk is the last of the file, leaves that one out.
    pub(super) fn open(&mut self, cipher: &ChunkCipher) {
        (self.done, self.error) = (0, None);
        let chunks = self.chunks();
        if chunks == 0 && self.after == After::Nothing {
            self.error = Some(StreamError::Truncated);
        }
        for i in 0..chunks {
            let is_last = match self.after {
                _ if i + 1 < chunks => false,
                After::More => false,
                After::Nothing => true,
                After::Unknown => return,
            };
            match self.open_next(i, is_last, cipher) {
                Ok(next) => {
                    self.done += 1;
                    match next {
                        Next::Chunk | Next::End => continue,
                        Next::Error(error) => self.error = Some(error),
                    }
                }
                Err(error) => self.error = Some(error),
            }
            return;
        }
    }

    /// Opens chunk `i` of the batch.
    fn open_next(&mut self, i: usize, is_last: bool, cipher: &ChunkCipher) -> Result<Next, StreamError> {
        let (start, number) = (Self::place(i * SEALED_CHUNK_BYTES), self.first + i as u64);
        let len = (self.len - i * SEALED_CHUNK_BYTES).min(SEALED_CHUNK_BYTES);
        if len == SEALED_CHUNK_BYTES {
            return cipher.open_next_detached(
                number,
                is_last,
                &mut self.buf[start..start + CHUNK_BYTES],
                &self.tags[i],
            );
        }
        cipher.open_next(number, is_last, &mut self.buf[start..start + len])
    }
}
