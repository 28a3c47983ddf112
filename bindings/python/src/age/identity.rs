//! The Python class `Identity`, and the identities that Python code passes as arguments.

use std::io::Read;
use std::sync::Arc;

use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use sealane_age::adapter::age::ssh;
use sealane_age::key_file::{
    AnyIdentity, AnyRecipient, EncryptedIdentityFile, IdentityFile, SshIdentityFault, parse_identities,
    parse_ssh_identity,
};
use sealane_age::plugin::{Client, NoCallbacks};
use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use sealane_age::threshold::{self, ThresholdIdentity};
use sealane_age::{
    DecryptError, Decryptor, FileKey, Stanza, StreamReader, UnwrapError, mlkem768x25519, scrypt, x25519,
};

use super::part::Part;
use super::recipient::{Recipient, random_number};
use crate::buffer::Input;
use crate::error::{IdentityError, KeyFormatError};

/// A key that unwraps file keys and can be used in any thread.
type Key = Arc<dyn sealane_age::Identity + Send + Sync>;

/// An identity. The Python package documents it.
#[pyclass(frozen, module = "sealane.age", name = "Identity")]
pub(crate) struct Identity {
    key: Key,
    /// The public key, if there is one.
    recipient: Option<Recipient>,
    /// The secret text, if there is one.
    text: Option<SecretString>,
    /// A random number that distinguishes identities without a public key in `repr`. 0 for others.
    number: u64,
    kind: &'static str,
}

impl Identity {
    fn of(identity: AnyIdentity) -> PyResult<Self> {
        Ok(match identity {
            AnyIdentity::X25519(key) => {
                let recipient = Recipient::of(AnyRecipient::X25519(key.to_public()))?;
                let text = key.to_text();
                Self { key: Arc::new(key), recipient: Some(recipient), text: Some(text), number: 0, kind: "x25519" }
            }
            AnyIdentity::PostQuantum(key) => {
                let recipient = Recipient::of(AnyRecipient::PostQuantum(Box::new(key.to_public())))?;
                let text = key.to_text();
                Self {
                    key: Arc::new(*key),
                    recipient: Some(recipient),
                    text: Some(text),
                    number: 0,
                    kind: "post-quantum",
                }
            }
            AnyIdentity::Plugin(key) => {
                let text = SecretString::from(key.expose_secret());
                let plugin = Client::find(key.plugin(), NoCallbacks);
                let plugin = plugin.map_err(|error| IdentityError::new_err(error.to_string()))?;
                Self {
                    key: Arc::new(plugin.with_identities([key])),
                    recipient: None,
                    text: Some(text),
                    number: random_number(),
                    kind: "plugin",
                }
            }
            _ => return Err(KeyFormatError::new_err("unknown kind of identity")),
        })
    }

    /// Parses an ssh private key.
    fn of_ssh(py: Python<'_>, pem: &[u8], passphrase: Option<&str>) -> PyResult<Self> {
        // Deriving the key from a passphrase may take seconds.
        let key = py.detach(|| parse_ssh_identity(pem, passphrase.map(SecretString::from)));
        let key = key.map_err(|fault| match fault {
            SshIdentityFault::PassphraseNeeded | SshIdentityFault::WrongPassphrase => {
                IdentityError::new_err(fault.to_string())
            }
            _ => KeyFormatError::new_err(fault.to_string()),
        })?;
        let no_recipient = |_| KeyFormatError::new_err(SshIdentityFault::Unsupported.to_string());
        let recipient = ssh::Recipient::try_from(key.clone()).map_err(no_recipient)?;
        let recipient = Recipient::of(AnyRecipient::Ssh(recipient))?;
        Ok(Self { key: Arc::new(key), recipient: Some(recipient), text: None, number: 0, kind: "ssh" })
    }
}

/// Returns the error of a generator of random numbers as an `OSError`.
fn generator_error(error: impl ToString) -> PyErr {
    PyOSError::new_err(error.to_string())
}

