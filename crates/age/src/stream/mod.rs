//! The payload: chunks of 64 KiB (<https://c2sp.org/age#payload>).
//!
//! Each chunk is sealed with ChaCha20-Poly1305. The nonce consists of the chunk's number and a mark
//! that says whether the chunk is the last one. The construction is STREAM of "Online
//! Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance" (Hoang, Reyhanitabar, Rogaway,
//! Vizár, 2015).
//!
//! Chunks are sealed and opened in place in one buffer that is reused, so memory does not grow with
//! the file.
//!
//! ```
//! use std::io::{Read, Write};
//!
//! use sealane_age::stream::{PayloadKey, SealedRange, SealingKey, StreamReader, StreamWriter, sealed_len};
//! use sealane_age::{Decryptor, Encryptor, Identity, Recipient, x25519};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = x25519::Identity::generate()?;
//! let encryptor = || Encryptor::with_recipients([&identity.to_public() as &dyn Recipient]);
//!
//! // With a writer and a reader:
//! let mut writer: StreamWriter<Vec<u8>> = encryptor()?.wrap_output(Vec::new())?;
//! writer.write_all(&[7; 100_000])?;
//! let file = writer.finish()?;
//! let mut reader: StreamReader<&[u8]> = Decryptor::new(&file[..])?.decrypt([&identity as &dyn Identity])?;
//! assert_eq!(reader.read(&mut [0; 10])?, 10);
//!
//! // The same without I/O. The chunks are in memory here, and may be anywhere.
//! let (_, key): (Vec<u8>, SealingKey) = encryptor()?.into_parts()?;
//! let mut chunks = vec![0; sealed_len(100_000).unwrap() as usize];
//! key.seal_part(0, true, &[7; 100_000], &mut chunks)?;
//! let range: SealedRange = PayloadKey::sealed_range(70_000..71_000, chunks.len() as u64)?;
//! let fetched = &chunks[range.sealed.start as usize..range.sealed.end as usize];
//! let mut plaintext = vec![0; fetched.len()];
//! key.open_chunks(range.first, range.is_last, fetched, &mut plaintext)?;
//! assert_eq!(plaintext[range.skip..][..range.len as usize], [7; 1000]);
//! # Ok(())
//! # }
//! ```

mod error;
mod key;
mod layout;
#[cfg(feature = "std")]
mod opener;
#[cfg(feature = "std")]
mod reader;
#[cfg(feature = "std")]
mod sealer;
#[cfg(feature = "std")]
mod seek;
#[cfg(feature = "std")]
mod writer;

use sealane::{Backend, ChaCha20Poly1305};

pub use self::error::StreamError;
pub use self::key::PayloadKey;
#[cfg(feature = "std")]
pub use self::key::SealingKey;
pub use self::layout::{SealedRange, plaintext_len, sealed_len};
#[cfg(feature = "std")]
pub(crate) use self::layout::{chunk_start, last_chunk};
#[cfg(feature = "std")]
pub(crate) use self::opener::Opener;
#[cfg(feature = "tokio")]
pub(crate) use self::opener::Snapshot;
#[cfg(feature = "std")]
pub use self::reader::StreamReader;
#[cfg(feature = "std")]
pub(crate) use self::sealer::Sealer;
#[cfg(feature = "tokio")]
pub(crate) use self::seek::out_of_range;
#[cfg(feature = "std")]
pub use self::writer::StreamWriter;
pub use crate::lengths::{NONCE_BYTES, TAG_BYTES};

/// The length of the plaintext of a full chunk, in bytes.
pub const CHUNK_BYTES: usize = 64 << 10;
/// The length of a full chunk with its tag, in bytes.
pub const SEALED_CHUNK_BYTES: usize = CHUNK_BYTES + TAG_BYTES;

/// The number of chunks in a buffer: enough to make system calls rare, and few enough to stay in
/// the second-level cache.
#[cfg(feature = "std")]
const CHUNKS: usize = 4;

/// The content of the file after a chunk that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another chunk.
    Chunk,
    /// The end of the plaintext.
    End,
    /// No more plaintext, because of this error.
    Error(StreamError),
}

/// Seals and opens single chunks.
pub(crate) struct ChunkCipher(ChaCha20Poly1305);

impl ChunkCipher {
    pub(crate) fn new(key: &[u8; 32], backend: Backend) -> Self {
        Self(ChaCha20Poly1305::with_backend(key, backend))
    }

    /// Seals `text` into `chunk`, which is as long as the text and the tag together.
    #[cfg(feature = "std")]
    pub(crate) fn seal_into(&self, number: u64, is_last: bool, text: &[u8], chunk: &mut [u8]) {
        let (body, tag) = chunk.split_last_chunk_mut::<TAG_BYTES>().expect("there is room for the tag");
        *tag = self.0.seal_into(&nonce(number, is_last), &[], text, body).1;
    }

    /// Opens the next chunk of a file into `text`, which is as long as the chunk without its tag.
    /// `is_last` says whether the file ends with the chunk; otherwise the chunk must be a full
    /// one. Returns the content of the file after it. After a failure, `text` contains no
    /// plaintext.
    pub(crate) fn open_next_into(
        &self,
        number: u64,
        is_last: bool,
        chunk: &[u8],
        text: &mut [u8],
    ) -> Result<Next, StreamError> {
        let Some((body, tag)) = chunk.split_last_chunk::<TAG_BYTES>() else {
            return Err(StreamError::CorruptEnd { number });
        };
        let open = |is_last| self.0.open_into(&nonce(number, is_last), &[], body, tag, &mut *text).is_ok();
        Self::next(number, is_last, chunk.len(), open)
    }

