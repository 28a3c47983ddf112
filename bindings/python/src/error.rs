//! The exceptions of the package, which `python/sealane/_errors.py` defines.

use std::io;
use std::path::Path;

use pyo3::exceptions::PyOSError;
use pyo3::import_exception;
use pyo3::prelude::*;
use sealane_age::armor::ArmorError as Armor;
use sealane_age::{CopyError, DecryptError as Decrypt, EncryptError as Encrypt, RekeyError, StreamError, UnwrapError};

import_exception!(sealane._errors, InvalidTag);
import_exception!(sealane._errors, KeyFormatError);
import_exception!(sealane._errors, EncryptError);
import_exception!(sealane._errors, DecryptError);
import_exception!(sealane._errors, HeaderError);
import_exception!(sealane._errors, ArmorError);
import_exception!(sealane._errors, NoMatchError);
import_exception!(sealane._errors, WrongPassphraseError);
import_exception!(sealane._errors, ExcessiveWorkError);
import_exception!(sealane._errors, ThresholdError);
import_exception!(sealane._errors, IdentityError);
import_exception!(sealane._errors, PayloadError);
import_exception!(sealane._errors, SharesError);
import_exception!(sealane._errors, SharesWarning);

/// Returns the exception for a file that cannot be opened.
pub(crate) fn decrypt(error: Decrypt) -> PyErr {
    let text = error.to_string();
    match error {
        Decrypt::Io(error) => io(error),
        Decrypt::Armor(_) => ArmorError::new_err(text),
        Decrypt::Header(_) | Decrypt::HeaderMac => HeaderError::new_err(text),
        Decrypt::NoMatch => NoMatchError::new_err(text),
        Decrypt::WrongPassphrase => WrongPassphraseError::new_err(text),
        Decrypt::ExcessiveWork { .. } => ExcessiveWorkError::new_err(text),
        Decrypt::Payload(_) => PayloadError::new_err(text),
        Decrypt::Threshold(_) => ThresholdError::new_err(text),
        Decrypt::Identity(_) => IdentityError::new_err(text),
        _ => DecryptError::new_err(text),
    }
}

/// Returns the exception for a file key that an identity cannot unwrap.
pub(crate) fn unwrap(error: UnwrapError) -> PyErr {
    decrypt(error.into())
}

/// Returns the exception for a file that cannot be encrypted.
pub(crate) fn encrypt(error: Encrypt) -> PyErr {
    EncryptError::new_err(error.to_string())
}

/// Returns the exception for a file that cannot be re-keyed.
pub(crate) fn rekey(error: RekeyError) -> PyErr {
    match error {
        RekeyError::Open(error) => decrypt(error),
        error => EncryptError::new_err(error.to_string()),
    }
}

/// Returns the exception for a damaged payload.
pub(crate) fn payload(error: StreamError) -> PyErr {
    PayloadError::new_err(error.to_string())
}

/// Returns the exception for a failed copy.
pub(crate) fn copy(error: CopyError) -> PyErr {
    match error {
        CopyError::Read(error) | CopyError::Write(error) => io(error),
        error => PyOSError::new_err(error.to_string()),
    }
}

/// Returns the exception for an I/O error. A Python exception inside the error is returned
/// unchanged.
pub(crate) fn io(error: io::Error) -> PyErr {
    if let Some(error) = StreamError::of(&error) {
        return payload(error);
    }
    let inner = error.get_ref();
    if let Some(error) = inner.and_then(|inner| inner.downcast_ref::<Armor>()) {
        return ArmorError::new_err(error.to_string());
    }
    error.into()
}

/// Whether an I/O error says that the file is damaged. A reader repeats such an error.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    StreamError::of(error).is_some() || error.get_ref().is_some_and(|inner| inner.is::<Armor>())
}

/// Returns the exception for an error of the file at `path`.
pub(crate) fn at_path(error: io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        // With these arguments, OSError becomes the subclass for the number.
        Some(number) => PyOSError::new_err((number, message(&error), path.as_os_str().to_owned())),
        None => io(error),
    }
}

/// Returns the message without the error number.
fn message(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(message, _)| message.to_owned())
}
