//! A progress bar for long work, shown only by `sealane`, and if standard error is a terminal.

use std::io::{self, IsTerminal as _, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sealane_age::ReadAt;

use crate::io::speed::Speed;
use crate::program::Program;

/// The time after which a bar is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// Counts the bytes that any number of readers and threads have read or otherwise processed, and
/// shows the count. Clones share one count.
#[derive(Clone, Default)]
pub(crate) struct Progress(Arc<State>);

#[derive(Default)]
struct State {
    count: AtomicU64,
    /// The part of `count` that an earlier run processed.
    skipped: AtomicU64,
    bar: Mutex<Option<Bar>>,
}

/// The state of a bar, which is drawn when the work has taken longer than [`SHOWN_AFTER`].
struct Bar {
    started: Instant,
    len: Option<u64>,
    speed: Speed,
    message: String,
    drawn: Option<ProgressBar>,
}

impl Bar {
    fn new(now: Instant, len: Option<u64>, worked: u64) -> Self {
        Self { started: now, len, speed: Speed::new(now, worked), message: String::new(), drawn: None }
    }

    fn update(&mut self, now: Instant, count: u64, worked: u64) {
        if !self.speed.record(now, worked) {
            return;
        }
        let elapsed = now.saturating_duration_since(self.started);
        if self.drawn.is_none() && elapsed >= SHOWN_AFTER {
            let drawn = ProgressBar::with_draw_target(self.len, ProgressDrawTarget::stderr_with_hz(10));
            drawn.set_style(style(self.len.is_some()));
            self.drawn = Some(drawn.with_elapsed(elapsed));
        }
        if let Some(drawn) = &self.drawn {
            drawn.set_position(count);
            drawn.set_message(self.text(count));
        }
    }

    /// Returns the speed, the time left and the message.
    fn text(&self, count: u64) -> String {
        let speed = self.speed.text(self.len.map(|len| len.saturating_sub(count)));
        format!("{speed}  {}", self.message).trim().to_owned()
    }
}

impl Progress {
    /// Returns the number of bytes counted so far.
    pub(crate) fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Resets the count to zero.
    pub(crate) fn reset(&self) {
        self.0.count.store(0, Ordering::Relaxed);
        self.0.skipped.store(0, Ordering::Relaxed);
    }

    /// Shows the count, out of `len` if that is known, until the result is dropped. Call this after
    /// the last prompt, so that the bar is not drawn over it. `quiet` keeps the bar off a terminal
    /// that shows something else. The programs of age draw none.
    pub(crate) fn show(&self, len: Option<u64>, quiet: bool) -> Shown {
        if !quiet && Program::current() == Program::Sealane && io::stderr().is_terminal() {
            self.start(Instant::now(), len);
        }
        Shown(self.clone())
    }

    fn start(&self, now: Instant, len: Option<u64>) {
        *self.bar() = Some(Bar::new(now, len, self.worked()));
    }

    /// Returns the number of bytes that were processed in this run.
    fn worked(&self) -> u64 {
        self.count().saturating_sub(self.0.skipped.load(Ordering::Relaxed))
    }

    /// Hides the bar while `write` writes to standard error.
    pub(crate) fn while_hidden(&self, write: impl FnOnce()) {
        match self.bar().as_ref().and_then(|bar| bar.drawn.as_ref()) {
            Some(drawn) => drawn.suspend(write),
            None => write(),
        }
    }

    /// Counts `n` bytes.
    pub(crate) fn add(&self, n: u64) {
        self.0.count.fetch_add(n, Ordering::Relaxed);
        self.update(Instant::now);
    }

    /// Counts `n` bytes that an earlier run processed, which do not affect the speed.
    pub(crate) fn skip(&self, n: u64) {
        self.0.skipped.fetch_add(n, Ordering::Relaxed);
        self.add(n);
    }

    fn update(&self, now: impl FnOnce() -> Instant) {
        // Only one thread draws; the others go on with their work.
        if let Ok(mut bar) = self.0.bar.try_lock()
            && let Some(bar) = bar.as_mut()
        {
            bar.update(now(), self.count(), self.worked());
        }
    }

    /// Shows `message` beside the bar.
    pub(crate) fn set_message(&self, message: &str) {
        if let Some(bar) = self.bar().as_mut() {
            message.clone_into(&mut bar.message);
            bar.update(Instant::now(), self.count(), self.worked());
        }
    }

    fn bar(&self) -> MutexGuard<'_, Option<Bar>> {
        // After a panic in another thread, the bar can still be drawn.
        self.0.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guard that removes the bar when it is dropped. Drop it before a message about the result.
#[must_use]
pub(crate) struct Shown(Progress);

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(drawn) = self.0.bar().take().and_then(|bar| bar.drawn) {
            drawn.finish_and_clear();
        }
    }
}

/// A reader that counts the bytes read through it.
pub(crate) struct Watched<R> {
    inner: R,
    progress: Progress,
}

impl<R> Watched<R> {
    pub(crate) fn new(inner: R, progress: &Progress) -> Self {
        Self { inner, progress: progress.clone() }
    }

    /// Returns the wrapped reader.
    pub(crate) fn get_ref(&self) -> &R {
        &self.inner
    }

    fn count(&self, read: io::Result<usize>) -> io::Result<usize> {
        read.inspect(|&n| self.progress.add(n as u64))
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out);
        self.count(read)
    }
}

impl<R: ReadAt> ReadAt for Watched<R> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        self.count(self.inner.read_at(out, offset))
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }
}

impl<R: Seek> Seek for Watched<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

const BOUNDED: &str = "{wide_bar} {percent:>3}%  {bytes}/{total_bytes}  {msg}";
const UNBOUNDED: &str = "{spinner} {bytes}  {elapsed}  {msg}";

fn style(bounded: bool) -> ProgressStyle {
    // The templates are constants, and a test parses them.
    ProgressStyle::with_template(if bounded { BOUNDED } else { UNBOUNDED })
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
impl Progress {
    /// Starts a bar in a test, where there is no terminal.
    pub(crate) fn start_in_test(&self, now: Instant, len: Option<u64>) {
        self.start(now, len);
    }

    /// Samples the speed at a time that the test sets.
    pub(crate) fn update_in_test(&self, now: Instant) {
        self.update(|| now);
    }

    /// Returns what is shown beside the bar.
    pub(crate) fn text(&self) -> String {
        self.bar().as_ref().map_or(String::new(), |bar| bar.text(self.count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_resumed_run_shows_the_speed_of_its_own_work() {
        let (progress, start) = (Progress::default(), Instant::now());
        progress.start_in_test(start, Some(1000 * MIB));
        // These times are in the future, so that the calls below take no samples at the real time.
        let at = |seconds: u64| progress.update_in_test(start + Duration::from_secs(3600 + seconds));
        progress.skip(800 * MIB);
        for second in 0..20 {
            at(second);
            progress.add(2 * MIB);
        }
        at(20);
        // 840 MiB are done, 40 of them in 20 seconds.
        assert_eq!(progress.text(), "2.00 MiB/s  1 min 20 s left");
    }

    #[test]
    fn the_templates_are_right() {
        for template in [BOUNDED, UNBOUNDED] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }

    #[test]
    fn bytes_are_counted() {
        let progress = Progress::default();
        let mut reader = Watched::new(&b"0123456789"[..], &progress);
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 4);
        assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), 6);
        assert_eq!(progress.count(), 10);
        assert_eq!(Watched::new(&b"0123456789"[..], &progress).read_at(&mut [0; 4], 8).unwrap(), 2);
        assert_eq!(progress.count(), 12);
    }
}
