//! Divides chunks among several threads, and seals chunks in memory on them.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use sealane_age::stream::{CHUNK_BYTES, SEALED_CHUNK_BYTES, SealingKey};
use sealane_age::{StreamError, Threads};

/// The minimum number of chunks for which a thread is started.
const CHUNKS_PER_THREAD: usize = 16;

/// Returns the number of threads, by default one for each core.
pub(crate) fn threads(count: Option<NonZero<usize>>) -> Threads {
    count.map_or_else(Threads::available, Threads::new)
}

/// Returns the number of chunks for each thread.
pub(crate) fn chunks_per_thread(chunks: usize, threads: Threads) -> usize {
    chunks.div_ceil(threads.get()).max(CHUNKS_PER_THREAD)
}

/// Runs each piece of work on its own thread, one of them on the calling thread. If a thread cannot
/// be started, fewer do the work. Returns the first error in the order of the pieces.
pub(crate) fn run<E: Send>(work: Vec<impl FnOnce() -> Result<(), E> + Send>) -> Result<(), E> {
    let count = work.len();
    let queue = Mutex::new(work.into_iter().enumerate());
    let first = Mutex::new(None::<(usize, E)>);
    let until_none_is_left = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, work)) = next else { return };
            let Err(error) = work() else { continue };
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(earlier, _)| index < *earlier) {
                *first = Some((index, error));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..count {
            if thread::Builder::new().spawn_scoped(scope, until_none_is_left).is_err() {
                break;
            }
        }
        until_none_is_left();
    });
    first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

/// Does the same as [`SealingKey::seal_part`], on up to `threads` threads. `sealed` must have
/// exactly the length of the result.
pub(crate) fn seal(
    key: &SealingKey,
    first: u64,
    is_last: bool,
    plaintext: &[u8],
    sealed: &mut [u8],
    threads: Threads,
) -> Result<(), StreamError> {
    let count = chunks_per_thread(plaintext.len().div_ceil(CHUNK_BYTES), threads);
    if plaintext.len() <= count * CHUNK_BYTES {
        return key.seal_part(first, is_last, plaintext, sealed).map(drop);
    }
    let parts = plaintext.chunks(count * CHUNK_BYTES).zip(sealed.chunks_mut(count * SEALED_CHUNK_BYTES));
    let parts_count = parts.len();
    let work = parts.enumerate().map(|(i, (plaintext, sealed))| {
        let (first, is_last) = (first + (i * count) as u64, is_last && i + 1 == parts_count);
        move || key.seal_part(first, is_last, plaintext, sealed).map(drop)
    });
    run(work.collect())
}
