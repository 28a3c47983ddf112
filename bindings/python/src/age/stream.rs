//! Streams: Python file objects that are encrypted or decrypted from start to end.

use std::io::{Read, Write};
use std::num::NonZero;

use pyo3::prelude::*;
use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::{CopyError, Encryptor, Threads};

use super::identity::{Identities, decryptor};
use super::python_file::{Progress, PythonFile};
use super::recipient::Recipients;
use super::threads::threads as thread_count;
use crate::error;

/// Encrypts everything from a reader to a writer.
pub(crate) fn encrypt_all<W: Write + Send>(
    encryptor: Encryptor,
    input: impl Read,
    output: W,
    armor: bool,
    threads: Threads,
) -> Result<(), CopyError> {
    let format = if armor { Format::Armored } else { Format::Binary };
    let output = encryptor.encrypt(input, ArmoredWriter::with_format(output, format), threads)?;
    output.finish().and_then(|mut output| output.flush()).map_err(CopyError::Write)
}

/// An error while decrypting a stream.
pub(crate) enum Failure {
    Decrypt(sealane_age::DecryptError),
    Copy(CopyError),
}

impl Failure {
    pub(crate) fn into_exception(self) -> PyErr {
        match self {
            Self::Decrypt(error) => error::decrypt(error),
            Self::Copy(error) => error::copy(error),
        }
    }
}

/// Decrypts everything from a reader to a writer.
pub(crate) fn decrypt_all<W: Write + Send>(
    input: impl Read,
    output: W,
    identities: &Identities,
    threads: Threads,
) -> Result<(), Failure> {
    let decryptor = decryptor(ArmoredReader::new(input)).map_err(Failure::Decrypt)?;
    let reader = identities.decrypt(decryptor).map_err(Failure::Decrypt)?;
    reader.copy_to(output, threads).map(drop).map_err(Failure::Copy)
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are those of the function in Python")]
#[pyo3(signature = (reader, writer, recipients, *, armor = false, threads = None, progress = None, total = None))]
pub(crate) fn encrypt_stream(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    writer: &Bound<'_, PyAny>,
    recipients: &Bound<'_, PyAny>,
    armor: bool,
    threads: Option<NonZero<usize>>,
    progress: Option<Py<PyAny>>,
    total: Option<u64>,
) -> PyResult<()> {
    let recipients = Recipients::new(recipients)?;
    let input = PythonFile::new(reader).with_progress(Progress { call: progress, total });
    let output = PythonFile::new(writer);
    py.detach(|| {
        let encryptor = recipients.encryptor(None)?;
        encrypt_all(encryptor, input, output, armor, thread_count(threads)).map_err(error::copy)
    })
}

#[pyfunction]
#[pyo3(signature = (reader, writer, identities, *, threads = None, progress = None, total = None))]
pub(crate) fn decrypt_stream(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    writer: &Bound<'_, PyAny>,
    identities: &Bound<'_, PyAny>,
    threads: Option<NonZero<usize>>,
    progress: Option<Py<PyAny>>,
    total: Option<u64>,
) -> PyResult<()> {
    let identities = Identities::new(identities)?;
    let input = PythonFile::new(reader).with_progress(Progress { call: progress, total });
    let output = PythonFile::new(writer);
    py.detach(|| decrypt_all(input, output, &identities, thread_count(threads)).map_err(Failure::into_exception))
}
