//! The caller's functions for input and output.

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use std::io::{self, Read, Write};

use sealane_age::ReadAt;

use crate::boundary::Caller;
use crate::status::sealane_status::{self, *};

/// Reads up to `len` bytes into `buffer`. Returns the number of bytes read, 0 at the end, or a
/// negative number after an error. The negative number becomes `io` of sealane_age_error.
///
/// The callback must return normally, and not leave by longjmp or a C++ exception. It must not
/// change or free the objects that were passed to the function that calls it.
pub type sealane_read = Option<unsafe extern "C" fn(context: *mut c_void, buffer: *mut u8, len: usize) -> isize>;

/// Writes at least one and up to `len` bytes. Returns their number, or a negative number after an
/// error. Everything else is as in sealane_read.
pub type sealane_write = Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, len: usize) -> isize>;

/// Reads up to `len` bytes of the file, starting at byte `offset`. Everything else is as in
/// sealane_read.
pub type sealane_read_at =
    Option<unsafe extern "C" fn(context: *mut c_void, offset: u64, buffer: *mut u8, len: usize) -> isize>;

/// A callback failed with this negative result, or returned more than the number of bytes that it
/// was called with.
#[derive(Debug)]
pub(super) struct CallbackError(pub(super) i64);

impl fmt::Display for CallbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            result @ ..0 => write!(f, "the callback failed with {result}"),
            result => write!(f, "the callback returned {result}, which is not possible"),
        }
    }
}

impl core::error::Error for CallbackError {}

/// Returns the number of bytes that a callback processed, at most `len`.
fn processed(result: isize, len: usize) -> io::Result<usize> {
    let processed = usize::try_from(result).ok().filter(|processed| *processed <= len);
    processed.ok_or_else(|| io::Error::other(CallbackError(result as i64)))
}

/// Input from a callback, for the duration of one call.
pub(super) struct Source<'a> {
    read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> isize,
    context: *mut c_void,
    caller: PhantomData<&'a Caller>,
}

impl<'a> Source<'a> {
    /// Needs a `Caller`: the caller's promise covers the callback, too.
    pub(super) fn new(_: &'a Caller, read: sealane_read, context: *mut c_void) -> Result<Self, sealane_status> {
        Ok(Self { read: read.ok_or(SEALANE_NULL_POINTER)?, context, caller: PhantomData })
    }
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        // SAFETY: `out` has `len` bytes to write to. The header requires that `read` can be called
        // with its context and such a buffer while the call lasts, and `Caller` promises it.
        let result = unsafe { (self.read)(self.context, out.as_mut_ptr(), out.len()) };
        processed(result, out.len())
    }
}

/// Output to a callback, for the duration of one call.
pub(super) struct Sink<'a> {
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> isize,
    context: *mut c_void,
    caller: PhantomData<&'a Caller>,
}

// SAFETY: the header says that another thread may call the function, until the call returns.
unsafe impl Send for Sink<'_> {}

impl<'a> Sink<'a> {
    pub(super) fn new(_: &'a Caller, write: sealane_write, context: *mut c_void) -> Result<Self, sealane_status> {
        Ok(Self { write: write.ok_or(SEALANE_NULL_POINTER)?, context, caller: PhantomData })
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        // SAFETY: `bytes` has `len` bytes to read. The header requires that `write` can be called
        // with its context and such a buffer, from one thread at a time, while the call lasts, and
        // `Caller` promises it.
        let result = unsafe { (self.write)(self.context, bytes.as_ptr(), bytes.len()) };
        processed(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that a callback reads at any position. It lives as long as its reader.
pub(super) struct File {
    read_at: unsafe extern "C" fn(*mut c_void, u64, *mut u8, usize) -> isize,
    context: *mut c_void,
    len: u64,
}

// SAFETY: the header says that the function must be callable from each thread that uses the reader.
unsafe impl Send for File {}
// SAFETY: the header says that the function must be callable from several threads at once if
// several threads use the reader.
unsafe impl Sync for File {}

impl File {
    /// # Safety
    /// `read_at` can be called with `context` until this value is dropped, from several threads at
    /// once if several use this value.
    pub(super) unsafe fn new(read_at: sealane_read_at, context: *mut c_void, len: u64) -> Result<Self, sealane_status> {
        Ok(Self { read_at: read_at.ok_or(SEALANE_NULL_POINTER)?, context, len })
    }
}

impl ReadAt for File {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        // SAFETY: `new` asks for a function that can be called with this context, and `out` is
        // writable.
        let result = unsafe { (self.read_at)(self.context, offset, out.as_mut_ptr(), out.len()) };
        processed(result, out.len())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len)
    }
}
