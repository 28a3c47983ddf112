//! Seals a file in pieces, without I/O.

use std::num::NonZero;
use std::process;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::PyBytes;
use sealane_age::stream::{CHUNK_BYTES, SEALED_CHUNK_BYTES, SealingKey, TAG_BYTES};
use sealane_age::{StreamError, Threads};
use zeroize::Zeroizing;

use super::recipient::Recipients;
use super::threads::{self, threads as thread_count};
use crate::buffer::Input;
use crate::error;

/// Seals a file in pieces. The Python package documents this class.
#[pyclass(frozen, module = "sealane.age", name = "Sealer")]
pub(crate) struct Sealer {
    state: Mutex<State>,
    threads: Threads,
    /// The process that made the sealer.
    process: u32,
}

struct State {
    /// The bytes before the chunks, until they have been returned.
    start: Vec<u8>,
    /// The key, until the file has been finished.
    key: Option<SealingKey>,
    /// The number of the next chunk.
    number: u64,
    /// Plaintext that has not been sealed yet: at most one chunk, which is held back because it may
    /// be the last.
    pending: Zeroizing<Vec<u8>>,
}

impl State {
    /// Seals as much as possible of the pending plaintext and `data` to `output`.
    fn seal(&mut self, data: &[u8], is_last: bool, output: &mut [u8], threads: Threads) -> Result<(), StreamError> {
        // No chunk may be sealed twice, so the key is taken and not put back after an error or a
        // panic.
        let key = self.key.take().ok_or(StreamError::Finished)?;
        let (start, mut output) = output.split_at_mut(self.start.len());
        start.copy_from_slice(&self.start);
        self.start.clear();
        let mut data = data;
        if !self.pending.is_empty() && self.pending.len() + data.len() > CHUNK_BYTES {
            let (more, rest) = data.split_at(CHUNK_BYTES - self.pending.len());
            self.pending.extend_from_slice(more);
            let (chunk, after) = output.split_at_mut(SEALED_CHUNK_BYTES);
            key.seal_part(self.number, false, &self.pending, chunk)?;
            (data, output) = (rest, after);
            self.number += 1;
            self.pending.clear();
        }
        if self.pending.is_empty() {
            let now = if is_last { data.len() } else { data.len().saturating_sub(1) / CHUNK_BYTES * CHUNK_BYTES };
            let (sealed, rest) = data.split_at(now);
            if is_last || now > 0 {
                threads::seal(&key, self.number, is_last, sealed, output, threads)?;
                self.number += (now / CHUNK_BYTES) as u64;
            }
            self.pending.extend_from_slice(rest);
        } else {
            self.pending.extend_from_slice(data);
            if is_last {
                key.seal_part(self.number, true, &self.pending, output)?;
                self.pending.clear();
            }
        }
        if !is_last {
            self.key = Some(key);
        }
        Ok(())
    }

    /// Returns the number of bytes that [`State::seal`] writes.
    fn output_len(&self, data: usize, is_last: bool) -> Option<usize> {
        let total = self.pending.len().checked_add(data)?;
        let full = total.saturating_sub(1) / CHUNK_BYTES;
        let chunks = if is_last {
            let count = if total == 0 { 1 } else { full + 1 };
            total.checked_add(count * TAG_BYTES)?
        } else {
            full.checked_mul(SEALED_CHUNK_BYTES)?
        };
        chunks.checked_add(self.start.len())
    }
}

impl Sealer {
    fn run<'py>(&self, py: Python<'py>, data: &[u8], is_last: bool) -> PyResult<Bound<'py, PyBytes>> {
        // A fork copies the key and the number of the next chunk, and no chunk may be sealed twice.
        if process::id() != self.process {
            return Err(PyRuntimeError::new_err("a sealer can only be used in the process that made it"));
        }
        // This waits without holding the GIL. A poisoned lock is safe to use, because the key is
        // gone after a panic.
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let len = state.output_len(data.len(), is_last).ok_or_else(|| PyValueError::new_err("the data is too long"))?;
        PyBytes::new_with(py, len, |output| {
            let state = &mut *state;
            py.detach(|| state.seal(data, is_last, output, self.threads)).map_err(|error| match error {
                StreamError::Finished => PyValueError::new_err(error.to_string()),
                error => error::payload(error),
            })
        })
    }
}

#[pymethods]
impl Sealer {
    #[new]
    #[pyo3(signature = (recipients, *, header_len = None, threads = None))]
    fn new(
        py: Python<'_>,
        recipients: &Bound<'_, PyAny>,
        header_len: Option<usize>,
        threads: Option<NonZero<usize>>,
    ) -> PyResult<Self> {
        let recipients = Recipients::new(recipients)?;
        let encryptor = py.detach(|| recipients.encryptor(header_len))?;
        let (start, key) = encryptor.into_parts().map_err(error::encrypt)?;
        // The buffer never grows, because a reallocation would leave plaintext behind.
        let pending = Zeroizing::new(Vec::with_capacity(CHUNK_BYTES));
        let state = State { start, key: Some(key), number: 0, pending };
        Ok(Self { state: Mutex::new(state), threads: thread_count(threads), process: process::id() })
    }

    fn update<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.run(py, data.as_slice(), false)
    }

    #[pyo3(signature = (data = None))]
    fn finish<'py>(&self, py: Python<'py>, data: Option<Input<'_>>) -> PyResult<Bound<'py, PyBytes>> {
        self.run(py, data.as_ref().map_or(&[], Input::as_slice), true)
    }

    fn __repr__(&self) -> &'static str {
        "<sealane.age.Sealer>"
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a sealer holds a key and cannot be pickled"))
    }
}
