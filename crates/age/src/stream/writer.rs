//! Seals a payload while it is written.

use std::fmt;
use std::io::{self, Write};

use super::{PayloadKey, Sealer, StreamError};

/// Encrypts what is written to it.
///
/// Call [`StreamWriter::finish`] at the end. Otherwise the file lacks its last chunk, and cannot be
/// opened to the end.
///
/// Plaintext is buffered: up to four chunks of 64 KiB. [`Write::flush`] writes all of them but the
/// last, which may be the last of the file.
///
/// If chunks cannot be written to the inner writer, every later call fails with
/// [`StreamError::EarlierFailure`]: it is not known how much was written, and no chunk may be
/// sealed twice. A failure of the inner writer's `flush` does not have this effect.
#[must_use = "without `finish`, the file has no end"]
pub struct StreamWriter<W> {
    pub(super) inner: W,
    pub(super) sealer: Sealer,
    failed: bool,
}

impl<W: Write> StreamWriter<W> {
    pub(crate) fn new(inner: W, key: PayloadKey) -> Self {
        Self { inner, sealer: Sealer::new(key), failed: false }
    }

    /// Seals and writes the last chunk, flushes, and returns the inner writer, which may need to be
    /// finished too, as an [`ArmoredWriter`](crate::armor::ArmoredWriter) does.
    ///
    /// # Errors
    ///
    /// The errors of the inner writer, and a [`StreamError`] if an earlier call failed or there are
    /// too many chunks. The file may then be incomplete.
    pub fn finish(mut self) -> io::Result<W> {
        self.check()?;
        self.sealer.seal_last()?;
        self.inner.write_all(self.sealer.sealed())?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn check(&self) -> io::Result<()> {
        if self.failed { Err(StreamError::EarlierFailure.into()) } else { Ok(()) }
    }

    /// Seals and writes the full chunks. `more` says whether plaintext follows; if so, the last
    /// chunk in the buffer is not the last of the file.
    fn write_full(&mut self, more: bool) -> io::Result<()> {
        // From here on the buffer is partly sealed. If anything fails, it must not be used again.
        self.failed = true;
        self.sealer.seal(more)?;
        self.inner.write_all(self.sealer.sealed())?;
        self.sealer.written();
        self.failed = false;
        Ok(())
    }
}

impl<W: Write> Write for StreamWriter<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.check()?;
        if data.is_empty() {
            return Ok(0);
        }
        if self.sealer.is_full() {
            // Now it is known that the last chunk in the buffer is not the last of the file.
            self.write_full(true)?;
        }
        Ok(self.sealer.take(data))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        self.write_full(false)?;
        self.inner.flush()
    }
}

impl<W> fmt::Debug for StreamWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter").field("failed", &self.failed).finish_non_exhaustive()
    }
}
