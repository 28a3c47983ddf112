//! Passes batches of work from a reader to a writer, through several threads, in order.
//!
//! The calling thread reads, n threads work, and one thread writes. Batch i goes to worker i mod n,
//! and the writer takes it from there, which keeps the order. Batches are reused: none is allocated
//! after the first round. If n is 1 or the input is short, the calling thread does everything.

use std::io;
use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use super::Threads;
use crate::error::CopyError;

/// The number of batches for each worker: one that it works on, one that waits for it, and one that
/// waits to be written.
const BATCHES_PER_WORKER: usize = 3;

/// The number of batches that are processed before threads are started: a short input needs none.
const BATCHES_BEFORE_THREADS: usize = 4;

/// Runs until `read` gives no more, or something fails. `read` fills a batch, and returns false if
/// there is none left. It also gets a function that tells whether a worker is idle.
///
/// Everything that was read before a failure of `read` is processed and written. Only a failure of
/// `write` itself stops writing, at the earliest batch that fails. When this returns, all threads
/// have ended.
///
/// # Errors
/// The first error of `write`, in the order of batches; otherwise the error of `read`.
pub(super) fn run<B: Send>(
    threads: Threads,
    new_batch: impl Fn() -> B,
    mut read: impl FnMut(&mut B, &dyn Fn() -> bool) -> Result<bool, CopyError>,
    work: impl Fn(&mut B) + Sync,
    mut write: impl FnMut(&mut B) -> Result<(), CopyError> + Send,
) -> Result<(), CopyError> {
    let mut batch = new_batch();
    let before_threads = if threads.get() == 1 { usize::MAX } else { BATCHES_BEFORE_THREADS };
    if !alone(before_threads, &mut batch, &mut read, &work, &mut write)? {
        return Ok(());
    }
    match together(threads.get(), batch, &new_batch, &mut read, &work, &mut write) {
        Some(result) => result,
        // No worker or no writer can be started.
        None => alone(usize::MAX, &mut new_batch(), &mut read, &work, &mut write).map(drop),
    }
}

/// Processes up to `batches` batches on this thread. Returns false if there were fewer.
fn alone<B>(
    batches: usize,
    batch: &mut B,
    read: &mut impl FnMut(&mut B, &dyn Fn() -> bool) -> Result<bool, CopyError>,
    work: &impl Fn(&mut B),
    write: &mut impl FnMut(&mut B) -> Result<(), CopyError>,
) -> Result<bool, CopyError> {
    for _ in 0..batches {
        if !read(batch, &|| true)? {
            return Ok(false);
        }
        work(batch);
        write(batch)?;
    }
    Ok(true)
}

