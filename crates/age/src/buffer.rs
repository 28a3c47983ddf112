//! Buffers for chunks.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Range};

use zeroize::Zeroize as _;

use crate::lengths::TAG_BYTES;

/// The size of a page, in bytes: the unit in which the system copies from and to files.
const PAGE: usize = 4096;

/// The position in a page at which a buffer begins.
///
/// Zen 3 copies at a third of its speed if the target is 1 to 31 bytes ahead of the source, both
/// counted within a page. Allocators place large buffers at positions where this happens.
/// Consecutive sealed chunks in a buffer are 16 bytes apart within a page. With this offset, no
/// chunk of a buffer begins at a slow position.
const OFFSET: usize = 32;

/// The size of the first read, in bytes: up to the end of the first page. Most files are small.
const FIRST_READ: usize = PAGE - OFFSET;

/// A buffer that is wiped when it is dropped. Memory is allocated when bytes are first requested,
/// and only as much of it as is requested is initialised, so that a small file does not pay for a
/// large buffer.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    capacity: usize,
}

impl Buffer {
    /// Returns an empty buffer with room for `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, capacity }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the bytes in `range`. Those that were not initialised before are 0.
    pub(crate) fn room(&mut self, range: Range<usize>) -> &mut [u8] {
        assert!(range.end <= self.capacity, "a buffer does not move, which would leave a copy behind");
        if self.bytes.capacity() == 0 {
            self.bytes = Vec::with_capacity(self.capacity + PAGE + OFFSET);
            // If the address cannot be aligned, the buffer works all the same, but more slowly.
            self.start = self.bytes.as_ptr().align_offset(PAGE) % PAGE + OFFSET;
        }
        let end = self.start + range.end;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.start + range.start..end]
    }

    /// Returns the room for the next read: from `start` to the end of the initialised bytes, but at
    /// most to `end`. If no more than a tag is left after `start`, or `start` is 0 because the
    /// buffer is filled anew, the initialised bytes are first extended to four times their number,
    /// and at least to [`FIRST_READ`].
    pub(crate) fn room_to_read(&mut self, start: usize, end: usize) -> &mut [u8] {
        let len = self.len();
        let limit = if 0 < start && start + TAG_BYTES < len { len } else { (4 * len).max(FIRST_READ) };
        self.room(start..end.min(limit))
    }
}

/// Dereferences to the initialised bytes.
impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.start..).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.bytes.as_mut_slice().zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_where_copying_is_fast_and_stays_there() {
        for capacity in [1, 5000, 1 << 20] {
            let mut buffer = Buffer::new(capacity);
            assert!(buffer.is_empty());
            let first = buffer.room(0..1).as_ptr().addr();
            assert_eq!(first % PAGE, OFFSET);
            buffer.room(0..1)[0] = 7;
            assert_eq!(buffer.room(0..capacity).as_ptr().addr(), first);
            assert_eq!((buffer.len(), buffer[0]), (capacity, 7));
        }
    }

    #[test]
    fn reads_grow_with_the_data() {
        const END: usize = 1 << 20;
        let (mut buffer, mut reads, mut start) = (Buffer::new(END), Vec::new(), 0);
        while start < END {
            reads.push(buffer.room_to_read(start, END).len());
            start += reads[reads.len() - 1];
        }
        assert_eq!(reads, [4064, 12_192, 48_768, 195_072, 780_288, 8192]);

        // The end of a small file fits in the first page. A buffer that is filled again is not for
        // a small file.
        let mut buffer = Buffer::new(END);
        assert_eq!([0, 100, 0].map(|start| buffer.room_to_read(start, END).len()), [4064, 3964, 16_256]);
    }
}
