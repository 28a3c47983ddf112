//! Keys of payloads, which seal and open chunks without I/O.

use core::fmt;
#[cfg(feature = "std")]
use core::ops::Deref;
use core::ops::Range;

use sealane::Backend;
use zeroize::Zeroize as _;

#[cfg(feature = "std")]
use super::CHUNK_BYTES;
use super::{ChunkCipher, NONCE_BYTES, Next, SEALED_CHUNK_BYTES, SealedRange, StreamError, TAG_BYTES};
use crate::file_key::FileKey;
use crate::keys::{self, FILE_ID_BYTES};

/// The key of a file's payload. It opens chunks from any source.
///
/// It does no I/O, and any number of threads may use it.
/// [`Preamble::unlock`](crate::Preamble::unlock) returns it. [`PayloadKey::sealed_range`] tells
/// which bytes hold a range of plaintext, and [`PayloadKey::open_chunks`] opens them.
pub struct PayloadKey {
    pub(crate) cipher: ChunkCipher,
    file_id: [u8; FILE_ID_BYTES],
}

impl PayloadKey {
    /// Derives the key from the file key and the nonce of the payload
    /// (<https://c2sp.org/age#payload>). Check the header first, with
    /// [`Header::verify`](crate::header::Header::verify).
    pub fn new(file_key: &FileKey, nonce: &[u8; NONCE_BYTES], backend: Backend) -> Self {
        let cipher = ChunkCipher::new(&keys::payload_key(file_key, nonce), backend);
        Self { cipher, file_id: keys::file_id(file_key) }
    }

    #[cfg(test)]
    pub(crate) fn with_cipher(cipher: ChunkCipher) -> Self {
        Self { cipher, file_id: [0; FILE_ID_BYTES] }
    }

    /// Returns the file's id: 32 bytes derived from the file key, so that only those who can open
    /// the file can know them.
    pub fn file_id(&self) -> [u8; FILE_ID_BYTES] {
        self.file_id
    }

    /// Returns the length of the plaintext if the chunks have `sealed_len` bytes in total: see
    /// [`plaintext_len`](super::plaintext_len).
    pub const fn plaintext_len(sealed_len: u64) -> Option<u64> {
        super::plaintext_len(sealed_len)
    }

    /// Returns the chunks to fetch for a range of plaintext: see [`SealedRange::new`].
    ///
    /// # Errors
    /// A [`StreamError`] if no payload's chunks can have `sealed_len` bytes in total.
    pub fn sealed_range(plaintext: Range<u64>, sealed_len: u64) -> Result<SealedRange, StreamError> {
        SealedRange::new(plaintext, sealed_len)
    }

    /// Opens consecutive chunks. Writes their plaintext to the start of `output`, and returns its
    /// length.
    ///
    /// `first` is the number of the first chunk in `input`. With `is_last`, `input` ends with the
    /// payload; otherwise all its chunks are full. `output` must have room for the plaintext, which
    /// is 16 bytes per chunk shorter than `input`.
    ///
    /// # Errors
    /// [`StreamError::PartLength`] if `input` or `output` has the wrong length; otherwise the
    /// [`StreamError`] that a [`StreamReader`](crate::StreamReader) returns. `output` is then
    /// wiped.
    pub fn open_chunks(
        &self,
        first: u64,
        is_last: bool,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, StreamError> {
        self.open_all(first, is_last, input, output).inspect_err(|_| output.zeroize())
    }

    fn open_all(&self, first: u64, is_last: bool, input: &[u8], output: &mut [u8]) -> Result<usize, StreamError> {
        if !is_last && !input.len().is_multiple_of(SEALED_CHUNK_BYTES) {
            return Err(StreamError::PartLength);
        }
        if is_last && input.is_empty() {
            return Err(StreamError::Truncated);
        }
        let chunks = input.chunks(SEALED_CHUNK_BYTES);
        let count = chunks.len();
        let mut opened = 0;
        for (i, chunk) in chunks.enumerate() {
            let number = first.checked_add(i as u64).ok_or(StreamError::CounterOverflow)?;
            let len = chunk.len().checked_sub(TAG_BYTES).ok_or(StreamError::CorruptEnd { number })?;
            let plaintext = output.get_mut(opened..opened + len).ok_or(StreamError::PartLength)?;
            match self.cipher.open_next_into(number, is_last && i + 1 == count, chunk, plaintext)? {
                Next::Chunk | Next::End => {}
                Next::Error(error) => return Err(error),
            }
            opened += len;
        }
        Ok(opened)
    }
}

impl fmt::Debug for PayloadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadKey").finish_non_exhaustive()
    }
}

/// The key of a new file's payload. It seals chunks, and opens them as a [`PayloadKey`].
///
/// [`Encryptor::into_parts`](crate::Encryptor::into_parts) returns it. There is no `SealingKey` for
/// an existing file, because sealing other plaintext with the same key would reveal information
/// about both.
#[cfg(feature = "std")]
pub struct SealingKey(PayloadKey);

#[cfg(feature = "std")]
impl SealingKey {
    pub(crate) fn new(key: PayloadKey) -> Self {
        Self(key)
    }

    /// Seals consecutive chunks. Writes them to the start of `output`, and returns their length.
    ///
    /// `first` is the number of the first chunk. With `is_last`, the file ends with `plaintext`;
    /// otherwise the length of `plaintext` is a multiple of [`CHUNK_BYTES`]. The last part of a
    /// file is empty only if the file is. `output` must have room for the chunks, each of which is
    /// 16 bytes longer than its plaintext.
    ///
    /// **Seal each number once.** The number is the nonce: anyone who sees two different chunks
    /// with the same number learns about both, and can forge others.
    ///
    /// # Errors
    /// [`StreamError::PartLength`] if `plaintext` or `output` has a length other than described,
    /// and [`StreamError::CounterOverflow`] if a number would exceed 2^64 - 1. Nothing is then
    /// sealed.
    pub fn seal_part(
        &self,
        first: u64,
        is_last: bool,
        plaintext: &[u8],
        output: &mut [u8],
    ) -> Result<usize, StreamError> {
        // An empty file has one chunk too.
        let is_empty_file = plaintext.is_empty() && is_last && first == 0;
        let is_possible =
            if is_last { !plaintext.is_empty() || is_empty_file } else { plaintext.len().is_multiple_of(CHUNK_BYTES) };
        let count = plaintext.len().div_ceil(CHUNK_BYTES).max(usize::from(is_empty_file));
        let len = plaintext.len() + count * TAG_BYTES;
        if !is_possible || output.len() < len {
            return Err(StreamError::PartLength);
        }
        if count > 0 {
            first.checked_add(count as u64 - 1).ok_or(StreamError::CounterOverflow)?;
        }
        let mut rest = plaintext;
        for (i, sealed) in output[..len].chunks_mut(SEALED_CHUNK_BYTES).enumerate() {
            let (text, after) = rest.split_at(sealed.len() - TAG_BYTES);
            self.0.cipher.seal_into(first + i as u64, is_last && i + 1 == count, text, sealed);
            rest = after;
        }
        Ok(len)
    }
}

#[cfg(feature = "std")]
impl Deref for SealingKey {
    type Target = PayloadKey;

    fn deref(&self) -> &PayloadKey {
        &self.0
    }
}

#[cfg(feature = "std")]
impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey").finish_non_exhaustive()
    }
}
