//! Creates a new header that gives a file other recipients. The payload does not change.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_age::Existing;

use super::identity::{Identities, decryptor};
use super::recipient::Recipients;
use crate::buffer::Input;
use crate::error::{self, EncryptError};

/// Returns the new header, and the length of the old one.
///
/// `prefix` holds at least the old header and the nonce. `keep` keeps the old recipients.
/// `header_len` pads the new header to this length.
#[pyfunction]
#[pyo3(signature = (prefix, identities, recipients, *, keep, header_len))]
pub(crate) fn rekey_header<'py>(
    py: Python<'py>,
    prefix: Input<'_>,
    identities: &Bound<'py, PyAny>,
    recipients: &Bound<'py, PyAny>,
    keep: bool,
    header_len: Option<usize>,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    let (identities, recipients) = (Identities::new(identities)?, Recipients::new(recipients)?);
    let decryptor = decryptor(prefix.as_slice()).map_err(error::decrypt)?;
    let old = decryptor.header().encoded_len();
    let existing = if keep { Existing::Keep } else { Existing::Drop };
    let rekeyed = py.detach(|| {
        identities.with(|all| decryptor.rekey(all.iter().copied(), recipients.iter(), existing)).map_err(error::rekey)
    })?;
    let header = match header_len {
        None => rekeyed.header().clone(),
        Some(len) => rekeyed.header_of_len(len).ok_or_else(|| {
            let needed = rekeyed.header().encoded_len();
            EncryptError::new_err(format!("a header of {needed} bytes cannot be padded to {len}"))
        })?,
    };
    Ok((PyBytes::new(py, &header.encode()), old))
}
