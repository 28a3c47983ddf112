//! An output buffer that need not be initialised, for safe code.

use core::mem::MaybeUninit;

/// A buffer that is filled from the front, piece by piece. When it is full, it becomes a plain
/// slice.
///
/// It lets code without `unsafe` write to memory that was never initialised. Its functions are
/// inlined, because around a call, kernels would store vectors of key stream on the stack.
///
/// ```
/// use core::mem::MaybeUninit;
/// use sealane_simd::Output;
///
/// let mut memory = [MaybeUninit::uninit(); 5];
/// let mut output = Output::new(&mut memory);
/// output.append(b"he").make_ascii_uppercase();
/// output.append(b"llo");
/// assert_eq!(output.finish(), b"HEllo");
/// ```
#[derive(Debug)]
pub struct Output<'a> {
    buffer: &'a mut [MaybeUninit<u8>],
    filled: usize,
}

impl<'a> Output<'a> {
    /// Returns an empty output over `buffer`, whose contents are never read before they are
    /// written.
    #[inline(always)]
    #[must_use]
    pub fn new(buffer: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { buffer, filled: 0 }
    }

    /// Returns the number of bytes of the buffer.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.buffer.len()
    }

    /// Returns the number of bytes still to be written.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.buffer.len() - self.filled
    }

    /// Appends a copy of `bytes` and returns it for further work in place.
    ///
    /// # Panics
    /// If fewer than `bytes.len()` bytes remain.
    #[inline(always)]
    pub fn append(&mut self, bytes: &[u8]) -> &mut [u8] {
        let start = self.filled;
        let end = start.checked_add(bytes.len()).expect("output within the address space");
        let appended = &mut self.buffer[start..end];
        // SAFETY: both point to `bytes.len()` elements of one layout, which do not overlap: one is
        // borrowed exclusively.
        unsafe { appended.as_mut_ptr().copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len()) };
        self.filled = end;
        // SAFETY: the copy has just initialised all of it.
        unsafe { assume_init_mut(appended) }
    }

    /// Returns the bytes that have been written so far.
    #[must_use]
    pub fn filled_mut(&mut self) -> &mut [u8] {
        let filled = &mut self.buffer[..self.filled];
        // SAFETY: `filled` only grows in `append`, past bytes that it has just written, so all
        // bytes below it are initialised.
        unsafe { assume_init_mut(filled) }
    }

    /// Returns the whole buffer.
    ///
    /// # Panics
    /// If bytes remain to be written.
    #[inline(always)]
    #[must_use]
    pub fn finish(self) -> &'a mut [u8] {
        assert_eq!(self.filled, self.buffer.len(), "output was not filled");
        // SAFETY: `filled` only grows in `append`, past bytes that it has just written, so all
        // bytes below it are initialised, and it has reached the end.
        unsafe { assume_init_mut(self.buffer) }
    }
}

/// Returns initialised memory as a plain slice. The standard library's function of that name is
/// stable from Rust 1.93 on.
///
/// # Safety
/// All bytes are initialised.
#[inline(always)]
unsafe fn assume_init_mut(bytes: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let initialised: *mut [u8] = core::ptr::from_mut(bytes) as *mut [u8];
    // SAFETY: the layouts are the same, the caller says that the bytes are initialised, and the
    // exclusive borrow goes on.
    unsafe { &mut *initialised }
}

impl<'a> From<&'a mut [MaybeUninit<u8>]> for Output<'a> {
    fn from(buffer: &'a mut [MaybeUninit<u8>]) -> Self {
        Self::new(buffer)
    }
}

impl<'a> From<&'a mut [u8]> for Output<'a> {
    fn from(buffer: &'a mut [u8]) -> Self {
        let uninitialised: *mut [MaybeUninit<u8>] = core::ptr::from_mut(buffer) as *mut [MaybeUninit<u8>];
        // SAFETY: the layouts are the same, the exclusive borrow goes on for 'a, and nothing but
        // initialised bytes is ever written through it: `append` is the only writer.
        Self::new(unsafe { &mut *uninitialised })
    }
}

impl<'a, const N: usize> From<&'a mut [MaybeUninit<u8>; N]> for Output<'a> {
    fn from(buffer: &'a mut [MaybeUninit<u8>; N]) -> Self {
        Self::new(buffer)
    }
}

impl<'a, const N: usize> From<&'a mut [u8; N]> for Output<'a> {
    fn from(buffer: &'a mut [u8; N]) -> Self {
        Self::from(&mut buffer[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_one_slice() {
        let mut memory = [MaybeUninit::uninit(); 5];
        let mut output = Output::new(&mut memory);
        output.append(b"ab")[0] = b'A';
        assert_eq!(output.remaining(), 3);
        assert_eq!(output.filled_mut(), b"Ab");
        output.append(b"cde");
        assert_eq!(output.finish(), b"Abcde");
    }

    #[test]
    fn initialised_memory_will_do() {
        let mut memory = [7; 3];
        let mut output = Output::from(&mut memory[..]);
        output.append(b"abc");
        assert_eq!((output.capacity(), output.remaining()), (3, 0));
        assert_eq!(output.finish(), b"abc");
        assert_eq!(&memory, b"abc");
    }

    #[test]
    #[should_panic(expected = "output was not filled")]
    fn a_partly_filled_output_is_never_read() {
        let mut memory = [MaybeUninit::uninit(); 5];
        let mut output = Output::new(&mut memory);
        output.append(b"ab");
        let _ = output.finish();
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn more_than_the_buffer_holds_is_refused() {
        let mut memory = [MaybeUninit::uninit(); 1];
        Output::new(&mut memory).append(b"ab");
    }
}
