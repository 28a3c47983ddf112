//! Works on many files with several threads.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sealane_age::folder::for_each_file;
use sealane_age::{CopyError, Threads};

use super::plan::Source;
use crate::error::explain::copy_error;
use crate::error::{Error, Result, quoted};
use crate::io::progress::Progress;

/// The reason why a file failed.
pub(crate) enum Failure {
    /// A reason that concerns this file only. The others may succeed.
    This(Error),
    /// A reason that concerns all files.
    All(Error),
}

impl Failure {
    /// Returns the error for a run with one file.
    pub(crate) fn into_error(self) -> Error {
        let (Self::This(error) | Self::All(error)) = self;
        error
    }

    /// Classifies an error of copying: a read error concerns one file, a write error all. `read`
    /// explains read errors.
    pub(crate) fn of_copy(error: CopyError, read: impl FnOnce(io::Error) -> Error) -> Self {
        let failure = if matches!(error, CopyError::Read(_)) { Self::This } else { Self::All };
        failure(copy_error(error, read))
    }

    /// Returns the failure of an output that cannot be written.
    pub(crate) fn of_write(error: io::Error) -> Self {
        Self::All(Error::from_io("cannot write", error))
    }
}

const RESUME: &str = "correct the causes, and repeat the command with --resume";

/// Adds advice to an error that ended a run into a folder.
pub(crate) fn resumable(error: Error) -> Error {
    error.or_hint(RESUME)
}

/// Counts and prints the failures of a run.
pub(crate) struct Failures {
    count: AtomicUsize,
    /// The number of failures that were found while files were processed.
    found: AtomicUsize,
    /// The number of these failures to print. Further ones are only counted.
    shown: usize,
    /// The hints that were printed. Each is printed once.
    hints: Mutex<HashSet<String>>,
}

impl Default for Failures {
    /// Prints the first 100 failures that are found while files are processed. Further ones
    /// probably share a cause, such as a wrong key.
    fn default() -> Self {
        let (count, found) = (AtomicUsize::default(), AtomicUsize::default());
        Self { count, found, shown: 100, hints: Mutex::default() }
    }
}

impl Failures {
    /// Returns failures that are all printed.
    pub(crate) fn all_shown() -> Self {
        Self { shown: usize::MAX, ..Self::default() }
    }

    /// Counts and prints a failure.
    pub(crate) fn add(&self, error: &Error) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut hints = self.hints.lock().unwrap_or_else(PoisonError::into_inner);
        match error.advice() {
            Some(hint) if !hints.insert(hint.to_owned()) => error.say_message(),
            _ => error.say(),
        }
    }

    /// Counts the failure of a file, and prints it if it is one of the first. Meanwhile, the bar of
    /// `progress` is hidden.
    pub(crate) fn add_of_file(&self, error: &Error, progress: &Progress) {
        if self.found.fetch_add(1, Ordering::Relaxed) < self.shown {
            progress.while_hidden(|| self.add(error));
        } else {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the result of a run over `all` files. `done` names the work in messages, as in
    /// "decrypted".
    pub(crate) fn verdict(&self, all: usize, done: &str) -> Result<()> {
        let count = self.count();
        if count == 0 {
            return Ok(());
        }
        Err(Error::new(self.summary(all, done)).hint(RESUME))
    }

    /// Returns the sentence about the files that failed, of `all` files.
    pub(crate) fn summary(&self, all: usize, done: &str) -> String {
        let count = self.count();
        let more = self.found.load(Ordering::Relaxed).saturating_sub(self.shown);
        let unnamed = if more > 0 { format!(", {more} of them not named above") } else { String::new() };
        let verb = if count == 1 { "was" } else { "were" };
        format!("{count} of {} files {verb} not {done}{unnamed}", all.max(count))
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

/// Runs `one` for each file, with the number of threads for this file. Counts and prints each
/// [`Failure::This`], and goes on.
///
/// # Errors
///
/// Returns the first [`Failure::All`], after which no more files are started.
pub(crate) fn run(
    files: &[Source],
    threads: Threads,
    progress: &Progress,
    failures: &Failures,
    one: impl Fn(&Source, Threads) -> Result<(), Failure> + Sync,
) -> Result<()> {
    let stopped = Mutex::new(None);
    let work = |file: &Source, threads: Threads| {
        match one(file, threads) {
            Ok(()) => {}
            Err(Failure::This(error)) => failures.add_of_file(&error.in_context(&quoted(&file.path)), progress),
            Err(Failure::All(error)) => {
                stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    };
    for_each_file(files, threads, |file| file.len, work);
    stopped.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
