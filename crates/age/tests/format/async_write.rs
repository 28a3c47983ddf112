//! Writes files without blocking.

use std::cell::{Ref, RefCell};
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use sealane_age::{AsyncStreamWriter, Decryptor, Identity, StreamError};
use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::flaky::{Dice, Flaky, block_on, once};
use crate::support::{CHUNK, LENGTHS, SEALED, drain, encryptor, identity, open, plaintext};

fn error_of<T: std::fmt::Debug>(result: io::Result<T>) -> Option<StreamError> {
    StreamError::of(&result.unwrap_err())
}

#[track_caller]
fn opens_to(file: &[u8], text: &[u8]) {
    let (opened, error) = drain(&mut open(file));
    assert!(error.is_none(), "{error:?}");
    assert!(opened == text, "{} bytes, not {}", opened.len(), text.len());
}

#[test]
fn every_length_comes_back() {
    for (seed, len) in (1..).zip(LENGTHS) {
        let text = plaintext(len);
        let mut file = Vec::new();
        let mut writer = encryptor().wrap_async_output(Flaky::new(&mut file, seed)).unwrap();
        block_on(async {
            writer.write_all(&text).await?;
            writer.shutdown().await
        })
        .unwrap();
        opens_to(&file, &text);
    }
}

/// An output that takes `room` bytes, fails once, and takes more bytes after that.
#[derive(Clone)]
struct Disk(Rc<RefCell<Content>>);

struct Content {
    taken: Vec<u8>,
    room: usize,
    failed: bool,
    /// Whether the output is not ready.
    busy: bool,
    flushed: usize,
    shut_down: usize,
}

impl Disk {
    fn new(room: usize) -> Self {
        let (taken, failed, busy, flushed, shut_down) = (Vec::new(), false, false, 0, 0);
        Self(Rc::new(RefCell::new(Content { taken, room, failed, busy, flushed, shut_down })))
    }

    fn is(&self) -> Ref<'_, Content> {
        self.0.borrow()
    }
}

impl AsyncWrite for Disk {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let disk = &mut *self.0.borrow_mut();
        if disk.busy {
            return Poll::Pending;
        }
        if disk.taken.len() == disk.room && !disk.failed {
            disk.failed = true;
            return Poll::Ready(Err(io::ErrorKind::StorageFull.into()));
        }
        let n = if disk.failed { data.len() } else { data.len().min(disk.room - disk.taken.len()) };
        disk.taken.extend_from_slice(&data[..n]);
        Poll::Ready(Ok(n))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().flushed += 1;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().shut_down += 1;
        Poll::Ready(Ok(()))
    }
}

#[test]
fn a_writer_that_fails_midway_fails_for_good_and_leaves_a_prefix() {
    let text = plaintext(10 * CHUNK);
    for room in [0, 100, 216, 5000, 4 * CHUNK, 5 * CHUNK + 7, 9 * CHUNK, 10 * CHUNK] {
        let disk = Disk::new(room);
        let mut writer = encryptor().wrap_async_output(disk.clone()).unwrap();
        block_on(async {
            let result = match writer.write_all(&text).await {
                Ok(()) => writer.shutdown().await,
                failed => failed,
            };
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
            // The disk has room again, but it is not known how many of the sealed bytes it got.
            assert_eq!(error_of(writer.write(b"more").await), Some(StreamError::EarlierFailure));
            assert_eq!(error_of(writer.flush().await), Some(StreamError::EarlierFailure));
            assert_eq!(error_of(writer.shutdown().await), Some(StreamError::EarlierFailure));
            assert_eq!(StreamError::of(&writer.finish().await.err().unwrap()), Some(StreamError::EarlierFailure));
        });
        assert_eq!((disk.is().taken.len(), disk.is().shut_down), (room, 0), "nothing is written after the failure");
        if let Ok(decryptor) = Decryptor::new(&disk.is().taken[..]) {
            let (released, error) = drain(&mut decryptor.decrypt([identity() as &dyn Identity]).unwrap());
            assert!(StreamError::of(&error.unwrap()).is_some());
            assert!(text.starts_with(&released));
        }
    }
}

