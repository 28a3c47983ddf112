//! The memory of the virtual machine: pointers become slices here.

use core::mem::MaybeUninit;
use core::{ptr, slice};
use std::panic::{AssertUnwindSafe, catch_unwind};

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

/// The input and the output of a transformation.
pub(crate) enum Buffers<'a> {
    InPlace(&'a mut [u8]),
    Separate(&'a [u8], &'a mut [MaybeUninit<u8>]),
}

impl Buffers<'_> {
    /// Copies the input to the output if they differ, and transforms the output.
    pub(crate) fn transform<E: Into<Failure>>(
        self,
        transform: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), Failure> {
        let buffer = match self {
            Self::InPlace(buffer) => buffer,
            Self::Separate(from, to) => {
                let mut output = sealane::Output::new(to);
                output.append(from);
                output.finish()
            }
        };
        transform(buffer).map_err(E::into)
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

/// Overwrites a place with zeros, also the bytes that the value in it did not use: they may hold
/// what a move copied from the stack.
fn wipe<T>(place: &mut MaybeUninit<T>) {
    // SAFETY: the reference makes the place valid, and it needs to hold no value.
    unsafe { place.as_mut_ptr().write_bytes(0, 1) };
    zeroize::optimization_barrier(place);
}

/// Takes a value out of a context, wipes its place, and leaves `rest` there. A move alone, such as
/// that of `Option::take`, would leave keys in the place.
// Inlined, so that only the bytes of `rest` are written that it uses.
#[inline(always)]
pub(crate) fn take<T>(place: &mut T, rest: T) -> T {
    // SAFETY: `MaybeUninit<T>` has the layout of `T`. The place holds a value again before the
    // reference ends, and nothing below panics.
    let place = unsafe { &mut *ptr::from_mut(place).cast::<MaybeUninit<T>>() };
    // SAFETY: the place holds a value, which is not used there again.
    let value = unsafe { place.assume_init_read() };
    wipe(place);
    place.write(rest);
    value
}

/// Drops an object and wipes its memory.
///
/// # Safety
/// The pointer is from `Box::into_raw`, and nobody uses the object any more.
pub(crate) unsafe fn free<T>(object: *mut T) {
    // SAFETY: the caller promises it, and `MaybeUninit<T>` has the layout of `T`.
    let mut memory = unsafe { Box::from_raw(object.cast::<MaybeUninit<T>>()) };
    // SAFETY: it is a live object, which is not used afterwards.
    let drop = || unsafe { memory.assume_init_drop() };
    // Nothing in the objects panics when it is dropped; if it did, the panic ends here.
    let _ = catch_unwind(AssertUnwindSafe(drop));
    wipe(&mut memory);
}
