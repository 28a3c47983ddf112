//! Whole files in memory.

use std::io::Read as _;
use std::mem::MaybeUninit;
use std::num::NonZero;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_age::armor::{ArmoredReader, ArmoredWriter};
use sealane_age::stream::{self, plaintext_len, sealed_len};

use super::chunks::Chunks;
use super::identity::Identities;
use super::payload::{Preamble, open_any};
use super::recipient::Recipients;
use super::threads::{self, threads as thread_count};
use crate::buffer::{Input, copy_of, new_bytes, vec_with_room};
use crate::error;

/// Returns a file with this plaintext.
#[pyfunction]
#[pyo3(signature = (data, recipients, *, armor = false, threads = None))]
pub(crate) fn encrypt<'py>(
    py: Python<'py>,
    data: Input<'_>,
    recipients: &Bound<'py, PyAny>,
    armor: bool,
    threads: Option<NonZero<usize>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (recipients, plaintext) = (Recipients::new(recipients)?, data.as_slice());
    let encryptor = py.detach(|| recipients.encryptor(None))?;
    let (start, key) = encryptor.into_parts().map_err(error::encrypt)?;
    let too_long = || pyo3::exceptions::PyOverflowError::new_err("the data is too long");
    let len = sealed_len(plaintext.len() as u64).and_then(|len| usize::try_from(len).ok()).ok_or_else(too_long)?;
    let len = len.checked_add(start.len()).ok_or_else(too_long)?;
    let seal = |file: &mut [u8]| {
        let (head, chunks) = file.split_at_mut(start.len());
        head.copy_from_slice(&start);
        let sealed = py.detach(|| threads::seal(&key, 0, true, plaintext, chunks, thread_count(threads)));
        sealed.map_err(error::payload)
    };
    if !armor {
        return PyBytes::new_with(py, len, seal);
    }
    let (mut file, text) = (vec_with_room(len)?, vec_with_room(len / 48 * 65 + 200)?);
    file.resize(len, 0);
    seal(&mut file)?;
    let text = py.detach(|| {
        let mut writer = ArmoredWriter::new(text);
        std::io::Write::write_all(&mut writer, &file)?;
        writer.finish()
    });
    copy_of(py, &text?)
}

/// Returns the plaintext of a file.
#[pyfunction]
#[pyo3(signature = (data, identities, *, threads = None))]
pub(crate) fn decrypt<'py>(
    py: Python<'py>,
    data: Input<'_>,
    identities: &Bound<'py, PyAny>,
    threads: Option<NonZero<usize>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let identities = Identities::new(identities)?;
    let file = data.as_slice();
    let mut armored = ArmoredReader::new(file);
    let is_armored = armored.is_armored().map_err(error::io)?;
    let mut binary = vec_with_room(if is_armored { file.len() / 4 * 3 } else { 0 })?;
    let file = if is_armored {
        py.detach(|| armored.read_to_end(&mut binary)).map_err(error::io)?;
        &binary[..]
    } else {
        file
    };
    let preamble = Preamble::of_file(file)?;
    let key = preamble.unlock_with(py, &identities)?;
    let payload = &file[preamble.len()..];
    match plaintext_len(payload.len() as u64).and_then(|len| usize::try_from(len).ok()) {
        Some(len) => {
            let payload = Chunks::Memory(payload);
            let open = |room: &mut [MaybeUninit<u8>]| payload.open(&key, 0, true, room, thread_count(threads));
            // SAFETY: `open` initialises all of the plaintext.
            let opened = unsafe { new_bytes(py, len, payload.len(), open) }?;
            opened.map_err(error::io)
        }
        // No valid payload has this length. Opening it tells what is wrong.
        None => Err(py.detach(|| fault(&key, payload))),
    }
}

/// Returns as many decoded bytes as possible of an armored file that may be cut short.
#[pyfunction]
pub(crate) fn dearmor_prefix<'py>(py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let mut binary = Vec::new();
    match ArmoredReader::armored(data.as_slice()).read_to_end(&mut binary) {
        Err(error) if binary.is_empty() => Err(error::io(error)),
        _ => copy_of(py, &binary),
    }
}

/// Returns the exception for a payload whose length is impossible.
fn fault(key: &stream::PayloadKey, payload: &[u8]) -> PyErr {
    match open_any(key, 0, true, payload) {
        Err(error) => error,
        Ok(_) => error::PayloadError::new_err("the file has a length that no file has"),
    }
}
