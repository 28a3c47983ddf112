//! Identity files that are encrypted with a passphrase.

use std::sync::Arc;

use sealane_age::key_file::{EncryptedFileError, EncryptedIdentityFile};
use sealane_age::threshold;
use sealane_age::{FileKey, Identity, Stanza, UnwrapError};

use super::plain::{PlainIdentity, SharedIdentity, parse_lines};
use crate::error::explain::decrypt_error;
use crate::error::{Error, Result, warn};
use crate::keys::cached::Once;
use crate::keys::passphrase::Passphrases;
use crate::keys::scrypt::PassphraseIdentity;
use crate::os::memory;

/// An encrypted identity file. The user is asked for its passphrase once, when a file needs it.
pub(crate) struct EncryptedFile {
    name: String,
    file: EncryptedIdentityFile,
    passphrases: Passphrases,
    opened: Once<Vec<SharedIdentity>>,
}

impl EncryptedFile {
    pub(super) fn new(name: &str, contents: &[u8], passphrases: Passphrases) -> Self {
        let file = EncryptedIdentityFile::new(contents);
        Self { name: name.to_owned(), file, passphrases, opened: Once::default() }
    }

    /// Returns whether a passphrase opens the file. Otherwise it is not an identity file, but it
    /// may be a contributed part.
    pub(crate) fn has_passphrase(&self) -> bool {
        self.file.has_passphrase()
    }

    /// Asks for the passphrase, and returns the identities in the file.
    pub(crate) fn decrypt(&self) -> Result<Vec<PlainIdentity>> {
        let description = format!("identity file {:?}", self.name);
        // `PassphraseIdentity` limits the work factor itself.
        let identity = PassphraseIdentity::new(&description, self.passphrases.clone());
        let file = self.file.clone().with_backend(crate::os::backend::chosen()?).with_max_work_factor(u8::MAX);
        let plaintext = file.decrypt_lines(&identity).map_err(|error| match error {
            EncryptedFileError::Open(error) => decrypt_error(error).in_context(&description),
            EncryptedFileError::NoPassphrase => {
                Error::new(format!("{description} is encrypted, but not with a passphrase"))
                    .hint("decrypt it first, and give the result with -i")
            }
            EncryptedFileError::Read(error) => Error::from_io(format!("cannot decrypt {description}"), error),
            error => Error::new(format!("{description}: {error}")),
        })?;
        parse_lines(&plaintext, &self.name)
    }

    fn open(&self) -> Result<Vec<SharedIdentity>> {
        let identities = self.decrypt()?.into_iter().map(PlainIdentity::into_identity).collect();
        memory::lock();
        Ok(identities)
    }
}

impl Identity for EncryptedFile {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let identities = self.opened.get(|| self.open()).map_err(UnwrapError::other)?;
        identities.iter().find_map(|identity| identity.unwrap_file_key(stanzas).transpose()).transpose()
    }
}

/// An encrypted identity file that is tried for a whole file, and not for the share of a holder. It
/// warns if no identity in it matches. Identities of holders do not warn, because they are tried
/// for each share.
pub(crate) struct Announced(pub(super) Arc<EncryptedFile>);

impl Identity for Announced {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let found = self.0.unwrap_file_key(stanzas)?;
        // In a file for holders, the shares are unwrapped one by one.
        let has_shares = stanzas.iter().any(|stanza| stanza.tag == threshold::TYPE);
        if found.is_none() && !has_shares {
            warn(format!("no identity in {:?} matches the file", self.0.name));
        }
        Ok(found)
    }
}
