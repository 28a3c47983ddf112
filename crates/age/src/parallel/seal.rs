//! Sealing on several threads.

use std::io::{self, Read, Write};
use std::mem;

use zeroize::Zeroizing;

use super::{BATCH_CHUNKS, CopyError, Threads, buffer, fill, pipeline};
use crate::Encryptor;
use crate::stream::{CHUNK_LEN, ChunkCipher, Counter, SEALED_CHUNK_LEN, StreamError, TAG_LEN};

impl Encryptor {
    /// Writes a whole file: the header, and all that `input` has, sealed on several threads. Flushes, and gives `output` back.
    ///
    /// Memory does not grow with the input: about 3 MiB for each thread.
    ///
    /// # Errors
    /// [`CopyError`], which says which side failed. The file is then incomplete, and nobody can open it to its end.
    pub fn encrypt<W: Write + Send>(self, mut input: impl Read, output: W, threads: Threads) -> Result<W, CopyError> {
        let writer = self.wrap_output(output).map_err(CopyError::Write)?;
        if threads.is_one() {
            return serial(input, writer);
        }
        let (mut output, cipher, counter) = writer.into_parts();
        let mut reader = Reader { read: |out: &mut [u8]| input.read(out), held: None, counter, ended: false };
        pipeline::run(
            threads.get(),
            Batch::new,
            |batch| reader.next(batch),
            |batch| batch.seal(&cipher),
            |batch| output.write_all(batch.sealed()).map_err(CopyError::Write),
        )?;
        output.flush().map_err(CopyError::Write)?;
        Ok(output)
    }
}

fn serial<W: Write>(mut input: impl Read, mut writer: crate::StreamWriter<W>) -> Result<W, CopyError> {
    let mut plaintext = buffer(BATCH_CHUNKS * CHUNK_LEN / 4);
    loop {
        let (len, result) = fill(&mut plaintext, |out| input.read(out));
        writer.write_all(&plaintext[..len]).map_err(CopyError::Write)?;
        result.map_err(CopyError::Read)?;
        if len < plaintext.len() {
            return writer.finish().map_err(CopyError::Write);
        }
    }
}

/// Chunks, with room for a tag after each, so that they are sealed where they are and written at once.
struct Batch {
    buf: Zeroizing<Box<[u8]>>,
    /// Bytes of plaintext: whole chunks, but for the last batch.
    len: usize,
    /// The number of the first chunk.
    first: u64,
    /// Whether the last chunk is the last of the file.
    is_last: bool,
}

impl Batch {
    fn new() -> Self {
        Self { buf: buffer(BATCH_CHUNKS * SEALED_CHUNK_LEN), len: 0, first: 0, is_last: false }
    }

    /// An empty file has a chunk too.
    fn chunks(&self) -> usize {
        self.len.div_ceil(CHUNK_LEN).max(1)
    }

    fn sealed(&self) -> &[u8] {
        &self.buf[..self.len + self.chunks() * TAG_LEN]
    }

    fn seal(&mut self, cipher: &ChunkCipher) {
        let (chunks, sealed) = (self.chunks(), self.sealed().len());
        for (i, chunk) in self.buf[..sealed].chunks_mut(SEALED_CHUNK_LEN).enumerate() {
            cipher.seal(self.first + i as u64, self.is_last && i + 1 == chunks, chunk);
        }
    }
}

/// Reads batches. Whether a batch is the last of the file is known when the next one has been read: it is held back until then.
struct Reader<F> {
    read: F,
    held: Option<Batch>,
    counter: Counter,
    ended: bool,
}

impl<F: FnMut(&mut [u8]) -> io::Result<usize>> Reader<F> {
    /// Makes `batch` the next one; false if there is none.
    fn next(&mut self, batch: &mut Batch) -> Result<bool, CopyError> {
        if self.ended {
            return Ok(false);
        }
        if self.held.is_none() {
            let mut first = Batch::new();
            self.fill(&mut first)?;
            self.held = Some(first);
        }
        let held = self.held.as_mut().expect("it has just been filled");
        if held.len == BATCH_CHUNKS * CHUNK_LEN {
            self.fill(batch)?;
            let held = self.held.as_mut().expect("as above");
            if batch.len > 0 {
                mem::swap(held, batch);
                return self.number(batch);
            }
        }
        self.ended = true;
        let held = self.held.take().expect("as above");
        *batch = Batch { is_last: true, ..held };
        self.number(batch)
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), CopyError> {
        batch.len = 0;
        for chunk in batch.buf.chunks_exact_mut(SEALED_CHUNK_LEN) {
            let (len, result) = fill(&mut chunk[..CHUNK_LEN], &mut self.read);
            batch.len += len;
            result.map_err(CopyError::Read)?;
            if len < CHUNK_LEN {
                break;
            }
        }
        Ok(())
    }

    fn number(&mut self, batch: &mut Batch) -> Result<bool, CopyError> {
        let numbers = self.counter.take_many(batch.chunks() as u64);
        batch.first = numbers.map_err(|error: StreamError| CopyError::Write(error.into()))?;
        Ok(true)
    }
}
