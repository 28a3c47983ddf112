//! Random access to a payload without blocking. A seek does the same as in `stream/seek.rs`, but in
//! steps that can wait.

use std::future::poll_fn;
use std::io::{self, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncSeek};

use super::reader::AsyncStreamReader;
use super::seeking::{Seeking, Step, To};
use crate::stream::{CHUNK_BYTES, Snapshot, StreamError, chunk_start, last_chunk, out_of_range};

impl<R: AsyncRead + AsyncSeek + Unpin> AsyncStreamReader<R> {
    /// Returns the length of the plaintext in bytes.
    ///
    /// The length of the file proves nothing, because the file may have been cut. The last chunk is
    /// therefore authenticated first, unless it already has been. The position does not change.
    ///
    /// # Errors
    ///
    /// The errors of the inner reader or of a pending seek, and a [`StreamError`] if the file does
    /// not end with an authentic last chunk. The reader keeps its position and stays usable, unless
    /// the inner reader moves and then fails to seek back.
    pub async fn plaintext_len(&mut self) -> io::Result<u64> {
        poll_fn(|cx| self.poll_seek(cx)).await?;
        if self.opener.plaintext_len.is_none() {
            self.begin(To::Length);
            poll_fn(|cx| self.poll_seek(cx)).await?;
        }
        self.opener.plaintext_len.ok_or_else(|| StreamError::Truncated.into())
    }

    fn begin(&mut self, to: To) {
        let home = self.opener.snapshot();
        self.seeking = Some(Seeking { to, step: Step::Begin, home, error: None });
        self.complete_seek = Some(Self::poll_seek);
    }

    /// Completes a pending seek, if there is one. Returns the position.
    fn poll_seek(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        while let Some(Seeking { to, step, home, .. }) = self.seeking {
            let result = ready!(self.poll_step(cx, to, step, home));
            let seeking = self.seeking.as_mut().expect("nothing else completes it");
            match (result, step) {
                (Ok(Some(next)), _) => seeking.step = next,
                // Nothing has moved.
                (Err(error), Step::Begin) => {
                    self.seeking = None;
                    return Poll::Ready(Err(error));
                }
                // If the input has moved, and moving back fails, later reads return
                // `EarlierFailure`. This call returns the first error.
                (returned @ (Ok(None) | Err(_)), Step::Return) => {
                    if returned.is_err() {
                        self.opener.strand(home);
                    }
                    let error = seeking.error.take().expect("something failed");
                    self.seeking = None;
                    return Poll::Ready(Err(error));
                }
                (Ok(None), _) => self.seeking = None,
                (Err(error), _) => (seeking.step, seeking.error) = (Step::Return, Some(error)),
            }
        }
        Poll::Ready(Ok(self.opener.position()))
    }

    /// Performs `step`. Returns the next step, or `None` if `step` was the last one.
    fn poll_step(
        &mut self,
        cx: &mut Context<'_>,
        to: To,
        step: Step,
        home: Snapshot,
    ) -> Poll<io::Result<Option<Step>>> {
        let next = match step {
            Step::Begin => match self.target(to, home)? {
                Some(target) if self.opener.move_within_buffer(target) => None,
                Some(target) if self.opener.plaintext_len.is_some() => Some(Step::Move(target)),
                _ => Some(Step::FindLastChunk),
            },
            Step::FindLastChunk => {
                let start = ready!(self.poll_first_chunk_start(cx))?;
                let end = ready!(self.poll_move_input(cx, SeekFrom::End(0)))?;
                let last = last_chunk(end.saturating_sub(start));
                match self.target(to, home)? {
                    Some(target) if target / CHUNK_BYTES as u64 <= last => Some(Step::Move(target)),
                    // Only the last chunk can show that the plaintext ends before the target.
                    _ => Some(Step::MoveToLastChunk(last)),
                }
            }
            Step::MoveToLastChunk(number) => {
                ready!(self.poll_move_to(cx, number * CHUNK_BYTES as u64))?;
                Some(Step::OpenLastChunk)
            }
            Step::OpenLastChunk => {
                ready!(self.poll_open(cx))?;
                // The input ends with this chunk. If the chunk is authentic but not marked as the
                // last one, the last chunk is missing.
                self.opener.plaintext_len.ok_or(StreamError::Truncated)?;
                self.target(to, home)?.map(Step::Move)
            }
            Step::Move(target) => {
                ready!(self.poll_move_to(cx, target))?;
                None
            }
            Step::Return => {
                ready!(self.poll_move_to(cx, home.position))?;
                self.opener.restore(home);
                None
            }
        };
        Poll::Ready(Ok(next))
    }

