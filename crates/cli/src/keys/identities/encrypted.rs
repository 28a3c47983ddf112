//! Identity files that are encrypted with a passphrase.

use std::io::Read as _;
use std::iter;

use age::{DecryptError, Identity};
use age_core::format::{FileKey, Stanza};
use sealane_age::threshold;
use zeroize::Zeroizing;

use super::parse::parse_lines;
use super::{ParsedIdentity, SharedIdentity, as_decrypt_error};
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

    /// Returns whether a passphrase opens the file. Otherwise it is no identity file, but may be a
    /// contributed part.
    pub(crate) fn has_passphrase(&self) -> bool {
        let input = sealane_age::armor::ArmoredReader::new(&self.contents[..]);
        sealane_age::Decryptor::new(input).is_ok_and(|decryptor| decryptor.is_scrypt())
    }

    /// Returns the identities in the file.
    pub(crate) fn decrypt(&self) -> Result<Vec<ParsedIdentity>> {
        let what = format!("identity file {:?}", self.name);
        let failed = |error| decrypt_error(error).in_context(&what);
        let input = sealane_age::armor::ArmoredReader::new(&self.contents[..]);
        // The identity below limits the work factor.
        let decryptor = sealane_age::Decryptor::new(input).map_err(failed)?.with_max_work_factor(u8::MAX);
        let decryptor = decryptor.with_backend(crate::os::backend::chosen()?);
        if !decryptor.is_scrypt() {
            return Err(Error::new(format!("{what} is encrypted, but not with a passphrase"))
                .hint("decrypt it first, and give the result with -i"));
        }
        let identity = PassphraseIdentity::new(&what, self.passphrases.clone());
        // The plaintext is shorter than the file, so the vector never grows: growing leaves a copy
        // behind that is not wiped.
        let mut plaintext = Zeroizing::new(Vec::with_capacity(self.contents.len()));
        decryptor
            .decrypt(iter::once(&identity as &dyn Identity))
            .map_err(failed)?
            .read_to_end(&mut plaintext)
            .map_err(|error| Error::from_io(format!("cannot decrypt {what}"), error))?;
        parse_lines(&plaintext, &self.name)
    }

    fn open(&self) -> Result<Vec<SharedIdentity>> {
        Ok(self.decrypt()?.into_iter().map(ParsedIdentity::into_identity).collect())
    }

    fn unwrap_with(
        &self,
        unwrap: impl Fn(&dyn Identity) -> Option<Result<FileKey, DecryptError>>,
    ) -> Option<Result<FileKey, DecryptError>> {
        match self.opened.get(|| self.open()) {
            Ok(identities) => identities.iter().find_map(|identity| unwrap(identity.as_ref())),
            Err(error) => Some(Err(as_decrypt_error(error))),
        }
    }
}

impl Identity for EncryptedFile {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.unwrap_with(|identity| identity.unwrap_stanza(stanza))
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        let found = self.unwrap_with(|identity| identity.unwrap_stanzas(stanzas));
        // Shares are unwrapped stanza by stanza.
        let has_shares = stanzas.iter().any(|stanza| stanza.tag == threshold::TYPE);
        if found.is_none() && !has_shares {
            warn(format!("no identity in {:?} matches the file", self.name));
        }
        found
    }
}