/// Processes the remaining batches with up to `workers` workers. Returns `None`, with nothing read,
/// if no worker or no writer can be started.
fn together<B: Send>(
    workers: usize,
    batch: B,
    new_batch: &impl Fn() -> B,
    read: &mut impl FnMut(&mut B, &dyn Fn() -> bool) -> Result<bool, CopyError>,
    work: &(impl Fn(&mut B) + Sync),
    write: &mut (impl FnMut(&mut B) -> Result<(), CopyError> + Send),
) -> Option<Result<(), CopyError>> {
    // The number of batches that workers have.
    let busy = &AtomicUsize::new(0);
    thread::scope(|scope| {
        let mut to_workers = Vec::with_capacity(workers);
        let mut from_workers = Vec::with_capacity(workers);
        for _ in 0..workers {
            let (sender, todo) = mpsc::sync_channel::<B>(BATCHES_PER_WORKER);
            let (done, receiver) = mpsc::sync_channel(BATCHES_PER_WORKER);
            let worker = spawn(scope, "sealane-worker", move || {
                for mut batch in todo {
                    work(&mut batch);
                    busy.fetch_sub(1, Ordering::Relaxed);
                    if done.send(batch).is_err() {
                        return;
                    }
                }
            });
            if worker.is_err() {
                // The workers that were started are enough.
                break;
            }
            to_workers.push(sender);
            from_workers.push(receiver);
        }
        let workers = to_workers.len();
        if workers == 0 {
            return None;
        }
        let batches = workers * BATCHES_PER_WORKER;
        let (free_sender, free) = mpsc::sync_channel(batches);
        for batch in iter::once(batch).chain(iter::repeat_with(new_batch).take(batches - 1)) {
            free_sender.send(batch).expect("there is room for all, and the other end is here");
        }
        let writer = spawn(scope, "sealane-writer", move || write_all(&from_workers, &free_sender, write)).ok()?;

        let mut result = Ok(());
        let mut next_worker = to_workers.iter().cycle();
        // After a failure, the writer returns no more batches, and closes the channel.
        for mut batch in free {
            // Some free batches may be left. Nothing more is read for a writer that has failed.
            if writer.is_finished() {
                break;
            }
            match read(&mut batch, &|| busy.load(Ordering::Relaxed) < workers) {
                Ok(true) => {
                    busy.fetch_add(1, Ordering::Relaxed);
                    if next_worker.next().is_none_or(|worker| worker.send(batch).is_err()) {
                        break;
                    }
                }
                Ok(false) => break,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        // The workers end when they have done what is left, and the writer ends after them.
        drop(to_workers);
        match writer.join() {
            Ok(written) => Some(written.and(result)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Writes the workers' batches, in order, until the workers end.
fn write_all<B>(
    from_workers: &[Receiver<B>],
    free: &SyncSender<B>,
    write: &mut impl FnMut(&mut B) -> Result<(), CopyError>,
) -> Result<(), CopyError> {
    for worker in from_workers.iter().cycle() {
        let Ok(mut batch) = worker.recv() else { break };
        write(&mut batch)?;
        // The channel has room for all batches. When nothing more is to be read, nothing receives
        // them.
        let _ = free.send(batch);
    }
    Ok(())
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    body: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<thread::ScopedJoinHandle<'scope, T>> {
    thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, body)
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn threads(count: usize) -> Threads {
        Threads::new(NonZero::new(count).unwrap())
    }

    /// Squares numbers with `workers` workers. Returns the output and the result.
    fn squares(
        workers: usize,
        count: u64,
        read_fails_at: Option<u64>,
        write_fails_at: Option<u64>,
    ) -> (Vec<u64>, Result<(), CopyError>) {
        let mut next = 0;
        let written = Mutex::new(Vec::new());
        let read = |batch: &mut u64, _: &dyn Fn() -> bool| {
            if read_fails_at == Some(next) {
                return Err(CopyError::Read(io::Error::other("read")));
            }
            *batch = next;
            next += 1;
            Ok(next <= count)
        };
        let work = |batch: &mut u64| {
            // Some batches take longer than others.
            if batch.is_multiple_of(3) {
                thread::sleep(std::time::Duration::from_micros(200));
            }
            *batch *= *batch;
        };
        let write = |batch: &mut u64| {
            if write_fails_at.is_some_and(|at| at * at == *batch) {
                return Err(CopyError::Write(io::Error::other("write")));
            }
            written.lock().unwrap().push(*batch);
            Ok(())
        };
        let result = run(threads(workers), || 0, read, work, write);
        (written.into_inner().unwrap(), result)
    }

    fn expected(count: u64) -> Vec<u64> {
        (0..count).map(|i| i * i).collect()
    }

    #[test]
    fn order_is_kept() {
        for workers in 1..=5 {
            for count in [0, 1, 2, 7, 100] {
                let (written, result) = squares(workers, count, None, None);
                assert_eq!(written, expected(count), "{workers} workers");
                result.unwrap();
            }
        }
    }

    #[test]
    fn all_that_was_read_before_a_failure_is_written() {
        for workers in 1..=4 {
            for at in [0, 1, 5, 50] {
                let (written, result) = squares(workers, 100, Some(at), None);
                assert_eq!(written, expected(at), "{workers} workers");
                assert_eq!(result.unwrap_err().to_string(), "read");
            }
        }
    }

    #[test]
    fn nothing_is_written_after_a_failure_to_write() {
        for workers in 1..=4 {
            for at in [0, 1, 5, 50] {
                let (written, result) = squares(workers, 1000, None, Some(at));
                assert_eq!(written, expected(at), "{workers} workers");
                assert_eq!(result.unwrap_err().to_string(), "write");
                // The earliest failure is reported, although reading would have failed too.
                let (_, result) = squares(workers, 1000, Some(at + 1), Some(at));
                assert_eq!(result.unwrap_err().to_string(), "write");
            }
        }
    }

    #[test]
    fn reading_stops_after_a_failure_to_write() {
        let has_failed = AtomicBool::new(false);
        let mut reads_after = 0;
        let read = |_: &mut u64, _: &dyn Fn() -> bool| {
            reads_after += usize::from(has_failed.load(Ordering::Relaxed));
            // There is time to fail, and to end the thread.
            thread::sleep(std::time::Duration::from_millis(20));
            Ok(true)
        };
        let mut written = 0;
        let write = |_: &mut u64| {
            written += 1;
            if written <= BATCHES_BEFORE_THREADS {
                return Ok(());
            }
            has_failed.store(true, Ordering::Relaxed);
            Err(CopyError::Write(io::Error::other("write")))
        };
        run(threads(8), || 0, read, |_| {}, write).unwrap_err();
        // Otherwise about 20 more batches would be read.
        assert!(reads_after < 12, "{reads_after}");
    }

    #[test]
    fn buffers_go_round() {
        let made = AtomicUsize::new(0);
        let mut left = 1000;
        let new_batch = || made.fetch_add(1, Ordering::Relaxed);
        let read = |_: &mut usize, _: &dyn Fn() -> bool| {
            left -= 1;
            Ok(left > 0)
        };
        run(threads(2), new_batch, read, |_| {}, |_| Ok(())).unwrap();
        assert_eq!(made.into_inner(), 2 * BATCHES_PER_WORKER);
    }
}
