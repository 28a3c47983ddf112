//! An input that tells where it is, but cannot always seek.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

use sealane_age::StreamError;
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};

/// An input that can seek only a given number of times.
pub(crate) struct Stuck<'a> {
    file: Cursor<&'a [u8]>,
    seeks: usize,
    /// Whether the seek that is not complete fails.
    fails: bool,
}

impl<'a> Stuck<'a> {
    pub(crate) fn new(file: &'a [u8], seeks: usize) -> Self {
        Self { file: Cursor::new(file), seeks, fails: false }
    }

    fn use_up(&mut self) -> io::Result<()> {
        self.seeks = self.seeks.checked_sub(1).ok_or(io::ErrorKind::NotSeekable)?;
        Ok(())
    }
}

impl Read for Stuck<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.file.read(out)
    }
}

impl Seek for Stuck<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.use_up()?;
        self.file.seek(to)
    }
}

impl AsyncRead for Stuck<'_> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.file).poll_read(cx, out)
    }
}

impl AsyncSeek for Stuck<'_> {
    fn start_seek(mut self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        self.fails = self.use_up().is_err();
        if self.fails { Ok(()) } else { Pin::new(&mut self.file).start_seek(to) }
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        if std::mem::take(&mut self.fails) {
            return Poll::Ready(Err(io::ErrorKind::NotSeekable.into()));
        }
        Pin::new(&mut self.file).poll_complete(cx)
    }
}

/// Checks what a reader of [`Stuck`] does after it has read 100 bytes of `text`: `moved` is the
/// result of moving to 7 bytes before the end, and `read` that of reading `out` afterwards.
///
/// The reader first asks for the input's position and end. The third time, it moves to the last
/// chunk.
pub(crate) fn assert_stuck(seeks: usize, moved: io::Result<u64>, read: io::Result<()>, out: &[u8], text: &[u8]) {
    match moved {
        Ok(position) => {
            assert_eq!(position, text.len() as u64 - 7);
            read.unwrap();
            assert!(out == &text[text.len() - 7..], "{seeks}");
        }
        Err(error) => {
            assert_eq!(error.kind(), io::ErrorKind::NotSeekable, "{seeks}");
            if matches!(seeks, 2 | 3) {
                assert_eq!(StreamError::of(&read.unwrap_err()), Some(StreamError::EarlierFailure), "{seeks}");
                assert!(out.is_empty());
            } else {
                read.unwrap();
                assert!(out == &text[100..], "{seeks}");
            }
        }
    }
}
