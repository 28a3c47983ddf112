//! A bar for work that takes long, shown to a person at a terminal and to nobody else.

use std::io::{self, IsTerminal as _, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sealane_age::ReadAt;

/// Work that is over before that needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much has been read, by any number of readers and threads, and what is shown of it.
#[derive(Clone, Default)]
pub(crate) struct Progress(Arc<State>);

#[derive(Default)]
struct State {
    count: AtomicU64,
    bar: Mutex<Bar>,
}

#[derive(Default)]
enum Bar {
    #[default]
    Off,
    NotYet {
        started: Instant,
        len: Option<u64>,
    },
    Shown(ProgressBar),
}

impl Progress {
    /// How many bytes have been read.
    pub(crate) fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }

    /// From the beginning again.
    pub(crate) fn reset(&self) {
        self.0.count.store(0, Ordering::Relaxed);
    }

    /// From now on shows how much of `len` has been read, for as long as the result lives: when every question has been asked, so that nothing
    /// is drawn over a prompt. `quiet` says that the terminal is used for something else.
    pub(crate) fn show(&self, len: Option<u64>, quiet: bool) -> Shown {
        if !quiet && io::stderr().is_terminal() {
            *self.bar() = Bar::NotYet { started: Instant::now(), len };
        }
        Shown(self.clone())
    }

    /// Does something that writes to standard error, without the bar in its way.
    pub(crate) fn aside(&self, act: impl FnOnce()) {
        match &*self.bar() {
            Bar::Shown(shown) => shown.suspend(act),
            Bar::NotYet { .. } | Bar::Off => act(),
        }
    }

    /// So many bytes more have been read, or need not be.
    pub(crate) fn add(&self, n: u64) {
        let count = self.0.count.fetch_add(n, Ordering::Relaxed) + n;
        // Whoever has the bar shows it.
        let Ok(mut bar) = self.0.bar.try_lock() else { return };
        match &*bar {
            Bar::Shown(shown) => shown.set_position(count),
            Bar::NotYet { started, len } if started.elapsed() >= PATIENCE => {
                // Ten times a second is enough to look at.
                let new = ProgressBar::with_draw_target(*len, ProgressDrawTarget::stderr_with_hz(10));
                new.set_style(style(len.is_some()));
                *bar = Bar::Shown(new.with_elapsed(started.elapsed()).with_position(count));
            }
            Bar::NotYet { .. } | Bar::Off => {}
        }
    }

    /// Shows `message` beside the bar; nothing if it is empty.
    pub(crate) fn say(&self, message: &str) {
        self.add(0);
        if let Ok(bar) = self.0.bar.try_lock()
            && let Bar::Shown(shown) = &*bar
        {
            shown.set_message(message.to_owned());
        }
    }

    fn bar(&self) -> MutexGuard<'_, Bar> {
        // A bar is no reason to fail.
        self.0.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dropped, it takes the bar away: before anything is said about how the work ended.
#[must_use]
pub(crate) struct Shown(Progress);

impl Drop for Shown {
    fn drop(&mut self) {
        if let Bar::Shown(bar) = std::mem::take(&mut *self.0.bar()) {
            bar.finish_and_clear();
        }
    }
}

/// Counts, and shows, what is read through it.
pub(crate) struct Watched<R> {
    inner: R,
    progress: Progress,
}

impl<R> Watched<R> {
    pub(crate) fn new(inner: R, progress: &Progress) -> Self {
        Self { inner, progress: progress.clone() }
    }

    /// What is read.
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

const BOUNDED: &str = "{wide_bar} {percent:>3}%  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left  {msg}";
const UNBOUNDED: &str = "{spinner} {bytes}  {bytes_per_sec}  {elapsed}  {msg}";

fn style(bounded: bool) -> ProgressStyle {
    // The templates are constants, and a test parses them.
    ProgressStyle::with_template(if bounded { BOUNDED } else { UNBOUNDED })
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

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
