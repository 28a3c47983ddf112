//! Shares of a secret, as lines of text.

use std::ffi::CString;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};
use sealane_shares::{BadShare, Share};

use crate::buffer::Input;
use crate::error::{SharesError, SharesWarning};

fn failed(error: impl ToString) -> PyErr {
    SharesError::new_err(error.to_string())
}

/// Shares as Python has them, without copies.
type Lines = Vec<PyBackedStr>;

fn parse(lines: &[PyBackedStr]) -> PyResult<Vec<Share>> {
    let parse = |(i, line): (usize, &PyBackedStr)| {
        Share::from_text(line.trim()).map_err(|error| failed(format!("share {}: {error}", i + 1)))
    };
    lines.iter().enumerate().map(parse).collect()
}

fn text<'py>(py: Python<'py>, share: &Share) -> PyResult<Bound<'py, PyString>> {
    Ok(PyString::new(py, &share.to_text().map_err(failed)?))
}

fn texts<'py>(py: Python<'py>, shares: &[Share]) -> PyResult<Vec<Bound<'py, PyString>>> {
    shares.iter().map(|share| text(py, share)).collect()
}

/// Splits a secret.
#[pyfunction]
pub(crate) fn split<'py>(
    py: Python<'py>,
    secret: Input<'_>,
    threshold: usize,
    count: usize,
) -> PyResult<Vec<Bound<'py, PyString>>> {
    texts(py, &sealane_shares::split(secret.as_slice(), threshold, count).map_err(failed)?)
}

/// Restores a secret. Warns of shares that were left out.
#[pyfunction]
pub(crate) fn combine(py: Python<'_>, shares: Lines) -> PyResult<Bound<'_, PyBytes>> {
    let recovered = sealane_shares::combine(&parse(&shares)?).map_err(failed)?;
    let why = |bad: &BadShare| format!("share {}: {}", bad.position + 1, bad.fault);
    let bad: Vec<String> = recovered.report.bad.iter().map(why).collect();
    if !bad.is_empty() {
        let message = CString::new(format!("left out: {}", bad.join("; "))).expect("text without NUL");
        PyErr::warn(py, &py.get_type::<SharesWarning>(), &message, 1)?;
    }
    Ok(PyBytes::new(py, &recovered.secret))
}

/// Returns new shares of the same secret.
#[pyfunction]
pub(crate) fn refresh(py: Python<'_>, shares: Lines) -> PyResult<Vec<Bound<'_, PyString>>> {
    texts(py, &sealane_shares::refresh(&parse(&shares)?).map_err(failed)?)
}

/// Returns the share with this number, such as a lost one.
#[pyfunction]
pub(crate) fn reissue(py: Python<'_>, shares: Lines, number: u16) -> PyResult<Bound<'_, PyString>> {
    text(py, &sealane_shares::reissue(&parse(&shares)?, number).map_err(failed)?)
}
