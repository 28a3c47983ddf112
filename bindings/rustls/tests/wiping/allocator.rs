//! An allocator that searches freed blocks for secrets.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The key for messages. It is unlikely that the bytes of a secret occur elsewhere by chance.
pub(crate) const KEY: [u8; 32] = *b"\x9e the key of records and packets";
/// The IV of messages.
pub(crate) const IV: [u8; 12] = *b"\x9e the one IV";
/// The key of headers.
pub(crate) const HEADER_KEY: [u8; 32] = *b"\x9e the key that protects headers ";

#[derive(Clone, Copy, Debug)]
pub(crate) enum Secret {
    Key,
    Iv,
    HeaderKey,
}

const SECRETS: [&[u8]; 3] = [&KEY, &IV, &HEADER_KEY];

/// For each secret, how many blocks freed by this thread contained it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found([usize; SECRETS.len()]);

impl Found {
    pub(crate) fn of(self, secret: Secret) -> usize {
        self.0[secret as usize]
    }
}

thread_local! {
    // A `const` value without a destructor, so that neither its first use nor the end of the thread
    // allocates.
    static FOUND: Cell<Found> = const { Cell::new(Found([0; SECRETS.len()])) };
}

/// Returns the numbers so far.
pub(crate) fn found() -> Found {
    FOUND.get()
}

#[global_allocator]
static SEARCHING: Searching = Searching;

struct Searching;

/// Searches a block that is about to be freed.
///
/// # Safety
/// The block has `bytes` bytes, and they have been initialised.
unsafe fn search(block: *const u8, bytes: usize) {
    // The reads are volatile, because the compiler may assume that nobody reads a freed object.
    // SAFETY: the caller's promise; all offsets are inside the block.
    let byte = |i: usize| unsafe { block.wrapping_add(i).read_volatile() };
    let mut found = FOUND.get();
    for (count, secret) in found.0.iter_mut().zip(SECRETS) {
        let starts = (bytes + 1).saturating_sub(secret.len());
        let is_at = |start: usize| (start..).zip(secret).all(|(i, wanted)| byte(i) == *wanted);
        *count += usize::from((0..starts).any(is_at));
    }
    FOUND.set(found);
}

// SAFETY: all blocks are the system's, with the caller's layouts.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that the search reads no uninitialised bytes.
        // SAFETY: the caller's promise about the layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `alloc` has returned the block with this layout, and has zeroed it.
        unsafe { search(block, layout.size()) };
        // SAFETY: the same; nobody uses the block after that.
        unsafe { System.dealloc(block, layout) }
    }
}
