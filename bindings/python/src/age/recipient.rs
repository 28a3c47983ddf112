//! The Python class `Recipient`, and the recipients that Python code passes as arguments.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::process;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use sealane_age::key_file::{self, AnyRecipient, parse_recipients};
use sealane_age::plugin::{Client, NoCallbacks};
use sealane_age::secrecy::SecretString;
use sealane_age::threshold::{Label, ThresholdRecipient};
use sealane_age::{EncryptError, Encryptor, FileKey, WrapError, Wrapped, scrypt};

use crate::buffer::Input;
use crate::error::{self, IdentityError, KeyFormatError, ThresholdError};

/// A key that wraps file keys and can be used in any thread.
pub(crate) type Key = Arc<dyn sealane_age::Recipient + Send + Sync>;

/// A recipient. The Python package documents this class.
#[pyclass(frozen, module = "sealane.age", name = "Recipient")]
#[derive(Clone)]
pub(crate) struct Recipient {
    key: Key,
    /// The public text, if the recipient is a public key.
    text: Option<String>,
    /// A random number that distinguishes recipients without text in `repr`.
    number: u64,
    kind: &'static str,
}

impl PartialEq for Recipient {
    fn eq(&self, other: &Self) -> bool {
        match (&self.text, &other.text) {
            (Some(one), Some(other)) => one == other,
            _ => Arc::ptr_eq(&self.key, &other.key),
        }
    }
}

impl Recipient {
    pub(crate) fn public(key: Key, text: String, kind: &'static str) -> Self {
        Self { key, text: Some(text), number: 0, kind }
    }

    fn without_text(key: Key, kind: &'static str) -> Self {
        Self { key, text: None, number: random_number(), kind }
    }

    pub(crate) fn of(recipient: AnyRecipient) -> PyResult<Self> {
        let (text, kind) = (recipient.to_string(), kind(&recipient));
        let key: Key = match recipient.into_recipient() {
            Ok(key) => Arc::from(key),
            Err(recipient) => {
                let plugin = Client::find(recipient.plugin(), NoCallbacks);
                let plugin = plugin.map_err(|error| IdentityError::new_err(error.to_string()))?;
                Arc::new(plugin.with_recipients([recipient]))
            }
        };
        Ok(Self::public(key, text, kind))
    }
}

/// Returns a number that tells an object from all others in its `repr`. It is no secret.
pub(crate) fn random_number() -> u64 {
    // The process id is hashed because a child process has the same random keys as its parent.
    RandomState::new().hash_one(process::id())
}

fn kind(recipient: &AnyRecipient) -> &'static str {
    match recipient {
        AnyRecipient::X25519(_) => "x25519",
        AnyRecipient::PostQuantum(_) => "post-quantum",
        AnyRecipient::Plugin(_) => "plugin",
        AnyRecipient::Ssh(_) => "ssh",
        _ => "tag",
    }
}

/// Several recipients, `threshold` of whom must cooperate to open a file.
struct Threshold {
    threshold: usize,
    recipients: Vec<Key>,
    label: Option<Label>,
}

impl Threshold {
    fn recipient(&self) -> Result<ThresholdRecipient<'_>, sealane_age::threshold::ThresholdError> {
        let recipients = self.recipients.iter().map(|key| &**key as &dyn sealane_age::Recipient);
        Ok(ThresholdRecipient::new(self.threshold, recipients)?.with_label(self.label.clone()))
    }
}

impl sealane_age::Recipient for Threshold {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        self.recipient().map_err(WrapError::other)?.wrap_file_key(file_key)
    }
}

