//! Secrets and shares as streams: in pieces, so that files of any size take little memory.

use std::io::{self, ErrorKind, Read, Write};
use std::vec::Vec;

use super::kernel::BLOCK_BYTES;
use super::{Combiner, Splitter};
use crate::shamir::Error;
use crate::wipe::wipe;

/// Bytes of a piece of the secret and all its shares together: they stay in the second-level cache.
const BUFFERED_BYTES: usize = 256 << 10;
/// Bytes that are read or written at once, at least: system calls cost more than the second-level cache gains.
const MIN_PIECE_BYTES: usize = 16 << 10;

/// Buffers for a piece of each of `count` streams, wiped at the end.
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

/// Reads until `buffer` is full or the stream ends; the number of bytes read.
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
    /// Splits all that `secret` gives: the stream `shares[j]` gets the share at `points()[j]`. The number of bytes of the secret.
    ///
    /// Memory: 16 KiB for each share, or 256 KiB in all where that is more.
    ///
    /// # Errors
    /// [`Error`], as an [`io::Error`], if the number of streams is not that of the points; else what a stream says. Shares are
    /// then incomplete.
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
    /// Combines all that the streams give, `shares[j]` being at `points()[j]`. The number of bytes written.
    ///
    /// Memory: 16 KiB for each share, or 256 KiB in all where that is more.
    ///
    /// # Errors
    /// [`Error`], as an [`io::Error`], if the number of streams is not that of the points, or one ends before another; else what
    /// a stream says. What was written until then is right, if the shares are, and incomplete.
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
