//! The input of a decryptor: the bytes that were read while parsing the header, then the rest.

use std::io::{self, Read, Seek, SeekFrom};

/// The number of bytes that are read at a time while the header is parsed.
const BUFFER_BYTES: usize = 4096;

/// A reader that gives lines to the header parser, and then bytes to the payload.
///
/// It reads ahead, so that a header takes few system calls. [`Input::read`] first returns the bytes
/// that were read ahead.
pub(crate) struct Input<R> {
    pub(crate) inner: R,
    pub(crate) buf: Box<[u8]>,
    pos: usize,
    end: usize,
    /// The number of bytes read from `inner` so far. It is not valid after a seek.
    fetched: u64,
}

/// The result of [`Input::take_line`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// A line feed. It is not part of the line.
    LineFeed,
    /// No line feed in the bytes that were read ahead. All of them are part of the line.
    Ahead,
    /// More bytes than allowed, before any line feed. None were taken from the input.
    TooLong,
}

impl<R> Input<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, buf: vec![0; BUFFER_BYTES].into(), pos: 0, end: 0, fetched: 0 }
    }

    /// Returns the number of bytes handed out so far. It is valid until the first seek.
    pub(crate) fn delivered(&self) -> u64 {
        self.fetched - (self.end - self.pos) as u64
    }

    /// Appends to `line` the bytes up to the next line feed, as far as they were read ahead. If the
    /// line is longer than `max` bytes, `line` gets only its first `max` bytes.
    pub(crate) fn take_line(&mut self, line: &mut Vec<u8>, max: usize) -> LineEnd {
        let ahead = &self.buf[self.pos..self.end];
        let (taken, found) = match ahead.iter().position(|&b| b == b'\n') {
            Some(n) => (n, true),
            None => (ahead.len(), false),
        };
        if line.len() + taken > max {
            // The beginning of a line that is too long is kept, because it shows what the input is.
            line.extend_from_slice(&ahead[..max - line.len()]);
            return LineEnd::TooLong;
        }
        line.extend_from_slice(&ahead[..taken]);
        self.pos += taken + usize::from(found);
        if found { LineEnd::LineFeed } else { LineEnd::Ahead }
    }

    /// Hands out bytes that were read ahead, as far as `out` has room.
    pub(crate) fn take(&mut self, out: &mut [u8]) -> usize {
        let n = out.len().min(self.end - self.pos);
        out[..n].copy_from_slice(&self.buf[self.pos..self.pos + n]);
        self.pos += n;
        n
    }

    /// Notes that `n` bytes were read into `buf`. 0 means the end of the input. Returns whether
    /// there were any.
    pub(crate) fn refilled(&mut self, n: usize) -> bool {
        self.fetched += n as u64;
        (self.pos, self.end) = (0, n);
        n > 0
    }

    /// Notes that `n` bytes were read from `inner` without `buf`.
    pub(crate) fn passed(&mut self, n: usize) {
        self.fetched += n as u64;
    }

    /// Returns the position in `inner` at which this input began. `inner` is at `position` now.
    /// Valid only before the first seek.
    pub(crate) fn base_from(&self, position: u64) -> u64 {
        // If `inner` was moved backwards from outside, there is no right answer. Bytes that are
        // then read from the wrong position fail authentication.
        position.saturating_sub(self.fetched)
    }

    /// Discards the bytes that were read ahead.
    pub(crate) fn forget(&mut self) {
        (self.pos, self.end) = (0, 0);
    }
}

impl<R: Read> Input<R> {
    /// Fills `out` as far as the input goes. Returns the number of bytes.
    pub(crate) fn read_full(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < out.len() {
            match self.read(&mut out[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        Ok(filled)
    }

    /// Reads once. If `out` is not empty, 0 means the end of the input.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.pos < self.end {
            return Ok(self.take(out));
        }
        let n = retry(|| self.inner.read(out))?;
        self.passed(n);
        Ok(n)
    }

    /// Reads ahead again. All bytes that were read ahead before must have been taken. Returns false
    /// at the end of the input.
    pub(crate) fn refill(&mut self) -> io::Result<bool> {
        let n = retry(|| self.inner.read(&mut self.buf))?;
        Ok(self.refilled(n))
    }
}

impl<R: Seek> Input<R> {
    /// Returns the position in `inner` at which this input began. Valid only before the first
    /// [`Input::seek`].
    pub(crate) fn base(&mut self) -> io::Result<u64> {
        let position = self.inner.stream_position()?;
        Ok(self.base_from(position))
    }

    /// Moves `inner`, and discards the bytes that were read ahead. If that fails, `inner` has not
    /// moved, and they stay.
    pub(crate) fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.inner.seek(to)?;
        self.forget();
        Ok(position)
    }
}

/// Calls `read` again whenever a signal interrupts it.
pub(crate) fn retry<T>(mut read: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match read() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
