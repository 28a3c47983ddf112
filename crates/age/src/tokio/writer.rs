//! Seals a payload while it is written, without blocking.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::AsyncWrite;

use crate::encryptor::Encryptor;
use crate::stream::{Sealer, StreamError};

/// Encrypts what is written to it (feature `tokio`). It is a [`StreamWriter`](crate::StreamWriter)
/// that does not block.
///
/// Call [`shutdown`](AsyncWrite::poll_shutdown) or [`AsyncStreamWriter::finish`] at the end, and
/// wait until it completes. Otherwise the file lacks its last chunk, and cannot be opened to the
/// end.
///
/// Plaintext is buffered: up to four chunks of 64 KiB. A flush writes all of them but the last,
/// which may be the last of the file.
///
/// # Cancellation
///
/// The future of a write, a flush or a shutdown may be dropped. A write that was not ready has
/// taken none of its data. Sealed bytes stay in the buffer and are not sealed again; the next call
/// of any kind writes them. No two chunks ever have the same number. After a shutdown has begun,
/// nothing more can be written; another shutdown continues the first one.
///
/// # Work in a poll
///
/// Chunks are sealed in the task that polls the writer: at most 256 KiB in one call. On a busy
/// runtime, consider a separate task for it.
///
/// # Errors
///
/// After an error or a panic of the inner writer, every later call fails with
/// [`StreamError::EarlierFailure`]: it is not known how much was written, and no chunk may be
/// sealed twice. After a shutdown has begun, a write fails with [`StreamError::Finished`].
#[must_use = "without `shutdown` or `finish`, the file has no end"]
pub struct AsyncStreamWriter<W> {
    pub(super) inner: W,
    /// The header and the nonce, until they have been written.
    pub(super) start: Vec<u8>,
    pub(super) sealer: Sealer,
    /// The number of bytes of `start`, or later of the sealed chunks, that the inner writer has
    /// taken.
    pub(super) written: usize,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    /// The caller has ended the file.
    Ending,
    /// The last chunk has been sealed.
    Sealed,
    /// The last chunk has been written, and the inner writer has been shut down.
    ShutDown,
    Failed,
}

impl Encryptor {
    /// Does the same as [`Encryptor::wrap_output`] for tokio (feature `tokio`). It writes nothing
    /// yet: the header is written by the first write that is not empty, flush, shutdown or
    /// `finish`.
    ///
    /// The file is binary. Armor is available for blocking writers only;
    /// [`Encryptor::encrypt_to_armor`] creates it in memory.
    ///
    /// ```
    /// use sealane_age::{Decryptor, Encryptor, Identity, Recipient, x25519};
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let identity = x25519::Identity::generate()?;
    /// let recipient = identity.to_public();
    ///
    /// let mut file = Vec::new();
    /// let mut writer = Encryptor::with_recipients([&recipient as &dyn Recipient])?.wrap_async_output(&mut file)?;
    /// writer.write_all(b"the quick brown fox").await?;
    /// writer.shutdown().await?;
    ///
    /// let decryptor = Decryptor::new_async(&file[..]).await?;
    /// let mut reader = decryptor.decrypt_async([&identity as &dyn Identity])?;
    /// let mut plaintext = Vec::new();
    /// reader.read_to_end(&mut plaintext).await?;
    /// assert_eq!(plaintext, b"the quick brown fox");
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A failure of the system's random number generator.
    pub fn wrap_async_output<W: AsyncWrite + Unpin>(self, output: W) -> io::Result<AsyncStreamWriter<W>> {
        let (start, cipher) = self.start().map_err(io::Error::other)?;
        Ok(AsyncStreamWriter { inner: output, start, sealer: Sealer::new(cipher), written: 0, state: State::Open })
    }
}

impl<W: AsyncWrite + Unpin> AsyncStreamWriter<W> {
    /// Seals and writes the last chunk, flushes, and returns the inner writer. The inner writer is
    /// not shut down.
    ///
    /// If the future is dropped, the writer is dropped too, and the file may be incomplete.
    ///
    /// # Errors
    ///
    /// The errors of the inner writer, and a [`StreamError`] if an earlier call failed or there are
    /// too many chunks. The file may then be incomplete.
    pub async fn finish(mut self) -> io::Result<W> {
        poll_fn(|cx| {
            self.poll_or_fail(cx, |writer, cx| {
                ready!(writer.poll_last(cx))?;
                Pin::new(&mut writer.inner).poll_flush(cx)
            })
        })
        .await?;
        Ok(self.inner)
    }

