//! Plugins: their names, their questions, and what to do when one is missing.

use std::collections::HashSet;
use std::fmt::Display;
use std::io;
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use age::plugin::{self, Identity, ResolveError};
use age::secrecy::SecretString;
use age::{Callbacks, DecryptError, EncryptError};
use age_core::format::{FileKey, Stanza};

use crate::error::{Error, Result, describe, warn};
use crate::{cleanup, passphrase, tty};

/// The longest name that fits the human-readable part of an identity (BIP 173: 83 characters, `AGE-PLUGIN-NAME-`).
const MAX_NAME: usize = 71;

/// A plugin's questions go to the person at the terminal, never to standard input or output.
#[derive(Clone, Copy)]
pub(crate) struct Questions;

impl Callbacks for Questions {
    fn display_message(&self, message: &str) {
        use std::io::Write as _;
        let program = crate::programs::Program::current().name();
        let _ = writeln!(io::stderr().lock(), "{program}: {}", crate::error::printable(message));
    }

    fn confirm(&self, message: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        let choice = no.map_or(format!("{message} (y: {yes})"), |no| format!("{message} (y: {yes}, n: {no})"));
        loop {
            match tty::ask(&choice).ok()?.trim().to_lowercase().as_str() {
                "y" | "yes" => return Some(true),
                "n" | "no" => return Some(false),
                _ => {}
            }
        }
    }

    fn request_public_string(&self, description: &str) -> Option<String> {
        tty::ask(description).ok().filter(|answer| !answer.is_empty())
    }

    fn request_passphrase(&self, description: &str) -> Option<SecretString> {
        match passphrase::ask(description) {
            Ok(secret) => Some(secret),
            Err(error) => {
                warn(format!("a plugin asked for a secret: {error}"));
                None
            }
        }
    }
}

/// One plugin at a time, whichever thread needs it: what two of them ask at once, nobody could tell apart.
static CONVERSATION: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    CONVERSATION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The identity that `-j NAME` stands for: the plugin's own, without data.
pub(crate) fn default_identity(name: &str) -> Result<Identity> {
    let name = name.to_ascii_lowercase();
    // A name of dashes, or one that is too long, would not survive Bech32 (and `age` 0.12 panics on it).
    if name.len() > MAX_NAME || name.ends_with('-') {
        return Err(invalid_name(&name));
    }
    Identity::default_for_plugin(&name).map_err(|error| resolve_error(&error))
}

fn invalid_name(name: &str) -> Error {
    Error::new(format!("not a plugin's name: {name:?}"))
        .hint("a name has only letters, digits, and + - . _ (age-plugin-NAME is looked for in PATH)")
}

/// An identity of a plugin, which is looked for only when its turn comes: one before it may open the file.
pub(crate) struct PluginIdentity(pub(crate) Identity);

impl age::Identity for PluginIdentity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.unwrap_stanzas(slice::from_ref(stanza))
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        let name = self.0.plugin();
        cleanup::gather_temporary_directories();
        let failed = |error: Error| Some(Err(DecryptError::Io(error.into_io())));
        let plugin = check_path(name).and_then(|()| {
            plugin::IdentityPluginV1::new(name, slice::from_ref(&self.0), Questions).map_err(|e| resolve_error(&e))
        });
        let plugin = match plugin {
            Ok(plugin) => plugin,
            Err(error) => return failed(error),
        };
        let _turn = turn();
        match age::Identity::unwrap_stanzas(&plugin, stanzas)? {
            Err(DecryptError::Io(error)) => failed(ended(name, &error)),
            Err(DecryptError::Plugin(errors)) => failed(said(name, &errors)),
            // What a file's own stanza would be blamed for.
            Err(DecryptError::DecryptionFailed) => failed(failure(name, "it gave a file key of the wrong length")),
            result => Some(result),
        }
    }
}

/// All recipients and identities of one plugin, for encryption.
pub(crate) struct PluginRecipient {
    name: String,
    plugin: plugin::RecipientPluginV1<Questions>,
}

impl PluginRecipient {
    /// Looks for the plugin.
    pub(crate) fn new(name: &str, recipients: &[plugin::Recipient], identities: &[Identity]) -> Result<Self> {
        cleanup::gather_temporary_directories();
        let plugin = check_path(name).and_then(|()| {
            plugin::RecipientPluginV1::new(name, recipients, identities, Questions).map_err(|e| resolve_error(&e))
        });
        let plugin = plugin.map_err(|error| match name {
            "pq" => error.hint("post-quantum recipients (age1pq1…) need age-plugin-pq in a directory of PATH"),
            _ => error,
        })?;
        Ok(Self { name: name.to_owned(), plugin })
    }
}

impl age::Recipient for PluginRecipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let _turn = turn();
        self.plugin.wrap_file_key(file_key).map_err(|error| match error {
            EncryptError::Io(error) => EncryptError::Io(ended(&self.name, &error).into_io()),
            EncryptError::Plugin(errors) => EncryptError::Io(said(&self.name, &errors).into_io()),
            error => error,
        })
    }
}

/// Refuses a plugin that PATH has only relative to the working directory: whoever made an archive that was unpacked there
/// could have put it there. `age` runs what stands first in PATH, so it is that which counts.
fn check_path(name: &str) -> Result<()> {
    let path = std::env::var_os("PATH");
    // `age` looks for the second name too, when it runs in WSL.
    for binary in [format!("age-plugin-{name}"), format!("age-plugin-{name}.exe")] {
        let first = which::which_in_global(&binary, path.as_ref()).ok().and_then(|mut found| found.next());
        match first {
            Some(found) if found.is_absolute() => return Ok(()),
            Some(_) => {
                return Err(Error::new(format!(
                    "{binary} is in PATH only relative to the current directory, and is not run"
                ))
                .hint("PATH has an entry that is empty, \".\" or relative: give the directory's whole path"));
            }
            None => {}
        }
    }
    // The error for a plugin that is missing is that of who looks for it next.
    Ok(())
}

/// Why a plugin cannot be run.
fn resolve_error(error: &ResolveError) -> Error {
    match error {
        ResolveError::InvalidPluginName { name } => invalid_name(name),
        ResolveError::MissingPlugin { binary_name } => Error::new(format!("plugin {binary_name} not found in PATH"))
            .hint(format!("install {binary_name}: https://age-encryption.org/awesome#plugins lists plugins")),
        other => Error::new(other.to_string()),
    }
}

fn failure(name: &str, what: impl Display) -> Error {
    Error::new(format!("plugin age-plugin-{name} failed: {what}"))
}

/// The conversation with a plugin broke off.
fn ended(name: &str, error: &io::Error) -> Error {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, UnexpectedEof};
    // A Ctrl-C reaches the plugin too. If it was that, this process is about to end by it, and there is nothing to be said.
    std::thread::sleep(Duration::from_millis(100));
    if matches!(error.kind(), BrokenPipe | ConnectionAborted | UnexpectedEof) {
        return Error::new(format!("the plugin age-plugin-{name} ended unexpectedly"))
            .hint("AGEDEBUG=plugin shows the conversation with it, secrets and all");
    }
    // More lines of it are advice to who wrote the plugin.
    failure(name, describe(error).lines().next().unwrap_or_default())
}

/// What a plugin says went wrong, which may be anything, on one line.
fn said(name: &str, errors: &[impl Display]) -> Error {
    let line = |error| ToString::to_string(error).split_whitespace().collect::<Vec<_>>().join(" ");
    failure(name, errors.iter().map(line).collect::<Vec<_>>().join("; "))
}
