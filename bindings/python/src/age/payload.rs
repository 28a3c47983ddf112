//! The engine without I/O: preambles and payload keys.

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_age::stream::{self, SealedRange, TAG_BYTES};
use sealane_age::threshold;
use sealane_age::{Prefix, Threads};
use zeroize::{Zeroize as _, Zeroizing};

use super::identity::Identities;
use super::threads;
use crate::buffer::{Input, run};
use crate::error::{self, HeaderError};

/// Requests with so many bytes are opened on all cores.
const PARALLEL_FROM: usize = 2 << 20;

/// The id, threshold, number of shares, label and types of a share set.
type ShareSet = (String, u8, u8, Option<String>, Vec<String>);

/// The start of a file. The Python package documents it.
#[pyclass(frozen, module = "sealane.age", name = "Preamble")]
pub(crate) struct Preamble(sealane_age::Preamble);

impl Preamble {
    /// Unlocks the file, without the interpreter's lock: it may take a second.
    pub(crate) fn unlock_with(
        py: Python<'_>,
        preamble: &sealane_age::Preamble,
        identities: &Identities,
    ) -> PyResult<stream::PayloadKey> {
        // The identity of a passphrase has its own limit.
        let preamble = preamble.clone().with_max_work_factor(u8::MAX);
        py.detach(|| identities.with(|all| preamble.unlock(all.iter().copied()))).map_err(error::decrypt)
    }
}

#[pymethods]
impl Preamble {
    /// Returns the preamble, or the least number of bytes that are needed.
    #[staticmethod]
    fn parse(py: Python<'_>, prefix: Input<'_>) -> PyResult<Py<PyAny>> {
        match sealane_age::Preamble::parse(prefix.as_slice()) {
            Ok(Prefix::Complete(preamble)) => Self(preamble).into_py_any(py),
            Ok(Prefix::Incomplete { at_least }) => at_least.into_py_any(py),
            Err(fault) => Err(HeaderError::new_err(fault.to_string())),
        }
    }

    #[getter]
    fn length(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn work_factor(&self) -> Option<u8> {
        self.0.header().scrypt_work_factor()
    }

    /// Returns the type and the arguments of each stanza.
    #[getter]
    fn stanzas(&self) -> Vec<(String, Vec<String>)> {
        self.0.header().stanzas().iter().map(|stanza| (stanza.tag.clone(), stanza.args.clone())).collect()
    }

    /// Returns the share sets.
    #[getter]
    fn share_sets(&self) -> PyResult<Vec<ShareSet>> {
        let sets = threshold::describe(self.0.header());
        let sets = sets.map_err(|error| error::ThresholdError::new_err(error.to_string()))?;
        let fields = |set: threshold::ShareSetDescription| {
            let label = set.label.map(|label| label.as_str().to_owned());
            (set.id.to_string(), set.threshold, set.count, label, set.types)
        };
        Ok(sets.into_iter().map(fields).collect())
    }

    fn unlock(&self, py: Python<'_>, identities: &Bound<'_, PyAny>) -> PyResult<PayloadKey> {
        Self::unlock_with(py, &self.0, &Identities::new(identities)?).map(PayloadKey)
    }
}

/// The key of a file's payload. The Python package documents it.
#[pyclass(frozen, module = "sealane.age", name = "PayloadKey")]
pub(crate) struct PayloadKey(stream::PayloadKey);

/// Returns the length of the plaintext of chunks with that many bytes.
fn opened_len(sealed: usize) -> usize {
    sealed.saturating_sub(sealed.div_ceil(stream::SEALED_CHUNK_BYTES) * TAG_BYTES)
}

#[pymethods]
impl PayloadKey {
    #[staticmethod]
    fn plaintext_len(sealed_len: u64) -> Option<u64> {
        stream::plaintext_len(sealed_len)
    }

    /// Returns the number of the first chunk, whether the last is the last of the payload, the
    /// first and the last byte to fetch, the bytes to skip, and the length.
    #[staticmethod]
    fn sealed_range(start: u64, stop: u64, sealed_len: u64) -> PyResult<(u64, bool, u64, u64, usize, u64)> {
        let range = SealedRange::new(start..stop, sealed_len).map_err(error::payload)?;
        Ok((range.first, range.is_last, range.sealed.start, range.sealed.end, range.skip, range.len))
    }

    #[getter]
    fn file_id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.file_id())
    }

    /// Opens chunks, and returns pieces of their plaintext: each begins at an offset, and has a
    /// length.
    fn open_chunks<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        is_last: bool,
        sealed: Input<'_>,
        pieces: Vec<(usize, usize)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let (key, sealed) = (&self.0, sealed.as_slice());
        let len = opened_len(sealed.len());
        // Asking for the number of cores takes longer than opening a few chunks.
        let threads = if sealed.len() < PARALLEL_FROM { Threads::ONE } else { Threads::available() };
        let open = |plaintext: &mut [u8]| {
            let opened = run(py, sealed.len(), || {
                threads::open(key, first, is_last, sealed, plaintext, threads).inspect_err(|_| plaintext.zeroize())
            });
            opened.map_err(error::payload)
        };
        if pieces == [(0, len)] {
            return Ok(vec![PyBytes::new_with(py, len, open)?]);
        }
        let mut plaintext = Zeroizing::new(vec![0; len]);
        open(&mut plaintext)?;
        let piece = |(offset, len): (usize, usize)| {
            let end = offset.checked_add(len);
            let piece = end.and_then(|end| plaintext.get(offset..end));
            let piece = piece.ok_or_else(|| PyValueError::new_err("a piece is not in these chunks"))?;
            Ok(PyBytes::new(py, piece))
        };
        pieces.into_iter().map(piece).collect()
    }

    fn __repr__(&self) -> &'static str {
        "<sealane.age.PayloadKey>"
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a payload key is secret and cannot be pickled"))
    }
}
