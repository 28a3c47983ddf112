//! The input of a decryptor: what was read while parsing the header, then the rest.

use std::io::{self, Read, Seek, SeekFrom};

/// How much is read at a time while the header is parsed.
const BUFFER_LEN: usize = 4096;

/// A reader that gives lines to the header parser and then bytes to the payload.
///
/// It reads ahead, so that a header costs a few system calls and not one for each byte; what it read too much is
/// handed out first by [`Input::read`].
pub(crate) struct Input<R> {
    pub(crate) inner: R,
    pub(crate) buf: Box<[u8]>,
    pos: usize,
    end: usize,
    /// Bytes taken from `inner` so far, until the first seek.
    fetched: u64,
}

/// What [`Input::take_line`] met.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// A line feed, which is not part of the line.
    LineFeed,
    /// The end of what was read ahead, perhaps after some bytes.
    Ahead,
    /// More bytes than allowed without a line feed.
    TooLong,
}

impl<R> Input<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, buf: vec![0; BUFFER_LEN].into(), pos: 0, end: 0, fetched: 0 }
    }

    /// Bytes handed out so far; meaningful until the first seek.
    pub(crate) fn delivered(&self) -> u64 {
        self.fetched - (self.end - self.pos) as u64
    }

    /// Adds to `line` the bytes up to the next line feed, as far as they were read ahead. It may have `max` bytes: if there are more, it gets
    /// so many.
    pub(crate) fn take_line(&mut self, line: &mut Vec<u8>, max: usize) -> LineEnd {
        let ahead = &self.buf[self.pos..self.end];
        let (taken, found) = match ahead.iter().position(|&b| b == b'\n') {
            Some(n) => (n, true),
            None => (ahead.len(), false),
        };
        if line.len() + taken > max {
            // As much as is allowed: what it begins with says what it is.
            line.extend_from_slice(&ahead[..max - line.len()]);
            return LineEnd::TooLong;
        }
        line.extend_from_slice(&ahead[..taken]);
        self.pos += taken + usize::from(found);
        if found { LineEnd::LineFeed } else { LineEnd::Ahead }
    }

    /// Hands out what was read ahead, as far as `out` has room.
    pub(crate) fn take(&mut self, out: &mut [u8]) -> usize {
        let n = out.len().min(self.end - self.pos);
        out[..n].copy_from_slice(&self.buf[self.pos..self.pos + n]);
        self.pos += n;
        n
    }

    /// So many bytes have been read into `buf`. None is the end of the input: then it says false.
    pub(crate) fn refilled(&mut self, n: usize) -> bool {
        self.fetched += n as u64;
        (self.pos, self.end) = (0, n);
        n > 0
    }

    /// So many bytes have been read past `buf`.
    pub(crate) fn passed(&mut self, n: usize) {
        self.fetched += n as u64;
    }

    /// Where this input began in `inner`, which is at `position` now. Only before the first seek.
    pub(crate) fn base_from(&self, position: u64) -> u64 {
        // A reader that moved backwards under our hands has no sensible answer; the authentication of what is read
        // from the wrong place fails.
        position.saturating_sub(self.fetched)
    }

    /// Forgets what was read ahead.
    pub(crate) fn forget(&mut self) {
        (self.pos, self.end) = (0, 0);
    }
}

impl<R: Read> Input<R> {
    /// Fills `out` as far as the input goes, and says how far that was.
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

    /// Reads once; 0 means the end of the input if `out` is not empty.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.pos < self.end {
            return Ok(self.take(out));
        }
        let n = retry(|| self.inner.read(out))?;
        self.passed(n);
        Ok(n)
    }

    /// Reads ahead, when all that was read ahead has been taken; false at the end of the input.
    pub(crate) fn refill(&mut self) -> io::Result<bool> {
        let n = retry(|| self.inner.read(&mut self.buf))?;
        Ok(self.refilled(n))
    }
}

impl<R: Seek> Input<R> {
    /// Where this input began in `inner`. Only before the first [`Input::seek`].
    pub(crate) fn base(&mut self) -> io::Result<u64> {
        let position = self.inner.stream_position()?;
        Ok(self.base_from(position))
    }

    /// Moves `inner`, and forgets what was read ahead.
    pub(crate) fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.forget();
        self.inner.seek(to)
    }
}

/// Calls `read` again for as long as a signal interrupts it.
pub(crate) fn retry<T>(mut read: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match read() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
