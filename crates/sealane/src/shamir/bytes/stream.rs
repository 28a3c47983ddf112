//! Splits and combines streams piece by piece, so that files of any size take little memory.

use std::io::{self, ErrorKind, Read, Write};
use std::vec::Vec;

use super::kernel::BLOCK_BYTES;
use super::{Combiner, Splitter};
use crate::shamir::error::Error;
use crate::wipe::wipe;

/// The bytes of a piece of the secret and of all its shares together. They fit in the second-level
/// cache.
const BUFFERED_BYTES: usize = 256 << 10;
/// The smallest number of bytes that are read or written at once. With fewer, system calls cost
/// more than the cache gains.
const MIN_PIECE_BYTES: usize = 16 << 10;

/// Buffers for a piece of each of `count` streams. They are wiped when they are dropped.
struct Buffers {
    bytes: Vec<u8>,
    piece: usize,
}

impl Buffers {
    fn new(count: usize) -> Self {
        let piece = (BUFFERED_BYTES / count).max(MIN_PIECE_BYTES) / BLOCK_BYTES * BLOCK_BYTES;
        Self { bytes: std::vec![0; count * piece], piece }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

/// Reads until `buffer` is full or the stream ends. Returns the number of bytes read.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

impl Splitter {
    /// Splits the whole stream `secret`. The stream `shares[j]` receives the share at
    /// `points()[j]`. Returns the length of the secret in bytes.
    ///
    /// This takes 16 KiB of memory for each share, or 256 KiB in all if that is more.
    ///
    /// # Errors
    /// [`Error`], as an [`io::Error`], if the numbers of streams and points differ; otherwise the
    /// error of a stream. The shares are then incomplete.
    pub fn split_stream<R: Read, W: Write>(&mut self, mut secret: R, shares: &mut [W]) -> io::Result<u64> {
        let count = self.points().len();
        if shares.len() != count {
            return Err(Error::WrongNumberOfShares { expected: count, given: shares.len() }.into());
        }
        let mut buffers = Buffers::new(count + 1);
        let (piece, outputs) = buffers.bytes.split_at_mut(buffers.piece);
        let mut total = 0;
        loop {
            let read = fill(&mut secret, piece)?;
            let mut outputs: Vec<_> = outputs.chunks_exact_mut(piece.len()).map(|output| &mut output[..read]).collect();
            self.split(&piece[..read], &mut outputs)?;
            for (share, output) in shares.iter_mut().zip(outputs) {
                share.write_all(output)?;
            }
            total += read as u64;
            if read < piece.len() {
                shares.iter_mut().try_for_each(Write::flush)?;
                return Ok(total);
            }
        }
    }
}

impl Combiner {
    /// Combines the whole streams. `shares[j]` is at `points()[j]`. Returns the number of bytes
    /// written.
    ///
    /// This takes 16 KiB of memory for each share, or 256 KiB in all if that is more.
    ///
    /// # Errors
    /// [`Error`], as an [`io::Error`], if the numbers of streams and points differ, or a stream
    /// ends before another; otherwise the error of a stream. The output is then incomplete, but
    /// right if the shares are.
    pub fn combine_stream<R: Read, W: Write>(&self, shares: &mut [R], mut out: W) -> io::Result<u64> {
        let count = self.points().len();
        if shares.len() != count {
            return Err(Error::WrongNumberOfShares { expected: count, given: shares.len() }.into());
        }
        let mut buffers = Buffers::new(count + 1);
        let (piece, inputs) = buffers.bytes.split_at_mut(buffers.piece);
        let mut total = 0;
        loop {
            let mut read = None;
            for (share, input) in shares.iter_mut().zip(inputs.chunks_exact_mut(piece.len())) {
                let length = fill(share, input)?;
                if *read.get_or_insert(length) != length {
                    return Err(Error::UnequalLengths.into());
                }
            }
            let read = read.unwrap_or(0);
            let inputs: Vec<_> = inputs.chunks_exact(piece.len()).map(|input| &input[..read]).collect();
            self.combine(&inputs, &mut piece[..read])?;
            out.write_all(&piece[..read])?;
            total += read as u64;
            if read < piece.len() {
                out.flush()?;
                return Ok(total);
            }
        }
    }
}
