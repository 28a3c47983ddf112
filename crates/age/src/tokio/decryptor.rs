//! Decrypts files from tokio's readers: the async functions of [`Decryptor`].

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, ReadBuf};

use super::reader::AsyncStreamReader;
use crate::decryptor::Decryptor;
use crate::error::DecryptError;
use crate::header::{HeaderError, Reading};
use crate::identity::Identity;
use crate::input::Input;
use crate::preamble::Preamble;
use crate::stream::NONCE_BYTES;

impl<R: AsyncRead + Unpin> Decryptor<R> {
    /// Does the same as [`Decryptor::new`] for tokio (feature `tokio`).
    ///
    /// The file must be binary. Armor is available for blocking readers only;
    /// [`decrypt`](crate::decrypt()) reads it in memory.
    ///
    /// If the future is dropped, the reader is dropped too. If the reader was borrowed, the bytes
    /// that were read from it are lost. Between two waits, the future reads at most
    /// [`MAX_HEADER_BYTES`](crate::header::MAX_HEADER_BYTES), the longest header.
    ///
    /// # Errors
    ///
    /// The errors of [`Decryptor::new`]. An armored file gives [`HeaderError::Armored`].
    pub async fn new_async(reader: R) -> Result<Self, DecryptError> {
        let mut input = Input::new(reader);
        let mut reading = Reading::default();
        let header = loop {
            if let Some(header) = reading.advance(&mut input)? {
                break header;
            }
            if !poll_fn(|cx| input.poll_refill(cx)).await? {
                return Err(reading.eof().into());
            }
        };
        let mut nonce = [0; NONCE_BYTES];
        let mut filled = 0;
        while filled < NONCE_BYTES {
            match poll_fn(|cx| input.poll_read(cx, &mut nonce[filled..])).await? {
                0 => return Err(HeaderError::Truncated.into()),
                n => filled += n,
            }
        }
        Ok(Self { input, preamble: Preamble::new(header, nonce) })
    }

    /// Does the same as [`Decryptor::decrypt`] for tokio (feature `tokio`).
    ///
    /// This blocks: for about a second with a passphrase, and for as long as a plugin takes. Call
    /// it where the runtime allows blocking, for example in `spawn_blocking`.
    ///
    /// # Errors
    ///
    /// The errors of [`Decryptor::decrypt`].
    pub fn decrypt_async<'a>(
        self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<AsyncStreamReader<R>, DecryptError> {
        let key = self.preamble.unlock(identities)?;
        Ok(AsyncStreamReader::new(self.input, key))
    }
}

impl<R: AsyncRead + Unpin> Input<R> {
    /// Does the same as [`Input::read`].
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>, out: &mut [u8]) -> Poll<io::Result<usize>> {
        let ahead = self.take(out);
        if ahead > 0 {
            return Poll::Ready(Ok(ahead));
        }
        let n = ready!(poll_read_once(&mut self.inner, cx, out))?;
        self.passed(n);
        Poll::Ready(Ok(n))
    }

    /// Does the same as [`Input::refill`].
    fn poll_refill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let n = ready!(poll_read_once(&mut self.inner, cx, &mut self.buf))?;
        Poll::Ready(Ok(self.refilled(n)))
    }
}

fn poll_read_once<R: AsyncRead + Unpin>(
    inner: &mut R,
    cx: &mut Context<'_>,
    out: &mut [u8],
) -> Poll<io::Result<usize>> {
    let mut buf = ReadBuf::new(out);
    loop {
        match ready!(Pin::new(&mut *inner).poll_read(cx, &mut buf)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return Poll::Ready(result.map(|()| buf.filled().len())),
        }
    }
}