    /// Returns the position to go to, or `None` if it depends on the length and the length is
    /// unknown.
    fn target(&self, to: To, home: Snapshot) -> io::Result<Option<u64>> {
        let target = match (to, self.opener.plaintext_len) {
            (To::Position(SeekFrom::Start(target)), _) => Some(target),
            (To::Position(SeekFrom::Current(delta)), _) => home.position.checked_add_signed(delta),
            (To::Position(SeekFrom::End(delta)), Some(len)) => len.checked_add_signed(delta),
            (To::Length, Some(_)) => Some(home.position),
            (To::Position(SeekFrom::End(_)) | To::Length, None) => return Ok(None),
        };
        target.map(Some).ok_or_else(out_of_range)
    }

    /// Makes the byte at `target` the next one to be read.
    fn poll_move_to(&mut self, cx: &mut Context<'_>, target: u64) -> Poll<io::Result<()>> {
        if self.opener.move_to_end(target) {
            return Poll::Ready(Ok(()));
        }
        let first = ready!(self.poll_first_chunk_start(cx))?;
        let start = chunk_start(first, target).ok_or_else(out_of_range)?;
        ready!(self.poll_move_input(cx, SeekFrom::Start(start)))?;
        self.opener.finish_seek(target);
        Poll::Ready(Ok(()))
    }

    fn poll_first_chunk_start(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let base = match self.base {
            Some(base) => base,
            None => {
                let position = ready!(self.poll_move_input(cx, SeekFrom::Current(0)))?;
                *self.base.insert(self.input.base_from(position))
            }
        };
        Poll::Ready(base.checked_add(self.header_len).ok_or_else(out_of_range))
    }

    /// Moves the inner reader. Returns its position.
    fn poll_move_input(&mut self, cx: &mut Context<'_>, to: SeekFrom) -> Poll<io::Result<u64>> {
        if !self.is_moving {
            // A dropped read may still be going on inside the inner reader, and must end first.
            ready!(Pin::new(&mut self.input.inner).poll_complete(cx))?;
            Pin::new(&mut self.input.inner).start_seek(to)?;
            self.is_moving = true;
        }
        let position = ready!(Pin::new(&mut self.input.inner).poll_complete(cx));
        self.is_moving = false;
        // A question for the position does not move the inner reader.
        if position.is_ok() && to != SeekFrom::Current(0) {
            self.input.forget();
            self.opener.begin_seek();
        }
        Poll::Ready(position)
    }
}

/// Positions are positions in the plaintext.
///
/// A seek relative to the end, or beyond the last chunk, authenticates the last chunk first,
/// because otherwise the length is not known. Other seeks only move, and the chunk is authenticated
/// when it is read. If a seek fails, the reader keeps its position and stays usable, unless the
/// inner reader moves and then fails to seek back. An inner reader that cannot seek does not move.
/// A position beyond the end is allowed, as in a file. A read there returns no bytes.
impl<R: AsyncRead + AsyncSeek + Unpin> AsyncSeek for AsyncStreamReader<R> {
    /// Fails if another seek is not complete: call [`AsyncSeek::poll_complete`] first.
    fn start_seek(mut self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        if self.seeking.is_some() {
            return Err(io::Error::other("another seek is not complete"));
        }
        self.begin(To::Position(to));
        Ok(())
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        self.poll_seek(cx)
    }
}