    /// Polls an operation. If it fails or panics, every later operation fails.
    fn poll_or_fail<T>(
        &mut self,
        cx: &mut Context<'_>,
        act: impl FnOnce(&mut Self, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if self.state == State::Failed {
            return Poll::Ready(Err(StreamError::EarlierFailure.into()));
        }
        let mut polling = Polling { writer: self, has_failed: true };
        let result = act(polling.writer, cx);
        polling.has_failed = matches!(result, Poll::Ready(Err(_)));
        result
    }

    /// Writes pending bytes: the header, and sealed chunks.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.start.is_empty() {
            ready!(poll_write_all(&mut self.inner, cx, &self.start, &mut self.written))?;
            (self.start, self.written) = (Vec::new(), 0);
        }
        ready!(poll_write_all(&mut self.inner, cx, self.sealer.sealed(), &mut self.written))?;
        self.sealer.written();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    /// Seals and writes the chunks that cannot be the last of the file. The last chunk in the
    /// buffer stays even if the caller is about to write more, because that write may never come.
    fn poll_full(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        self.sealer.seal(false)?;
        self.poll_drain(cx)
    }

    /// Seals the last chunk, once, and writes everything.
    fn poll_last(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.state == State::Open {
            self.state = State::Ending;
        }
        ready!(self.poll_drain(cx))?;
        if self.state == State::Ending {
            self.sealer.seal_last()?;
            self.state = State::Sealed;
        }
        self.poll_drain(cx)
    }
}

/// An operation. If it fails or panics, the drop marks the writer as failed, because it is not
/// known how much the inner writer has taken.
struct Polling<'a, W> {
    writer: &'a mut AsyncStreamWriter<W>,
    has_failed: bool,
}

impl<W> Drop for Polling<'_, W> {
    fn drop(&mut self) {
        if self.has_failed {
            self.writer.state = State::Failed;
        }
    }
}

/// Writes `data` from `written` on.
fn poll_write_all<W: AsyncWrite + Unpin>(
    inner: &mut W,
    cx: &mut Context<'_>,
    data: &[u8],
    written: &mut usize,
) -> Poll<io::Result<()>> {
    while *written < data.len() {
        match ready!(Pin::new(&mut *inner).poll_write(cx, &data[*written..])) {
            Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            Ok(n) => *written += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
    Poll::Ready(Ok(()))
}

impl<W: AsyncWrite + Unpin> AsyncWrite for AsyncStreamWriter<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        match self.state {
            State::Ending | State::Sealed | State::ShutDown => return Poll::Ready(Err(StreamError::Finished.into())),
            State::Open if data.is_empty() => return Poll::Ready(Ok(0)),
            State::Open | State::Failed => {}
        }
        self.poll_or_fail(cx, |writer, cx| {
            ready!(writer.poll_drain(cx))?;
            if writer.sealer.is_full() {
                ready!(writer.poll_full(cx))?;
            }
            Poll::Ready(Ok(writer.sealer.take(data)))
        })
    }

    /// Writes the chunks that cannot be the last of the file, and flushes the inner writer.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_or_fail(cx, |writer, cx| {
            match writer.state {
                State::ShutDown => return Poll::Ready(Ok(())),
                State::Sealed => ready!(writer.poll_drain(cx))?,
                State::Open | State::Ending | State::Failed => ready!(writer.poll_full(cx))?,
            }
            Pin::new(&mut writer.inner).poll_flush(cx)
        })
    }

    /// Seals and writes the last chunk, and shuts the inner writer down. Later shutdowns do
    /// nothing.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_or_fail(cx, |writer, cx| {
            if writer.state != State::ShutDown {
                ready!(writer.poll_last(cx))?;
                ready!(Pin::new(&mut writer.inner).poll_shutdown(cx))?;
                writer.state = State::ShutDown;
            }
            Poll::Ready(Ok(()))
        })
    }
}

impl<W> fmt::Debug for AsyncStreamWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncStreamWriter").field("state", &self.state).finish_non_exhaustive()
    }
}
