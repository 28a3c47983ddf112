//! Identities, which open files: from identity files, ssh keys, encrypted identity files and
//! plugins.

mod encrypted;
mod parse;
mod ssh;

use std::path::Path;

use age::plugin;
use age::x25519;
use sealane_age::mlkem768x25519;

use crate::args::IdentitySource;
use crate::error::{Error, Result};
use crate::io::stdin::StdinUse;
use crate::keys::passphrase::Passphrases;
use crate::keys::plugin::{PluginIdentity, default_identity};

pub(crate) use encrypted::EncryptedFile;
pub(crate) use parse::{read_file, read_stream};
pub(crate) use ssh::{SshKey, describe_recipient_fault};

/// An identity that any number of threads may use.
pub(crate) type SharedIdentity = Box<dyn age::Identity + Send + Sync>;

/// One identity of an identity file.
pub(crate) enum ParsedIdentity {
    /// `AGE-SECRET-KEY-1…`
    X25519(x25519::Identity),
    /// `AGE-SECRET-KEY-PQ-1…`
    PostQuantum(Box<mlkem768x25519::Identity>),
    /// `AGE-PLUGIN-NAME-1…`
    Plugin(plugin::Identity),
    /// An ssh private key.
    Ssh(Box<SshKey>),
    /// A file of identities, encrypted with a passphrase.
    Encrypted(EncryptedFile),
}

impl ParsedIdentity {
    /// Returns the identity that unwraps file keys.
    pub(crate) fn into_identity(self) -> SharedIdentity {
        match self {
            Self::X25519(identity) => Box::new(identity),
            Self::PostQuantum(identity) => identity,
            Self::Ssh(key) => key,
            Self::Encrypted(file) => Box::new(file),
            Self::Plugin(identity) => Box::new(PluginIdentity(identity)),
        }
    }
}

/// The identities of the command line, in order.
pub(crate) struct Identities(Vec<ParsedIdentity>);

impl Identities {
    /// Loads all `sources`.
    pub(crate) fn load(sources: &[IdentitySource], stdin: &StdinUse, passphrases: &Passphrases) -> Result<Self> {
        let mut all = Vec::new();
        for source in sources {
            match source {
                IdentitySource::File(path) => all.extend(load_file(path, stdin, passphrases)?),
                IdentitySource::Plugin(name) => all.push(ParsedIdentity::Plugin(default_identity(name)?)),
            }
        }
        Ok(Self(all))
    }

    /// Returns the identities in order, to encrypt to their recipients.
    pub(crate) fn into_parsed(self) -> Vec<ParsedIdentity> {
        self.0
    }

    /// Returns the identities to open files with.
    pub(crate) fn into_openable(self) -> Openable {
        let with_kind =
            |identity: ParsedIdentity| (matches!(identity, ParsedIdentity::Plugin(_)), identity.into_identity());
        Openable(self.0.into_iter().map(with_kind).collect())
    }
}

/// Identities that open files. Each is marked if a plugin provides it.
pub(crate) struct Openable(Vec<(bool, SharedIdentity)>);

impl Openable {
    /// Returns the identities to try. With `with_passphrase`, the file is encrypted with a
    /// passphrase, which only a plugin could know.
    pub(crate) fn for_file(&self, with_passphrase: bool) -> Vec<&dyn age::Identity> {
        let candidates = self.0.iter().filter(|(is_plugin, _)| !with_passphrase || *is_plugin);
        candidates.map(|(_, identity)| &**identity as &dyn age::Identity).collect()
    }
}

/// Reads the identity file `path`; "-" is standard input.
pub(crate) fn load_file(path: &Path, stdin: &StdinUse, passphrases: &Passphrases) -> Result<Vec<ParsedIdentity>> {
    if path == Path::new("-") {
        stdin.claim("identities")?;
        return read_stream(std::io::stdin().lock(), "standard input", passphrases);
    }
    read_file(path, passphrases)
}

/// Wraps `error` in the only variant of `age`'s error that can hold it.
fn as_decrypt_error(error: Error) -> age::DecryptError {
    age::DecryptError::Io(error.into_io())
}
