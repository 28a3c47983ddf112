//! Plugins: their names, their questions, and advice when one is missing.

mod user;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use age_core::primitives::bech32_encode_to_fmt;
use bech32::Hrp;
use sealane_age::plugin::{Client, Failure, FindError, Identity, PluginError, Recipient};
use sealane_age::{FileKey, Stanza, UnwrapError, WrapError, Wrapped};
use zeroize::Zeroizing;

use self::user::User;
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
        let client = find(self.0.plugin()).map_err(UnwrapError::other)?.with_identities([self.0.clone()]);
        let _turn = turn();
        client.unwrap(stanzas).map_err(|error| UnwrapError::other(explain(error)))
    }
}

/// Recipients and identities of one plugin, which wraps a file key for all of them in one run.
pub(crate) struct PluginRecipient(Client<User>);

impl PluginRecipient {
    /// Finds the plugin.
    pub(crate) fn new(name: &str, recipients: &[Recipient], identities: &[Identity]) -> Result<Self> {
        let client = find(name).map_err(|error| match name {
            "pq" => error.hint("post-quantum recipients (age1pq1…) need age-plugin-pq in a directory of PATH"),
            _ => error,
        })?;
        Ok(Self(client.with_recipients(recipients.iter().cloned()).with_identities(identities.iter().cloned())))
    }
}

impl sealane_age::Recipient for PluginRecipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        let _turn = turn();
        self.0.wrap(file_key).map_err(|error| WrapError::other(explain(error)))
    }
}

/// Finds the plugin `name` in PATH.
fn find(name: &str) -> Result<Client<User>> {
    Client::find(name, User).map_err(|error| match &error {
        FindError::Name(name) => invalid_name(name),
        FindError::Missing(binary) => Error::new(error.to_string())
            .hint(format!("install {binary}: https://age-encryption.org/awesome#plugins lists plugins")),
        FindError::Relative(_) => Error::new(error.to_string())
            .hint("PATH has an entry that is empty, \".\" or relative: use the absolute path of the directory"),
        _ => Error::new(error.to_string()),
    })
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

/// Explains an error of a plugin.
fn explain(error: PluginError) -> Error {
    let name = &error.plugin;
    if matches!(error.failure, Failure::Ended | Failure::Io(_)) {
        // Ctrl-C reaches the plugin too. In that case the signal is about to end this process too,
        // without a message.
        std::thread::sleep(Duration::from_millis(100));
    }
    match error.failure {
        // The plugin is not at fault.
        Failure::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<Error>()) => Error::from_io("", error),
        Failure::Io(error) => {
            // Further lines are advice for the plugin's author.
            let what = describe(&error);
            Error::new(format!("plugin age-plugin-{name} failed: {}", what.lines().next().unwrap_or_default()))
        }
        Failure::Ended => Error::new(format!("the plugin age-plugin-{name} ended unexpectedly"))
            .hint("AGEDEBUG=plugin shows the conversation with it, including secrets"),
        failure => Error::new(format!("plugin age-plugin-{name} failed: {failure}")),
    }
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
