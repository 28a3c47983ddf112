//! Parses identity files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use age::plugin;
use sealane_age::{mlkem768x25519, x25519};
use zeroize::Zeroizing;

use super::{EncryptedFile, ParsedIdentity, SshKey};
use crate::error::{Error, Result};
use crate::keys::passphrase::Passphrases;

/// age's limit for an identity file.
const FILE_LIMIT: u64 = 16 << 20;
/// age's limit for an ssh key.
const SSH_LIMIT: usize = 16 << 10;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

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
    // Editors on Windows add a byte order mark.
    if contents.starts_with(BYTE_ORDER_MARK) {
        contents.drain(..BYTE_ORDER_MARK.len());
    }
    let start = contents.trim_ascii_start();
    if contents.starts_with(b"age-encryption.org/") || start.starts_with(b"-----BEGIN AGE ENCRYPTED FILE") {
        return Ok(vec![ParsedIdentity::Encrypted(EncryptedFile::new(name, contents, passphrases.clone()))]);
    }
    if start.starts_with(b"-----BEGIN") {
        if contents.len() > SSH_LIMIT {
            return Err(Error::new(format!("ssh key {name:?} is longer than 16 KiB")));
        }
        let key = SshKey::parse(&contents, name, path, passphrases.clone())?;
        return Ok(vec![ParsedIdentity::Ssh(Box::new(key))]);
    }
    parse_lines(&contents, name)
}

/// Parses one identity per line. Empty lines and lines that start with `#` are skipped.
pub(super) fn parse_lines(contents: &[u8], name: &str) -> Result<Vec<ParsedIdentity>> {
    let contents = contents.strip_prefix(BYTE_ORDER_MARK).unwrap_or(contents);
    let text = std::str::from_utf8(contents).map_err(|_| {
        Error::new(format!("{name:?} is not an identity file: it is not text"))
            .hint("an identity file has lines like AGE-SECRET-KEY-1…, as made by sealane keygen")
    })?;
    let mut identities = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if !line.is_empty() && !line.starts_with('#') {
            identities.push(parse_line(line).map_err(|what| {
                // The line may be a secret, so it is not shown.
                let error = Error::new(format!("identity file {name:?}, line {}: {}", number + 1, what.message));
                error.hint(what.hint)
            })?);
        }
    }
    if identities.is_empty() {
        return Err(Error::new(format!("no identities in {name:?}"))
            .hint("an identity file has lines like AGE-SECRET-KEY-1…, as made by sealane keygen"));
    }
    Ok(identities)
}

struct LineFault {
    message: &'static str,
    hint: &'static str,
}

fn parse_line(line: &str) -> Result<ParsedIdentity, LineFault> {
    let fault = |message, hint| Err(LineFault { message, hint });
    if line.starts_with("AGE-PLUGIN-") {
        return match line.parse::<plugin::Identity>() {
            Ok(identity) => Ok(ParsedIdentity::Plugin(identity)),
            Err("invalid plugin name") => {
                fault("not a plugin's name", "a name has only letters, digits, and + - . _ (no path)")
            }
            Err(_) => fault("malformed plugin identity", "was it copied whole? its checksum is wrong"),
        };
    }
    if line.starts_with("AGE-SECRET-KEY-PQ-1") {
        return match line.parse::<mlkem768x25519::Identity>() {
            Ok(identity) => Ok(ParsedIdentity::PostQuantum(Box::new(identity))),
            Err(_) => fault("malformed secret key", "was it copied whole? its checksum is wrong"),
        };
    }
    if line.starts_with("age1") || line.starts_with("ssh-") {
        return fault(
            "a recipient (public key), where an identity (private key) is expected",
            "recipients are given with -r and -R; decryption needs the private key",
        );
    }
    if sealane_shares::has_prefix(line) {
        return fault("a share of a secret, where an identity is expected", "sealane combine puts the key together");
    }
    match line.parse::<x25519::Identity>() {
        Ok(identity) => Ok(ParsedIdentity::X25519(identity)),
        Err(_) if line.starts_with("AGE-SECRET-KEY-1") => {
            fault("malformed secret key", "was it copied whole? its checksum is wrong")
        }
        Err(_) => fault(
            "not an identity",
            "identities look like AGE-SECRET-KEY-1…, AGE-SECRET-KEY-PQ-1… or AGE-PLUGIN-NAME-1…",
        ),
    }
}
