//! An allocator for tests that looks at memory when it is freed.

extern crate std;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::thread_local;

/// An allocator that can count the large blocks that a thread frees, and those that are not all
/// zeros.
#[derive(Debug)]
pub struct Freed;

/// Blocks of at least [`Freed::MIN_BYTES`] bytes that a thread has freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreedBlocks {
    /// All of them.
    pub all: usize,
    /// Those with a byte that is not zero.
    pub not_wiped: usize,
}

thread_local! {
    // `None` while nothing is counted. A `const` value without a destructor, so that neither its
    // first use nor the end of the thread allocates.
    static BLOCKS: Cell<Option<FreedBlocks>> = const { Cell::new(None) };
}

impl Freed {
    /// The length of the shortest block that is counted.
    pub const MIN_BYTES: usize = 2048;

    /// Counts the blocks that this thread frees while `work` runs. Their values must be of types
    /// without padding.
    pub fn count(work: impl FnOnce()) -> FreedBlocks {
        BLOCKS.set(Some(FreedBlocks::default()));
        work();
        BLOCKS.take().unwrap_or_default()
    }
}

// SAFETY: all blocks are the system's, with the caller's layouts.
unsafe impl GlobalAlloc for Freed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that `dealloc` reads no uninitialised bytes.
        // SAFETY: the caller's promise about the layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() >= Self::MIN_BYTES
            && let Some(FreedBlocks { all, not_wiped }) = BLOCKS.get()
        {
            // The reads are volatile, because the compiler may assume that nobody reads a freed
            // object.
            let is_zero = |i: usize| {
                // SAFETY: the byte is in the block. `alloc` has initialised it, and only a value
                // with padding would have made it uninitialised again. `count` rules that out.
                let byte = unsafe { block.wrapping_add(i).read_volatile() };
                byte == 0
            };
            let is_wiped = (0..layout.size()).all(is_zero);
            BLOCKS.set(Some(FreedBlocks { all: all + 1, not_wiped: not_wiped + usize::from(!is_wiped) }));
        }
        // SAFETY: `alloc` has returned the block with this layout; nobody uses it after that.
        unsafe { System.dealloc(block, layout) }
    }
}
