//! The positions of chunks: which sealed bytes of a payload hold a range of its plaintext.

use core::ops::Range;

use super::{CHUNK_BYTES, SEALED_CHUNK_BYTES, StreamError, TAG_BYTES};

/// Returns the length of a file's plaintext if its chunks have `sealed_len` bytes in total, or
/// `None` if no file's chunks can have that length.
///
/// This proves nothing about the content: the file may have been cut between two chunks. Seek to
/// the end of a [`StreamReader`](crate::StreamReader), or open the last chunk, to learn the
/// authentic length.
pub const fn plaintext_len(sealed_len: u64) -> Option<u64> {
    let chunks = sealed_len.div_ceil(SEALED_CHUNK_BYTES as u64);
    let tags = chunks * TAG_BYTES as u64;
    // Only the chunk of an empty file is empty.
    match sealed_len % SEALED_CHUNK_BYTES as u64 {
        _ if chunks == 0 => None,
        last if last != 0 && last < TAG_BYTES as u64 => None,
        last if last == TAG_BYTES as u64 && chunks > 1 => None,
        _ => Some(sealed_len - tags),
    }
}

/// Returns the total length of the chunks of a file with `plaintext_len` bytes of plaintext, or
/// `None` if it does not fit `u64`.
pub const fn sealed_len(plaintext_len: u64) -> Option<u64> {
    // An empty file has one chunk too.
    let chunks = plaintext_len.div_ceil(CHUNK_BYTES as u64);
    let chunks = if chunks == 0 { 1 } else { chunks };
    match chunks.checked_mul(TAG_BYTES as u64) {
        Some(tags) => plaintext_len.checked_add(tags),
        None => None,
    }
}

/// The chunks that hold a range of plaintext.
///
/// Fetch the bytes `sealed`, open them with [`PayloadKey::open_chunks`](super::PayloadKey), and
/// take `len` bytes of the result from `skip` on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedRange {
    /// The number of the first chunk.
    pub first: u64,
    /// Whether the last of these chunks is the last of the payload.
    pub is_last: bool,
    /// The positions of their bytes, counted from the start of the payload's first chunk.
    pub sealed: Range<u64>,
    /// The number of bytes of their plaintext that come before the range.
    pub skip: usize,
    /// The length of the range. It is shorter than requested if the plaintext ends earlier.
    pub len: u64,
}

impl SealedRange {
    /// Returns the chunks that hold the bytes `plaintext`, if the payload's chunks have
    /// `sealed_len` bytes in total.
    ///
    /// A range that reaches the end includes the last chunk, which proves the end when it is
    /// opened. A range that begins at or after the end has no bytes, but includes the last chunk
    /// too. An empty range before the end has no chunks.
    ///
    /// # Errors
    /// A [`StreamError`] if no payload's chunks can have `sealed_len` bytes in total.
    pub fn new(plaintext: Range<u64>, sealed_len: u64) -> Result<Self, StreamError> {
        let last = last_chunk(sealed_len);
        let end = plaintext_len(sealed_len).ok_or(match sealed_len % SEALED_CHUNK_BYTES as u64 {
            0 => StreamError::Truncated,
            len if len == TAG_BYTES as u64 => StreamError::EmptyLastChunk,
            _ => StreamError::CorruptEnd { number: last },
        })?;
        let chunk = CHUNK_BYTES as u64;
        // An empty range before the end needs no chunks.
        if plaintext.is_empty() && plaintext.start < end {
            let first = plaintext.start / chunk;
            let at = first * SEALED_CHUNK_BYTES as u64;
            return Ok(Self { first, is_last: false, sealed: at..at, skip: 0, len: 0 });
        }
        let first = (plaintext.start / chunk).min(last);
        let final_chunk = (plaintext.end.saturating_sub(1) / chunk).clamp(first, last);
        let is_last = final_chunk == last;
        let sealed_end = if is_last { sealed_len } else { (final_chunk + 1) * SEALED_CHUNK_BYTES as u64 };
        let start = plaintext.start.min(end);
        Ok(Self {
            first,
            is_last,
            sealed: first * SEALED_CHUNK_BYTES as u64..sealed_end,
            // This is less than a chunk, or all of the last one.
            skip: usize::try_from(start - first * chunk).unwrap_or(CHUNK_BYTES),
            len: plaintext.end.min(end).saturating_sub(start),
        })
    }
}

/// Returns the position of the chunk that holds the plaintext byte `target`, if the first chunk
/// starts at `first_chunk_start`. Returns `None` if the position does not fit `u64`.
#[cfg(feature = "std")]
pub(crate) fn chunk_start(first_chunk_start: u64, target: u64) -> Option<u64> {
    (target / CHUNK_BYTES as u64).checked_mul(SEALED_CHUNK_BYTES as u64)?.checked_add(first_chunk_start)
}

/// Returns the number of the last chunk if the chunks have `sealed_len` bytes in total, or 0 if
/// there are none.
pub(crate) const fn last_chunk(sealed_len: u64) -> u64 {
    sealed_len.div_ceil(SEALED_CHUNK_BYTES as u64).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: u64 = CHUNK_BYTES as u64;
    const SEALED: u64 = SEALED_CHUNK_BYTES as u64;

    #[test]
    fn lengths_belong_together() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK + 77, 1 << 60] {
            assert_eq!(plaintext_len(sealed_len(len).unwrap()), Some(len));
        }
        assert_eq!(sealed_len(u64::MAX), None);
        for impossible in [0, 1, 15, SEALED + 1, SEALED + 15, SEALED + 16] {
            assert_eq!(plaintext_len(impossible), None);
            assert!(SealedRange::new(0..1, impossible).is_err());
        }
    }

    #[test]
    fn a_small_range_takes_two_chunks_at_most() {
        let sealed_len = sealed_len(5 * CHUNK + 77).unwrap();
        for start in [0, 1, CHUNK - 1000, CHUNK - 999, CHUNK - 1, CHUNK, 4 * CHUNK - 1, 5 * CHUNK - 500] {
            let found = SealedRange::new(start..start + 1000, sealed_len).unwrap();
            let chunks = if start % CHUNK + 1000 > CHUNK { 2 } else { 1 };
            let end = ((found.first + chunks) * SEALED).min(sealed_len);
            assert_eq!(found.sealed, found.first * SEALED..end, "{start}");
            assert_eq!(found.first * CHUNK + found.skip as u64, start);
            assert_eq!(found.len, (5 * CHUNK + 77 - start).min(1000));
            assert_eq!(found.is_last, end == sealed_len);
        }
    }

    #[test]
    fn the_end_is_proved_by_the_last_chunk() {
        for len in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let sealed_len = sealed_len(len).unwrap();
            for range in [len..len, len..len + 1, len + 5 * CHUNK..u64::MAX, len.saturating_sub(1)..u64::MAX] {
                let found = SealedRange::new(range.clone(), sealed_len).unwrap();
                assert!(found.is_last && found.sealed.end == sealed_len, "{range:?} of {len}");
                assert_eq!(found.first, last_chunk(sealed_len));
                assert_eq!(found.len, len.saturating_sub(range.start));
                assert_eq!(found.first * CHUNK + found.skip as u64, range.start.min(len));
            }
        }
        // An empty range before the end needs no chunk.
        let nothing = SealedRange::new(5..5, sealed_len(3 * CHUNK).unwrap()).unwrap();
        assert!(nothing.sealed.is_empty() && nothing.len == 0 && !nothing.is_last);
    }
}
