//! The boundary to C: pointers become slices here, and panics become results.

use core::ffi::{c_char, c_int};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Deref;
use core::{ptr, slice};
use std::fs::File;
use std::io;
use std::os::fd::FromRawFd as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use primitives::Output;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::status::sealane_status::{self, *};
use crate::wiped;

/// EBADF, which has this value on Linux and all BSDs.
const BAD_DESCRIPTOR: i32 = 9;

/// Runs the body of a function. A panic becomes SEALANE_INTERNAL.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), sealane_status>) -> sealane_status {
    // The assertion holds because the caller must not use outputs and contexts after a panic, and
    // nothing else is shared.
    match catch_unwind(AssertUnwindSafe(|| {
        panic_if_asked();
        body()
    })) {
        Ok(Ok(())) => SEALANE_OK,
        Ok(Err(status)) => status,
        Err(_) => SEALANE_INTERNAL,
    }
}

/// Returns a new context, or NULL after a panic.
pub(crate) fn new_context<T>(make: impl FnOnce() -> T) -> *mut T {
    catch_unwind(AssertUnwindSafe(|| {
        panic_if_asked();
        Box::into_raw(Box::new(make()))
    }))
    .unwrap_or(ptr::null_mut())
}

/// Panics if an environment variable is set, but only in the library built for
/// `tests/faults/panic.c`.
fn panic_if_asked() {
    #[cfg(sealane_panic)]
    assert!(std::env::var_os("SEALANE_PANIC").is_none(), "a panic that a test asked for");
}

/// The caller's promise that its pointers are valid for the duration of one call. Slices and
/// references that the methods return cannot outlive it.
pub(crate) struct Caller(());

impl Caller {
    /// # Safety
    /// Until this value is dropped, each non-null pointer that the methods receive is valid for
    /// its length, and memory for output is not used by others. Contexts are live results of
    /// [`new_context`]. Others do not use them, or, if [`Self::shared`] receives them, at most read
    /// them too. Callbacks keep the header's rules for them.
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }

    /// Returns `len` items of input. They must not overlap output: see [`check_disjoint`].
    pub(crate) fn input<T>(&self, start: *const T, len: usize) -> Result<&[T], sealane_status> {
        check::<T>(start.is_null(), len)?;
        if len == 0 {
            return Ok(&[]);
        }
        // SAFETY: the pointer is not null, `Caller::new` promises the rest, and the size fits.
        Ok(unsafe { slice::from_raw_parts(start, len) })
    }

    /// Returns `len` items that are read and written.
    #[allow(clippy::mut_from_ref, reason = "the memory is the caller's, who promises that it is exclusive")]
    pub(crate) fn in_out<T>(&self, start: *mut T, len: usize) -> Result<&mut [T], sealane_status> {
        check::<T>(start.is_null(), len)?;
        if len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the pointer is not null, `Caller::new` promises the rest, and the size fits.
        Ok(unsafe { slice::from_raw_parts_mut(start, len) })
    }

    /// Returns room for `len` items of output, which may be uninitialised.
    #[allow(clippy::mut_from_ref, reason = "the memory is the caller's, who promises that it is exclusive")]
    pub(crate) fn room<T>(&self, start: *mut T, len: usize) -> Result<&mut [MaybeUninit<T>], sealane_status> {
        self.in_out(start.cast(), len)
    }

    /// Returns `len` bytes of output, which may be uninitialised.
    pub(crate) fn output(&self, start: *mut u8, len: usize) -> Result<&mut [MaybeUninit<u8>], sealane_status> {
        self.room(start, len)
    }

    /// Returns a copy of `N` bytes.
    pub(crate) fn array<const N: usize>(&self, start: *const u8) -> Result<[u8; N], sealane_status> {
        let mut array = [0; N];
        array.copy_from_slice(self.input(start, N)?);
        Ok(array)
    }

    /// Returns a copy of a key.
    pub(crate) fn key(&self, start: *const u8) -> Result<Zeroizing<[u8; 32]>, sealane_status> {
        let mut key = Zeroizing::new([0; 32]);
        key.copy_from_slice(self.input(start, 32)?);
        Ok(key)
    }

    /// Writes all bytes of an array.
    pub(crate) fn write<const N: usize>(&self, to: *mut u8, bytes: &[u8; N]) -> Result<(), sealane_status> {
        Output::new(self.output(to, N)?).append(bytes);
        Ok(())
    }

    /// Returns the input and the output of a transformation. Each has `len` bytes.
    pub(crate) fn buffers(&self, from: *const u8, to: *mut u8, len: usize) -> Result<Buffers<'_>, sealane_status> {
        if from == to.cast_const() {
            return Ok(Buffers::InPlace(self.in_out(to, len)?));
        }
        check_disjoint(&[Region::new(to, len)], &[Region::new(from, len)])?;
        Ok(Buffers::Separate(self.input(from, len)?, self.output(to, len)?))
    }

    /// Returns a context.
    #[allow(clippy::mut_from_ref, reason = "the memory is the caller's, who promises that it is exclusive")]
    pub(crate) fn context<T>(&self, context: *mut T) -> Result<&mut T, sealane_status> {
        // SAFETY: `Caller::new` promises that it is null or live, and not used by others.
        unsafe { context.as_mut() }.ok_or(SEALANE_NULL_POINTER)
    }

    /// Returns a context that is only read.
    pub(crate) fn shared<T>(&self, context: *const T) -> Result<&T, sealane_status> {
        // SAFETY: `Caller::new` promises that it is null or live, and that nobody changes it.
        unsafe { context.as_ref() }.ok_or(SEALANE_NULL_POINTER)
    }

    /// Returns a copy of a context, or null if the context is null or copying it panics.
    pub(crate) fn duplicate<T: Clone>(&self, context: *const T) -> *mut T {
        self.shared(context).map_or(ptr::null_mut(), |context| new_context(|| context.clone()))
    }

    /// Stores a value in memory that may be uninitialised.
    pub(crate) fn store<T>(&self, to: *mut T, value: T) -> Result<(), sealane_status> {
        if to.is_null() {
            return Err(SEALANE_NULL_POINTER);
        }
        // SAFETY: the pointer is not null, and `Caller::new` promises that it is valid.
        unsafe { to.write(value) };
        Ok(())
    }

    /// Writes a text and a zero byte.
    pub(crate) fn text(&self, to: *mut c_char, size: usize, text: &str) -> Result<(), sealane_status> {
        let buffer = self.output(to.cast(), size)?;
        if text.len() >= buffer.len() {
            return Err(SEALANE_WRONG_LENGTH);
        }
        let mut output = Output::new(buffer);
        output.append(text.as_bytes());
        output.append(&[0]);
        Ok(())
    }

    /// Returns an open file descriptor as a file, which is not closed. A duplicate would have to be
    /// closed, and that releases all record locks (`fcntl`, `lockf`) of the process on the file.
    pub(crate) fn file(&self, descriptor: c_int) -> io::Result<BorrowedFile<'_>> {
        if descriptor < 0 {
            return Err(io::Error::from_raw_os_error(BAD_DESCRIPTOR));
        }
        // SAFETY: the descriptor is not -1. The file is never dropped. If the descriptor is not
        // open, all that is done with it is the call of `fstat` below, which fails.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
        file.metadata()?;
        Ok(BorrowedFile { file, caller: PhantomData })
    }

    /// Drops a context and wipes its memory. Null is allowed.
    pub(crate) fn free<T>(&self, context: *mut T) {
        if !context.is_null() {
            // SAFETY: `Caller::new` promises that it is a live result of `new_context`, which comes
            // from `Box::into_raw`, and that nobody else uses it.
            unsafe { wiped::free(context) };
        }
    }
}

