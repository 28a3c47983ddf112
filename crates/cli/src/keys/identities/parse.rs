//! Parses identity files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sealane_age::key_file::{AnyIdentity, IdentityFault, IdentityFile, KeyFileError, MAX_FILE_BYTES, parse_identities};
use zeroize::Zeroizing;

use super::{EncryptedFile, ParsedIdentity, SshKey};
use crate::error::{Error, Result};
use crate::keys::passphrase::Passphrases;

/// The longest identity file.
const FILE_LIMIT: u64 = MAX_FILE_BYTES as u64;
/// age's limit for an ssh key.
const SSH_LIMIT: usize = 16 << 10;

const FORM: &str = "an identity file has lines like AGE-SECRET-KEY-1…, as made by sealane keygen";

/// Reads the identity file `path`.
pub(crate) fn read_file(path: &Path, passphrases: &Passphrases) -> Result<Vec<ParsedIdentity>> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| Error::io(format!("cannot open identity file {name:?}"), &error))?;
    let len = file.metadata().map_or(0, |metadata| metadata.len());
    read(file, len, &name, Some(path), passphrases)
}

/// Reads identities from `source`, which messages call `name`.
pub(crate) fn read_stream(source: impl Read, name: &str, passphrases: &Passphrases) -> Result<Vec<ParsedIdentity>> {
    read(source, 0, name, None, passphrases)
}

/// Reads the file `path`, if it is one. `len` is its expected length.
fn read(
    source: impl Read,
    len: u64,
    name: &str,
    path: Option<&Path>,
    passphrases: &Passphrases,
) -> Result<Vec<ParsedIdentity>> {
    // One byte more than expected, so that the vector never grows: growing leaves a copy behind
    // that is not wiped.
    let room = usize::try_from(len.clamp(SSH_LIMIT as u64, FILE_LIMIT)).unwrap_or(SSH_LIMIT) + 1;
    let mut contents = Zeroizing::new(Vec::with_capacity(room));
    source
        .take(FILE_LIMIT + 1)
        .read_to_end(&mut contents)
        .map_err(|error| Error::io(format!("cannot read identity file {name:?}"), &error))?;
    if contents.len() as u64 > FILE_LIMIT {
        return Err(Error::new(format!("identity file {name:?} is longer than 16 MiB")));
    }
    let (kind, contents) = IdentityFile::of(&contents);
    match kind {
        IdentityFile::Encrypted => {
            Ok(vec![ParsedIdentity::Encrypted(EncryptedFile::new(name, contents, passphrases.clone()))])
        }
        IdentityFile::Pem if contents.len() > SSH_LIMIT => {
            Err(Error::new(format!("ssh key {name:?} is longer than 16 KiB")))
        }
        IdentityFile::Pem => {
            let key = SshKey::parse(contents, name, path, passphrases.clone())?;
            Ok(vec![ParsedIdentity::Ssh(Box::new(key))])
        }
        _ => parse_lines(contents, name),
    }
}

/// Parses one identity per line. Empty lines and lines that start with `#` are skipped.
pub(super) fn parse_lines(contents: &[u8], name: &str) -> Result<Vec<ParsedIdentity>> {
    let identities = parse_identities(contents).map_err(|error| match error {
        KeyFileError::NotText => Error::new(format!("{name:?} is not an identity file: it is not text")).hint(FORM),
        KeyFileError::NoKeys => Error::new(format!("no identities in {name:?}")).hint(FORM),
        KeyFileError::Line { line, fault } => {
            let is_share = fault == IdentityFault::Unknown && is_share(contents, line);
            // The line may be a secret, so it is not shown.
            let reason = if is_share {
                "a share of a secret, where an identity is expected".to_owned()
            } else {
                fault.to_string()
            };
            let error = Error::new(format!("identity file {name:?}, line {line}: {reason}"));
            error.hint(if is_share { "sealane combine restores the key from shares" } else { hint(fault) })
        }
        error => Error::new(format!("identity file {name:?}: {error}")),
    })?;
    identities
        .into_iter()
        .map(|identity| {
            Ok(match identity {
                AnyIdentity::X25519(identity) => ParsedIdentity::X25519(identity),
                AnyIdentity::PostQuantum(identity) => ParsedIdentity::PostQuantum(identity),
                AnyIdentity::Plugin(identity) => ParsedIdentity::Plugin(identity),
                _ => {
                    return Err(Error::new(format!("identity file {name:?} has an identity of an unknown kind")));
                }
            })
        })
        .collect()
}

/// Returns whether the line with this number, counted from 1, is a share of a secret.
fn is_share(contents: &[u8], line: usize) -> bool {
    let text = std::str::from_utf8(contents).unwrap_or_default();
    text.lines().nth(line - 1).is_some_and(|line| sealane_shares::has_prefix(line.trim_end()))
}

fn hint(fault: IdentityFault) -> &'static str {
    match fault {
        IdentityFault::MalformedKey | IdentityFault::MalformedPlugin => {
            "its checksum is wrong: was it copied completely?"
        }
        IdentityFault::PluginName => "a name has only letters, digits, and + - . _ (no path)",
        IdentityFault::Recipient => "recipients are given with -r and -R; decryption needs the private key",
        _ => "identities look like AGE-SECRET-KEY-1…, AGE-SECRET-KEY-PQ-1… or AGE-PLUGIN-NAME-1…",
    }
}
