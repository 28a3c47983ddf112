//! Seals and opens whole payloads on several threads.
//!
//! The results are exactly the same as with [`StreamWriter`](crate::StreamWriter) and
//! [`StreamReader`](crate::StreamReader), and so are the errors, which a [`CopyError`] wraps.
//!
//! There are two ways. Streams go through a [pipeline]: one thread reads, some work, and one
//! writes. The output after a failure is also the same as with one thread: for a damaged file, it
//! is exactly the plaintext before the damage. Files that can be read and written [at any
//! position](at) need no such order: each thread reads, processes and writes its own batches. After
//! a failure, any part of the output may be missing.

mod at;
mod batch;
mod feed;
mod pipeline;

use std::io::{self, Read, Write};
use std::num::NonZero;
use std::thread;

use batch::{ToOpen, ToSeal};
use feed::Feeder;

use crate::encryptor::Encryptor;
use crate::error::CopyError;
use crate::random_access::{ReadAt, WriteAt};
use crate::stream::{Counter, Next, Opener, StreamReader};

/// The number of threads that seal or open. For streams, if there is more than one, the calling
/// thread reads, and one more thread writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// The largest number of threads. Each takes about 3 MiB, and more are not worth their memory.
    pub const MAX: usize = 256;

    /// Only the calling thread.
    pub const ONE: Self = Self(NonZero::<usize>::MIN);

    /// Returns `count` threads, up to [`Threads::MAX`]. With one, no thread is started.
    #[must_use]
    pub fn new(count: NonZero<usize>) -> Self {
        Self(count.min(const { NonZero::new(Self::MAX).unwrap() }))
    }

    /// Returns one thread for each core that this process may use, up to [`Threads::MAX`].
    #[must_use]
    pub fn available() -> Self {
        thread::available_parallelism().map_or(Self::ONE, Self::new)
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn get(self) -> usize {
        self.0.get()
    }
}

impl Encryptor {
    /// Writes a whole file: the header and all of `input`, sealed on several threads. Flushes, and
    /// returns `output`, which may need to be finished too, as an
    /// [`ArmoredWriter`](crate::armor::ArmoredWriter) does.
    ///
    /// A chunk is sealed when it is known that something follows it. With [`Threads::ONE`], it is
    /// then written at once. With more threads, it is given to a thread that is idle at that
    /// moment. If all threads are busy, up to a mebibyte is held back until more input arrives, or
    /// the input ends. Memory does not grow with the input: it is about 3 MiB for each thread.
    ///
    /// # Errors
    /// [`CopyError`], which says which side failed. The file is then incomplete and cannot be
    /// opened to its end, unless only the flush failed. With several threads, a failure of `output`
    /// is returned when the read in progress ends.
    pub fn encrypt<W: Write + Send>(
        self,
        mut input: impl Read,
        mut output: W,
        threads: Threads,
    ) -> Result<W, CopyError> {
        let (start, key) = self.start().map_err(|error| CopyError::Write(io::Error::other(error)))?;
        output.write_all(&start).map_err(CopyError::Write)?;
        let mut feeder = Feeder::new(|out: &mut [u8]| input.read(out), Counter::START);
        pipeline::run(
            threads,
            ToSeal::new,
            |batch, is_idle| feeder.next(batch, is_idle),
            |batch| batch.seal(&key.cipher),
            |batch| output.write_all(batch.result()).map_err(CopyError::Write),
        )?;
        output.flush().map_err(CopyError::Write)?;
        Ok(output)
    }

    /// Does the same as [`Encryptor::encrypt`], but from file to file. Each thread reads, seals and
    /// writes its own chunks. Truncates `output` to the length of the result, and returns that
    /// length.
    ///
    /// `output` must not be the file that `input` reads: it is overwritten before it has been read.
    ///
    /// # Errors
    /// [`CopyError`]. The content of `output` is then useless, because any part of it may be
    /// missing.
    pub fn encrypt_at(self, input: &impl ReadAt, output: &impl WriteAt, threads: Threads) -> Result<u64, CopyError> {
        let (start, key) = self.start().map_err(|error| CopyError::Write(io::Error::other(error)))?;
        output.write_all_at(&start, 0).map_err(CopyError::Write)?;
        at::run(threads, 0, input, start.len() as u64, output, |batch: &mut ToSeal| batch.seal(&key.cipher))
    }
}

impl<R: Read> StreamReader<R> {
    /// Opens the rest of the file on several threads, and writes the plaintext from the reader's
    /// position on. Flushes, and returns `output`.
    ///
    /// With [`Threads::ONE`], a chunk is written when it is known that something follows it. With
    /// more threads, up to a mebibyte may be held back, as by [`Encryptor::encrypt`]. Memory does
    /// not grow with the file: it is about 3 MiB for each thread.
    ///
    /// # Errors
    /// [`CopyError`], which says which side failed. If the file is damaged, the error wraps a
    /// [`StreamError`](crate::StreamError). All plaintext before the error has been written, and
    /// nothing else.
    pub fn copy_to<W: Write + Send>(mut self, mut output: W, threads: Threads) -> Result<W, CopyError> {
        if threads == Threads::ONE {
            // The reader's own buffer is only as large as the file needs, so that many small files
            // do not pay for batches.
            self.copy_while(|_| true, &mut output)?;
            output.flush().map_err(CopyError::Write)?;
            return Ok(output);
        }
        // Copies the rest of the open chunk, or of the chunk in which a seek ended.
        self.copy_while(Opener::is_within_chunk, &mut output)?;
        match self.opener.next {
            Next::Chunk => self.open_rest(&mut output, threads)?,
            Next::End => {}
            Next::Error(error) => return Err(CopyError::Read(error.into())),
        }
        output.flush().map_err(CopyError::Write)?;
        Ok(output)
    }

    /// Does the same as [`StreamReader::copy_to`], but from file to file, and for the whole
    /// plaintext, regardless of the reader's position. Each thread reads, opens and writes its own
    /// chunks. Truncates `output` to the length of the plaintext, and returns that length.
    ///
    /// `input` is the file that this reader reads, from the position at which its decryptor began.
    /// Any other file is reported as damaged. `output` must not be that file: it is overwritten
    /// before it has been read.
    ///
    /// # Errors
    /// [`CopyError`]; of several errors, the one at the earliest position in the file. The content
    /// of `output` is then useless. Every byte that was written is authentic, but any part may be
    /// missing. There, `output` has zeros, or what it held before.
    pub fn copy_at(self, input: &impl ReadAt, output: &impl WriteAt, threads: Threads) -> Result<u64, CopyError> {
        let cipher = &self.opener.key.cipher;
        at::run(threads, self.header_len, input, 0, output, |batch: &mut ToOpen| batch.open(cipher))
    }

    /// Copies on this thread as long as there is something to copy and `go_on` returns true.
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
        // Bytes that were read ahead come first.
        let (mut ahead, input, ended) = (self.opener.sealed(), &mut self.input, self.opener.eof);
        let read = |out: &mut [u8]| match ahead.read(out)? {
            0 if !ended => input.read(out),
            n => Ok(n),
        };
        let mut feeder = Feeder::new(read, self.opener.counter);
        let cipher = &self.opener.key.cipher;
        pipeline::run(
            threads,
            ToOpen::new,
            |batch, is_idle| feeder.next(batch, is_idle),
            |batch| batch.open(cipher),
            |batch| {
                output.write_all(batch.result()).map_err(CopyError::Write)?;
                batch.error()
            },
        )
    }
}
