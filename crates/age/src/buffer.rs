//! Buffers for chunks.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Range};

use zeroize::Zeroize as _;

/// The size of a page, in bytes: the unit in which the system copies from and to files.
const PAGE: usize = 4096;

/// The position in a page at which a buffer begins.
///
/// Zen 3 copies at a third of its speed if the target is 1 to 31 bytes ahead of the source, both
/// counted within a page. Allocators begin large buffers at such a position. Sealed chunks that
/// follow each other in a buffer are 16 bytes apart in that count. With this offset, no chunk of a
/// buffer begins at a slow position.
const OFFSET: usize = 32;

/// A buffer that is wiped when it is dropped. Its bytes are initialised only when they are asked
/// for, so that a small file does not pay for a large buffer.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    capacity: usize,
}

impl Buffer {
    /// Returns an empty buffer with room for `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        let bytes = Vec::<u8>::with_capacity(capacity + PAGE + OFFSET);
        // If the address cannot be aligned, the buffer is slower and works all the same.
        let start = bytes.as_ptr().align_offset(PAGE) % PAGE + OFFSET;
        Self { bytes, start, capacity }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns these bytes. Those that were not initialised before are 0.
    pub(crate) fn room(&mut self, range: Range<usize>) -> &mut [u8] {
        assert!(range.end <= self.capacity, "a buffer does not move, which would leave a copy behind");
        let end = self.start + range.end;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.start + range.start..end]
    }
}

/// Gives the initialised bytes.
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
}
