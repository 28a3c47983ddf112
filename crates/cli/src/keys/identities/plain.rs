//! Identities that are lines of text.

use sealane_age::key_file::{AnyIdentity, IdentityFault, KeyFileError, parse_identities};
use sealane_age::{Identity, mlkem768x25519, plugin, x25519};

use crate::error::{Error, Result};
use crate::keys::plugin::PluginIdentity;

const FORM: &str = "an identity file has lines like AGE-SECRET-KEY-1…, as made by sealane keygen";

/// An identity that any number of threads may use.
pub(crate) type SharedIdentity = Box<dyn Identity + Send + Sync>;

/// An identity that is a line of text.
pub(crate) enum PlainIdentity {
    /// `AGE-SECRET-KEY-1…`
    X25519(x25519::Identity),
    /// `AGE-SECRET-KEY-PQ-1…`
    PostQuantum(Box<mlkem768x25519::Identity>),
    /// `AGE-PLUGIN-NAME-1…`
    Plugin(plugin::Identity),
}

impl PlainIdentity {
    /// Returns the identity that unwraps file keys.
    pub(crate) fn into_identity(self) -> SharedIdentity {
        match self {
            Self::X25519(identity) => Box::new(identity),
            Self::PostQuantum(identity) => identity,
            Self::Plugin(identity) => Box::new(PluginIdentity(identity)),
        }
    }
}

/// Parses one identity per line. Empty lines and lines that start with `#` are skipped.
pub(super) fn parse_lines(contents: &[u8], name: &str) -> Result<Vec<PlainIdentity>> {
    let identities = parse_identities(contents).map_err(|error| match error {
        KeyFileError::NotText { line } => {
            Error::new(format!("{name:?} is not an identity file: line {line} is not UTF-8 text")).hint(FORM)
        }
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
                AnyIdentity::X25519(identity) => PlainIdentity::X25519(identity),
                AnyIdentity::PostQuantum(identity) => PlainIdentity::PostQuantum(identity),
                AnyIdentity::Plugin(identity) => PlainIdentity::Plugin(identity),
                _ => {
                    return Err(Error::new(format!("identity file {name:?} has an identity of an unknown kind")));
                }
            })
        })
        .collect()
}

/// Returns whether the line with this number, counted from 1, is a share of a secret.
fn is_share(contents: &[u8], line: usize) -> bool {
    let line = contents.split(|&byte| byte == b'\n').nth(line - 1).and_then(|line| std::str::from_utf8(line).ok());
    line.is_some_and(|line| sealane_shares::has_prefix(line.trim_end()))
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