#[pymethods]
impl Recipient {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let parsed = text.parse().map_err(|fault: key_file::RecipientFault| fault.to_string());
        Self::of(parsed.map_err(KeyFormatError::new_err)?)
    }

    #[staticmethod]
    #[pyo3(signature = (passphrase, *, work_factor = 18))]
    fn passphrase(passphrase: &str, work_factor: u8) -> PyResult<Self> {
        // Implementations of age refuse to open files with a higher work factor.
        if !(1..=sealane_age::DEFAULT_MAX_WORK_FACTOR).contains(&work_factor) {
            return Err(PyValueError::new_err(EncryptError::WorkFactor(work_factor).to_string()));
        }
        if passphrase.is_empty() {
            return Err(PyValueError::new_err(scrypt::EmptyPassphrase.to_string()));
        }
        let key = scrypt::Recipient::new(SecretString::from(passphrase)).with_work_factor(work_factor);
        let key = key.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::without_text(Arc::new(key), "passphrase"))
    }

    #[staticmethod]
    #[pyo3(signature = (threshold, recipients, *, label = None))]
    fn threshold(threshold: usize, recipients: &Bound<'_, PyAny>, label: Option<&str>) -> PyResult<Self> {
        let failed = |error: sealane_age::threshold::ThresholdError| ThresholdError::new_err(error.to_string());
        let label = label.map(str::parse).transpose().map_err(failed)?;
        let all = Recipients::new(recipients)?.0;
        // The holder of two shares would count twice.
        for (i, one) in all.iter().enumerate() {
            if let Some(earlier) = all[..i].iter().position(|other| other == one) {
                let message = format!("recipients {} and {} of the threshold are the same", earlier + 1, i + 1);
                return Err(ThresholdError::new_err(message));
            }
        }
        let holders = Threshold { threshold, recipients: all.into_iter().map(|one| one.key).collect(), label };
        holders.recipient().map_err(failed)?;
        Ok(Self::without_text(Arc::new(holders), "threshold"))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) fn __str__(&self) -> PyResult<&str> {
        let without_text = || PyTypeError::new_err(format!("a recipient of kind {:?} has no text", self.kind));
        self.text.as_deref().ok_or_else(without_text)
    }

    /// Differs for different recipients: fsspec returns the same filesystem for arguments with the
    /// same text.
    fn __repr__(&self) -> String {
        match &self.text {
            Some(text) => format!("Recipient({text:?})"),
            None => format!("<sealane.age.Recipient {} {:016x}>", self.kind, self.number),
        }
    }

    fn __eq__(&self, other: &Self) -> bool {
        self == other
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        match &self.text {
            Some(text) => text.hash(&mut hasher),
            None => Arc::as_ptr(&self.key).cast::<()>().hash(&mut hasher),
        }
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let Some(text) = &slf.get().text else {
            let kind = slf.get().kind;
            return Err(PyTypeError::new_err(format!("a recipient of kind {kind:?} cannot be pickled")));
        };
        Ok((slf.get_type().into_any(), (text.clone(),)))
    }
}

/// The recipients of a file.
pub(crate) struct Recipients(Vec<Recipient>);

impl Recipients {
    /// Takes a recipient, or several.
    pub(crate) fn new(recipients: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(recipient) = recipients.cast::<Recipient>() {
            return Ok(Self(vec![recipient.get().clone()]));
        }
        let one = |recipient: PyResult<Bound<'_, PyAny>>| {
            let recipient = recipient?;
            match recipient.cast::<Recipient>() {
                Ok(recipient) => Ok(recipient.get().clone()),
                Err(_) => {
                    let kind = recipient.get_type().name()?;
                    Err(PyTypeError::new_err(format!("recipients must be of type Recipient, not {kind}")))
                }
            }
        };
        Ok(Self(recipients.try_iter()?.map(one).collect::<PyResult<_>>()?))
    }

    /// Prepares the encryption of a file. With a passphrase, this takes about a second.
    pub(crate) fn encryptor(&self, header_len: Option<usize>) -> PyResult<Encryptor> {
        let recipients = self.iter();
        let encryptor = Encryptor::with_recipients(recipients).map_err(error::encrypt)?;
        match header_len {
            Some(len) => encryptor.with_header_len(len).map_err(error::encrypt),
            None => Ok(encryptor),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn sealane_age::Recipient> {
        self.0.iter().map(|one| &*one.key as &dyn sealane_age::Recipient)
    }
}

/// Parses a file of recipients.
#[pyfunction(name = "parse_recipients")]
pub(crate) fn parse(contents: Input<'_>) -> PyResult<Vec<Recipient>> {
    let parsed = parse_recipients(contents.as_slice())
        .and_then(key_file::Recipients::all)
        .map_err(|error| KeyFormatError::new_err(error.to_string()))?;
    parsed.into_iter().map(Recipient::of).collect()
}
