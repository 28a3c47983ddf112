//! Whole files in memory.

use std::io::Read as _;
use std::mem::MaybeUninit;
use std::num::NonZero;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_age::armor::{ArmoredReader, ArmoredWriter};
use sealane_age::stream::{self, plaintext_len, sealed_len};
use sealane_age::{Decryptor, Prefix};

use super::chunks::Chunks;
use super::identity::Identities;
use super::payload::Preamble;
use super::recipient::Recipients;
use super::threads::{self, threads as thread_count};
use crate::buffer::{Input, new_bytes};
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
    let mut file = vec![0; len];
    seal(&mut file)?;
    let text = py.detach(|| {
        let mut writer = ArmoredWriter::new(Vec::with_capacity(len / 48 * 65 + 200));
        std::io::Write::write_all(&mut writer, &file)?;
        writer.finish()
    });
    Ok(PyBytes::new(py, &text?))
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
    let mut binary = Vec::new();
    let is_armored = armored.is_armored().map_err(error::io)?;
    let file = if is_armored {
        binary.reserve_exact(file.len() / 4 * 3);
        py.detach(|| armored.read_to_end(&mut binary)).map_err(error::io)?;
        &binary[..]
    } else {
        file
    };
    let preamble = match sealane_age::Preamble::parse(file) {
        Ok(Prefix::Complete(preamble)) => preamble,
        Ok(Prefix::Incomplete { .. }) => return Err(cut_short(file)),
        Err(fault) => return Err(error::decrypt(fault.into())),
    };
    let key = Preamble::unlock_with(py, &preamble, &identities)?;
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
        _ => Ok(PyBytes::new(py, &binary)),
    }
}

/// Returns the exception for a file that ends inside its header.
fn cut_short(file: &[u8]) -> PyErr {
    match Decryptor::new(file) {
        Err(error) => error::decrypt(error),
        Ok(_) => error::HeaderError::new_err("the file ends inside its header"),
    }
}

/// Returns the exception for a payload whose length is impossible.
fn fault(key: &stream::PayloadKey, payload: &[u8]) -> PyErr {
    let mut plaintext = zeroize::Zeroizing::new(vec![0; payload.len()]);
    match key.open_chunks(0, true, payload, &mut plaintext) {
        Err(error) => error::payload(error),
        Ok(_) => error::PayloadError::new_err("the file has a length that no file has"),
    }
}
