//! Parses identity files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sealane_age::key_file::{IdentityFile, MAX_FILE_BYTES, MAX_SSH_IDENTITY_BYTES};
use zeroize::Zeroizing;

use super::encrypted::EncryptedFile;
use super::plain::{PlainIdentity, SharedIdentity, parse_lines};
use super::ssh::SshKey;
use crate::error::{Error, Result, holds_private_key};
use crate::keys::passphrase::Passphrases;
use crate::os::memory;

/// The longest identity file, in bytes.
const FILE_LIMIT: u64 = MAX_FILE_BYTES as u64;

/// One identity, or an encrypted file of identities.
pub(crate) enum ParsedIdentity {
    /// A line of text in an identity file, or `-j PLUGIN`.
    Plain(PlainIdentity),
    /// An ssh private key.
    Ssh(Box<SshKey>),
    /// A file of identities, encrypted with a passphrase.
    Encrypted(EncryptedFile),
}

impl ParsedIdentity {
    /// Returns whether this is a key of one of age's own types, which needs no plugin and no user.
    pub(crate) fn is_native(&self) -> bool {
        matches!(self, Self::Plain(PlainIdentity::X25519(_) | PlainIdentity::PostQuantum(_)))
    }

    /// Returns the identity that unwraps file keys.
    pub(crate) fn into_identity(self) -> SharedIdentity {
        match self {
            Self::Plain(identity) => identity.into_identity(),
            Self::Ssh(key) => key,
            Self::Encrypted(file) => Box::new(file),
        }
    }
}

/// Reads the identity file `path`.
pub(crate) fn read_file(path: &Path, passphrases: &Passphrases) -> Result<Vec<ParsedIdentity>> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        if holds_private_key(&name) {
            Error::new("a private key, where the path of an identity file is expected")
                .hint("give the path of the file that holds it, or -i - to read it from standard input")
        } else {
            Error::io(format!("cannot open identity file {name:?}"), &error)
        }
    })?;
    let len = file.metadata().map_or(0, |metadata| metadata.len());
    read(file, len, &name, Some(path), passphrases)
}

/// Reads identities from `source`. Error messages call it `name`.
pub(crate) fn read_stream(source: impl Read, name: &str, passphrases: &Passphrases) -> Result<Vec<ParsedIdentity>> {
    read(source, 0, name, None, passphrases)
}

/// Reads identities from `source`. `len` is its expected length in bytes, or 0 if that is unknown.
/// `path` is the path of the source, if that is a file.
fn read(
    source: impl Read,
    len: u64,
    name: &str,
    path: Option<&Path>,
    passphrases: &Passphrases,
) -> Result<Vec<ParsedIdentity>> {
    // One byte more than expected, so that the vector does not grow: growing leaves a copy behind
    // that is not wiped. It grows only for a stream of more than 16 KiB.
    let room =
        usize::try_from(len.clamp(MAX_SSH_IDENTITY_BYTES as u64, FILE_LIMIT)).unwrap_or(MAX_SSH_IDENTITY_BYTES) + 1;
    let mut contents = Zeroizing::new(Vec::with_capacity(room));
    source
        .take(FILE_LIMIT + 1)
        .read_to_end(&mut contents)
        .map_err(|error| Error::io(format!("cannot read identity file {name:?}"), &error))?;
    if contents.len() as u64 > FILE_LIMIT {
        return Err(Error::new(format!("identity file {name:?} is longer than 16 MiB")));
    }
    let (kind, contents) = IdentityFile::of(&contents);
    let identities = match kind {
        IdentityFile::Encrypted => {
            Ok(vec![ParsedIdentity::Encrypted(EncryptedFile::new(name, contents, passphrases.clone()))])
        }
        IdentityFile::Pem if contents.len() > MAX_SSH_IDENTITY_BYTES => {
            Err(Error::new(format!("ssh key {name:?} is longer than 16 KiB")))
        }
        IdentityFile::Pem => {
            let key = SshKey::parse(contents, name, path, passphrases.clone())?;
            Ok(vec![ParsedIdentity::Ssh(Box::new(key))])
        }
        _ => Ok(parse_lines(contents, name)?.into_iter().map(ParsedIdentity::Plain).collect()),
    };
    memory::lock();
    identities
}
