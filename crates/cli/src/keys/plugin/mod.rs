//! Plugins: their names, their questions, and advice when one is missing.

mod connection;
mod conversation;

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use age_core::primitives::bech32_encode_to_fmt;
use bech32::Hrp;
use sealane_age::plugin::{Identity, Recipient, is_name};
use sealane_age::{FileKey, Stanza, UnwrapError, WrapError, Wrapped};
use zeroize::Zeroizing;

use self::conversation::ConversationError;
use crate::error::{Error, Result, describe, holds_private_key};

/// Lets one plugin run at a time: the user could not tell the questions of two apart.
static CONVERSATION: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    CONVERSATION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the identity that `-j NAME` means: the plugin's own, without data.
pub(crate) fn default_identity(name: &str) -> Result<Identity> {
    if holds_private_key(name) {
        return Err(Error::new("a private key, where the name of a plugin is expected")
            .hint("-i gives the path of the file that holds it"));
    }
    Identity::without_data(name).map_err(|_| invalid_name(&name.to_ascii_lowercase()))
}

fn invalid_name(name: &str) -> Error {
    Error::new(format!("not a plugin's name: {name:?}"))
        .hint("a name has only letters, digits, and + - . _ (age-plugin-NAME is looked for in PATH)")
}

/// An identity of a plugin. The plugin is looked for only when it is needed: an earlier identity
/// may open the file.
pub(crate) struct PluginIdentity(pub(crate) Identity);

impl sealane_age::Identity for PluginIdentity {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let name = self.0.plugin();
        let opened = find(name).and_then(|path| {
            let _turn = turn();
            conversation::unwrap(name, &path, slice::from_ref(&self.0), stanzas).map_err(|broken| broken.explain(name))
        });
        opened.map_err(UnwrapError::other)
    }
}

/// Recipients and identities of one plugin, which wraps a file key for all of them in one run.
pub(crate) struct PluginRecipient {
    name: String,
    path: PathBuf,
    recipients: Vec<Recipient>,
    identities: Vec<Identity>,
}

impl PluginRecipient {
    /// Finds the plugin.
    pub(crate) fn new(name: &str, recipients: &[Recipient], identities: &[Identity]) -> Result<Self> {
        let path = find(name).map_err(|error| match name {
            "pq" => error.hint("post-quantum recipients (age1pq1…) need age-plugin-pq in a directory of PATH"),
            _ => error,
        })?;
        Ok(Self { name: name.to_owned(), path, recipients: recipients.to_vec(), identities: identities.to_vec() })
    }
}

impl sealane_age::Recipient for PluginRecipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        let _turn = turn();
        conversation::wrap(&self.name, &self.path, &self.recipients, &self.identities, file_key)
            .map_err(|broken| WrapError::other(broken.explain(&self.name)))
    }
}

/// Finds the plugin `name` in PATH. Paths relative to the working directory are refused: an archive
/// that was unpacked there could contain a plugin.
fn find(name: &str) -> Result<PathBuf> {
    if !is_name(name) {
        return Err(invalid_name(name));
    }
    let binary = format!("age-plugin-{name}");
    let path = std::env::var_os("PATH");
    // The Windows Subsystem for Linux can run Windows programs too.
    for binary in [Some(binary.clone()), is_wsl().then(|| format!("{binary}.exe"))].into_iter().flatten() {
        let first = which::which_in_global(&binary, path.as_ref()).ok().and_then(|mut found| found.next());
        match first {
            Some(found) if found.is_absolute() => return Ok(found),
            Some(_) => {
                return Err(Error::new(format!(
                    "{binary} is in PATH only relative to the current directory, and is not run"
                ))
                .hint("PATH has an entry that is empty, \".\" or relative: use the absolute path of the directory"));
            }
            None => {}
        }
    }
    Err(Error::new(format!("plugin {binary} not found in PATH"))
        .hint(format!("install {binary}: https://age-encryption.org/awesome#plugins lists plugins")))
}

fn is_wsl() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().to_ascii_lowercase();
    cfg!(target_os = "linux") && (release.contains("microsoft") || release.contains("wsl"))
}

/// Encodes an identity of a plugin, and ends the line. `prefix` is `AGE-PLUGIN-NAME-`.
pub(crate) fn identity_line(prefix: Hrp, data: &[u8]) -> Zeroizing<String> {
    // Allocated once: growing leaves a copy behind that is not wiped. Bech32 adds `1` and a
    // checksum of six characters.
    let len = prefix.len() + 1 + (data.len() * 8).div_ceil(5) + 6 + 1;
    let mut line = Zeroizing::new(String::with_capacity(len));
    bech32_encode_to_fmt(&mut *line, prefix, data).expect("writing to a string does not fail");
    line.make_ascii_uppercase();
    line.push('\n');
    line
}

fn failure(name: &str, what: impl Display) -> Error {
    Error::new(format!("plugin age-plugin-{name} failed: {what}"))
}

impl ConversationError {
    /// Explains an error of the plugin `name`.
    fn explain(self, name: &str) -> Error {
        match self {
            // The plugin is not at fault.
            Self::Connection(error) if error.get_ref().is_some_and(|inner| inner.is::<Error>()) => {
                Error::from_io("", error)
            }
            Self::Connection(error) => ended(name, &error),
            Self::Plugin(errors) => said(name, &errors),
        }
    }
}

/// Explains why the conversation with a plugin ended.
fn ended(name: &str, error: &io::Error) -> Error {
    // Ctrl-C reaches the plugin too. In that case the signal is about to end this process too,
    // without a message.
    std::thread::sleep(Duration::from_millis(100));
    if conversation::is_end(error) {
        return Error::new(format!("the plugin age-plugin-{name} ended unexpectedly"))
            .hint("AGEDEBUG=plugin shows the conversation with it, including secrets");
    }
    // Further lines are advice for the plugin's author.
    failure(name, describe(error).lines().next().unwrap_or_default())
}

/// Returns an error with a plugin's error texts, which may contain any characters, on one line.
fn said(name: &str, errors: &[String]) -> Error {
    let line = |error: &String| error.split_whitespace().collect::<Vec<_>>().join(" ");
    failure(name, errors.iter().map(line).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_allocated_once() {
        let prefix = Hrp::parse_unchecked("AGE-PLUGIN-TEST-");
        assert_eq!(*identity_line(prefix, b"x"), "AGE-PLUGIN-TEST-10Q32NLXM\n");
        for len in [0, 1, 2, 3, 4, 5, 32, 65_536] {
            let line = identity_line(prefix, &vec![7; len]);
            assert_eq!(line.len(), line.capacity(), "{len}");
            assert_eq!(
                line.trim_end().parse::<Identity>().map(|identity| identity.plugin().to_owned()),
                Ok("test".into())
            );
        }
    }
}
