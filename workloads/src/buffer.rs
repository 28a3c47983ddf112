//! Memory for messages.

/// Bytes at the beginning of a page: how many instructions `memcpy` takes depends on the alignment.
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

/// The alignment, in bytes.
const ALIGNMENT: usize = 4096;

impl Buffer {
    /// Allocates `length` bytes, all 0x5a.
    #[must_use]
    pub fn new(length: usize) -> Self {
        let memory = vec![0x5a; length + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Self { memory, start, length }
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}
