//! An input that tells where it is, but cannot always seek.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

use sealane_age::StreamError;
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};

/// An input that can seek only a given number of times.
pub(crate) struct Stuck<'a>(Cursor<&'a [u8]>, usize);

impl<'a> Stuck<'a> {
    pub(crate) fn new(file: &'a [u8], seeks: usize) -> Self {
        Self(Cursor::new(file), seeks)
    }

    fn use_up(&mut self) -> io::Result<()> {
        self.1 = self.1.checked_sub(1).ok_or(io::ErrorKind::NotSeekable)?;
        Ok(())
    }
}

impl Read for Stuck<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl Seek for Stuck<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.use_up()?;
        self.0.seek(to)
    }
}

impl AsyncRead for Stuck<'_> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, out)
    }
}

impl AsyncSeek for Stuck<'_> {
    fn start_seek(mut self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        self.use_up()?;
        Pin::new(&mut self.0).start_seek(to)
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.0).poll_complete(cx)
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
