//! Reads the plaintext of a file from any position.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use sealane_age::StreamReader;
use sealane_age::armor::ArmoredReader;
use zeroize::{Zeroize as _, Zeroizing};

use super::file::open;
use super::identity::{Identities, decryptor};
use super::python_file::PythonFile;
use crate::buffer::{Output, copy_of, vec_with_room, write_zeros};
use crate::error;

/// A file opened by path, or a Python file object.
enum Source {
    System(File),
    Python(PythonFile),
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::System(file) => file.read(out),
            Self::Python(file) => file.read(out),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::System(file) => file.seek(to),
            Self::Python(file) => file.seek(to),
        }
    }
}

type Inner = StreamReader<ArmoredReader<Source>>;

/// The reader, and plaintext that a failed read left for the next one.
struct State {
    reader: Inner,
    kept: Zeroizing<Vec<u8>>,
    /// The number of bytes of `kept` that later reads have returned.
    kept_read: usize,
    /// The position of the next byte that a read returns.
    position: u64,
}

impl State {
    /// Reads until `out` is full or the file ends. If the source fails after some bytes, this call
    /// returns the error, and the next one returns the bytes. If damage follows some bytes, this
    /// call returns the bytes, and the next one finds the damage again.
    fn fill(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let kept = &self.kept[self.kept_read..];
        let mut filled = kept.len().min(out.len());
        out[..filled].copy_from_slice(&kept[..filled]);
        self.kept_read += filled;
        if self.kept_read == self.kept.len() {
            self.release();
        }
        self.position += filled as u64;
        while filled < out.len() {
            match self.reader.read(&mut out[filled..]) {
                Ok(0) => break,
                Ok(len) => {
                    filled += len;
                    self.position += len as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if filled > 0 && error::is_damage(&error) => break,
                Err(error) => {
                    self.keep(&[&out[..filled]])?;
                    return Err(error);
                }
            }
        }
        Ok(filled)
    }

    /// Keeps `parts`, the last bytes that were read, for the next read. They go before the bytes
    /// that are kept already. If there is no memory for all of them, none are kept.
    fn keep(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let rest = &self.kept[self.kept_read..];
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let mut kept = Zeroizing::new(Vec::new());
        // Reserves all the memory now, because growing would leave copies that are not wiped.
        if let Err(error) = kept.try_reserve_exact(len + rest.len()) {
            self.position += rest.len() as u64;
            self.release();
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, error));
        }
        self.position -= len as u64;
        for part in parts {
            kept.extend_from_slice(part);
        }
        kept.extend_from_slice(rest);
        (self.kept, self.kept_read) = (kept, 0);
        Ok(())
    }

    /// Wipes and frees the plaintext that is kept.
    fn release(&mut self) {
        (self.kept, self.kept_read) = (Zeroizing::default(), 0);
    }

    /// Moves to a position. It must not be relative to the current one, because the reader is ahead
    /// by the plaintext that is kept.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.reader.seek(to)?;
        self.release();
        Ok(self.position)
    }
}

/// Reads the plaintext of a file. `AgeReader` in the Python package wraps this class.
#[pyclass(frozen, module = "sealane.age", name = "Reader")]
pub(crate) struct Reader {
    state: Mutex<State>,
    /// Whether the file is neither armored nor a pipe, so that seeking is possible. For a Python
    /// file object, the caller must also ask the object.
    can_seek: bool,
}

impl Reader {
    /// Locks the reader and runs `work`, without holding the GIL. The thread that has locked the
    /// reader may need the GIL, so waiting for the reader while holding the GIL could deadlock.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> io::Result<T> + Send) -> PyResult<T> {
        py.detach(|| work(&mut self.lock())).map_err(error::io)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Reader {
    /// Opens a path, or a Python file object from its current position on.
    #[new]
    fn new(py: Python<'_>, file: &Bound<'_, PyAny>, identities: &Bound<'_, PyAny>) -> PyResult<Self> {
        let identities = Identities::new(identities)?;
        let is_path = file.is_instance_of::<PyString>() || file.hasattr(intern!(py, "__fspath__"))?;
        let (source, is_pipe) = if is_path {
            let mut file = open(py, &file.extract::<PathBuf>()?)?;
            let is_pipe = file.stream_position().is_err();
            (Source::System(file), is_pipe)
        } else {
            (Source::Python(PythonFile::new(file)), false)
        };
        py.detach(|| {
            let mut source = ArmoredReader::new(source);
            let can_seek = !source.is_armored().map_err(error::io)? && !is_pipe;
            let reader = decryptor(source).and_then(|decryptor| identities.decrypt(decryptor));
            let reader = reader.map_err(error::decrypt)?;
            let state = State { reader, kept: Zeroizing::default(), kept_read: 0, position: 0 };
            Ok(Self { state: Mutex::new(state), can_seek })
        })
    }

    #[getter]
    fn can_seek(&self) -> bool {
        self.can_seek
    }

    fn read<'py>(&self, py: Python<'py>, len: usize) -> PyResult<Bound<'py, PyBytes>> {
        // Does not read into Python bytes directly, because the plaintext may be much shorter than
        // `len`.
        let mut data = Zeroizing::new(vec_with_room(len)?);
        data.resize(len, 0);
        let len = self.with(py, |state| state.fill(&mut data))?;
        copy_of(py, &data[..len])
    }

    fn read_into(&self, py: Python<'_>, buffer: Output) -> PyResult<usize> {
        let mut buffer = buffer;
        let len = buffer.len();
        buffer.check(len, &[])?;
        // SAFETY: the buffer has just been checked, and there are no inputs.
        let room = unsafe { buffer.first(len) };
        self.with(py, |state| {
            // `Read` needs initialised memory.
            let room = write_zeros(room);
            state.fill(room).inspect_err(|_| room.zeroize())
        })
    }

    /// Returns the position of the next byte that a read returns.
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.position))
    }

    /// Takes back `parts`, which were read from `start` on. The next read returns them again. Does
    /// nothing if they are not the last bytes that were read.
    fn take_back(&self, py: Python<'_>, parts: Vec<PyBackedBytes>, start: u64) -> PyResult<()> {
        self.with(py, |state| {
            let end = start + parts.iter().map(|part| part.len() as u64).sum::<u64>();
            if state.position != end {
                return Ok(());
            }
            state.keep(&parts.iter().map(|part| &part[..]).collect::<Vec<_>>())
        })
    }

    /// Moves to a position from the start (`whence` is 0) or from the end (2).
    fn seek(&self, py: Python<'_>, offset: i64, whence: u8) -> PyResult<u64> {
        let to = match whence {
            0 => SeekFrom::Start(
                u64::try_from(offset)
                    .map_err(|_| PyValueError::new_err(format!("the position is negative: {offset}")))?,
            ),
            2 => SeekFrom::End(offset),
            _ => return Err(PyValueError::new_err(format!("invalid whence: {whence}"))),
        };
        self.with(py, |state| state.seek(to))
    }

    fn plaintext_len(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| state.reader.plaintext_len())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a reader holds a key and cannot be pickled"))
    }
}
