//! Reads batches from a stream.

use std::io;
use std::mem;

use super::batch::{After, Batch};
use crate::error::CopyError;
use crate::stream::Counter;

/// Reads batches, and numbers their chunks.
///
/// A chunk can be processed when it is known whether something follows it. The batch that is being
/// filled is therefore held back until the input has given more, or has ended. Whether a worker is
/// idle is found out only between two reads. While a read blocks, complete chunks stay in the batch
/// that is being filled, even if a worker becomes idle.
pub(super) struct Feeder<F, const CHUNK: usize> {
    read: F,
    held: Batch<CHUNK>,
    counter: Counter,
    /// How the input ended, once it has. All input before the end has then been given out.
    ended: Option<io::Result<()>>,
}

impl<F: FnMut(&mut [u8]) -> io::Result<usize>, const CHUNK: usize> Feeder<F, CHUNK> {
    pub(super) fn new(read: F, counter: Counter) -> Self {
        Self { read, held: Batch::new(), counter, ended: None }
    }

    /// Replaces `batch` with the next one. Returns false if there is none. A batch is full unless
    /// the input has ended, or `is_idle` says after a read that a worker waits: then complete
    /// chunks are given out at once.
    pub(super) fn next(&mut self, batch: &mut Batch<CHUNK>, is_idle: &dyn Fn() -> bool) -> Result<bool, CopyError> {
        if let Some(result) = self.ended.take() {
            return result.map(|()| false).map_err(CopyError::Read);
        }
        batch.clear();
        let end = loop {
            let enough = self.held.is_full() || (self.held.ends_with_chunk() && is_idle());
            let filling = if enough { &mut *batch } else { &mut self.held };
            match filling.fill(&mut self.read) {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
            if batch.is_empty() && is_idle() {
                self.held.move_begun_chunk(batch);
            }
            if !batch.is_empty() {
                return self.give(batch, After::More);
            }
        };
        let after = if end.is_ok() { After::Nothing } else { After::Unknown };
        self.ended = Some(end);
        self.give(batch, after)
    }

    /// Gives out the batch that was held back, and holds `batch` back instead.
    fn give(&mut self, batch: &mut Batch<CHUNK>, after: After) -> Result<bool, CopyError> {
        mem::swap(&mut self.held, batch);
        batch.after = after;
        let numbers = self.counter.take_many(batch.chunks() as u64);
        batch.first = numbers.map_err(|error| CopyError::Read(error.into()))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::batch::{CHUNKS, ToOpen, ToSeal};
    use crate::stream::{CHUNK_BYTES, SEALED_CHUNK_BYTES};

    /// Returns the chunks in each batch, if every read gives at most `at_once` bytes of `len`.
    fn batches<const CHUNK: usize>(len: usize, at_once: usize, is_idle: bool) -> Vec<usize> {
        let mut left = len;
        let read = |out: &mut [u8]| {
            let n = out.len().min(at_once).min(left);
            left -= n;
            Ok(n)
        };
        let mut feeder = Feeder::<_, CHUNK>::new(read, Counter::START);
        let (mut batch, mut found, mut first) = (Batch::new(), Vec::new(), 0);
        while feeder.next(&mut batch, &|| is_idle).unwrap() {
            assert_eq!(batch.first, first);
            first += batch.chunks() as u64;
            found.push(batch.chunks());
            let is_last = first == len.div_ceil(CHUNK) as u64;
            assert_eq!(batch.after, if is_last { After::Nothing } else { After::More });
        }
        found
    }

    #[test]
    fn batches_are_full_while_nobody_waits() {
        for at_once in [CHUNK_BYTES - 1, CHUNK_BYTES, 1 << 20] {
            assert_eq!(batches::<CHUNK_BYTES>(2 * ToSeal::CAPACITY + 1, at_once, false), [CHUNKS, CHUNKS, 1]);
            assert_eq!(batches::<SEALED_CHUNK_BYTES>(2 * ToOpen::CAPACITY, at_once, false), [CHUNKS, CHUNKS]);
        }
    }

    #[test]
    fn a_chunk_waits_for_nothing_but_what_follows_it() {
        for at_once in [CHUNK_BYTES - 1, CHUNK_BYTES, 1 << 20] {
            assert_eq!(batches::<CHUNK_BYTES>(3 * CHUNK_BYTES + 1, at_once, true), [1, 1, 1, 1]);
            assert_eq!(batches::<CHUNK_BYTES>(3 * CHUNK_BYTES, at_once, true), [1, 1, 1]);
            assert_eq!(batches::<SEALED_CHUNK_BYTES>(3 * SEALED_CHUNK_BYTES, at_once, true), [1, 1, 1]);
        }
    }

    #[test]
    fn an_empty_input_is_a_batch() {
        assert_eq!(batches::<CHUNK_BYTES>(0, 1, true), [0]);
        assert_eq!(batches::<SEALED_CHUNK_BYTES>(0, 1, false), [0]);
    }
}
