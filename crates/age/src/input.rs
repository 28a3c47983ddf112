//! The input of a decryptor: what was read while parsing the header, then the rest.

use std::io::{self, Read, Seek, SeekFrom};

/// How much is read at a time while the header is parsed.
const BUFFER_LEN: usize = 4096;

/// A reader that gives lines to the header parser and then bytes to the payload.
///
/// It reads ahead, so that a header costs a few system calls and not one for each byte; what it read too much is
/// handed out first by [`Input::read`].
pub(crate) struct Input<R> {
    inner: R,
    buf: Box<[u8]>,
    pos: usize,
    end: usize,
    /// Bytes taken from `inner` so far, until the first seek.
    fetched: u64,
}

/// What [`Input::read_line`] met.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// A line feed, which is not part of the line.
    LineFeed,
    /// The end of the input, perhaps after some bytes.
    Eof,
    /// More bytes than allowed without a line feed.
    TooLong,
}

impl<R: Read> Input<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, buf: vec![0; BUFFER_LEN].into(), pos: 0, end: 0, fetched: 0 }
    }

    /// Bytes handed out so far; meaningful until the first seek.
    pub(crate) fn delivered(&self) -> u64 {
        self.fetched - (self.end - self.pos) as u64
    }

    /// Replaces `line` by the bytes up to the next line feed, of which there may be `max`: if there are more, by the first `max`.
    pub(crate) fn read_line(&mut self, line: &mut Vec<u8>, max: usize) -> io::Result<LineEnd> {
        line.clear();
        loop {
            if self.pos == self.end && !self.refill()? {
                return Ok(LineEnd::Eof);
            }
            let ahead = &self.buf[self.pos..self.end];
            let (taken, found) = match ahead.iter().position(|&b| b == b'\n') {
                Some(n) => (n, true),
                None => (ahead.len(), false),
            };
            if line.len() + taken > max {
                // As much as is allowed: what it begins with says what it is.
                line.extend_from_slice(&ahead[..max - line.len()]);
                return Ok(LineEnd::TooLong);
            }
            line.extend_from_slice(&ahead[..taken]);
            self.pos += taken + usize::from(found);
            if found {
                return Ok(LineEnd::LineFeed);
            }
        }
    }

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
            let n = out.len().min(self.end - self.pos);
            out[..n].copy_from_slice(&self.buf[self.pos..self.pos + n]);
            self.pos += n;
            return Ok(n);
        }
        let n = retry(|| self.inner.read(out))?;
        self.fetched += n as u64;
        Ok(n)
    }

    fn refill(&mut self) -> io::Result<bool> {
        let n = retry(|| self.inner.read(&mut self.buf))?;
        self.fetched += n as u64;
        (self.pos, self.end) = (0, n);
        Ok(n > 0)
    }
}

impl<R: Seek> Input<R> {
    /// Where this input began in `inner`. Only before the first [`Input::seek`].
    pub(crate) fn base(&mut self) -> io::Result<u64> {
        // A reader that moved backwards under our hands has no sensible answer; the authentication of what is read
        // from the wrong place fails.
        Ok(self.inner.stream_position()?.saturating_sub(self.fetched))
    }

    /// Moves `inner`, and forgets what was read ahead.
    pub(crate) fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (self.pos, self.end) = (0, 0);
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
