//! Writes armored files.

use std::fmt;
use std::io::{self, Write};

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{ArmorError, BEGIN, BYTES_PER_LINE, COLUMNS, END};

/// The approximate length of the pieces in which text is written to the inner writer.
const BUFFER_BYTES: usize = 64 << 10;

/// The form in which an age file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Binary, unchanged.
    Binary,
    /// Armored text.
    Armored,
}

/// Writes an age file as text.
///
/// Call [`ArmoredWriter::finish`] at the end. Without it, the text lacks its last lines and cannot
/// be decoded. Lines end with a line feed on every system.
///
/// If text cannot be written to the inner writer, every later call fails, because it is not known
/// how much was written.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # use sealane_age::{Encryptor, armor::ArmoredWriter};
/// # fn seal(encryptor: Encryptor) -> std::io::Result<()> {
/// let writer = encryptor.wrap_output(ArmoredWriter::new(Vec::new()))?;
/// // This ends the encrypted file, but not its text.
/// writer.finish()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "without `finish`, the file has no end"]
pub struct ArmoredWriter<W> {
    inner: W,
    format: Format,
    /// Bytes that do not fill a line yet.
    pending: [u8; BYTES_PER_LINE],
    pending_len: usize,
    text: Vec<u8>,
    failed: bool,
}

impl<W: Write> ArmoredWriter<W> {
    /// Returns a writer of text. It passes text on to `inner` in pieces of about 64 KiB.
    pub fn new(inner: W) -> Self {
        Self::with_format(inner, Format::Armored)
    }

    /// Returns a writer of text, or one that passes everything on unchanged, so that a caller needs
    /// only one type.
    pub fn with_format(inner: W, format: Format) -> Self {
        let mut text = Vec::new();
        if format == Format::Armored {
            text.reserve_exact(BUFFER_BYTES + 2 * (COLUMNS + 1));
            text.extend_from_slice(BEGIN);
            text.push(b'\n');
        }
        Self { inner, format, pending: [0; BYTES_PER_LINE], pending_len: 0, text, failed: false }
    }

    /// Writes the rest of the text and the `END` line, unless the format is binary. Flushes, and
    /// returns the inner writer.
    ///
    /// # Errors
    ///
    /// The errors of the inner writer, and [`ArmorError::EarlierFailure`] if an earlier write
    /// failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.check()?;
        if self.format == Format::Armored {
            if self.pending_len > 0 {
                let pending = self.pending;
                self.line(&pending[..self.pending_len]);
            }
            self.text.extend_from_slice(END);
            self.text.push(b'\n');
            self.inner.write_all(&self.text)?;
        }
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn check(&self) -> io::Result<()> {
        if self.failed { Err(ArmorError::EarlierFailure.into()) } else { Ok(()) }
    }

    fn line(&mut self, bytes: &[u8]) {
        let mut columns = [0; COLUMNS];
        let n = BASE64_STANDARD.encode_slice(bytes, &mut columns).expect("48 bytes are 64 columns");
        self.text.extend_from_slice(&columns[..n]);
        self.text.push(b'\n');
    }

    fn write_text(&mut self) -> io::Result<()> {
        // If the inner writer panics, it is not known either how much was written.
        self.failed = true;
        self.inner.write_all(&self.text)?;
        self.text.clear();
        self.failed = false;
        Ok(())
    }
}

impl<W: Write> Write for ArmoredWriter<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.check()?;
        if self.format == Format::Binary {
            return self.inner.write(data);
        }
        let mut rest = data;
        while !rest.is_empty() {
            if self.text.len() >= BUFFER_BYTES {
                self.write_text()?;
            }
            if self.pending_len == 0 && rest.len() >= BYTES_PER_LINE {
                let (line, after) = rest.split_at(BYTES_PER_LINE);
                self.line(line);
                rest = after;
                continue;
            }
            let n = rest.len().min(BYTES_PER_LINE - self.pending_len);
            self.pending[self.pending_len..self.pending_len + n].copy_from_slice(&rest[..n]);
            self.pending_len += n;
            rest = &rest[n..];
            if self.pending_len == BYTES_PER_LINE {
                let pending = self.pending;
                self.line(&pending);
                self.pending_len = 0;
            }
        }
        Ok(data.len())
    }

    /// Writes the full lines, and flushes the inner writer.
    fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        if self.format == Format::Armored {
            self.write_text()?;
        }
        self.inner.flush()
    }
}

impl ArmoredWriter<Vec<u8>> {
    /// Returns a whole file as text.
    pub(crate) fn text(file: &[u8]) -> String {
        let lines = file.len().div_ceil(BYTES_PER_LINE);
        let columns = file.len().div_ceil(3) * 4;
        let text = Vec::with_capacity(BEGIN.len() + 1 + columns + lines + END.len() + 1);
        let mut writer = Self::new(text);
        let written = writer.write_all(file).and_then(|()| writer.finish());
        String::from_utf8(written.expect("a vector takes everything")).expect("base64 is ASCII")
    }
}

impl<W> fmt::Debug for ArmoredWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArmoredWriter").field("format", &self.format).finish_non_exhaustive()
    }
}
