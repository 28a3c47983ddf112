//! Opens a payload while it is read, without blocking.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use super::seeking::Seeking;
use crate::input::Input;
use crate::keys::FILE_ID_BYTES;
use crate::stream::{Opener, PayloadKey};

/// Completes a pending seek of a reader. Returns the position.
type CompleteSeek<R> = fn(&mut AsyncStreamReader<R>, &mut Context<'_>) -> Poll<io::Result<u64>>;

/// Decrypts what it reads, and hands out only authenticated plaintext, in order (feature `tokio`).
/// It is a [`StreamReader`](crate::StreamReader) that does not block.
///
/// The end of the file (a read of 0 bytes) is reported only after the last chunk has been
/// authenticated as the last one. If the file is damaged, the plaintext before the error is a
/// prefix of the whole. Errors of the payload are [`StreamError`](crate::StreamError)s wrapped in
/// an [`io::Error`], and every later read returns the same error until a seek succeeds. After an
/// error of the inner reader, reading can go on.
///
/// It holds one buffer of about 256 KiB, which is wiped when it is dropped. [`AsyncBufRead`] gives
/// access to the plaintext in it without another copy. [`AsyncSeek`](::tokio::io::AsyncSeek) is
/// implemented if the inner reader implements it.
///
/// # Cancellation
///
/// The future of a read may be dropped: bytes that were read stay in the buffer, and no plaintext
/// is lost. The future of a seek may be dropped too: the next read or seek completes it first, and
/// returns its error if it fails.
///
/// # Work in a poll
///
/// Chunks are opened in the task that polls the reader: at most one of 64 KiB in a call, or two if
/// the call also completes a seek. A damaged chunk may be tried twice.
///
/// # Example
///
/// ```
/// use sealane_age::{AsyncStreamReader, AsyncStreamWriter, Decryptor, Encryptor, Identity, Recipient, x25519};
/// use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let identity = x25519::Identity::generate()?;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async move {
/// let encryptor = Encryptor::with_recipients([&identity.to_public() as &dyn Recipient])?;
/// let mut writer: AsyncStreamWriter<Vec<u8>> = encryptor.wrap_async_output(Vec::new())?;
/// writer.write_all(b"attack at dawn").await?;
/// let file = writer.finish().await?;
///
/// let decryptor = Decryptor::new_async(&file[..]).await?;
/// let mut reader: AsyncStreamReader<&[u8]> = decryptor.decrypt_async([&identity as &dyn Identity])?;
/// let mut plaintext = Vec::new();
/// reader.read_to_end(&mut plaintext).await?;
/// assert_eq!(plaintext, b"attack at dawn");
/// # Ok(())
/// # })
/// # }
/// ```
pub struct AsyncStreamReader<R> {
    pub(super) input: Input<R>,
    pub(super) opener: Opener,
    /// The length of the header and the nonce: the first chunk starts this many bytes after `base`.
    pub(super) header_len: u64,
    /// The position of the input when the decryptor was created, once it is known.
    pub(super) base: Option<u64>,
    /// A seek that is not complete.
    pub(super) seeking: Option<Seeking>,
    /// The function that completes a seek, set by the first seek. A read needs this pointer,
    /// because it knows the inner reader only as an [`AsyncRead`].
    pub(super) complete_seek: Option<CompleteSeek<R>>,
    /// Whether the inner reader is seeking.
    pub(super) is_moving: bool,
}

impl<R> AsyncStreamReader<R> {
    pub(super) fn new(input: Input<R>, key: PayloadKey) -> Self {
        let header_len = input.delivered();
        Self {
            input,
            opener: Opener::new(key),
            header_len,
            base: None,
            seeking: None,
            complete_seek: None,
            is_moving: false,
        }
    }

    /// Returns the file's id: see [`Encryptor::file_id`](crate::Encryptor::file_id).
    pub fn file_id(&self) -> [u8; FILE_ID_BYTES] {
        self.opener.key.file_id()
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

    /// Completes a pending seek first, and then does the same as `poll_open`.
    fn poll_plaintext(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(complete) = self.complete_seek.filter(|_| self.seeking.is_some()) {
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