#[pymethods]
impl Identity {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let fault = |fault: sealane_age::key_file::IdentityFault| KeyFormatError::new_err(fault.to_string());
        Self::of(text.parse().map_err(fault)?)
    }

    #[staticmethod]
    #[pyo3(signature = (*, post_quantum = false))]
    fn generate(post_quantum: bool) -> PyResult<Self> {
        Self::of(if post_quantum {
            AnyIdentity::PostQuantum(Box::new(mlkem768x25519::Identity::generate().map_err(generator_error)?))
        } else {
            AnyIdentity::X25519(x25519::Identity::generate().map_err(generator_error)?)
        })
    }

    #[staticmethod]
    #[pyo3(signature = (passphrase, *, max_work_factor = 22))]
    fn passphrase(passphrase: &str, max_work_factor: u8) -> Self {
        let key = scrypt::Identity::new(SecretString::from(passphrase)).with_max_work_factor(max_work_factor);
        Self { key: Arc::new(key), recipient: None, text: None, number: random_number(), kind: "passphrase" }
    }

    #[staticmethod]
    #[pyo3(signature = (pem, *, passphrase = None))]
    fn ssh(py: Python<'_>, pem: Input<'_>, passphrase: Option<&str>) -> PyResult<Self> {
        Self::of_ssh(py, pem.as_slice(), passphrase)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    #[getter]
    fn recipient(&self) -> PyResult<Recipient> {
        let no_recipient = || PyTypeError::new_err(format!("an identity of kind {:?} has no recipient", self.kind));
        self.recipient.clone().ok_or_else(no_recipient)
    }

    fn to_text(&self) -> PyResult<&str> {
        let no_text = || PyTypeError::new_err(format!("an identity of kind {:?} has no text", self.kind));
        self.text.as_ref().map(|text| text.expose_secret()).ok_or_else(no_text)
    }

    /// Shows no secret. Differs for different identities, for the same reason as the `repr` of a
    /// recipient.
    fn __repr__(&self) -> PyResult<String> {
        Ok(match &self.recipient {
            Some(recipient) => format!("<sealane.age.Identity of {}>", recipient.__str__()?),
            None => format!("<sealane.age.Identity {} {:016x}>", self.kind, self.number),
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("an identity is secret and cannot be pickled"))
    }
}

/// The identities that open a file, and parts contributed by others.
pub(crate) struct Identities {
    keys: Vec<Key>,
    /// Keys of plugins, which come last because they may fail.
    plugins: Vec<Key>,
    parts: Vec<threshold::Part>,
}

impl Identities {
    /// Takes an identity, or several. Parts may be among them.
    pub(crate) fn new(identities: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut all = Self { keys: Vec::new(), plugins: Vec::new(), parts: Vec::new() };
        if all.add(identities)? {
            return Ok(all);
        }
        for identity in identities.try_iter()? {
            let identity = identity?;
            if !all.add(&identity)? {
                let kind = identity.get_type().name()?;
                let message = format!("identities must be of type Identity or Part, not {kind}");
                return Err(PyTypeError::new_err(message));
            }
        }
        Ok(all)
    }

    /// Adds an identity or a part. Returns false for an object of any other type.
    fn add(&mut self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(identity) = item.cast::<Identity>() {
            let Identity { key, kind, .. } = identity.get();
            let list = if *kind == "plugin" { &mut self.plugins } else { &mut self.keys };
            list.push(key.clone());
        } else if let Ok(part) = item.cast::<Part>() {
            self.parts.push(part.get().copy()?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Calls `work` with a list: the identities, and some that combine them with the parts, for
    /// files that need several holders. Those who suffice without plugins come before the plugins.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&[&dyn sealane_age::Identity]) -> T) -> T {
        let mut each: Vec<_> = self.keys.iter().map(|key| &**key as &dyn sealane_age::Identity).collect();
        let sufficient = Quiet(ThresholdIdentity::new(each.iter().copied(), &self.parts));
        let together = ThresholdIdentity::new(self.each(), &self.parts);
        if !self.plugins.is_empty() {
            each.push(&sufficient);
        }
        each.extend(self.plugins.iter().map(|key| &**key as &dyn sealane_age::Identity));
        each.push(&together);
        work(&each)
    }

    /// Opens a file.
    pub(crate) fn decrypt<R: Read>(&self, decryptor: Decryptor<R>) -> Result<StreamReader<R>, DecryptError> {
        self.with(|all| decryptor.decrypt(all.iter().copied()))
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = &dyn sealane_age::Identity> {
        self.keys.iter().chain(&self.plugins).map(|key| &**key as &dyn sealane_age::Identity)
    }
}

/// Holders whose failure does not matter, because others are tried too.
struct Quiet<'a>(ThresholdIdentity<'a>);

impl sealane_age::Identity for Quiet<'_> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        Ok(self.0.unwrap_file_key(stanzas).unwrap_or(None))
    }
}

/// Reads the header of a file. Sets no limit on the work factor of its passphrase, because a
/// passphrase identity has its own limit.
pub(crate) fn decryptor<R: Read>(input: R) -> Result<Decryptor<R>, DecryptError> {
    Ok(Decryptor::new(input)?.with_max_work_factor(u8::MAX))
}

/// Parses an ssh private key, or a file of identities, which may be encrypted with a passphrase.
#[pyfunction(name = "parse_identities")]
#[pyo3(signature = (contents, *, passphrase = None))]
pub(crate) fn parse(py: Python<'_>, contents: Input<'_>, passphrase: Option<&str>) -> PyResult<Vec<Identity>> {
    let (kind, contents) = IdentityFile::of(contents.as_slice());
    match kind {
        IdentityFile::Pem => Ok(vec![Identity::of_ssh(py, contents, passphrase)?]),
        IdentityFile::Encrypted => {
            let needed = || IdentityError::new_err("the identity file is encrypted: its passphrase is needed");
            let passphrase = passphrase.ok_or_else(needed)?;
            let file = EncryptedIdentityFile::new(contents);
            let key = scrypt::Identity::new(SecretString::from(passphrase));
            let identities = py.detach(|| file.decrypt(&key));
            let identities = identities.map_err(|error| IdentityError::new_err(error.to_string()))?;
            identities.into_iter().map(Identity::of).collect()
        }
        _ => {
            let parsed = parse_identities(contents).map_err(|error| KeyFormatError::new_err(error.to_string()))?;
            parsed.into_iter().map(Identity::of).collect()
        }
    }
}
