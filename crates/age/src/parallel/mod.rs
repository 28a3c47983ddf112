//! Whole payloads on several threads.
//!
//! The results, byte for byte, and the errors are those of [`StreamWriter`](crate::StreamWriter) and
//! [`StreamReader`](crate::StreamReader); so is what was written when something failed: with a damaged file
//! exactly the plaintext before the damage.

mod open;
mod pipeline;
mod seal;

use std::io;
use std::num::NonZero;
use std::thread;

use zeroize::Zeroizing;

/// Chunks in a batch: enough for handing it over to cost nothing, few enough to stay in a cache until it is written.
const BATCH_CHUNKS: usize = 16;

/// The number of threads that seal or open. Another one writes, and the calling one reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// More would need more memory than they are worth: each takes about 3 MiB.
    pub const MAX: usize = 256;

    /// So many, up to [`Threads::MAX`]. One means that no thread is started.
    #[must_use]
    pub fn new(count: NonZero<usize>) -> Self {
        Self(count.min(const { NonZero::new(Self::MAX).unwrap() }))
    }

    /// As many as this process has cores.
    #[must_use]
    pub fn available() -> Self {
        thread::available_parallelism().map_or(Self(NonZero::<usize>::MIN), Self::new)
    }

    /// How many.
    #[must_use]
    pub fn get(self) -> usize {
        self.0.get()
    }

    fn is_one(self) -> bool {
        self.get() == 1
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
    /// Starting a thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// Reads until `buffer` is full or the input ends. Gives the number of bytes, and the error that ended it.
fn fill(buffer: &mut [u8], mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> (usize, io::Result<()>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match crate::input::retry(|| read(&mut buffer[filled..])) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) => return (filled, Err(error)),
        }
    }
    (filled, Ok(()))
}

/// A buffer that is wiped in the end.
fn buffer(len: usize) -> Zeroizing<Box<[u8]>> {
    Zeroizing::new(vec![0; len].into())
}
