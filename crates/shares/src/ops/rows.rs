//! Buffers of equal length, one for each share.

use std::io::{self, Read};

use zeroize::Zeroizing;

/// The number of bytes of a secret or share that are processed at once.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// The number of shares above which fewer bytes of each are processed at once.
const MANY_SHARES: usize = 256;
/// The least number of bytes that are processed at once: enough for a share of a blinding value,
/// and for an element.
const MIN_CHUNK_BYTES: usize = 1024;

/// Returns the number of bytes to process at once of each of this many shares. It is
/// [`CHUNK_BYTES`] for the number of shares that a person gives, but one file can have thousands of
/// short shares.
pub(crate) fn chunk_bytes(shares: usize) -> usize {
    (MANY_SHARES * CHUNK_BYTES / shares.max(1)).clamp(MIN_CHUNK_BYTES, CHUNK_BYTES)
}

/// One row of bytes for each share. The rows are wiped when they are dropped.
pub(crate) struct Rows {
    bytes: Zeroizing<Vec<u8>>,
    stride: usize,
}

impl Rows {
    pub(crate) fn new(count: usize, stride: usize) -> Self {
        Self { bytes: Zeroizing::new(vec![0; count * stride]), stride }
    }

    /// Returns the first `length` bytes of a row.
    pub(crate) fn row(&self, at: usize, length: usize) -> &[u8] {
        &self.bytes[at * self.stride..][..length]
    }

    /// Returns a whole row.
    pub(crate) fn row_mut(&mut self, at: usize) -> &mut [u8] {
        &mut self.bytes[at * self.stride..][..self.stride]
    }

    /// Returns the first `length` bytes of every row.
    pub(crate) fn all_mut(&mut self, length: usize) -> Vec<&mut [u8]> {
        self.bytes.chunks_exact_mut(self.stride).map(|row| &mut row[..length]).collect()
    }

    /// Reads from `source` until the row is full or the source ends. Returns the number of bytes.
    pub(crate) fn fill(&mut self, at: usize, source: &mut impl Read) -> io::Result<usize> {
        let row = self.row_mut(at);
        let mut filled = 0;
        while filled < row.len() {
            match source.read(&mut row[filled..])? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(filled)
    }
}
