//! Access to the bytes of Python objects without copying.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;

use pyo3::exceptions::{PyBufferError, PyMemoryError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{Borrowed, ffi};
use zeroize::Zeroize as _;

/// Calls that process at least this many bytes release the GIL, so that other threads can run.
pub(crate) const RELEASE_FROM: usize = 4 << 10;

/// Runs `work`. Releases the GIL meanwhile if `work` processes at least [`RELEASE_FROM`] bytes.
pub(crate) fn run<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < RELEASE_FROM { work() } else { py.detach(work) }
}

/// An exported buffer of contiguous bytes. Its memory stays valid until the export is dropped,
/// because an exporter such as a bytearray refuses to move or free exported memory.
struct Export(Box<ffi::Py_buffer>);

impl Export {
    fn new(object: &Bound<'_, PyAny>, flags: std::ffi::c_int) -> PyResult<Self> {
        // Some exporters store pointers into the structure, so it must not move.
        let mut raw = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive, the structure may be written, and the thread is attached.
        let result = unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *raw, flags) };
        if result == 0 { Ok(Self(raw)) } else { Err(PyErr::fetch(object.py())) }
    }

    fn len(&self) -> usize {
        // The length of a valid buffer is not negative.
        self.0.len as usize
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        // SAFETY: `new` filled the structure, and this releases it once. Values of this type are
        // dropped only in functions that Python calls, so the thread is attached.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.0) }
    }
}

/// The bytes of an object with the buffer protocol, for reading.
///
/// As in Python's own modules, the caller must not write to the object in another thread during the
/// call.
pub(crate) enum Input<'a> {
    /// A Python `bytes` object, which never changes.
    Bytes(&'a [u8]),
    /// Any other object.
    Other(Exported),
}

/// An exported buffer for reading.
pub(crate) struct Exported(Export);

impl Input<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            // An empty buffer may have a null pointer.
            Self::Other(Exported(export)) if export.len() == 0 => &[],
            // SAFETY: the exporter promises `len` readable bytes at `buf`, until the export is
            // released. Nobody writes to them: the caller of the Python function promises it, and
            // the outputs of this package do not overlap its inputs.
            Self::Other(Exported(export)) => unsafe { slice::from_raw_parts(export.0.buf.cast(), export.len()) },
        }
    }

    /// Returns the bytes as an array.
    pub(crate) fn to_array<const N: usize>(&self) -> Option<[u8; N]> {
        self.as_slice().try_into().ok()
    }
}

impl<'a> FromPyObject<'a, '_> for Input<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, '_, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyBytes>() {
            return Ok(Self::Bytes(object.extract()?));
        }
        Ok(Self::Other(Exported(Export::new(&object, ffi::PyBUF_SIMPLE)?)))
    }
}

/// The bytes of an object with the buffer protocol, for writing.
pub(crate) struct Output(Export);

impl Output {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether some of the first `len` bytes are those of `input`.
    pub(crate) fn overlaps(&self, len: usize, input: &[u8]) -> bool {
        let region = |start: usize, len: usize| -> Range<usize> { start..start.saturating_add(len) };
        let (ours, theirs) = (region(self.0.0.buf as usize, len), region(input.as_ptr() as usize, input.len()));
        ours.start < theirs.end && theirs.start < ours.end
    }

    /// Checks that there are at least `len` bytes, and that the first `len` overlap none of
    /// `inputs`.
    pub(crate) fn check(&self, len: usize, inputs: &[&[u8]]) -> PyResult<()> {
        if self.len() < len {
            let message = format!("the buffer has {} bytes, and the result {len}", self.len());
            return Err(pyo3::exceptions::PyValueError::new_err(message));
        }
        if inputs.iter().any(|input| self.overlaps(len, input)) {
            return Err(PyBufferError::new_err("the buffer for the result overlaps an input"));
        }
        Ok(())
    }

