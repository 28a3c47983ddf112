//! The messages that a row processes.
//!
//! Each message has its own buffer, and all buffers together fit the first-level cache. So a row
//! neither reads the bytes that it has just written, nor waits for memory. If a message is too
//! large for that, there is only this one. The clock stops while messages are restored for opening,
//! so no figure contains a copy.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Bytes of all buffers together, unless one batch is larger: half of a typical first-level cache.
const CACHED_BYTES: usize = 16 * 1024;
const ALIGNMENT: usize = 64;

/// A tag of Poly1305.
pub type Tag = [u8; 16];
/// Seals message `number`: its data, then its tag.
pub type Seal = Box<dyn FnMut(u64, &mut [u8], &mut Tag)>;

/// Processes message `number` in place. Returns false if it refuses the tag.
pub type Each = Box<dyn FnMut(u64, &mut [u8], &mut Tag) -> bool>;
/// Processes a batch of messages, numbered from the first.
pub type Many = Box<dyn FnMut(u64, Batch<'_>) -> bool>;

/// An operation on messages. It returns false if it refuses a tag.
pub enum Processing {
    /// One call for each message.
    Each(Each),
    /// One call for each batch.
    Batch(Many),
}

impl fmt::Debug for Processing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Each(_) => "Each(..)",
            Self::Batch(_) => "Batch(..)",
        })
    }
}

/// Messages of equal length, each in its own buffer.
pub struct Messages {
    size: usize,
    offset: usize,
    stride: usize,
    batch: usize,
    /// Whether the messages are sealed. A pass opens them, so they are restored before each pass.
    sealed: bool,
    /// The position of the first aligned byte.
    start: usize,
    bytes: Vec<u8>,
    tags: Vec<Tag>,
    /// The bytes that `restore` restores.
    kept: Vec<u8>,
    kept_tags: Vec<Tag>,
}

impl Messages {
    /// Returns `count` messages of `size` bytes that begin `offset` bytes after a multiple of 64,
    /// in batches of `batch`. Their contents differ.
    #[must_use]
    pub fn new(size: usize, offset: usize, batch: usize, count: usize) -> Self {
        let stride = stride(size, offset);
        let mut bytes = vec![0; count * stride + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        bytes[start..].iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 31 + i / 256 + 1) as u8);
        let (kept, tags) = (bytes.clone(), vec![[0; 16]; count]);
        Self { size, offset, stride, batch, sealed: false, start, bytes, kept, kept_tags: tags.clone(), tags }
    }

    /// Returns as many messages as fit the cache.
    #[must_use]
    pub fn cached(size: usize, offset: usize, batch: usize) -> Self {
        let count = (CACHED_BYTES / (stride(size, offset) * batch)).max(1) * batch;
        Self::new(size, offset, batch, count)
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tags.len()
    }

    /// Seals all messages, numbered from 0, for an operation that opens them.
    pub fn seal(&mut self, seal: &mut Seal) {
        (0..).zip(self.iter_mut()).for_each(|(number, (data, tag))| seal(number, data, tag));
        self.kept.clone_from(&self.bytes);
        self.kept_tags.clone_from(&self.tags);
        self.sealed = true;
    }

    /// Restores the messages to their state before any processing.
    pub fn restore(&mut self) {
        self.bytes.copy_from_slice(&self.kept);
        self.tags.copy_from_slice(&self.kept_tags);
    }

    /// Processes every message once, numbered from `first`. Returns false if a tag is refused.
    pub fn process(&mut self, processing: &mut Processing, first: u64) -> bool {
        let mut accepted = true;
        match processing {
            Processing::Each(each) => {
                for (number, (data, tag)) in (first..).zip(self.iter_mut()) {
                    accepted &= each(black_box(number), black_box(data), tag);
                }
            }
            Processing::Batch(many) => {
                for (number, batch) in (first..).step_by(self.batch).zip(self.batches_mut()) {
                    accepted &= many(black_box(number), black_box(batch));
                }
            }
        }
        black_box(accepted)
    }

    /// Returns the time of `passes` passes over all messages. The first message has the number
    /// `next`, which grows with each message.
    ///
    /// Sealed messages are numbered from 0 in each pass, as when they were sealed, so `next` does
    /// not change. They are restored before each pass, and the clock stops meanwhile. It is read
    /// twice for each pass, which costs about 0.3 % of a pass over some 16 KiB, equally in all
    /// rows.
    ///
    /// # Panics
    /// If a tag is refused.
    pub fn time(&mut self, processing: &mut Processing, passes: u64, next: &mut u64) -> Duration {
        let mut accepted = true;
        let mut total = Duration::ZERO;
        if self.sealed {
            for _ in 0..passes {
                self.restore();
                let start = Instant::now();
                accepted &= self.process(processing, 0);
                total += start.elapsed();
            }
        } else {
            let start = Instant::now();
            for _ in 0..passes {
                accepted &= self.process(processing, *next);
                *next += self.count() as u64;
            }
            total = start.elapsed();
        }
        assert!(accepted, "an authentic message was refused");
        total
    }

    /// Returns a copy of all bytes that a row may have written, and of those around them.
    #[must_use]
    pub fn contents(&self) -> (Vec<u8>, Vec<Tag>) {
        (self.bytes.clone(), self.tags.clone())
    }

    /// Returns whether these are the contents.
    #[must_use]
    pub fn have(&self, (bytes, tags): &(Vec<u8>, Vec<Tag>)) -> bool {
        self.bytes == *bytes && self.tags == *tags
    }

    /// Changes a different bit of each tag.
    pub fn change_tags(&mut self) {
        for (i, tag) in self.tags.iter_mut().enumerate() {
            tag[i % 16] ^= 1 << (i % 8);
        }
    }

    /// Returns the data and the tag of each message.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut [u8], &mut Tag)> {
        let range = self.offset..self.offset + self.size;
        let buffers = self.bytes[self.start..].chunks_exact_mut(self.stride);
        buffers.map(move |buffer| &mut buffer[range.clone()]).zip(&mut self.tags)
    }

    fn batches_mut(&mut self) -> impl Iterator<Item = Batch<'_>> {
        let buffers = self.bytes[self.start..].chunks_exact_mut(self.stride * self.batch);
        let (size, offset, stride) = (self.size, self.offset, self.stride);
        let batches = buffers.zip(self.tags.chunks_exact_mut(self.batch));
        batches.map(move |(bytes, tags)| Batch { size, offset, stride, bytes, tags })
    }
}

