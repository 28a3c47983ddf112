//! What can be wrong with a payload.

use std::io;

/// The payload of an age file is damaged, or its writer has failed.
///
/// Readers and writers wrap it in an [`io::Error`], from which [`StreamError::of`] gives it back.
///
/// Chunks are counted from 0; chunk `n` holds the 64 KiB of plaintext from byte `n` × 65536.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The file ends where a chunk must follow: the chunk before is not marked as the last, or there is none.
    #[error("the file is cut short: its last chunk is missing")]
    Truncated,
    /// A chunk cannot be authenticated.
    #[error("chunk {number} (plaintext from byte {}) is corrupt", *number as u128 * super::CHUNK_LEN as u128)]
    CorruptChunk {
        /// The number of the chunk.
        number: u64,
    },
    /// The chunk in which the file ends cannot be authenticated: the file is cut short in it, or it is corrupt.
    #[error("the file is cut short or corrupt in its last chunk (plaintext from byte {})",
        *number as u128 * super::CHUNK_LEN as u128)]
    CorruptEnd {
        /// The number of the chunk.
        number: u64,
    },
    /// The last chunk is empty although it is not the only one.
    #[error("the last chunk is empty, which only the chunk of an empty file may be")]
    EmptyLastChunk,
    /// Something follows the last chunk.
    #[error("there is data after the end of the encrypted file")]
    TrailingData,
    /// More than 2^64 chunks.
    #[error("the file has too many chunks")]
    CounterOverflow,
    /// Plaintext for a file that has its last chunk already.
    #[error("the file has been finished: nothing more can be written to it")]
    Finished,
    /// An earlier write or seek failed, so that it is not known where the file stands.
    #[error("an earlier operation on this file failed")]
    EarlierFailure,
}

impl StreamError {
    /// The payload error that `error` wraps, if it wraps one.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<StreamError> for io::Error {
    fn from(error: StreamError) -> Self {
        let kind = match error {
            StreamError::Truncated => io::ErrorKind::UnexpectedEof,
            StreamError::EarlierFailure => io::ErrorKind::Other,
            StreamError::Finished => io::ErrorKind::BrokenPipe,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
