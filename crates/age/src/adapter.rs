//! Adapts the recipients and identities of the crate [`age`] to this crate, and ours to `age`
//! (feature `age`).
//!
//! Some types of that crate implement our traits directly: its ssh keys (feature `ssh`), and its
//! recipients `age1tag1…` and `age1tagpq1…`. [`FromAge`] wraps its other types for this crate, and
//! [`ToAge`] wraps ours for `age`. For plugins, this crate has a client of its own,
//! `plugin::Client`.
//!
//! ```
//! use sealane_age::adapter::age::x25519::Identity as AgeIdentity;
//! use sealane_age::adapter::{FromAge, ToAge, age};
//! use sealane_age::{Identity, Recipient, decrypt, encrypt, x25519};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Keys of the crate `age`, for a file of this crate.
//! let theirs = AgeIdentity::generate();
//! let file = encrypt([&FromAge(theirs.to_public()) as &dyn Recipient], b"attack at dawn")?;
//! assert_eq!(decrypt([&FromAge(theirs) as &dyn Identity], &file)?, b"attack at dawn");
//!
//! // Our keys, for a file of the crate `age`.
//! let ours = x25519::Identity::generate()?;
//! let file = age::encrypt(&ToAge(ours.to_public()), b"attack at dawn")?;
//! assert_eq!(age::decrypt(&ToAge(ours), &file)?, b"attack at dawn");
//! # Ok(())
//! # }
//! ```

use std::collections::HashSet;
use std::io;

pub use ::age;
pub use ::age_core;
use age_core::secrecy::ExposeSecret as _;

use crate::file_key::FileKey;
use crate::identity::{Identity, UnwrapError};
use crate::recipient::{Recipient, WrapError, Wrapped};
use crate::stanza::Stanza;

/// A recipient or an identity of the crate `age`, for this crate.
#[derive(Clone, Debug)]
pub struct FromAge<T>(pub T);

impl<R: age::Recipient> Recipient for FromAge<R> {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        wrap(&self.0, file_key)
    }
}

impl<I: age::Identity> Identity for FromAge<I> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        unwrap(&self.0, stanzas)
    }
}

/// A recipient or an identity of this crate, for the crate `age`.
#[derive(Clone, Debug)]
pub struct ToAge<T>(pub T);

impl<R: Recipient> age::Recipient for ToAge<R> {
    fn wrap_file_key(
        &self,
        file_key: &age_core::format::FileKey,
    ) -> Result<(Vec<age_core::format::Stanza>, HashSet<String>), age::EncryptError> {
        let wrapped = self.0.wrap_file_key(&file_key.into()).map_err(|error| match error {
            WrapError::IncompatibleRecipients(one, other) => age::EncryptError::IncompatibleRecipients {
                l_labels: one.into_iter().collect(),
                r_labels: other.into_iter().collect(),
            },
            error => age::EncryptError::Io(io::Error::other(error)),
        })?;
        let stanzas = wrapped.stanzas.into_iter().map(Into::into).collect();
        Ok((stanzas, wrapped.labels.into_iter().collect()))
    }
}

impl<I: Identity> age::Identity for ToAge<I> {
    fn unwrap_stanza(
        &self,
        stanza: &age_core::format::Stanza,
    ) -> Option<Result<age_core::format::FileKey, age::DecryptError>> {
        self.unwrap_stanzas(std::slice::from_ref(stanza))
    }

    fn unwrap_stanzas(
        &self,
        stanzas: &[age_core::format::Stanza],
    ) -> Option<Result<age_core::format::FileKey, age::DecryptError>> {
        let stanzas: Vec<_> = stanzas.iter().map(Stanza::from).collect();
        let result = self.0.unwrap_file_key(&stanzas).transpose()?;
        Some(result.map(|key| (&key).into()).map_err(|error| match error {
            UnwrapError::Authentication => age::DecryptError::DecryptionFailed,
            UnwrapError::InvalidStanza => age::DecryptError::InvalidHeader,
            UnwrapError::ExcessiveWork { required } => {
                age::DecryptError::ExcessiveWork { required, target: crate::scrypt::DEFAULT_WORK_FACTOR }
            }
            error => age::DecryptError::Io(io::Error::other(error)),
        }))
    }
}

impl From<&age_core::format::Stanza> for Stanza {
    fn from(stanza: &age_core::format::Stanza) -> Self {
        Self { tag: stanza.tag.clone(), args: stanza.args.clone(), body: stanza.body.clone() }
    }
}

impl From<&Stanza> for age_core::format::Stanza {
    fn from(stanza: &Stanza) -> Self {
        stanza.clone().into()
    }
}

impl From<Stanza> for age_core::format::Stanza {
    fn from(Stanza { tag, args, body }: Stanza) -> Self {
        Self { tag, args, body }
    }
}

impl From<age_core::format::Stanza> for Stanza {
    fn from(age_core::format::Stanza { tag, args, body }: age_core::format::Stanza) -> Self {
        Self { tag, args, body }
    }
}

impl From<&age_core::format::FileKey> for FileKey {
    fn from(key: &age_core::format::FileKey) -> Self {
        Self::copy_of(key.expose_secret())
    }
}

impl From<&FileKey> for age_core::format::FileKey {
    fn from(key: &FileKey) -> Self {
        Self::init_with_mut(|copy| copy.copy_from_slice(key.expose_secret()))
    }
}

/// Wraps a file key with a recipient of `age`.
pub(crate) fn wrap(recipient: &impl age::Recipient, file_key: &FileKey) -> Result<Wrapped, WrapError> {
    let (stanzas, labels) = recipient.wrap_file_key(&file_key.into()).map_err(|error| match error {
        age::EncryptError::IncompatibleRecipients { l_labels, r_labels } => {
            WrapError::IncompatibleRecipients(l_labels.into_iter().collect(), r_labels.into_iter().collect())
        }
        // This is an error of this crate if the recipient is a `ToAge`.
        age::EncryptError::Io(error) => error.downcast().unwrap_or_else(WrapError::other),
        error => WrapError::other(error),
    })?;
    Ok(Wrapped { stanzas: stanzas.into_iter().map(Into::into).collect(), labels: labels.into_iter().collect() })
}

/// Unwraps a file key with an identity of `age`.
pub(crate) fn unwrap(identity: &impl age::Identity, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
    let stanzas: Vec<_> = stanzas.iter().map(age_core::format::Stanza::from).collect();
    match identity.unwrap_stanzas(&stanzas) {
        None | Some(Err(age::DecryptError::NoMatchingKeys)) => Ok(None),
        Some(Ok(file_key)) => Ok(Some(FileKey::from(&file_key))),
        Some(Err(error)) => Err(match error {
            age::DecryptError::DecryptionFailed => UnwrapError::Authentication,
            age::DecryptError::InvalidHeader => UnwrapError::InvalidStanza,
            age::DecryptError::ExcessiveWork { required, .. } => UnwrapError::ExcessiveWork { required },
            age::DecryptError::Io(error) => error.downcast().unwrap_or_else(UnwrapError::other),
            error => UnwrapError::other(error),
        }),
    }
}

macro_rules! recipients {
    ($($type:ty),*) => {$(
        impl Recipient for $type {
            fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
                wrap(self, file_key)
            }
        }
    )*};
}

recipients!(age::tag::Recipient, age::tagpq::Recipient);
