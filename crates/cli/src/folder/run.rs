//! Works on many files with several threads.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sealane_age::{CopyError, Threads};

use super::plan::Source;
use crate::error::explain::copy_error;
use crate::error::{Error, Result, quoted};
use crate::io::progress::Progress;

/// From so many bytes on, a file is worked on by all threads, and alone; others each by one thread, side by side.
const LARGE: u64 = 16 << 20;

/// Why a file is not done.
pub(crate) enum Failure {
    /// Because of itself: the others may be done.
    This(Error),
    /// Because of what the others need too.
    All(Error),
}

impl Failure {
    /// What is said where there is one file only.
    pub(crate) fn into_error(self) -> Error {
        let (Self::This(error) | Self::All(error)) = self;
        error
    }

    /// A file that cannot be read is one file; what cannot be written is all of them. `read` explains failures to read.
    pub(crate) fn of_copy(error: CopyError, read: impl FnOnce(io::Error) -> Error) -> Self {
        let failure = if matches!(error, CopyError::Read(_)) { Self::This } else { Self::All };
        failure(copy_error(error, read))
    }
}

/// What went wrong with some files.
#[derive(Default)]
pub(crate) struct Failures {
    count: AtomicUsize,
    /// Of those that are found one by one, how many there were.
    found: AtomicUsize,
}

impl Failures {
    /// More than that may have the same cause, such as a wrong key, and are counted only.
    const SHOWN: usize = 100;

    /// Says what is wrong with one.
    pub(crate) fn add(&self, error: &Error) {
        self.count.fetch_add(1, Ordering::Relaxed);
        error.say();
    }

    /// The same while the others are worked on.
    fn add_found(&self, error: &Error, progress: &Progress) {
        if self.found.fetch_add(1, Ordering::Relaxed) < Self::SHOWN {
            progress.aside(|| self.add(error));
        } else {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What is to be said in the end, when so many things were to be `done`.
    pub(crate) fn verdict(&self, all: usize, done: &str) -> Result<()> {
        let count = self.count();
        if count == 0 {
            return Ok(());
        }
        let more = self.found.load(Ordering::Relaxed).saturating_sub(Self::SHOWN);
        let unnamed = if more > 0 { format!(", {more} of which are not named above") } else { String::new() };
        Err(Error::new(format!("{count} of {} files were not {done}{unnamed}", all.max(count)))
            .hint("when the causes are mended, the same command with --resume does what is missing"))
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

/// Does `one` with each file.
///
/// # Errors
/// The first [`Failure::All`], after which no more files are begun.
pub(crate) fn run(
    files: &[Source],
    threads: Threads,
    progress: &Progress,
    failures: &Failures,
    one: impl Fn(&Source, Threads) -> Result<(), Failure> + Sync,
) -> Result<()> {
    let (large, small): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.len >= LARGE);
    let stopped = Mutex::new(None);
    let lock = || stopped.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |file: &Source, threads| match one(file, threads) {
        Ok(()) => {}
        Err(Failure::This(error)) => failures.add_found(&error.in_context(&quoted(&file.path)), progress),
        Err(Failure::All(error)) => drop(lock().get_or_insert(error)),
    };
    for file in large {
        if lock().is_none() {
            work(file, threads);
        }
    }
    let next = AtomicUsize::new(0);
    let until_none_is_left = || {
        while let Some(file) = small.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| lock().is_none()) {
            work(file, Threads::ONE);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(small.len()) {
            // One that cannot be had is done without.
            let _ = thread::Builder::new().spawn_scoped(scope, until_none_is_left);
        }
        until_none_is_left();
    });
    stopped.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
