//! Inner readers and writers that are not ready or are interrupted at random, and that take and
//! give few bytes at a time.

use std::io::{self, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};

/// Pseudo-random numbers: xorshift.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number from 0 to `sides` - 1.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % sides
    }
}

/// A wrapper that is not always ready. It checks that its traits are used correctly.
pub(crate) struct Flaky<T> {
    pub(crate) inner: T,
    dice: Dice,
    /// The largest number of bytes that are taken or given at a time.
    most: u64,
    is_seeking: bool,
    /// Whether bytes were read for a caller that was told to wait. As with tokio's files, the read
    /// must be completed before a seek.
    is_reading: bool,
}

impl<T> Flaky<T> {
    pub(crate) fn new(inner: T, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let most = [10, 1000, 70_000, 300_000][dice.roll(4) as usize];
        Self { inner, dice, most, is_seeking: false, is_reading: false }
    }

    /// Returns how many bytes are possible now, or the reason why none are.
    fn ready(&mut self, cx: &Context<'_>) -> Poll<io::Result<usize>> {
        match self.dice.roll(8) {
            0..3 => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            3 => Poll::Ready(Err(io::ErrorKind::Interrupted.into())),
            _ => Poll::Ready(Ok(1 + self.dice.roll(self.most) as usize)),
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Flaky<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        assert!(!self.is_seeking, "a read while a seek is not complete");
        let most = self.ready(cx);
        self.is_reading = most.is_pending();
        let most = ready!(most)?;
        let mut part = out.take(most);
        ready!(Pin::new(&mut self.inner).poll_read(cx, &mut part))?;
        let n = part.filled().len();
        out.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Flaky<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let most = ready!(self.ready(cx))?.min(data.len());
        Pin::new(&mut self.inner).poll_write(cx, &data[..most])
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match ready!(self.ready(cx)) {
            Err(_) => self.poll_flush(cx),
            Ok(_) => Pin::new(&mut self.inner).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match ready!(self.ready(cx)) {
            Err(_) => self.poll_shutdown(cx),
            Ok(_) => Pin::new(&mut self.inner).poll_shutdown(cx),
        }
    }
}

impl<T: AsyncSeek + Unpin> AsyncSeek for Flaky<T> {
    fn start_seek(mut self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        assert!(!self.is_seeking && !self.is_reading, "a seek while something else is not complete");
        Pin::new(&mut self.inner).start_seek(to)?;
        self.is_seeking = true;
        Ok(())
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        if self.dice.roll(2) == 0 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let position = ready!(Pin::new(&mut self.inner).poll_complete(cx));
        (self.is_seeking, self.is_reading) = (false, false);
        Poll::Ready(position)
    }
}

/// Runs a future to its end.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Polls a future. Drops it if it is not ready.
pub(crate) fn once<F: Future + Unpin>(mut future: F) -> Option<F::Output> {
    match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
