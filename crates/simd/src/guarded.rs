//! Memory with inaccessible pages on both sides, for tests: a read or write beyond a slice that
//! touches its edge ends the program.

extern crate std;

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

/// Protection applies to whole pages. Every page size in use (4, 16 and 64 KiB) divides this one.
const PAGE_BYTES: usize = 65_536;

// The same on every Unix, unlike the flags of `mmap`.
const PROT_NONE: c_int = 0;
const PROT_READ_WRITE: c_int = 3;

unsafe extern "C" {
    fn mprotect(address: *mut c_void, length: usize, protection: c_int) -> c_int;
}

/// Zeroed memory between two inaccessible pages.
#[derive(Debug)]
pub struct Guarded {
    /// The page before the accessible memory.
    start: NonNull<u8>,
    /// Bytes of accessible memory: whole pages.
    bytes: usize,
}

impl Guarded {
    /// Allocates at least `bytes` accessible bytes.
    ///
    /// # Panics
    /// If the system does not protect the pages, because a test must not continue without
    /// protection.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let bytes = bytes.max(1).next_multiple_of(PAGE_BYTES);
        let layout = Self::layout(bytes);
        // SAFETY: the layout has a size.
        let Some(start) = NonNull::new(unsafe { alloc_zeroed(layout) }) else { handle_alloc_error(layout) };
        let guarded = Self { start, bytes };
        guarded.protect(PROT_NONE);
        guarded
    }

    /// Returns the first `length` bytes, directly after an inaccessible page.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn at_start(&mut self, length: usize) -> &mut [u8] {
        &mut self.memory()[..length]
    }

    /// Returns the last `length` bytes, directly before an inaccessible page.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn at_end(&mut self, length: usize) -> &mut [u8] {
        let first = self.bytes - length;
        &mut self.memory()[first..]
    }

    fn memory(&mut self) -> &mut [u8] {
        // SAFETY: the allocation has an extra page at its start, so the result is within it.
        let first = unsafe { self.start.add(PAGE_BYTES) };
        // SAFETY: these bytes are initialised and accessible, this value owns them, and the
        // reference borrows it exclusively.
        unsafe { core::slice::from_raw_parts_mut(first.as_ptr(), self.bytes) }
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes + 2 * PAGE_BYTES, PAGE_BYTES).expect("a size that memory can have")
    }

    /// Sets the protection of both outer pages.
    fn protect(&self, protection: c_int) {
        for offset in [0, PAGE_BYTES + self.bytes] {
            // SAFETY: the offset is within the allocation.
            let page = unsafe { self.start.add(offset) };
            // SAFETY: the page is a part of this value's allocation, and no reference reaches it.
            let result = unsafe { mprotect(page.as_ptr().cast(), PAGE_BYTES, protection) };
            assert!(result == 0, "the system does not protect pages: {}", std::io::Error::last_os_error());
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // The allocator may write to the pages, so they become writable again.
        self.protect(PROT_READ_WRITE);
        // SAFETY: `new` allocated this memory with this layout, and nothing else frees it.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.bytes)) };
    }
}

#[cfg(test)]
mod tests {
    use std::io::pipe;
    use std::os::fd::AsRawFd;

    use super::*;

    unsafe extern "C" {
        fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
    }

    /// Asks the system whether this program may read the byte at `address`.
    fn is_readable(address: *const u8) -> bool {
        let (_reader, writer) = pipe().expect("a pipe");
        // SAFETY: the system checks the address, and fails where it must not be read.
        unsafe { write(writer.as_raw_fd(), address.cast(), 1) == 1 }
    }

    #[test]
    fn the_bytes_beyond_the_edges_are_inaccessible() {
        let mut guarded = Guarded::new(100_000);
        let length = guarded.bytes;
        assert_eq!(length, 2 * PAGE_BYTES);
        guarded.at_start(length).fill(7);
        assert_eq!(guarded.at_end(3), [7; 3]);
        let start = guarded.at_start(1).as_ptr();
        assert!(is_readable(start));
        assert!(!is_readable(start.wrapping_sub(1)));
        assert!(is_readable(start.wrapping_add(length - 1)));
        assert!(!is_readable(start.wrapping_add(length)));
    }
}