    /// Returns the first `len` bytes.
    ///
    /// # Safety
    /// [`Output::check`] must have succeeded for `len` and all inputs in use.
    pub(crate) unsafe fn first(&mut self, len: usize) -> &mut [MaybeUninit<u8>] {
        if len == 0 {
            return &mut [];
        }
        // SAFETY: the exporter promises that many writable bytes at `buf`, until the export is
        // released. `check` found that they overlap no input, and the caller of the Python function
        // promises that no other thread uses them.
        unsafe { slice::from_raw_parts_mut(self.0.0.buf.cast(), len) }
    }
}

impl FromPyObject<'_, '_> for Output {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(Export::new(&object, ffi::PyBUF_WRITABLE)?))
    }
}

/// Returns an empty vector with room for `len` bytes.
pub(crate) fn vec_with_room(len: usize) -> PyResult<Vec<u8>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    Ok(room)
}

/// Returns a copy. `PyBytes::new` would panic if there is no memory.
pub(crate) fn copy_of<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let fill = |room: &mut [MaybeUninit<u8>]| {
        write_copy(room, bytes);
        Ok::<(), std::convert::Infallible>(())
    };
    // SAFETY: `fill` writes all bytes.
    let copy = unsafe { new_bytes(py, bytes.len(), 0, fill) }?;
    Ok(copy.unwrap_or_else(|never| match never {}))
}

/// Writes zeros, and returns them.
pub(crate) fn write_zeros(room: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    room.fill(MaybeUninit::new(0));
    // SAFETY: all bytes have just been written.
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [u8]) }
}

/// Copies `bytes` to `room`, which has the same length, and returns the copy.
pub(crate) fn write_copy<'a>(room: &'a mut [MaybeUninit<u8>], bytes: &[u8]) -> &'a mut [u8] {
    // SAFETY: the layout is the same, and initialised bytes may be read as bytes that may be
    // uninitialised.
    room.copy_from_slice(unsafe { &*(std::ptr::from_ref(bytes) as *const [MaybeUninit<u8>]) });
    // SAFETY: all bytes have just been written.
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [u8]) }
}

/// Returns a new `bytes` object that `fill` writes, or wipes the memory if `fill` fails. `work` is
/// the number of bytes that `fill` processes, which decides whether the GIL is released (see
/// [`run`]).
///
/// # Safety
/// If `fill` succeeds, it has written all bytes.
pub(crate) unsafe fn new_bytes<E: Send>(
    py: Python<'_>,
    len: usize,
    work: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<(), E> + Send,
) -> PyResult<Result<Bound<'_, PyBytes>, E>> {
    let size = ffi::Py_ssize_t::try_from(len).map_err(|_| PyOverflowError::new_err("the result is too long"))?;
    // SAFETY: a null pointer asks for bytes that are not initialised, and the thread is attached.
    let object = unsafe { ffi::PyBytes_FromStringAndSize(std::ptr::null(), size) };
    if object.is_null() {
        return Err(PyErr::take(py).unwrap_or_else(|| PyMemoryError::new_err(())));
    }
    // SAFETY: the pointer is a new reference to an object of type bytes, and this function owns it.
    let object = unsafe { Bound::from_owned_ptr(py, object) };
    // SAFETY: the object is of type bytes.
    let bytes = unsafe { object.cast_into_unchecked::<PyBytes>() };
    // SAFETY: the object is of type bytes, and alive.
    let start = unsafe { ffi::PyBytes_AsString(bytes.as_ptr()) };
    // SAFETY: the object has `len` bytes there, which may be uninitialised. Nothing else refers to
    // the object, except to the empty one, which Python shares and which has no bytes to write.
    let room = unsafe { slice::from_raw_parts_mut(start.cast::<MaybeUninit<u8>>(), len) };
    let result = run(py, work, || fill(room).inspect_err(|_| room.zeroize()));
    Ok(result.map(|()| bytes))
}
