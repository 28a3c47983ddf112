//! Random access to a payload.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use super::{CHUNK_BYTES, StreamError, StreamReader, chunk_start, last_chunk};

impl<R: Read + Seek> StreamReader<R> {
    /// Returns the length of the plaintext in bytes.
    ///
    /// The length of the file proves nothing, because the file may have been cut. The last chunk is
    /// therefore authenticated first, unless it already has been. The position does not change.
    ///
    /// # Errors
    ///
    /// The errors of the input, and a [`StreamError`] if the file does not end with an authentic
    /// last chunk. The reader keeps its position and stays usable, unless the input moves and then
    /// fails to seek back.
    pub fn plaintext_len(&mut self) -> io::Result<u64> {
        match self.opener.plaintext_len {
            Some(len) => Ok(len),
            None => self.or_stay(|reader| {
                let (position, len) = (reader.opener.position(), reader.open_end()?);
                reader.move_to(position)?;
                Ok(len)
            }),
        }
    }

    /// Makes the byte at `target` the next one to be read. If that fails, moves back.
    fn go_to(&mut self, target: u64) -> io::Result<()> {
        if self.opener.move_within_buffer(target) {
            return Ok(());
        }
        self.or_stay(|reader| {
            if reader.opener.plaintext_len.is_none() && target / CHUNK_BYTES as u64 > reader.last_chunk()? {
                // Only the last chunk can show that the plaintext ends before `target`.
                reader.open_end()?;
            }
            reader.move_to(target)
        })
    }

    /// Calls `act`, which moves the reader. If `act` fails, moves the reader back.
    fn or_stay<T>(&mut self, act: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        let home = self.opener.snapshot();
        act(self).inspect_err(|_| {
            // If the input has moved, and moving back fails, later reads return `EarlierFailure`.
            // The caller gets the first error.
            match self.move_to(home.position) {
                Ok(()) => self.opener.restore(home),
                Err(_) => self.opener.strand(home),
            }
        })
    }

    /// Makes the byte at `target` the next one to be read.
    fn move_to(&mut self, target: u64) -> io::Result<()> {
        if self.opener.move_to_end(target) {
            return Ok(());
        }
        let start = chunk_start(self.first_chunk_start()?, target).ok_or_else(out_of_range)?;
        self.move_input(SeekFrom::Start(start))?;
        self.opener.finish_seek(target);
        Ok(())
    }

    /// Moves the input. Returns its position. If that fails, nothing has moved: the chunk and the
    /// bytes that were read ahead are still there, so reading can go on.
    fn move_input(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.input.seek(to)?;
        self.opener.begin_seek();
        Ok(position)
    }

    /// Authenticates the last chunk. Returns the length of the plaintext.
    fn open_end(&mut self) -> io::Result<u64> {
        let number = self.last_chunk()?;
        self.move_to(number * CHUNK_BYTES as u64)?;
        self.fill_buf()?;
        // The input ends with this chunk. If the chunk is authentic but not marked as the last one,
        // the last chunk is missing.
        self.opener.plaintext_len.ok_or_else(|| StreamError::Truncated.into())
    }

    /// Returns the number of the last chunk, computed from the length of the input, or 0 if there
    /// are no chunks. The input is then at its end.
    fn last_chunk(&mut self) -> io::Result<u64> {
        let start = self.first_chunk_start()?;
        Ok(last_chunk(self.move_input(SeekFrom::End(0))?.saturating_sub(start)))
    }

    /// Returns the position of the first chunk in the input.
    fn first_chunk_start(&mut self) -> io::Result<u64> {
        let base = match self.base {
            Some(base) => base,
            None => *self.base.insert(self.input.base()?),
        };
        base.checked_add(self.header_len).ok_or_else(out_of_range)
    }
}

/// Positions are positions in the plaintext.
///
/// A seek relative to the end, or beyond the last chunk, authenticates the last chunk first,
/// because otherwise the length is not known. Other seeks only move, and the chunk is authenticated
/// when it is read. If a seek fails, the reader keeps its position and stays usable, unless the
/// input moves and then fails to seek back. An input that cannot seek does not move. A position
/// beyond the end is allowed, as in a file. A read there returns no bytes.
impl<R: Read + Seek> Seek for StreamReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(delta) => self.opener.position().checked_add_signed(delta),
            SeekFrom::End(delta) => self.plaintext_len()?.checked_add_signed(delta),
        };
        self.go_to(target.ok_or_else(out_of_range)?)?;
        Ok(self.opener.position())
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        Ok(self.opener.position())
    }
}

pub(crate) fn out_of_range() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the position is before the start of the file or too large")
}
