//! The payload: chunks of 64 KiB, each sealed with ChaCha20-Poly1305 under its number and a mark on the last one
//! (<https://c2sp.org/age#payload>; the construction is STREAM of "Online Authenticated-Encryption and its
//! Nonce-Reuse Misuse-Resistance", Hoang, Reyhanitabar, Rogaway, Vizár, 2015).
//!
//! Each chunk is sealed and opened in place in one buffer that is reused, so that memory does not grow with the file.

mod error;
mod opener;
mod reader;
mod sealer;
mod seek;
mod writer;

use sealane::{Backend, ChaCha20Poly1305};

pub use self::error::StreamError;
pub(crate) use self::opener::{Next, Opener};
#[cfg(feature = "tokio")]
pub(crate) use self::opener::{Place, chunk_start, last_chunk};
pub use self::reader::StreamReader;
pub(crate) use self::sealer::Sealer;
#[cfg(feature = "tokio")]
pub(crate) use self::seek::out_of_range;
pub use self::writer::StreamWriter;

/// Plaintext of a full chunk, in bytes.
pub const CHUNK_LEN: usize = 64 << 10;
/// The tag after each chunk, in bytes.
pub const TAG_LEN: usize = 16;
/// The nonce between the header and the chunks, in bytes.
pub const NONCE_LEN: usize = 16;
/// A full chunk with its tag, in bytes.
pub const SEALED_CHUNK_LEN: usize = CHUNK_LEN + TAG_LEN;

/// Chunks in a buffer: enough to make system calls rare, few enough to stay in the second-level cache.
const CHUNKS: usize = 4;

/// Seals and opens single chunks.
pub(crate) struct ChunkCipher(ChaCha20Poly1305);

impl ChunkCipher {
    pub(crate) fn new(key: &[u8; 32], backend: Backend) -> Self {
        Self(ChaCha20Poly1305::with_backend(key, backend))
    }

    /// Seals all of `chunk` but its last 16 bytes, which become the tag.
    pub(crate) fn seal(&self, number: u64, last: bool, chunk: &mut [u8]) {
        let (text, tag) = chunk.split_last_chunk_mut::<TAG_LEN>().expect("there is room for the tag");
        *tag = self.0.seal_in_place(&nonce(number, last), &[], text);
    }

    /// Opens all of `chunk` but its last 16 bytes, which are the tag. If that fails, `chunk` is as it was.
    pub(crate) fn open(&self, number: u64, last: bool, chunk: &mut [u8]) -> bool {
        match chunk.split_last_chunk_mut::<TAG_LEN>() {
            Some((text, tag)) => self.0.open_in_place(&nonce(number, last), &[], text, tag).is_ok(),
            None => false,
        }
    }

    /// Where in `data` the full chunk of that number is, if it is not the last one. What is found
    /// has to be opened still.
    pub(crate) fn find(&self, number: u64, data: &[u8]) -> Option<usize> {
        self.0.find(&nonce(number, false), data, CHUNK_LEN)
    }

    /// The length of the plaintext of the last chunk, if it has that number and `data` begins with
    /// it.
    pub(crate) fn find_end(&self, number: u64, data: &[u8]) -> Option<usize> {
        self.0.find_end(&nonce(number, true), data)
    }

    /// Where the last chunk begins, if it has that number and `data` ends with it.
    pub(crate) fn find_start(&self, number: u64, data: &[u8]) -> Option<usize> {
        self.0.find_start(&nonce(number, true), data)
    }

    /// Opens the next chunk of a file, which is all there or ends with the file, and says what comes after it. `more` says whether
    /// anything follows it in the file.
    pub(crate) fn open_next(&self, number: u64, more: bool, chunk: &mut [u8]) -> Result<Next, StreamError> {
        // What the input says about the end is tried first; the other case is an error, but not one of this chunk.
        let last = if self.open(number, !more, chunk) {
            !more
        } else if chunk.len() == SEALED_CHUNK_LEN && self.open(number, more, chunk) {
            more
        } else if more {
            return Err(StreamError::CorruptChunk { number });
        } else {
            return Err(StreamError::CorruptEnd { number });
        };
        if last && chunk.len() == TAG_LEN && number > 0 {
            return Err(StreamError::EmptyLastChunk);
        }
        Ok(match (last, more) {
            (false, _) => Next::Chunk,
            (true, true) => Next::Error(StreamError::TrailingData),
            (true, false) => Next::End,
        })
    }
}

/// The length of the plaintext whose chunks have so many bytes; `None` if they cannot be all of the chunks of a file.
///
/// Nothing is known about their content: somebody may have cut the file off between two chunks. Seeking to the end of a
/// [`StreamReader`] says what is authentic.
pub const fn plaintext_len(chunks_len: u64) -> Option<u64> {
    let chunks = chunks_len.div_ceil(SEALED_CHUNK_LEN as u64);
    let tags = chunks * TAG_LEN as u64;
    // Only the chunk of an empty file is empty.
    match chunks_len % SEALED_CHUNK_LEN as u64 {
        _ if chunks == 0 => None,
        last if last != 0 && last < TAG_LEN as u64 => None,
        last if last == TAG_LEN as u64 && chunks > 1 => None,
        _ => Some(chunks_len - tags),
    }
}

/// Eleven bytes of counter, big-endian, and one that marks the last chunk.
fn nonce(number: u64, last: bool) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&number.to_be_bytes());
    nonce[11] = u8::from(last);
    nonce
}

/// The number of the next chunk.
///
/// The format counts to 2^88. 2^64 chunks are 2^80 bytes, so the larger counter would never be told from this one, but
/// a number is never used twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter(Option<u64>);

impl Counter {
    pub(crate) const START: Self = Self(Some(0));

    fn take(&mut self) -> Result<u64, StreamError> {
        self.take_many(1)
    }

    /// The first of so many numbers.
    pub(crate) fn take_many(&mut self, count: u64) -> Result<u64, StreamError> {
        let number = self.0.ok_or(StreamError::CounterOverflow)?;
        if count > 0 {
            // The last of them has to be a number; the one after it need not.
            let last = number.checked_add(count - 1).ok_or(StreamError::CounterOverflow)?;
            self.0 = last.checked_add(1);
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests;
