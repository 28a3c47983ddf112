//! Whole payloads on several threads.
//!
//! The results, byte for byte, and the errors are those of [`StreamWriter`](crate::StreamWriter) and
//! [`StreamReader`](crate::StreamReader); so is what a stream got when something failed: of a damaged file exactly the
//! plaintext before the damage.
//!
//! There are two ways from place to place. Streams go through a [pipeline]: one thread reads, some work, one writes. Files
//! that can be read and written [at any place](at) need no such order: each thread does all three for batches of its own.

mod at;
mod batch;
mod feed;
mod pipeline;

use std::io::{self, Read, Write};
use std::num::NonZero;
use std::thread;

pub use at::{ReadAt, WriteAt};
use batch::{ToOpen, ToSeal};
use feed::Feeder;

use crate::Encryptor;
use crate::stream::{Counter, Next, Opener, StreamReader};

/// The number of threads that seal or open. A stream takes another one to write it, and the calling one reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// More would need more memory than they are worth: each takes about 3 MiB.
    pub const MAX: usize = 256;

    /// Only the calling one.
    pub const ONE: Self = Self(NonZero::<usize>::MIN);

    /// So many, up to [`Threads::MAX`]. One means that no thread is started.
    #[must_use]
    pub fn new(count: NonZero<usize>) -> Self {
        Self(count.min(const { NonZero::new(Self::MAX).unwrap() }))
    }

    /// As many as this process has cores.
    #[must_use]
    pub fn available() -> Self {
        thread::available_parallelism().map_or(Self::ONE, Self::new)
    }

    /// How many.
    #[must_use]
    pub fn get(self) -> usize {
        self.0.get()
    }
}

/// What can fail while a payload goes from one place to another.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Reading the input, or what was read: then it is a [`StreamError`](crate::StreamError).
    #[error(transparent)]
    Read(io::Error),
    /// Writing the output.
    #[error(transparent)]
    Write(io::Error),
}

impl Encryptor {
    /// Writes a whole file: the header, and all that `input` has, sealed on several threads. Flushes, and gives `output` back.
    ///
    /// Each chunk is written as soon as one thread could: when something follows it. Memory does not grow with the input:
    /// about 3 MiB for each thread.
    ///
    /// # Errors
    /// [`CopyError`], which says which side failed. The file is then incomplete, and nobody can open it to its end.
    pub fn encrypt<W: Write + Send>(
        self,
        mut input: impl Read,
        mut output: W,
        threads: Threads,
    ) -> Result<W, CopyError> {
        let (start, cipher) = self.start().map_err(|error| CopyError::Write(error.into()))?;
        output.write_all(&start).map_err(CopyError::Write)?;
        let mut feeder = Feeder::new(|out: &mut [u8]| input.read(out), Counter::START);
        pipeline::run(
            threads,
            ToSeal::new,
            |batch, is_idle| feeder.next(batch, is_idle),
            |batch| batch.seal(&cipher),
            |batch| output.write_all(batch.sealed()).map_err(CopyError::Write),
        )?;
        output.flush().map_err(CopyError::Write)?;
        Ok(output)
    }

    /// Like [`Encryptor::encrypt`], from a file to a file: each thread reads, seals and writes chunks of its own. Gives the
    /// length of the result, to which `output` has been cut.
    ///
    /// # Errors
    /// [`CopyError`]. What `output` has then is of no use: there may be anything missing in it.
    pub fn encrypt_at(self, input: &impl ReadAt, output: &impl WriteAt, threads: Threads) -> Result<u64, CopyError> {
        let (start, cipher) = self.start().map_err(|error| CopyError::Write(error.into()))?;
        output.write_all_at(&start, 0).map_err(CopyError::Write)?;
        at::run(threads, 0, input, start.len() as u64, output, |batch: &mut ToSeal, store| {
            batch.seal(&cipher);
            store(batch.sealed())
        })
    }
}

impl<R: Read> StreamReader<R> {
    /// Writes the rest of the plaintext, from the position of the reader on, opened on several threads. Flushes, and gives `output` back.
    ///
    /// Each chunk is written as soon as one thread could. Memory does not grow with the file: about 3 MiB for each thread.
    ///
    /// # Errors
    /// [`CopyError`], which says which side failed; in the file itself it is a [`StreamError`](crate::StreamError). All plaintext before the
    /// place of the error has been written, and nothing else.
    pub fn copy_to<W: Write + Send>(mut self, mut output: W, threads: Threads) -> Result<W, CopyError> {
        if threads == Threads::ONE {
            // In the reader's own buffer, which is as large as the file needs: many small files do not pay for batches.
            self.copy_while(|_| true, &mut output)?;
            output.flush().map_err(CopyError::Write)?;
            return Ok(output);
        }
        // What is left of a chunk that is open, or of the one in which a seek ended.
        self.copy_while(Opener::is_within_chunk, &mut output)?;
        match self.opener.next {
            Next::Chunk => self.open_rest(&mut output, threads)?,
            Next::End => {}
            Next::Error(error) => return Err(CopyError::Read(error.into())),
        }
        output.flush().map_err(CopyError::Write)?;
        Ok(output)
    }

    /// Like [`StreamReader::copy_to`] for the whole plaintext, wherever the reader stands, from a file to a file: each thread reads, opens and
    /// writes chunks of its own. Gives the length of the plaintext, to which `output` has been cut.
    ///
    /// `input` is what this reader reads, from the place on where its decryptor began; another file is found to be damaged.
    ///
    /// # Errors
    /// [`CopyError`]; of several, that of the earliest place in the file. What `output` has then is of no use: all of it is authentic, but
    /// there may be anything missing.
    pub fn copy_at(self, input: &impl ReadAt, output: &impl WriteAt, threads: Threads) -> Result<u64, CopyError> {
        at::run(threads, self.header_len, input, 0, output, |batch: &mut ToOpen, store| {
            batch.open(&self.opener.cipher);
            for chunk in batch.opened() {
                store(chunk)?;
            }
            batch.result()
        })
    }

    /// Copies without another thread, as long as there is something to copy and `go_on` says so.
    fn copy_while(&mut self, go_on: impl Fn(&Opener) -> bool, output: &mut impl Write) -> Result<(), CopyError> {
        use io::BufRead as _;
        while go_on(&self.opener) {
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
        Ok(())
    }

    fn open_rest<W: Write + Send>(mut self, output: &mut W, threads: Threads) -> Result<(), CopyError> {
        // What was read ahead comes first.
        let (mut ahead, input, ended) = (self.opener.sealed(), &mut self.input, self.opener.eof);
        let read = |out: &mut [u8]| match ahead.read(out)? {
            0 if !ended => input.read(out),
            n => Ok(n),
        };
        let mut feeder = Feeder::new(read, self.opener.counter);
        let cipher = &self.opener.cipher;
        pipeline::run(
            threads,
            ToOpen::new,
            |batch, is_idle| feeder.next(batch, is_idle),
            |batch| batch.open(cipher),
            |batch| {
                for chunk in batch.opened() {
                    output.write_all(chunk).map_err(CopyError::Write)?;
                }
                batch.result()
            },
        )
    }
}
