//! Opens a payload.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use super::seek::Seeking;
use crate::input::Input;
use crate::keys::FILE_ID_LEN;
use crate::stream::{ChunkCipher, Opener};

/// Decrypts what it reads, and hands out only what it has authenticated, in order, for tokio (feature `tokio`):
/// [`StreamReader`](crate::StreamReader) for a reader that does not block.
///
/// The end of the file is reported (a read of 0 bytes) only after the last chunk has been authenticated as the last one. Whatever is wrong
/// with the file, what was handed out before the error is a prefix of the plaintext. Errors of the payload are
/// [`StreamError`](crate::StreamError)s wrapped in an [`io::Error`], and stay. After an error of the inner reader, reading can go on.
///
/// It holds one buffer of about 256 KiB, whose content is wiped when it is dropped. [`AsyncBufRead`] gives access to the plaintext in it
/// without another copy. [`AsyncSeek`](::tokio::io::AsyncSeek) is there if the inner reader has it.
///
/// # Cancellation
///
/// The future of a read may be dropped: what has been read waits here, and no plaintext is lost. So may that of a seek: the next read or
/// seek completes it first, and gives its error if it fails.
///
/// # Work in a poll
///
/// Chunks are opened where the reader is polled: one of 64 KiB in one call, or two if a seek is completed in it. One that is damaged may be
/// tried twice.
pub struct AsyncStreamReader<R> {
    pub(super) input: Input<R>,
    pub(super) opener: Opener,
    /// Where the payload starts, counted from the place where the input was when the decryptor got it.
    pub(super) header_len: u64,
    /// That place, once it has been asked for.
    pub(super) base: Option<u64>,
    /// A seek that has begun and is not complete.
    pub(super) seeking: Option<Seeking<R>>,
    /// The inner reader is on its way.
    pub(super) is_moving: bool,
    file_id: [u8; FILE_ID_LEN],
}

impl<R> AsyncStreamReader<R> {
    pub(super) fn new(input: Input<R>, cipher: ChunkCipher, file_id: [u8; FILE_ID_LEN]) -> Self {
        let header_len = input.delivered();
        Self { input, opener: Opener::new(cipher), header_len, base: None, seeking: None, is_moving: false, file_id }
    }

    /// What tells this file from all others: [`Encryptor::file_id`](crate::Encryptor::file_id).
    pub fn file_id(&self) -> [u8; FILE_ID_LEN] {
        self.file_id
    }
}

impl<R: AsyncRead + Unpin> AsyncStreamReader<R> {
    /// Reads and opens until there is plaintext, or the end.
    pub(super) fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.opener.advance()? {
            let n = ready!(self.input.poll_read(cx, self.opener.room()))?;
            self.opener.filled(n);
        }
        Poll::Ready(Ok(()))
    }

    /// The same after a seek that nobody waited for.
    fn poll_plaintext(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(seeking) = &self.seeking {
            let complete = seeking.complete;
            ready!(complete(self, cx))?;
        }
        self.poll_open(cx)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for AsyncStreamReader<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if out.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_plaintext(cx))?;
        let ready = self.opener.plaintext();
        let n = ready.len().min(out.remaining());
        out.put_slice(&ready[..n]);
        self.opener.consume(n);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> AsyncBufRead for AsyncStreamReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let reader = self.get_mut();
        ready!(reader.poll_plaintext(cx))?;
        Poll::Ready(Ok(reader.opener.plaintext()))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        self.opener.consume(amount);
    }
}

impl<R> fmt::Debug for AsyncStreamReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncStreamReader").field("position", &self.opener.position()).finish_non_exhaustive()
    }
}
