//! Identity files that are encrypted with a passphrase.

use std::io::Read as _;
use std::iter;
use std::sync::Arc;

use sealane_age::threshold;
use sealane_age::{FileKey, Identity, Stanza, UnwrapError};
use zeroize::Zeroizing;

use super::plain::{PlainIdentity, SharedIdentity, parse_lines};
use crate::error::explain::decrypt_error;
use crate::error::{Error, Result, warn};
use crate::keys::cached::Once;
use crate::keys::passphrase::Passphrases;
use crate::keys::scrypt::PassphraseIdentity;

/// An encrypted identity file. It prompts for its passphrase once, when a file needs it.
pub(crate) struct EncryptedFile {
    name: String,
    contents: Zeroizing<Vec<u8>>,
    passphrases: Passphrases,
    opened: Once<Vec<SharedIdentity>>,
}

impl EncryptedFile {
    pub(super) fn new(name: &str, contents: Zeroizing<Vec<u8>>, passphrases: Passphrases) -> Self {
        Self { name: name.to_owned(), contents, passphrases, opened: Once::default() }
    }

    /// Returns whether a passphrase opens the file. Otherwise it is not an identity file, but it
    /// may be a contributed part.
    pub(crate) fn has_passphrase(&self) -> bool {
        let input = sealane_age::armor::ArmoredReader::new(&self.contents[..]);
        sealane_age::Decryptor::new(input).is_ok_and(|decryptor| decryptor.is_scrypt())
    }

    /// Returns the identities in the file.
    pub(crate) fn decrypt(&self) -> Result<Vec<PlainIdentity>> {
        let description = format!("identity file {:?}", self.name);
        let failed = |error| decrypt_error(error).in_context(&description);
        let input = sealane_age::armor::ArmoredReader::new(&self.contents[..]);
        // The identity below limits the work factor.
        let decryptor = sealane_age::Decryptor::new(input).map_err(failed)?.with_max_work_factor(u8::MAX);
        let decryptor = decryptor.with_backend(crate::os::backend::chosen()?);
        if !decryptor.is_scrypt() {
            return Err(Error::new(format!("{description} is encrypted, but not with a passphrase"))
                .hint("decrypt it first, and give the result with -i"));
        }
        let identity = PassphraseIdentity::new(&description, self.passphrases.clone());
        // The plaintext is shorter than the file, so the vector never grows: growing leaves a copy
        // behind that is not wiped.
        let mut plaintext = Zeroizing::new(Vec::with_capacity(self.contents.len()));
        decryptor
            .decrypt(iter::once(&identity as &dyn Identity))
            .map_err(failed)?
            .read_to_end(&mut plaintext)
            .map_err(|error| Error::from_io(format!("cannot decrypt {description}"), error))?;
        parse_lines(&plaintext, &self.name)
    }

    fn open(&self) -> Result<Vec<SharedIdentity>> {
        Ok(self.decrypt()?.into_iter().map(PlainIdentity::into_identity).collect())
    }
}

impl Identity for EncryptedFile {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let identities = self.opened.get(|| self.open()).map_err(UnwrapError::other)?;
        identities.iter().find_map(|identity| identity.unwrap_file_key(stanzas).transpose()).transpose()
    }
}

/// An encrypted identity file that opens a whole file. It warns if no identity in it matches.
/// Identities of holders do not warn, because they are tried for each share.
pub(crate) struct Announced(pub(super) Arc<EncryptedFile>);

impl Identity for Announced {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let found = self.0.unwrap_file_key(stanzas)?;
        // The shares are unwrapped one by one.
        let has_shares = stanzas.iter().any(|stanza| stanza.tag == threshold::TYPE);
        if found.is_none() && !has_shares {
            warn(format!("no identity in {:?} matches the file", self.0.name));
        }
        Ok(found)
    }
}
