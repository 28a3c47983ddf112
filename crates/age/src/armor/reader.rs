//! Reads armored files, and passes binary ones on.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{ArmorError, ArmorFault, BEGIN, BYTES_PER_LINE, COLUMNS, END};
use crate::input::retry;

const BUFFER_BYTES: usize = 16 << 10;

/// The most bytes of white space before armor, as in age. They are kept until it is known whether
/// the input is armored.
const MAX_LEADING_WHITE_SPACE: usize = 1024;

/// Decodes an armored file while it is read.
///
/// [`ArmoredReader::new`] recognises armor, and passes other input on unchanged.
/// [`ArmoredReader::armored`] requires armor. Errors in the armor are [`ArmorError`]s wrapped in an
/// [`io::Error`], and every later read returns the same error.
///
/// It reads ahead, so the position of the inner reader has no meaning. [`Seek`] works for binary
/// input only.
pub struct ArmoredReader<R> {
    inner: R,
    buf: Box<[u8]>,
    pos: usize,
    end: usize,
    /// The number of the line at `pos`, from 1.
    line: u64,
    state: State,
    /// Decoded bytes for which the caller had no room.
    decoded: [u8; BYTES_PER_LINE],
    decoded_pos: usize,
    decoded_end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start {
        armor_required: bool,
    },
    Binary,
    Body,
    /// After a line that must be the last one.
    BodyEnd,
    /// After the `END` line.
    Trailer,
    Done,
    Failed(ArmorError),
}

impl<R> ArmoredReader<R> {
    /// Returns a reader that decodes armored input and passes binary input on.
    ///
    /// Input is armored if its first character other than white space is a dash, after at most 1024
    /// bytes of white space. No binary age file begins with a dash.
    pub fn new(inner: R) -> Self {
        Self::with_state(inner, State::Start { armor_required: false })
    }

    /// Returns a reader that requires armored input.
    pub fn armored(inner: R) -> Self {
        Self::with_state(inner, State::Start { armor_required: true })
    }

    fn with_state(inner: R, state: State) -> Self {
        Self {
            inner,
            buf: vec![0; BUFFER_BYTES].into(),
            pos: 0,
            end: 0,
            line: 1,
            state,
            decoded: [0; BYTES_PER_LINE],
            decoded_pos: 0,
            decoded_end: 0,
        }
    }
}

impl<R: Read> ArmoredReader<R> {
    /// Returns whether the input is armored. Reads the beginning of the input if needed.
    ///
    /// # Errors
    ///
    /// The errors of the inner reader, and an [`ArmorError`] if the first line is wrong or an
    /// earlier read has returned one.
    pub fn is_armored(&mut self) -> io::Result<bool> {
        match self.state {
            State::Start { armor_required } => self.start(armor_required)?,
            State::Failed(error) => return Err(error.into()),
            _ => {}
        }
        Ok(self.state != State::Binary)
    }

    fn start(&mut self, armor_required: bool) -> io::Result<()> {
        let first = loop {
            // A read may return more than the bytes that count.
            let start = &self.buf[..self.end.min(MAX_LEADING_WHITE_SPACE + 1)];
            let found = start.iter().position(|&b| !is_white_space(b));
            if found.is_some() || self.end > MAX_LEADING_WHITE_SPACE || !self.fetch()? {
                break found;
            }
        };
        match first {
            Some(n) if armor_required || self.buf[n] == b'-' => {
                let lines_before = self.buf[..n].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
                // This runs again after an error of the inner reader.
                self.line = 1 + self.buf[..n].iter().filter(|&&b| b == b'\n').count() as u64;
                self.pos = lines_before;
                self.begin_line()
            }
            _ if armor_required => Err(self.fail(ArmorError::NoBegin)),
            _ => {
                self.state = State::Binary;
                Ok(())
            }
        }
    }

    fn begin_line(&mut self) -> io::Result<()> {
        match self.next_line()? {
            Some(Line { start, end, terminated }) => {
                let line = &self.buf[start..end];
                if line != BEGIN {
                    let dashes = line.trim_ascii_start().starts_with(b"--");
                    let fault = ArmorError::Line { line: self.line - 1, fault: ArmorFault::Begin };
                    return Err(self.fail(if dashes { fault } else { ArmorError::NoBegin }));
                }
                if !terminated {
                    return Err(self.fail(ArmorError::Truncated));
                }
                self.state = State::Body;
                Ok(())
            }
            None => Err(self.fail(ArmorError::Truncated)),
        }
    }

    /// Decodes full lines into `out`, and returns the number of bytes. If the next line is not full
    /// or does not fit `out`, decodes it into `self.decoded`, and returns 0.
    fn body(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        while self.state == State::Body && out.len() - written >= BYTES_PER_LINE {
            let Some((start, next)) = self.full_line() else { break };
            // A line with padding or a fault takes the slow path.
            let target = &mut out[written..written + BYTES_PER_LINE];
            match BASE64_STANDARD.decode_slice(&self.buf[start..start + COLUMNS], target) {
                Ok(BYTES_PER_LINE) => {}
                _ => break,
            }
            (self.pos, self.line) = (next, self.line + 1);
            written += BYTES_PER_LINE;
        }
        if written > 0 {
            return Ok(written);
        }
        self.body_line()?;
        Ok(0)
    }

    /// Returns the positions of the next line and of the line after it, if the next line is in the
    /// buffer and has 64 columns.
    fn full_line(&self) -> Option<(usize, usize)> {
        let ahead = &self.buf[self.pos..self.end];
        match ahead.get(COLUMNS..)? {
            [b'\n', ..] => Some((self.pos, self.pos + COLUMNS + 1)),
            [b'\r', b'\n', ..] => Some((self.pos, self.pos + COLUMNS + 2)),
            _ => None,
        }
    }

