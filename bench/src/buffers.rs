//! The messages that a row processes.
//!
//! Each message has its own buffer, and all buffers together fit the first-level cache. A row
//! neither reads the bytes that it has just written, nor waits for memory. A larger message is
//! alone. The clock stops while messages are restored for opening, so no copy is in any figure.

use crate::harness::Prepare;

/// Bytes of all buffers together, unless one batch is larger: half of a typical first-level cache.
const CACHED_BYTES: usize = 16 * 1024;
const ALIGNMENT: usize = 64;

pub type Tag = [u8; 16];

/// Equally long messages, each in a buffer of its own.
pub struct Buffers {
    size: usize,
    offset: usize,
    stride: usize,
    batch: usize,
    /// The position of the first aligned byte.
    start: usize,
    bytes: Vec<u8>,
    tags: Vec<Tag>,
    /// The bytes that `restore` brings back.
    kept: Vec<u8>,
    kept_tags: Vec<Tag>,
}

impl Buffers {
    /// Returns `count` buffers of `size` bytes that begin `offset` bytes behind a multiple of 64,
    /// in batches of `batch`.
    pub fn new(size: usize, offset: usize, batch: usize, count: usize) -> Self {
        let stride = stride(size, offset);
        let bytes = vec![0x5a; count * stride + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        let tags = vec![[0; 16]; count];
        Self { size, offset, stride, batch, start, bytes, tags, kept: Vec::new(), kept_tags: Vec::new() }
    }

    /// Returns as many buffers as fit the cache.
    pub fn cached(size: usize, offset: usize, batch: usize) -> Self {
        let count = (CACHED_BYTES / (stride(size, offset) * batch)).max(1) * batch;
        Self::new(size, offset, batch, count)
    }

    pub fn count(&self) -> usize {
        self.tags.len()
    }

    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Gives the messages different contents.
    pub fn fill(&mut self) {
        for (i, byte) in self.bytes.iter_mut().enumerate() {
            *byte = (i * 31 + i / 256) as u8;
        }
    }

    /// Seals all of them, numbered from 0.
    pub fn seal(&mut self, prepare: &mut Prepare) {
        for (number, (data, tag)) in (0..).zip(self.iter_mut()) {
            prepare(number, data, tag);
        }
    }

    /// Saves the bytes that `restore` brings back.
    pub fn keep(&mut self) {
        self.kept.clone_from(&self.bytes);
        self.kept_tags.clone_from(&self.tags);
    }

    pub fn restore(&mut self) {
        self.bytes.copy_from_slice(&self.kept);
        self.tags.copy_from_slice(&self.kept_tags);
    }

    /// Returns a copy of all bytes that a row may have written, and of those around them.
    pub fn contents(&self) -> (Vec<u8>, Vec<Tag>) {
        (self.bytes.clone(), self.tags.clone())
    }

    /// Makes each tag wrong, each in another bit.
    pub fn change_tags(&mut self) {
        for (i, tag) in self.tags.iter_mut().enumerate() {
            tag[i % 16] ^= 1 << (i % 8);
        }
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut [u8], &mut Tag)> {
        let range = self.offset..self.offset + self.size;
        let buffers = self.bytes[self.start..].chunks_exact_mut(self.stride);
        buffers.map(move |buffer| &mut buffer[range.clone()]).zip(&mut self.tags)
    }

    pub fn batches_mut(&mut self) -> impl Iterator<Item = Batch<'_>> {
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

/// The messages that one call processes.
pub struct Batch<'a> {
    size: usize,
    offset: usize,
    stride: usize,
    bytes: &'a mut [u8],
    tags: &'a mut [Tag],
}

impl<'a> Batch<'a> {
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
            let mut buffers = Buffers::cached(size, offset, batch);
            let count = buffers.count();
            assert!(count >= batch && count.is_multiple_of(batch));
            let mut end = 0;
            for (data, _) in buffers.iter_mut() {
                let start = data.as_ptr().addr();
                assert_eq!((data.len(), start % ALIGNMENT), (size, offset));
                assert!(start >= end);
                end = start + size;
            }
            assert_eq!(buffers.iter_mut().count(), count);
            let alone: Vec<_> = buffers.iter_mut().map(|(data, _)| data.as_ptr()).collect();
            let batches = buffers.batches_mut().flat_map(Batch::into_messages);
            assert_eq!(batches.map(|(data, _)| data.as_ptr()).collect::<Vec<_>>(), alone);
        }
    }
}
