//! Shares of a secret, as lines of text.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_shares::Share;

use crate::buffer::Input;
use crate::error::SharesError;

fn failed(error: impl ToString) -> PyErr {
    SharesError::new_err(error.to_string())
}

fn parse(lines: &[String]) -> PyResult<Vec<Share>> {
    let parse = |(i, line): (usize, &String)| {
        Share::from_text(line.trim()).map_err(|error| failed(format!("share {}: {error}", i + 1)))
    };
    lines.iter().enumerate().map(parse).collect()
}

fn text(share: &Share) -> PyResult<String> {
    Ok(share.to_text().map_err(failed)?.to_string())
}

/// Splits a secret.
#[pyfunction]
pub(crate) fn split(secret: Input<'_>, threshold: usize, count: usize) -> PyResult<Vec<String>> {
    sealane_shares::split(secret.as_slice(), threshold, count).map_err(failed)?.iter().map(text).collect()
}

/// Restores a secret.
#[pyfunction]
pub(crate) fn combine(py: Python<'_>, shares: Vec<String>) -> PyResult<Bound<'_, PyBytes>> {
    let recovered = sealane_shares::combine(&parse(&shares)?).map_err(failed)?;
    Ok(PyBytes::new(py, &recovered.secret))
}

/// Returns new shares of the same secret.
#[pyfunction]
pub(crate) fn refresh(shares: Vec<String>) -> PyResult<Vec<String>> {
    sealane_shares::refresh(&parse(&shares)?).map_err(failed)?.iter().map(text).collect()
}

/// Returns the share with this number, such as a lost one.
#[pyfunction]
pub(crate) fn reissue(shares: Vec<String>, number: u16) -> PyResult<String> {
    text(&sealane_shares::reissue(&parse(&shares)?, number).map_err(failed)?)
}
