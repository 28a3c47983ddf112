//! Preambles and payload keys, with which callers do the I/O themselves.

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_age::Prefix;
use sealane_age::header::HeaderError as HeaderFault;
use sealane_age::stream::{self, SealedRange};
use sealane_age::threshold;
use zeroize::Zeroizing;

use super::chunks::Chunks;
use super::identity::Identities;
use crate::buffer::{Input, copy_of, vec_with_room};
use crate::error;

/// The id, threshold, number of shares, label and types of a share set.
type ShareSet = (String, u8, u8, Option<String>, Vec<String>);

/// The header of a file, and the nonce after it. The Python package documents this class.
#[pyclass(frozen, module = "sealane.age", name = "Preamble")]
pub(crate) struct Preamble(sealane_age::Preamble);

impl Preamble {
    /// Parses the start of a file of `size` bytes. Returns the number of bytes to read instead if
    /// `prefix` is too short.
    fn of_prefix(prefix: &[u8], size: u64) -> PyResult<Result<Self, u64>> {
        let at_least = match sealane_age::Preamble::parse(prefix) {
            // A passphrase identity has its own limit on the work factor.
            Ok(Prefix::Complete(preamble)) => return Ok(Ok(Self(preamble.with_max_work_factor(u8::MAX)))),
            Ok(Prefix::Incomplete { at_least }) => at_least,
            Err(fault) => return Err(header_error(fault)),
        };
        let len = prefix.len() as u64;
        if size <= len {
            return Err(header_error(if len == 0 { HeaderFault::Empty } else { HeaderFault::Truncated }));
        }
        // Much more each time, because each call parses from the start.
        Ok(Err(size.min((4 * len).max(at_least as u64))))
    }

    /// Parses the start of a whole file.
    pub(crate) fn of_file(file: &[u8]) -> PyResult<Self> {
        Self::of_prefix(file, 0)?.map_err(|_| header_error(HeaderFault::Truncated))
    }

    /// Unlocks the file without holding the GIL, because this may take a second.
    pub(crate) fn unlock_with(&self, py: Python<'_>, identities: &Identities) -> PyResult<stream::PayloadKey> {
        py.detach(|| identities.with(|all| self.0.unlock(all.iter().copied()))).map_err(error::decrypt)
    }

    /// Returns the length of the header and the nonce.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[pymethods]
impl Preamble {
    #[staticmethod]
    #[pyo3(signature = (prefix, size = 0))]
    fn parse(py: Python<'_>, prefix: Input<'_>, size: u64) -> PyResult<Py<PyAny>> {
        match Self::of_prefix(prefix.as_slice(), size)? {
            Ok(preamble) => preamble.into_py_any(py),
            Err(wanted) => wanted.into_py_any(py),
        }
    }

    #[getter]
    fn length(&self) -> usize {
        self.len()
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
        self.unlock_with(py, &Identities::new(identities)?).map(PayloadKey)
    }
}

fn header_error(fault: HeaderFault) -> PyErr {
    error::decrypt(fault.into())
}

/// The key of a file's payload. The Python package documents it.
#[pyclass(frozen, module = "sealane.age", name = "PayloadKey")]
pub(crate) struct PayloadKey(stream::PayloadKey);

impl PayloadKey {
    pub(crate) fn stream_key(&self) -> &stream::PayloadKey {
        &self.0
    }
}

/// Opens chunks of any total length. If that is impossible, the error tells what is wrong.
pub(crate) fn open_any(
    key: &stream::PayloadKey,
    first: u64,
    is_last: bool,
    sealed: &[u8],
) -> PyResult<Zeroizing<Vec<u8>>> {
    let mut plaintext = Zeroizing::new(vec_with_room(sealed.len())?);
    plaintext.resize(sealed.len(), 0);
    let len = key.open_chunks(first, is_last, sealed, &mut plaintext).map_err(error::payload)?;
    plaintext.truncate(len);
    Ok(plaintext)
}

#[pymethods]
impl PayloadKey {
    #[staticmethod]
    fn plaintext_len(sealed_len: u64) -> Option<u64> {
        stream::plaintext_len(sealed_len)
    }

    /// Returns the number of the first chunk, whether the range ends with the last chunk of the
    /// payload, the start and the end of the bytes to fetch, the number of bytes to skip at the
    /// start of the plaintext of these chunks, and the number of bytes in the range.
    #[staticmethod]
    fn sealed_range(start: u64, stop: u64, sealed_len: u64) -> PyResult<(u64, bool, u64, u64, usize, u64)> {
        let range = SealedRange::new(start..stop, sealed_len).map_err(error::payload)?;
        Ok((range.first, range.is_last, range.sealed.start, range.sealed.end, range.skip, range.len))
    }

    #[getter]
    fn file_id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.file_id())
    }

    /// Opens chunks, and returns pieces of their plaintext, each given by an offset and a length.
    fn open_chunks<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        is_last: bool,
        sealed: Input<'_>,
        pieces: Vec<(usize, usize)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let (key, bytes) = (&self.0, sealed.as_slice());
        let sealed = Chunks::Memory(bytes);
        if let [piece] = pieces[..]
            && let Some(opened) = sealed.piece(py, key, first, is_last, piece)
        {
            return Ok(vec![opened?]);
        }
        let (all, elsewhere);
        let plaintext: &[u8] = match sealed.piece(py, key, first, is_last, (0, sealed.plaintext_len())) {
            Some(opened) => {
                all = opened?;
                all.as_bytes()
            }
            // The total length is impossible for a payload, or there is no plaintext.
            None => {
                elsewhere = open_any(key, first, is_last, bytes)?;
                &elsewhere
            }
        };
        let piece = |(offset, len): (usize, usize)| {
            let end = offset.checked_add(len);
            let piece = end.and_then(|end| plaintext.get(offset..end));
            let piece = piece.ok_or_else(|| PyValueError::new_err("a piece is not in these chunks"))?;
            copy_of(py, piece)
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
