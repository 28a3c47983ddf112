//! Processes whole files that can be read and written at any position.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Threads;
use super::batch::{After, Batch, CHUNKS};
use crate::error::CopyError;
use crate::random_access::{ReadAt, WriteAt};
use crate::stream::SEALED_CHUNK_BYTES;

/// The end of the file, or a failure.
struct End {
    /// The batch in which it occurred.
    batch: u64,
    /// The length of the output, or the error.
    result: Result<u64, CopyError>,
}

/// Processes a whole file on several threads, from byte `input_start` of `input` to its end, and
/// writes the result from byte `output_start` of `output` on. Each thread takes the next free
/// batch, reads it, calls `work` with it, and writes its result. Shortens `output` to its new
/// length, and returns that length.
///
/// The outcome is that of the earliest batch in which the file ends or something fails. The order
/// of the threads does not matter: all batches before that one were taken, and each thread
/// completes its batches. The file may grow meanwhile. The thread with the batch in which the file
/// ended when its length was read therefore continues alone as long as there is more, because the
/// other threads do not know how far it goes.
pub(super) fn run<const CHUNK: usize>(
    threads: Threads,
    input_start: u64,
    input: &impl ReadAt,
    output_start: u64,
    output: &impl WriteAt,
    work: impl Fn(&mut Batch<CHUNK>) + Sync,
) -> Result<u64, CopyError> {
    let capacity = Batch::<CHUNK>::CAPACITY as u64;
    let payload_len = input.size().map_err(CopyError::Read)?.saturating_sub(input_start);
    // The batch with the last byte of the file, according to its length now.
    let tail = payload_len.saturating_sub(1) / capacity;

    // Processes one batch. Returns the outcome if the file ends or something fails in it.
    let one = |batch: &mut Batch<CHUNK>, index: u64| -> Option<Result<u64, CopyError>> {
        let read = batch.load(input, input_start + index * capacity, index < tail);
        batch.first = index * CHUNKS as u64;
        // Every batch but the first was found to have at least one byte.
        let is_cut = if index < tail { !batch.is_full() } else { index > 0 && batch.is_empty() };
        // An encrypted file that was cut is reported as truncated.
        if CHUNK != SEALED_CHUNK_BYTES && is_cut && read.is_ok() {
            return Some(Err(CopyError::Read(io::Error::other("the file became shorter while it was read"))));
        }
        work(batch);
        let at = output_start + index * Batch::<CHUNK>::RESULT as u64;
        let written = output.write_all_at(batch.result(), at).map_err(CopyError::Write);
        match written.and_then(|()| batch.error()).and(read.map_err(CopyError::Read)) {
            Ok(()) if batch.after == After::More => None,
            Ok(()) => Some(Ok(at + batch.result().len() as u64)),
            Err(error) => Some(Err(error)),
        }
    };

    let next = AtomicU64::new(0);
    let last = AtomicU64::new(tail);
    let end = Mutex::new(None::<End>);
    let worker = |mut batch: Batch<CHUNK>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index > last.load(Ordering::Relaxed) {
                return;
            }
            let ended = if index < tail {
                one(&mut batch, index).map(|result| End { batch: index, result })
            } else {
                (tail..).find_map(|batch_index| {
                    one(&mut batch, batch_index).map(|result| End { batch: batch_index, result })
                })
            };
            if let Some(ended) = ended {
                last.fetch_min(ended.batch, Ordering::Relaxed);
                let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
                if end.as_ref().is_none_or(|end| ended.batch < end.batch) {
                    *end = Some(ended);
                }
                return;
            }
        }
    };

    thread::scope(|scope| {
        // There are no more threads than batches.
        for _ in 1..(threads.get() as u64).min(tail + 1) {
            let worker = || worker(Batch::new());
            if thread::Builder::new().name("sealane".to_owned()).spawn_scoped(scope, worker).is_err() {
                // If a thread cannot be started, fewer do the work.
                break;
            }
        }
        worker(Batch::new());
    });
    let end = end.into_inner().unwrap_or_else(PoisonError::into_inner);
    let len = end.expect("the earliest end has been left here").result?;
    // Removes the rest of what `output` held before.
    output.set_len(len).map_err(CopyError::Write)?;
    Ok(len)
}
