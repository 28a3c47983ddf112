//! Opens files with the identities, parts and passphrases of the command line.

use std::io::Read;
use std::path::PathBuf;

use sealane_age::header::is_padding;
use sealane_age::{Backend, DecryptError, Decryptor, Identity, Stanza, StreamReader, threshold};

use super::contributed_parts::{Parts, Together, read_parts};
use crate::args::{IdentityArgs, KeyArgs};
use crate::error::explain::decrypt_error;
use crate::error::{Error, Result};
use crate::io::stdin::StdinUse;
use crate::keys::failures::Failures;
use crate::keys::identities::{Identities, Openable};
use crate::keys::passphrase::Passphrases;
use crate::keys::scrypt::PassphraseIdentity;

/// Identities, and contributed parts of a file key. Any number of threads may use them.
pub(crate) struct Openers {
    identities: Openable,
    parts: Parts,
    /// Whether the command line names an identity or a part.
    any: bool,
    /// Whether there is a default identity. It opens files that are not encrypted with a
    /// passphrase.
    has_default: bool,
    passphrases: Passphrases,
}

/// Whether a file may be opened with its passphrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowPassphrase {
    Yes,
    /// The file is in a folder, or is decrypted together with others. Each passphrase takes the
    /// time and memory that the file demands, and several threads may open files at the same time.
    No,
}

impl Openers {
    /// Loads all identities and parts.
    pub(crate) fn load(keys: &KeyArgs, stdin: &StdinUse) -> Result<Self> {
        Self::with_passphrases(&keys.identities, &keys.parts, stdin, Passphrases::new(stdin))
    }

    /// Loads all identities and parts, which may need passphrases. The identities open the parts
    /// that are encrypted.
    pub(crate) fn with_passphrases(
        args: &IdentityArgs,
        parts: &[PathBuf],
        stdin: &StdinUse,
        passphrases: Passphrases,
    ) -> Result<Self> {
        let identities = Identities::load(&args.opening(), stdin, &passphrases)
            .map_err(|error| if args.given.is_empty() { error.in_context("the default identity") } else { error })?
            .into_openable();
        let parts = read_parts(parts, stdin, &identities)?;
        let any = !args.given.is_empty() || !parts.is_empty();
        Ok(Self { identities, parts, any, has_default: args.default.is_some(), passphrases })
    }

    /// Reads the header of `file`, which messages call `name`, and runs `act` with its decryptor
    /// and the identities to try. If the file is encrypted with a passphrase, and the command line
    /// names no identity or part, the only identity to try is one that asks for the passphrase. If
    /// `passphrase` does not allow that, the file is refused.
    pub(crate) fn open<R: Read, T, E: Into<OpenError>>(
        &self,
        file: R,
        name: &str,
        passphrase: AllowPassphrase,
        act: impl FnOnce(Decryptor<R>, &[&dyn Identity]) -> Result<T, E>,
    ) -> Result<T> {
        let decryptor = Decryptor::new(file).map_err(decrypt_error)?;
        let with_passphrase = decryptor.is_scrypt();
        if !self.any && (with_passphrase || !self.has_default) {
            if !with_passphrase {
                return Err(Error::new(
                    "the file is not encrypted with a passphrase: an identity is needed to open it",
                )
                .hint("give the private key of one of its recipients with -i, or a plugin with -j"));
            }
            if passphrase == AllowPassphrase::No {
                return Err(Error::new(
                    "the file is encrypted with a passphrase, which can't be used in a folder, or to decrypt several files",
                )
                .hint("open it by itself, without the other files"));
            }
            let identity = PassphraseIdentity::new(name, self.passphrases.clone());
            // `PassphraseIdentity` limits the work factor itself.
            let decryptor = decryptor.with_max_work_factor(u8::MAX);
            return act(decryptor, &[&identity]).map_err(|error| error.into().explain(None));
        }
        // Of these identities, only a plugin could open a file that is encrypted with a passphrase,
        // so encrypted identity files are not tried for such a file.
        let native: Vec<_> = self.identities.native().collect();
        let other: Vec<_> = self.identities.other(with_passphrase).collect();
        let is_share = |stanza: &Stanza| stanza.tag == threshold::TYPE;
        let stanzas = decryptor.header().stanzas();
        let only_shares = stanzas.iter().filter(|stanza| !is_padding(stanza)).all(is_share);
        let native_holders = Together::new(native.iter().copied(), &self.parts);
        let all_holders = Together::new(self.identities.holders(), &self.parts);
        let (ignored, failures) = (Failures::default(), Failures::default());
        let native_holders = ignored.keep(&native_holders);
        let all_holders = failures.keep(&all_holders);
        let mut all = native.clone();
        let kept: Vec<_>;
        if stanzas.iter().any(is_share) {
            // If there are enough holders, the file opens even if one of the `other` identities
            // fails. These may ask the user. If the file has stanzas besides shares, they try to
            // open it alone before they open shares.
            kept = other.iter().map(|identity| failures.keep(*identity)).collect();
            all.push(if only_shares { &all_holders } else { &native_holders });
            all.extend(kept.iter().map(|identity| identity as &dyn Identity));
            if !only_shares {
                all.push(&all_holders);
            }
            all.push(&failures);
        } else {
            all.extend(other);
        }
        act(decryptor, &all).map_err(|error| error.into().explain(with_passphrase.then_some(passphrase)))
    }

    /// Decrypts the header of `file`, as [`Openers::open`] does.
    pub(crate) fn decrypt<R: Read>(
        &self,
        file: R,
        name: &str,
        passphrase: AllowPassphrase,
        backend: Backend,
    ) -> Result<StreamReader<R>> {
        self.open(file, name, passphrase, |decryptor, identities| {
            decryptor.with_backend(backend).decrypt(identities.iter().copied())
        })
    }
}

/// The reason why a file was not opened.
pub(crate) enum OpenError {
    Decrypt(DecryptError),
    Other(Error),
}

impl From<DecryptError> for OpenError {
    fn from(error: DecryptError) -> Self {
        Self::Decrypt(error)
    }
}

impl OpenError {
    /// Explains the error. `in_vain` is given if identities or parts were given for a file that is
    /// encrypted with a passphrase, and is whether this passphrase may open the file.
    fn explain(self, in_vain: Option<AllowPassphrase>) -> Error {
        match (self, in_vain) {
            (Self::Decrypt(DecryptError::NoMatch), Some(passphrase)) => {
                let error = Error::new("the file is encrypted with a passphrase, and identities were given");
                error.hint(match passphrase {
                    AllowPassphrase::Yes => "leave -i and -j out to open it with its passphrase",
                    AllowPassphrase::No => "open it by itself, without the other files and without -i and -j",
                })
            }
            (Self::Decrypt(error), _) => decrypt_error(error),
            (Self::Other(error), _) => error,
        }
    }
}
