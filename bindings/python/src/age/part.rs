//! Parts: shares of a file key that their holders have contributed.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{self, ShareDescription};

use crate::error::ThresholdError;

/// A part. The Python package documents this class.
#[pyclass(frozen, module = "sealane.age", name = "Part")]
pub(crate) struct Part {
    part: threshold::Part,
    /// The description by the creator of the file; `None` if the part was parsed from text.
    description: Option<ShareDescription>,
}

fn failed(error: threshold::ThresholdError) -> PyErr {
    ThresholdError::new_err(error.to_string())
}

impl Part {
    /// Returns a part with the description of its file.
    pub(crate) fn described(part: threshold::Part, description: ShareDescription) -> Self {
        Self { part, description: Some(description) }
    }

    /// Returns a copy of the part.
    pub(crate) fn copy(&self) -> PyResult<threshold::Part> {
        threshold::Part::try_from(&self.part.to_bytes()[..]).map_err(failed)
    }
}

#[pymethods]
impl Part {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        Ok(Self { part: text.parse().map_err(failed)?, description: None })
    }

    fn to_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.part.to_text().expose_secret())
    }

    #[getter]
    fn point(&self) -> u8 {
        self.part.point()
    }

    #[getter]
    fn share_set(&self) -> String {
        self.part.set().to_string()
    }

    #[getter]
    fn threshold(&self) -> Option<u8> {
        self.description.as_ref().map(|description| description.threshold)
    }

    #[getter]
    fn count(&self) -> Option<u8> {
        self.description.as_ref().map(|description| description.count)
    }

    #[getter]
    fn label(&self) -> Option<&str> {
        self.description.as_ref()?.label.as_ref().map(threshold::Label::as_str)
    }

    fn __repr__(&self) -> String {
        format!("<sealane.age.Part {} of share set {}>", self.part.point(), self.part.set())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a part is secret and cannot be pickled: send the result of to_text()"))
    }
}
