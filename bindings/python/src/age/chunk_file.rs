//! Local files, whose chunks are read and opened without Python's I/O.

use std::fs::File;
use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::chunks::Chunks;
use super::file::open;
use super::payload::PayloadKey;

/// A local file. The Python package documents this class.
#[pyclass(frozen, module = "sealane.age", name = "ChunkFile")]
pub(crate) struct ChunkFile(File);

#[pymethods]
impl ChunkFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        open(py, &path).map(Self)
    }

    #[expect(clippy::too_many_arguments, reason = "these are what sealed_range returns")]
    fn open_piece<'py>(
        &self,
        py: Python<'py>,
        key: &PayloadKey,
        first: u64,
        is_last: bool,
        position: u64,
        length: usize,
        piece: (usize, usize),
    ) -> PyResult<Bound<'py, PyBytes>> {
        let chunks = Chunks::File { file: &self.0, position, len: length };
        let opened = chunks.piece(py, key.stream_key(), first, is_last, piece);
        opened.unwrap_or_else(|| Err(PyValueError::new_err("the piece does not begin and end in these chunks")))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("an open file cannot be pickled"))
    }
}
