//! The memory of the virtual machine: pointers become slices here.

use core::mem::MaybeUninit;
use core::slice;

use crate::buffers::Buffers;
use crate::status::Failure;

/// The promise of a caller that its pointers are valid for the duration of one call. Slices that
/// the methods return cannot outlive it.
pub(crate) struct Lent(());

impl Lent {
    /// # Safety
    /// Until this value is dropped, each pointer that the methods receive is valid for its length
    /// and does not move, and nobody else uses memory for output.
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }

    /// Returns `len` bytes of input.
    pub(crate) fn input(&self, start: *const u8, len: usize) -> &[u8] {
        if len == 0 {
            return &[];
        }
        // SAFETY: `Lent::new` promises that the memory is valid, and an array of Java has less
        // than 2^31 bytes.
        unsafe { slice::from_raw_parts(start, len) }
    }

    /// Returns `len` bytes of output. They are initialised, because they belong to a Java array or
    /// buffer.
    #[allow(clippy::mut_from_ref, reason = "the memory is the caller's, who promises that it is exclusive")]
    pub(crate) fn output(&self, start: *mut u8, len: usize) -> &mut [u8] {
        if len == 0 {
            return &mut [];
        }
        // SAFETY: `Lent::new` promises that the memory is valid and exclusive, and an array of Java
        // has less than 2^31 bytes.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    /// Returns a copy of `N` bytes.
    pub(crate) fn array<const N: usize>(&self, start: *const u8) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(self.input(start, N));
        array
    }

    /// Returns the input and the output of a transformation. Each has `len` bytes, and they are the
    /// same memory or do not overlap.
    pub(crate) fn buffers(&self, from: *const u8, to: *mut u8, len: usize) -> Result<Buffers<'_>, Failure> {
        if len == 0 || from == to.cast_const() {
            return Ok(Buffers::InPlace(self.output(to, len)));
        }
        if from.addr().abs_diff(to.addr()) < len {
            return Err(Failure::Internal);
        }
        let output = self.output(to, len);
        // SAFETY: `MaybeUninit<u8>` has the layout of `u8`. The reference goes to functions of
        // `sealane`, which write initialised bytes only.
        let output = unsafe { &mut *(&raw mut *output as *mut [MaybeUninit<u8>]) };
        Ok(Buffers::Separate(self.input(from, len), output))
    }
}

/// Returns the pointer `offset` bytes further.
pub(crate) fn at(start: *const u8, offset: i32) -> *const u8 {
    // `Native` checks that offsets are within the array, so they are not negative.
    start.wrapping_add(offset as usize)
}

/// Returns the pointer `offset` bytes further.
pub(crate) fn at_mut(start: *mut u8, offset: i32) -> *mut u8 {
    start.wrapping_add(offset as usize)
}