/// A file of the caller, for the duration of one call.
pub(crate) struct BorrowedFile<'a> {
    file: ManuallyDrop<File>,
    caller: PhantomData<&'a Caller>,
}

impl Deref for BorrowedFile<'_> {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

fn check<T>(is_null: bool, len: usize) -> Result<(), sealane_status> {
    if len.checked_mul(size_of::<T>()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(SEALANE_WRONG_LENGTH);
    }
    if is_null && len > 0 { Err(SEALANE_NULL_POINTER) } else { Ok(()) }
}

/// The addresses of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Region {
    start: usize,
    end: usize,
}

impl Region {
    pub(crate) const EMPTY: Self = Self { start: 0, end: 0 };

    pub(crate) fn new<T>(start: *const T, len: usize) -> Self {
        let start = start.addr();
        Self { start, end: start.saturating_add(len.saturating_mul(size_of::<T>())) }
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        // An empty buffer overlaps nothing.
        self.start.max(other.start) < self.end.min(other.end)
    }

    /// Returns whichever of the two regions ends later.
    pub(crate) fn further(self, other: Self) -> Self {
        if other.end > self.end { other } else { self }
    }
}

/// Checks that no output overlaps another output or an input.
pub(crate) fn check_disjoint(outputs: &[Region], inputs: &[Region]) -> Result<(), sealane_status> {
    for (i, output) in outputs.iter().enumerate() {
        if outputs[i + 1..].iter().chain(inputs).any(|other| output.overlaps(other)) {
            return Err(SEALANE_OVERLAP);
        }
    }
    Ok(())
}

impl From<primitives::OpenError> for sealane_status {
    fn from(_: primitives::OpenError) -> Self {
        SEALANE_NOT_AUTHENTIC
    }
}

impl From<primitives::CounterOverflow> for sealane_status {
    fn from(_: primitives::CounterOverflow) -> Self {
        SEALANE_TOO_LONG
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_result() {
        assert_eq!(guard(|| panic!("on purpose")), SEALANE_INTERNAL);
        assert_eq!(guard(|| Err(SEALANE_TOO_LONG)), SEALANE_TOO_LONG);
        assert_eq!(guard(|| Ok(())), SEALANE_OK);
        assert!(new_context::<u8>(|| panic!("on purpose")).is_null());
    }

    /// A context whose copying and dropping panic.
    struct Panics;

    impl Clone for Panics {
        fn clone(&self) -> Self {
            panic!("on purpose")
        }
    }

    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("on purpose")
        }
    }

    #[test]
    fn a_panic_of_a_context_ends_here() {
        // SAFETY: the pointer is a live result of `new_context`, and is freed once.
        let caller = unsafe { Caller::new() };
        let context = new_context(|| Panics);
        assert!(caller.duplicate(context).is_null());
        caller.free(context);
    }
}
