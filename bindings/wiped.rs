//! Contexts that leave no key in memory. The bindings for C, Java and OpenSSL each compile this
//! file.

use core::mem::MaybeUninit;
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Overwrites a place with zeros. This includes the bytes that its value does not use, which may
/// hold what a move copied from the stack.
fn wipe<T>(place: &mut MaybeUninit<T>) {
    // SAFETY: the reference makes the place valid, and it needs to hold no value.
    unsafe { place.as_mut_ptr().write_bytes(0, 1) };
    zeroize::optimization_barrier(place);
}

/// Takes a value out of a context, wipes its place, and leaves `rest` there. A move alone, such as
/// that of `Option::take`, would leave keys in the place.
// Inlined, so that only the bytes that `rest` uses are written.
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

/// Drops a context and wipes its memory.
///
/// # Safety
/// The pointer is from `Box::into_raw`, and nobody uses the context any more.
pub(crate) unsafe fn free<T>(context: *mut T) {
    // SAFETY: the caller promises that the pointer is from `Box::into_raw`, and `MaybeUninit<T>`
    // has the layout of `T`.
    let mut memory = unsafe { Box::from_raw(context.cast::<MaybeUninit<T>>()) };
    // SAFETY: it is a live context, which is not used afterwards.
    let drop = || unsafe { memory.assume_init_drop() };
    // Nothing in the contexts panics when it is dropped; if it did, the panic ends here.
    let _ = catch_unwind(AssertUnwindSafe(drop));
    wipe(&mut memory);
}