/// An output that takes bytes and panics, once.
struct Panicking {
    taken: Vec<u8>,
    panicked: bool,
}

impl AsyncWrite for Panicking {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.taken.extend_from_slice(data);
        assert!(std::mem::replace(&mut self.panicked, true), "the output panics");
        Poll::Ready(Ok(data.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[test]
fn nothing_is_written_twice_after_a_panic() {
    let mut output = Panicking { taken: Vec::new(), panicked: false };
    let mut writer = encryptor().wrap_async_output(&mut output).unwrap();
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| block_on(writer.flush()))).unwrap_err();
    assert_eq!(error_of(block_on(writer.write(b"more"))), Some(StreamError::EarlierFailure));
    assert_eq!(error_of(block_on(writer.finish()).map(drop)), Some(StreamError::EarlierFailure));
    let header = output.taken.windows(7).filter(|part| part == b"age-enc").count();
    assert_eq!(header, 1);
}

/// An output that takes nothing and does not report that it is full.
#[test]
fn an_output_that_takes_nothing_is_an_error() {
    let mut none = [0; 0];
    let mut writer = encryptor().wrap_async_output(io::Cursor::new(&mut none[..])).unwrap();
    let error = block_on(writer.shutdown()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    assert_eq!(error_of(block_on(writer.shutdown())), Some(StreamError::EarlierFailure));
}

#[test]
fn shutdown_is_done_once_and_nothing_follows_it() {
    for len in [0, 10, CHUNK, 4 * CHUNK] {
        let text = plaintext(len);
        let disk = Disk::new(usize::MAX);
        let mut writer = encryptor().wrap_async_output(disk.clone()).unwrap();
        block_on(async {
            writer.write_all(&text).await.unwrap();
            writer.shutdown().await.unwrap();
            writer.shutdown().await.unwrap();
            let error = writer.write(b"more").await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
            assert_eq!(StreamError::of(&error), Some(StreamError::Finished));
            writer.flush().await.unwrap();
            writer.shutdown().await.unwrap();
        });
        assert_eq!(disk.is().shut_down, 1);
        opens_to(&disk.is().taken, &text);
    }
}

#[test]
fn finish_flushes_and_gives_the_output_back() {
    let disk = Disk::new(usize::MAX);
    let writer = encryptor().wrap_async_output(disk.clone()).unwrap();
    let disk = block_on(writer.finish()).unwrap();
    assert_eq!((disk.is().flushed, disk.is().shut_down), (1, 0));
    opens_to(&disk.is().taken, b"");
}

#[test]
fn without_shutdown_the_file_has_no_end() {
    for len in [0, 1, CHUNK, 4 * CHUNK, 4 * CHUNK + 1, 9 * CHUNK] {
        let text = plaintext(len);
        let mut file = Vec::new();
        let mut writer = encryptor().wrap_async_output(&mut file).unwrap();
        block_on(async {
            writer.write_all(&text).await?;
            writer.flush().await
        })
        .unwrap();
        drop(writer);
        let (released, error) = drain(&mut open(&file[..]));
        assert_eq!(StreamError::of(&error.unwrap()), Some(StreamError::Truncated), "{len}");
        // All chunks but the last one, which may or may not have been the last of the file.
        assert!(released == text[..len.saturating_sub(1) / CHUNK * CHUNK], "{len}");
    }
}

/// After a cancelled write, a full chunk in the buffer may still be the last one.
#[test]
fn a_write_that_was_given_up_leaves_no_trace() {
    for chunks in 1..=10 {
        let text = plaintext(chunks * CHUNK);
        let disk = Disk::new(usize::MAX);
        let mut writer = encryptor().wrap_async_output(disk.clone()).unwrap();
        block_on(writer.write_all(&text)).unwrap();
        disk.0.borrow_mut().busy = true;
        // If there is room, a write is accepted without writing to the output.
        if [4, 7, 10].contains(&chunks) {
            assert!(once(pin!(writer.write(b"given up"))).is_none());
        }
        assert!(chunks == 1 || once(pin!(writer.flush())).is_none());
        assert!(once(pin!(writer.shutdown())).is_none());
        assert!(once(pin!(writer.shutdown())).is_none());
        assert_eq!(error_of(once(pin!(writer.write(b"too late"))).unwrap()), Some(StreamError::Finished));
        assert!(once(pin!(writer.flush())).is_none());
        disk.0.borrow_mut().busy = false;
        block_on(writer.shutdown()).unwrap();
        opens_to(&disk.is().taken, &text);
    }
}

/// Writes, flushes and shutdowns are cancelled at random. The file has each accepted byte once.
#[test]
fn futures_that_are_dropped_lose_nothing_and_repeat_nothing() {
    let text = plaintext(700_000);
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let mut file = Vec::new();
        let mut writer = encryptor().wrap_async_output(Flaky::new(&mut file, seed)).unwrap();
        let (mut taken, len) = (0, dice.roll(700_000) as usize / CHUNK * CHUNK);
        while taken < len {
            if dice.roll(5) == 0 {
                once(pin!(writer.flush())).transpose().unwrap();
                continue;
            }
            // A cancelled write has other bytes than the write that is accepted instead.
            let n = (len - taken).min(1 + dice.roll(200_000) as usize);
            if let Some(n) = once(pin!(writer.write(&text[taken..taken + n]))) {
                taken += n.unwrap();
            }
        }
        while once(pin!(writer.shutdown())).map(|result| result.unwrap()).is_none() {}
        drop(writer);
        opens_to(&file, &text[..len]);
    }
}

/// Sealing takes time, so one poll must not go on sealing for as long as the output is ready.
#[test]
fn a_poll_seals_no_more_than_a_buffer() {
    let text = plaintext(2_000_000);
    let disk = Disk::new(usize::MAX);
    let mut writer = encryptor().wrap_async_output(disk.clone()).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    let (mut taken, mut before) = (0, 0);
    let mut sealed_now = || {
        let len = disk.is().taken.len();
        let sealed = len - before;
        before = len;
        sealed
    };
    while taken < text.len() {
        let Poll::Ready(n) = Pin::new(&mut writer).poll_write(&mut cx, &text[taken..]) else { panic!("it was ready") };
        taken += n.unwrap();
        assert!(sealed_now() <= 4 * SEALED + 1000);
    }
    assert!(Pin::new(&mut writer).poll_shutdown(&mut cx).is_ready());
    assert!(sealed_now() <= 4 * SEALED);
    opens_to(&disk.is().taken, &text);
}

/// Two tasks use a pipe of the runtime, which requires `Send` and `'static`.
#[test]
fn from_task_to_task() {
    let text = plaintext(1_000_000);
    let (output, input) = tokio::io::duplex(3000);
    let sent = text.clone();
    let opened = block_on(async {
        let sender = tokio::spawn(async move {
            let mut writer: AsyncStreamWriter<_> = encryptor().wrap_async_output(output)?;
            tokio::io::copy(&mut &sent[..], &mut writer).await?;
            writer.shutdown().await
        });
        let receiver = tokio::spawn(async move {
            let decryptor = Decryptor::new_async(input).await.unwrap();
            let mut opened = Vec::new();
            let mut reader = decryptor.decrypt_async([identity() as &dyn Identity]).unwrap();
            reader.read_to_end(&mut opened).await.map(|_| opened)
        });
        sender.await.unwrap().unwrap();
        receiver.await.unwrap().unwrap()
    });
    assert!(opened == text);
}
