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
    /// last chunk. The reader keeps its position and stays usable, unless the input fails to seek
    /// back.
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

    /// Runs `act`, which moves the reader. If it fails, moves the reader back.
    fn or_stay<T>(&mut self, act: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        let snapshot = self.opener.snapshot();
        act(self).inspect_err(|_| {
            // If this fails too, the reader keeps the error `EarlierFailure`. The first error is
            // reported.
            if self.move_to(snapshot.position).is_ok() {
                self.opener.restore(snapshot);
            }
        })
    }

    /// Makes the byte at `target` the next one to be read.
    fn move_to(&mut self, target: u64) -> io::Result<()> {
        if self.opener.begin_seek(target) {
            let start = chunk_start(self.payload_start()?, target).ok_or_else(out_of_range)?;
            self.input.seek(SeekFrom::Start(start))?;
            self.opener.finish_seek(target);
        }
        Ok(())
    }

    /// Authenticates the last chunk. Returns the length of the plaintext.
    fn open_end(&mut self) -> io::Result<u64> {
        let number = self.last_chunk()?;
        self.move_to(number * CHUNK_BYTES as u64)?;
        self.fill_buf()?;
        // The input ends with this chunk. If it is authentic and not marked as the last, the last
        // one is missing.
        self.opener.plaintext_len.ok_or_else(|| StreamError::Truncated.into())
    }

    /// Returns the number of the last chunk according to the length of the input, or 0 if there is
    /// none.
    ///
    /// Leaves the input at its end.
    fn last_chunk(&mut self) -> io::Result<u64> {
        let start = self.payload_start()?;
        Ok(last_chunk(self.input.seek(SeekFrom::End(0))?.saturating_sub(start)))
    }

    fn payload_start(&mut self) -> io::Result<u64> {
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
/// because otherwise the length is not known. If that fails, the reader keeps its position, unless
/// the input fails to seek back. Other seeks only move, and the chunk is authenticated when it is
/// read. A position beyond the end is allowed, as in a file. A read there returns no bytes.
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
