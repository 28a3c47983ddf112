//! Opens a payload while it is read.

use std::fmt;
use std::io::{self, BufRead, Read};

use super::{Opener, PayloadKey};
use crate::input::Input;
use crate::keys::FILE_ID_BYTES;

/// Decrypts what it reads, and hands out only authenticated plaintext, in order.
///
/// The end of the file (a read of 0 bytes) is reported only after the last chunk has been
/// authenticated as the last one. If the file is damaged, the plaintext before the error is a
/// prefix of the whole. Errors of the payload are [`StreamError`](super::StreamError)s wrapped in
/// an [`io::Error`], and every later read returns the same error until a seek succeeds.
///
/// It holds one buffer of about 256 KiB, which is wiped when it is dropped. [`BufRead`] gives
/// access to the plaintext in the buffer, at most a chunk of 64 KiB at a time, without another
/// copy.
///
/// [`Seek`](io::Seek) is implemented if the input implements it.
pub struct StreamReader<R> {
    pub(crate) input: Input<R>,
    pub(crate) opener: Opener,
    /// The length of the header and the nonce: the first chunk starts this many bytes after `base`.
    pub(crate) header_len: u64,
    /// The position of the input when the decryptor was created, once it is known.
    pub(super) base: Option<u64>,
}

impl<R> StreamReader<R> {
    pub(crate) fn new(input: Input<R>, header_len: u64, key: PayloadKey) -> Self {
        Self { input, opener: Opener::new(key), header_len, base: None }
    }

    /// Returns the file's id: see [`Encryptor::file_id`](crate::Encryptor::file_id).
    pub fn file_id(&self) -> [u8; FILE_ID_BYTES] {
        self.opener.key.file_id()
    }
}

impl<R: Read> StreamReader<R> {
    /// Verifies the rest of the file: opens all chunks from the reader's position on, and discards
    /// the plaintext. Returns the position at the end, which is the authentic length of the
    /// plaintext unless the reader was beyond it.
    ///
    /// # Errors
    ///
    /// The errors of the input, and a [`StreamError`](super::StreamError) if the file is damaged.
    pub fn verify(&mut self) -> io::Result<u64> {
        loop {
            let len = match self.fill_buf() {
                Ok([]) => return Ok(self.opener.position()),
                Ok(plaintext) => plaintext.len(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.consume(len);
        }
    }
}

impl<R: Read> BufRead for StreamReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while !self.opener.advance()? {
            let n = self.input.read(self.opener.room())?;
            self.opener.filled(n);
        }
        Ok(self.opener.plaintext())
    }

    fn consume(&mut self, amount: usize) {
        self.opener.consume(amount);
    }
}

impl<R: Read> Read for StreamReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let ready = self.fill_buf()?;
        let n = ready.len().min(out.len());
        out[..n].copy_from_slice(&ready[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R> fmt::Debug for StreamReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamReader").field("position", &self.opener.position()).finish_non_exhaustive()
    }
}
