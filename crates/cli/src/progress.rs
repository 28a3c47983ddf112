//! A bar for work that takes long, shown to a person at a terminal and to nobody else.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal as _, Read, Seek, SeekFrom, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over before that needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts the bytes that are read through it.
pub(crate) struct Counting<R> {
    inner: R,
    count: Count,
}

/// How many bytes were read.
#[derive(Clone, Default)]
pub(crate) struct Count(Rc<Cell<u64>>);

impl Count {
    /// From the beginning again.
    pub(crate) fn reset(&self) {
        self.0.set(0);
    }
}

impl<R> Counting<R> {
    pub(crate) fn new(inner: R, count: &Count) -> Self {
        Self { inner, count: count.clone() }
    }
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        self.count.0.set(self.count.0.get() + n as u64);
        Ok(n)
    }
}

impl<R: Seek> Seek for Counting<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// The bar. Made only when every question has been asked, so that it is never drawn over a prompt.
pub(crate) struct Progress {
    count: Count,
    len: Option<u64>,
    started: Instant,
    bar: Bar,
}

enum Bar {
    Never,
    NotYet,
    Shown(ProgressBar),
}

impl Progress {
    /// Shows how much of `len` has been counted. `quiet` says that the terminal is used for something else.
    pub(crate) fn new(count: Count, len: Option<u64>, quiet: bool) -> Self {
        let bar = if quiet || !io::stderr().is_terminal() { Bar::Never } else { Bar::NotYet };
        Self { count, len, started: Instant::now(), bar }
    }

    /// To be called now and then.
    pub(crate) fn tick(&mut self) {
        match &self.bar {
            Bar::Shown(bar) => bar.set_position(self.count.0.get()),
            Bar::NotYet if self.started.elapsed() >= PATIENCE => {
                // Ten times a second is enough to look at.
                let bar = ProgressBar::with_draw_target(self.len, ProgressDrawTarget::stderr_with_hz(10));
                bar.set_style(style(self.len.is_some()));
                self.bar = Bar::Shown(bar.with_elapsed(self.started.elapsed()).with_position(self.count.0.get()));
            }
            Bar::NotYet | Bar::Never => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Bar::Shown(bar) = &self.bar {
            // Before anything is said about how it ended.
            bar.finish_and_clear();
        }
    }
}

/// Shows progress whenever something is written through it.
pub(crate) struct Ticking<'a, W> {
    inner: W,
    progress: &'a RefCell<Progress>,
}

impl<'a, W> Ticking<'a, W> {
    pub(crate) fn new(inner: W, progress: &'a RefCell<Progress>) -> Self {
        Self { inner, progress }
    }

    pub(crate) fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    pub(crate) fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for Ticking<'_, W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.progress.borrow_mut().tick();
        self.inner.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

const BOUNDED: &str = "{wide_bar} {percent:>3}%  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
const UNBOUNDED: &str = "{spinner} {bytes}  {bytes_per_sec}  {elapsed}";

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
        let count = Count::default();
        let mut reader = Counting::new(&b"0123456789"[..], &count);
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 4);
        assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), 6);
        assert_eq!(count.0.get(), 10);
    }
}