    /// Opens a chunk of `len` bytes with `open`, whose argument says whether to open it as the last
    /// chunk of the file.
    fn next(number: u64, is_last: bool, len: usize, mut open: impl FnMut(bool) -> bool) -> Result<Next, StreamError> {
        // The case that fits the input's length is tried first. The other case is an error too, but
        // not a fault of this chunk.
        let is_sealed_as_last = if open(is_last) {
            is_last
        } else if len == SEALED_CHUNK_BYTES && open(!is_last) {
            !is_last
        } else if is_last {
            return Err(StreamError::CorruptEnd { number });
        } else {
            return Err(StreamError::CorruptChunk { number });
        };
        if is_sealed_as_last && len == TAG_BYTES && number > 0 {
            return Err(StreamError::EmptyLastChunk);
        }
        Ok(match (is_sealed_as_last, is_last) {
            (false, false) => Next::Chunk,
            (true, true) => Next::End,
            (true, false) => Next::Error(StreamError::TrailingData),
            (false, true) => Next::Error(StreamError::Truncated),
        })
    }
}

/// Seals and opens chunks in place, and finds chunks in other data.
#[cfg(feature = "std")]
impl ChunkCipher {
    /// Seals `chunk`. Its last 16 bytes become the tag.
    pub(crate) fn seal(&self, number: u64, is_last: bool, chunk: &mut [u8]) {
        let (text, tag) = chunk.split_last_chunk_mut::<TAG_BYTES>().expect("there is room for the tag");
        *tag = self.0.seal_in_place(&nonce(number, is_last), &[], text);
    }

    /// Opens `chunk`, whose last 16 bytes are the tag. If that fails, `chunk` is unchanged.
    pub(crate) fn open(&self, number: u64, is_last: bool, chunk: &mut [u8]) -> bool {
        match chunk.split_last_chunk_mut::<TAG_BYTES>() {
            Some((text, tag)) => self.open_detached(number, is_last, text, tag),
            None => false,
        }
    }

    fn open_detached(&self, number: u64, is_last: bool, text: &mut [u8], tag: &[u8; TAG_BYTES]) -> bool {
        self.0.open_in_place(&nonce(number, is_last), &[], text, tag).is_ok()
    }

    /// Returns the position in `data` of the full chunk with this number that is not the last one
    /// of the file. The caller must still open it.
    pub(crate) fn find(&self, number: u64, data: &[u8]) -> Option<usize> {
        self.0.find(&nonce(number, false), data, CHUNK_BYTES)
    }

    /// Returns the length of the last chunk's plaintext, if the chunk has this number and `data`
    /// begins with it. If several lengths fit, returns the longest.
    pub(crate) fn find_end(&self, number: u64, data: &[u8]) -> Option<usize> {
        self.0.find_end(&nonce(number, true), data)
    }

    /// Returns the position of the last chunk, if it has this number and `data` ends with it. If
    /// several positions fit, returns the first.
    pub(crate) fn find_start(&self, number: u64, data: &[u8]) -> Option<usize> {
        self.0.find_start(&nonce(number, true), data)
    }

    /// Does the same as [`ChunkCipher::open_next_into`], but in place.
    pub(crate) fn open_next(&self, number: u64, is_last: bool, chunk: &mut [u8]) -> Result<Next, StreamError> {
        match chunk.split_last_chunk_mut::<TAG_BYTES>() {
            Some((text, tag)) => self.open_next_detached(number, is_last, text, tag),
            None => Err(StreamError::CorruptEnd { number }),
        }
    }

    /// Does the same as [`ChunkCipher::open_next`], but for a chunk without its tag.
    pub(crate) fn open_next_detached(
        &self,
        number: u64,
        is_last: bool,
        text: &mut [u8],
        tag: &[u8; TAG_BYTES],
    ) -> Result<Next, StreamError> {
        Self::next(number, is_last, text.len() + TAG_BYTES, |is_last| self.open_detached(number, is_last, text, tag))
    }
}

/// Returns the nonce: eleven bytes of counter, big-endian, and one byte that marks the last chunk.
fn nonce(number: u64, is_last: bool) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&number.to_be_bytes());
    nonce[11] = u8::from(is_last);
    nonce
}

/// The number of the next chunk.
///
/// The format counts to 2^88. This counter ends at 2^64, which is 2^80 bytes of plaintext. No
/// number is used twice.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter(Option<u64>);

#[cfg(feature = "std")]
impl Counter {
    pub(crate) const START: Self = Self(Some(0));

    fn take(&mut self) -> Result<u64, StreamError> {
        self.take_many(1)
    }

    /// Takes `count` numbers. Returns the first of them.
    pub(crate) fn take_many(&mut self, count: u64) -> Result<u64, StreamError> {
        let number = self.0.ok_or(StreamError::CounterOverflow)?;
        if count > 0 {
            // All of these numbers must exist, but the one after them need not.
            let last = number.checked_add(count - 1).ok_or(StreamError::CounterOverflow)?;
            self.0 = last.checked_add(1);
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests;
