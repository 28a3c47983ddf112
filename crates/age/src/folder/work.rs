//! Work on many files with several threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::parallel::Threads;

/// Files of at least this many bytes are processed one by one with all threads, shorter ones side
/// by side with one thread each.
const LARGE: u64 = 16 << 20;

/// Calls `one` for each file, with the threads that it may use. `len` returns the length of a file
/// in bytes, or an estimate: large files are processed one by one, and small ones side by side.
///
/// After [`ControlFlow::Break`], no more files are started.
pub fn for_each_file<T: Sync>(
    files: &[T],
    threads: Threads,
    len: impl Fn(&T) -> u64,
    one: impl Fn(&T, Threads) -> ControlFlow<()> + Sync,
) {
    let (large, small): (Vec<_>, Vec<_>) = files.iter().partition(|file| len(file) >= LARGE);
    let is_stopped = AtomicBool::new(false);
    let may_start = || !is_stopped.load(Ordering::Relaxed);
    let work = |file: &T, threads| {
        if one(file, threads).is_break() {
            is_stopped.store(true, Ordering::Relaxed);
        }
    };
    large.into_iter().take_while(|_| may_start()).for_each(|file| work(file, threads));
    let next = AtomicUsize::new(0);
    let until_none_is_left = || {
        while let Some(file) = small.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| may_start()) {
            work(file, Threads::ONE);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(small.len()) {
            // If a thread cannot be started, fewer threads do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, until_none_is_left);
        }
        until_none_is_left();
    });
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn large_files_come_first_with_all_threads() {
        let threads = Threads::new(NonZero::new(3).unwrap());
        let files = [1, LARGE, 2, LARGE + 1, 3];
        let seen = Mutex::new(Vec::new());
        for_each_file(
            &files,
            threads,
            |len| *len,
            |len, threads| {
                seen.lock().unwrap().push((*len, threads.get()));
                ControlFlow::Continue(())
            },
        );
        let mut seen = seen.into_inner().unwrap();
        assert_eq!(seen[..2], [(LARGE, 3), (LARGE + 1, 3)]);
        seen[2..].sort_unstable();
        assert_eq!(seen[2..], [(1, 1), (2, 1), (3, 1)]);
    }

    #[test]
    fn a_break_starts_no_more() {
        for files in [[1, 2, 3], [LARGE, LARGE, 3]] {
            let count = AtomicUsize::new(0);
            for_each_file(
                &files,
                Threads::ONE,
                |len| *len,
                |_, _| {
                    count.fetch_add(1, Ordering::Relaxed);
                    ControlFlow::Break(())
                },
            );
            assert_eq!(count.into_inner(), 1);
        }
    }
}
