//! Python file objects as inputs and outputs. Each call attaches the thread to the interpreter.

use std::io::{self, Read, Seek, SeekFrom, Write};

use pyo3::exceptions::{PyBlockingIOError, PyOSError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::Input;

/// The largest number of bytes that one call reads or writes.
const STEP: usize = 1 << 20;

/// A Python function to report progress to, if there is one. It gets the number of bytes so far,
/// and the total number if it is known.
pub(crate) struct Progress {
    pub(crate) call: Option<Py<PyAny>>,
    pub(crate) total: Option<u64>,
}

impl Progress {
    /// Handles signals, so that Ctrl-C ends a long call, then calls the function if there is one.
    pub(crate) fn report(&self, py: Python<'_>, done: u64) -> PyResult<()> {
        py.check_signals()?;
        match &self.call {
            Some(call) => call.call1(py, (done, self.total)).map(drop),
            None => Ok(()),
        }
    }
}

/// Calls `work`, and keeps its Python exception inside the I/O error.
///
/// `?` would turn an `InterruptedError` into [`io::ErrorKind::Interrupted`], after which Rust's
/// loops read again, although the file has already moved on.
fn attached<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
    Python::attach(work).map_err(io::Error::other)
}

/// A Python file object.
pub(crate) struct PythonFile {
    file: Py<PyAny>,
    done: u64,
    progress: Option<Progress>,
}

impl PythonFile {
    pub(crate) fn new(file: &Bound<'_, PyAny>) -> Self {
        Self { file: file.clone().unbind(), done: 0, progress: None }
    }

    /// Makes each read and each write report progress.
    pub(crate) fn with_progress(self, progress: Progress) -> Self {
        Self { progress: Some(progress), ..self }
    }

    fn count(&mut self, py: Python<'_>, bytes: usize) -> PyResult<()> {
        self.done += bytes as u64;
        self.progress.as_ref().map_or(Ok(()), |progress| progress.report(py, self.done))
    }
}

impl Read for PythonFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        attached(|py| {
            let room = out.len().min(STEP);
            let data = self.file.bind(py).call_method1(intern!(py, "read"), (room,))?;
            if data.is_none() {
                return Err(PyBlockingIOError::new_err("the file has no data yet"));
            }
            let data: Input<'_> = data.extract()?;
            let data = data.as_slice();
            let Some(start) = out.get_mut(..data.len()) else {
                return Err(PyOSError::new_err("the file returned more bytes than it was asked for"));
            };
            start.copy_from_slice(data);
            let len = data.len();
            self.count(py, len)?;
            Ok(len)
        })
    }
}

impl Write for PythonFile {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        attached(|py| {
            let data = &data[..data.len().min(STEP)];
            let file = self.file.bind(py);
            let written = file.call_method1(intern!(py, "write"), (PyBytes::new(py, data),))?;
            let written = if !written.is_none() {
                written.extract()?
            } else if file.is_instance(&py.import(intern!(py, "io"))?.getattr(intern!(py, "RawIOBase"))?)? {
                return Err(PyBlockingIOError::new_err("the file cannot take more data yet"));
            } else {
                // Other files return `None` when they have written everything.
                data.len()
            };
            if written > data.len() {
                return Err(PyOSError::new_err("the file wrote more bytes than it was given"));
            }
            self.count(py, written)?;
            Ok(written)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        attached(|py| {
            let file = self.file.bind(py);
            if file.hasattr(intern!(py, "flush"))? {
                file.call_method0(intern!(py, "flush"))?;
            }
            Ok(())
        })
    }
}

impl Seek for PythonFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => {
                (i64::try_from(offset).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?, 0)
            }
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        attached(|py| {
            let file = self.file.bind(py);
            let position = file.call_method1(intern!(py, "seek"), (offset, whence))?;
            // Some files return `None`.
            let position = if position.is_none() { file.call_method0(intern!(py, "tell"))? } else { position };
            position.extract()
        })
    }
}
