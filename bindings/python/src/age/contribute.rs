//! Contributes parts for files that several people open together.

use pyo3::prelude::*;
use sealane_age::{Decryptor, threshold};

use super::identity::Identities;
use super::part::Part;
use crate::buffer::Input;
use crate::error;

/// Returns the parts that the identities contribute to the file that starts with `prefix`.
#[pyfunction]
pub(crate) fn parts_of(py: Python<'_>, prefix: Input<'_>, identities: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let header = Decryptor::read_header(prefix.as_slice()).map_err(error::decrypt)?;
    let identities = Identities::new(identities)?;
    // A plugin may wait for its user.
    let parts = py.detach(|| threshold::Part::of(&header, identities.each())).map_err(error::unwrap)?;
    Ok(parts.into_iter().map(|(description, part)| Part::described(part, description)).collect())
}
