//! Identities open files. They come from identity files, ssh keys, encrypted identity files and
//! plugins.

mod encrypted;
mod parse;
mod plain;
mod ssh;

use std::path::Path;
use std::sync::Arc;

use sealane_age::Identity;

use crate::args::IdentitySource;
use crate::error::Result;
use crate::io::stdin::StdinUse;
use crate::keys::passphrase::Passphrases;
use crate::keys::plugin::default_identity;

use encrypted::Announced;
pub(crate) use parse::{ParsedIdentity, read_file, read_stream};
pub(crate) use plain::{PlainIdentity, SharedIdentity};

/// The identities of the command line, in order.
pub(crate) struct Identities(Vec<ParsedIdentity>);

impl Identities {
    /// Loads all `sources`.
    pub(crate) fn load(sources: &[IdentitySource], stdin: &StdinUse, passphrases: &Passphrases) -> Result<Self> {
        let mut all = Vec::new();
        for source in sources {
            match source {
                IdentitySource::File(path) => all.extend(load_file(path, stdin, passphrases)?),
                IdentitySource::Plugin(name) => {
                    all.push(ParsedIdentity::Plain(PlainIdentity::Plugin(default_identity(name)?)))
                }
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
        let (native, other): (Vec<_>, Vec<_>) = self.0.into_iter().partition(ParsedIdentity::is_native);
        Openable {
            native: native.into_iter().map(ParsedIdentity::into_identity).collect(),
            other: other.into_iter().map(Opener::new).collect(),
        }
    }
}

/// An identity that asks the user or uses other programs to open files.
struct Opener {
    identity: Arc<dyn Identity + Send + Sync>,
    /// The same identity, if it is an encrypted file, with a warning when no key in it matches.
    announced: Option<Announced>,
    /// Whether a plugin provides it.
    is_plugin: bool,
}

impl Opener {
    fn new(identity: ParsedIdentity) -> Self {
        let is_plugin = matches!(identity, ParsedIdentity::Plain(PlainIdentity::Plugin(_)));
        match identity {
            ParsedIdentity::Encrypted(file) => {
                let file = Arc::new(file);
                Self { identity: file.clone(), announced: Some(Announced(file)), is_plugin }
            }
            other => Self { identity: other.into_identity().into(), announced: None, is_plugin },
        }
    }

    fn for_file(&self) -> &dyn Identity {
        match &self.announced {
            Some(announced) => announced,
            None => &*self.identity,
        }
    }
}

/// Identities that open files. As in age, keys of age's own types come first, and otherwise the
/// order stays: an identity that asks the user, or a plugin that fails, is not tried in vain.
pub(crate) struct Openable {
    native: Vec<SharedIdentity>,
    other: Vec<Opener>,
}

impl Openable {
    /// Returns the keys of age's own types.
    pub(crate) fn native(&self) -> impl Iterator<Item = &dyn Identity> {
        self.native.iter().map(|identity| &**identity as &dyn Identity)
    }

    /// Returns the other identities, to try them for a whole file. With `with_passphrase`, the file
    /// is encrypted with a passphrase, which only a plugin can know.
    pub(crate) fn other(&self, with_passphrase: bool) -> impl Iterator<Item = &dyn Identity> {
        self.other.iter().filter(move |opener| !with_passphrase || opener.is_plugin).map(Opener::for_file)
    }

    /// Returns the identities of holders, which are tried for each share.
    pub(crate) fn holders(&self) -> impl Iterator<Item = &dyn Identity> {
        self.native().chain(self.other.iter().map(|opener| &*opener.identity as &dyn Identity))
    }
}

/// Reads the identity file `path`; "-" is standard input.
pub(crate) fn load_file(path: &Path, stdin: &StdinUse, passphrases: &Passphrases) -> Result<Vec<ParsedIdentity>> {
    if path == Path::new("-") {
        return read_stream(stdin.read("identities")?, "standard input", passphrases);
    }
    read_file(path, passphrases)
}
