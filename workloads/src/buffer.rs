//! Memory for messages.

use std::cell::RefCell;

/// Bytes that start at a page boundary, because the number of instructions in `memcpy` depends on
/// the alignment.
///
/// The memory is never freed, so that access costs no more than access to a slice. A later buffer
/// of the same length reuses it.
pub struct Buffer(&'static mut [u8]);

/// The alignment, in bytes.
const ALIGNMENT: usize = 4096;

thread_local! {
    static FREE: RefCell<Vec<&'static mut [u8]>> = const { RefCell::new(Vec::new()) };
}

impl Buffer {
    /// Returns `length` bytes, all 0x5a.
    #[must_use]
    pub fn new(length: usize) -> Self {
        let free = FREE.with_borrow_mut(|free| {
            let index = free.iter().position(|bytes| bytes.len() == length)?;
            Some(free.swap_remove(index))
        });
        let bytes = free.unwrap_or_else(|| {
            let memory = vec![0; length + ALIGNMENT].leak();
            let start = memory.as_ptr().align_offset(ALIGNMENT);
            &mut memory[start..start + length]
        });
        bytes.fill(0x5a);
        Self(bytes)
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes(&mut self) -> &mut [u8] {
        self.0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        FREE.with_borrow_mut(|free| free.push(std::mem::take(&mut self.0)));
    }
}