    fn body_line(&mut self) -> io::Result<()> {
        let Some(Line { start, end, terminated }) = self.next_line()? else {
            return Err(self.fail(ArmorError::Truncated));
        };
        let line = &self.buf[start..end];
        if line == END {
            self.state = State::Trailer;
            return Ok(());
        }
        let fault = match line {
            [] => Some(ArmorFault::Empty),
            [b'-', b'-', ..] => Some(ArmorFault::End),
            _ if line.len() > COLUMNS => Some(ArmorFault::TooLong),
            _ if self.state == State::BodyEnd => Some(ArmorFault::AfterShortLine),
            _ => None,
        };
        let decoded = match fault {
            Some(fault) => Err(fault),
            None => BASE64_STANDARD.decode_slice(line, &mut self.decoded).map_err(|_| ArmorFault::Base64),
        };
        match decoded {
            // The input ends in this line.
            _ if !terminated => Err(self.fail(ArmorError::Truncated)),
            Ok(n) => {
                (self.decoded_pos, self.decoded_end) = (0, n);
                if n < BYTES_PER_LINE {
                    self.state = State::BodyEnd;
                }
                Ok(())
            }
            Err(fault) => Err(self.fail(ArmorError::Line { line: self.line - 1, fault })),
        }
    }

    fn trailer(&mut self) -> io::Result<()> {
        loop {
            if !self.buf[self.pos..self.end].iter().all(|&b| is_white_space(b)) {
                return Err(self.fail(ArmorError::TrailingData));
            }
            self.pos = self.end;
            if !self.fetch()? {
                self.state = State::Done;
                return Ok(());
            }
        }
    }

    /// Takes a line from the buffer, without LF or CR LF. Returns `None` at the end of the input.
    ///
    /// Returns only a part of a line that is far too long.
    fn next_line(&mut self) -> io::Result<Option<Line>> {
        /// More bytes than any valid line has, including its line end.
        const ENOUGH: usize = 128;
        let mut searched = 0;
        let (len, terminated) = loop {
            let ahead = &self.buf[self.pos..self.end];
            if let Some(n) = ahead[searched..].iter().position(|&b| b == b'\n') {
                break (searched + n, true);
            }
            searched = ahead.len();
            if searched >= ENOUGH {
                break (searched, true);
            }
            if !self.fetch()? {
                break (searched, false);
            }
        };
        if len == 0 && !terminated {
            return Ok(None);
        }
        let start = self.pos;
        self.pos = (start + len + 1).min(self.end);
        self.line += 1;
        let end = start + len - usize::from(self.buf[..start + len].ends_with(b"\r") && len > 0);
        Ok(Some(Line { start, end, terminated }))
    }

    /// Reads more into the buffer. Returns false at the end of the input.
    fn fetch(&mut self) -> io::Result<bool> {
        if self.pos == self.end || self.end == self.buf.len() {
            self.buf.copy_within(self.pos..self.end, 0);
            (self.pos, self.end) = (0, self.end - self.pos);
        }
        let n = retry(|| self.inner.read(&mut self.buf[self.end..]))?;
        self.end += n;
        Ok(n > 0)
    }

    fn fail(&mut self, error: ArmorError) -> io::Error {
        self.state = State::Failed(error);
        error.into()
    }
}

/// A line in the buffer.
struct Line {
    start: usize,
    end: usize,
    /// Whether a line feed follows, or the line is far too long. If not, the input ends here.
    terminated: bool,
}

impl<R: Read> Read for ArmoredReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if self.decoded_pos < self.decoded_end {
                let n = out.len().min(self.decoded_end - self.decoded_pos);
                out[..n].copy_from_slice(&self.decoded[self.decoded_pos..self.decoded_pos + n]);
                self.decoded_pos += n;
                return Ok(n);
            }
            match self.state {
                State::Start { armor_required } => self.start(armor_required)?,
                State::Binary if self.pos < self.end => {
                    let n = out.len().min(self.end - self.pos);
                    out[..n].copy_from_slice(&self.buf[self.pos..self.pos + n]);
                    self.pos += n;
                    return Ok(n);
                }
                State::Binary => return self.inner.read(out),
                State::Body | State::BodyEnd => {
                    let n = self.body(out)?;
                    if n > 0 {
                        return Ok(n);
                    }
                }
                State::Trailer => self.trailer()?,
                State::Done => return Ok(0),
                State::Failed(error) => return Err(error.into()),
            }
        }
    }
}

/// Works for binary input only. Seeking in armored input fails with [`ArmorError::NotSeekable`].
impl<R: Read + Seek> Seek for ArmoredReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.is_armored()? {
            return Err(ArmorError::NotSeekable.into());
        }
        let ahead = (self.end - self.pos) as i64;
        let position = match to {
            SeekFrom::Current(delta) => match delta.checked_sub(ahead) {
                Some(delta) => self.inner.seek(SeekFrom::Current(delta))?,
                None => return Err(io::Error::new(io::ErrorKind::InvalidInput, "the position is out of range")),
            },
            to => self.inner.seek(to)?,
        };
        (self.pos, self.end) = (0, 0);
        Ok(position)
    }
}

impl<R> fmt::Debug for ArmoredReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArmoredReader").field("state", &self.state).field("line", &self.line).finish_non_exhaustive()
    }
}

fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}
