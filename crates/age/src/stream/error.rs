//! Errors of payloads.

#[cfg(feature = "std")]
use std::io;

/// The payload of an age file is damaged, or cannot be sealed, written or read as requested.
///
/// Readers and writers wrap this error in an [`io::Error`]; [`StreamError::of`] finds it there.
///
/// Chunks are counted from 0. Chunk `n` holds the 64 KiB of plaintext from byte `n` × 65536 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The file ends where a chunk must follow: there is no chunk, or the last one is not marked as
    /// the last.
    #[error("the file is cut short: its last chunk is missing")]
    Truncated,
    /// A chunk cannot be authenticated.
    #[error("chunk {number} (plaintext from byte {}) is corrupt", *number as u128 * super::CHUNK_BYTES as u128)]
    CorruptChunk {
        /// The number of the chunk.
        number: u64,
    },
    /// The chunk at the end of the file cannot be authenticated. It is cut short or corrupt.
    #[error("the file is cut short or corrupt in its last chunk (plaintext from byte {})",
        *number as u128 * super::CHUNK_BYTES as u128)]
    CorruptEnd {
        /// The number of the chunk.
        number: u64,
    },
    /// The last chunk is empty, and it is not the only one.
    #[error("the last chunk is empty, which only the chunk of an empty file may be")]
    EmptyLastChunk,
    /// There is data after the last chunk.
    #[error("there is data after the end of the encrypted file")]
    TrailingData,
    /// The file has more than 2^64 chunks.
    #[error("the file has too many chunks")]
    CounterOverflow,
    /// A part of a payload, given to [`PayloadKey::open_chunks`](super::PayloadKey::open_chunks) or
    /// `SealingKey::seal_part`, is not a whole number of chunks, is an empty end of a file that is
    /// not empty, or does not fit its buffer.
    #[error("a part of the file is not a whole number of chunks, or does not fit its buffer")]
    PartLength,
    /// Plaintext was given to a writer after it had been told that the file ends.
    #[error("the file has been finished: nothing more can be written to it")]
    Finished,
    /// An earlier write or seek failed, so the state of the file is not known.
    #[error("an earlier operation on this file failed")]
    EarlierFailure,
}

#[cfg(feature = "std")]
impl StreamError {
    /// Returns the payload error that `error` wraps, if there is one.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

#[cfg(feature = "std")]
impl From<StreamError> for io::Error {
    fn from(error: StreamError) -> Self {
        let kind = match error {
            StreamError::Truncated => io::ErrorKind::UnexpectedEof,
            StreamError::PartLength => io::ErrorKind::InvalidInput,
            StreamError::EarlierFailure => io::ErrorKind::Other,
            StreamError::Finished => io::ErrorKind::BrokenPipe,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