/// Returns the bytes from one buffer to the next.
fn stride(size: usize, offset: usize) -> usize {
    (size + offset).next_multiple_of(ALIGNMENT).max(ALIGNMENT)
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("size", &self.size).field("sealed", &self.sealed).finish_non_exhaustive()
    }
}

/// The messages that one call processes.
#[derive(Debug)]
pub struct Batch<'a> {
    size: usize,
    offset: usize,
    stride: usize,
    bytes: &'a mut [u8],
    tags: &'a mut [Tag],
}

impl<'a> Batch<'a> {
    /// Returns the data and the tag of each message.
    pub fn into_messages(self) -> impl Iterator<Item = (&'a mut [u8], &'a mut Tag)> {
        let range = self.offset..self.offset + self.size;
        self.bytes.chunks_exact_mut(self.stride).map(move |buffer| &mut buffer[range.clone()]).zip(self.tags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_where_they_should_and_do_not_overlap() {
        for (size, offset, batch) in [(1, 0, 1), (64, 1, 32), (1350, 7, 32), (16384, 0, 1), (20_000, 63, 1)] {
            let mut messages = Messages::cached(size, offset, batch);
            let count = messages.count();
            assert!(count >= batch && count.is_multiple_of(batch));
            let mut end = 0;
            for (data, _) in messages.iter_mut() {
                let start = data.as_ptr().addr();
                assert_eq!((data.len(), start % ALIGNMENT), (size, offset));
                assert!(start >= end);
                end = start + size;
            }
            assert_eq!(messages.iter_mut().count(), count);
            let alone: Vec<_> = messages.iter_mut().map(|(data, _)| data.as_ptr()).collect();
            let batches = messages.batches_mut().flat_map(Batch::into_messages);
            assert_eq!(batches.map(|(data, _)| data.as_ptr()).collect::<Vec<_>>(), alone);
        }
    }
}
