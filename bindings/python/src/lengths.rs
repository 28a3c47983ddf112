//! The lengths of messages.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use sealane::{MAX_MESSAGE_BYTES, TAG_BYTES};

/// Returns the length of a ciphertext with its tag.
pub(crate) fn sealed_len(plaintext: usize) -> PyResult<usize> {
    let len = plaintext.checked_add(TAG_BYTES).filter(|_| plaintext as u64 <= MAX_MESSAGE_BYTES);
    len.ok_or_else(|| PyOverflowError::new_err("the message is too long"))
}

/// The lengths of the plaintexts of many messages.
pub(crate) enum Lengths {
    /// All plaintexts have the same length.
    Same { len: usize, count: usize },
    /// Each plaintext has its own length.
    Each(Vec<usize>),
}

impl Lengths {
    pub(crate) fn new(lengths: &Bound<'_, PyAny>, count: usize) -> PyResult<Self> {
        // Not only `int`: the integers of NumPy have no common base with it.
        match lengths.extract() {
            Ok(len) => return Ok(Self::Same { len, count }),
            Err(error) if error.is_instance_of::<PyOverflowError>(lengths.py()) => return Err(error),
            Err(_) => {}
        }
        let each = lengths.try_iter()?.map(|len| len?.extract()).collect::<PyResult<Vec<usize>>>()?;
        if each.len() != count {
            let message = format!("there are {count} nonces and {} lengths", each.len());
            return Err(PyValueError::new_err(message));
        }
        Ok(Self::Each(each))
    }

    /// Returns the length of the plaintext with this index.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> usize {
        match self {
            Self::Same { len, .. } => *len,
            Self::Each(each) => each[index],
        }
    }

    /// Returns the total length of all plaintexts, and that of all ciphertexts with their tags.
    pub(crate) fn totals(&self) -> PyResult<(usize, usize)> {
        let too_long = || PyValueError::new_err("the messages are too long");
        let (total, count) = match self {
            Self::Same { len, count } => {
                sealed_len(*len)?;
                (len.checked_mul(*count).ok_or_else(too_long)?, *count)
            }
            Self::Each(each) => {
                let mut total: usize = 0;
                for len in each {
                    sealed_len(*len)?;
                    total = total.checked_add(*len).ok_or_else(too_long)?;
                }
                (total, each.len())
            }
        };
        let tags = count.checked_mul(TAG_BYTES).and_then(|tags| tags.checked_add(total));
        Ok((total, tags.ok_or_else(too_long)?))
    }
}
