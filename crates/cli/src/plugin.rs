//! Plugins: their names, their questions, and what to do when one is missing.

use age::Callbacks;
use age::plugin::{Identity, ResolveError};
use age::secrecy::SecretString;

use crate::error::{Error, Result, warn};
use crate::{passphrase, tty};

/// The longest name that fits the human-readable part of an identity (BIP 173: 83 characters, `AGE-PLUGIN-NAME-`).
const MAX_NAME: usize = 71;

/// A plugin's questions go to the person at the terminal, never to standard input or output.
#[derive(Clone, Copy)]
pub(crate) struct Questions;

impl Callbacks for Questions {
    fn display_message(&self, message: &str) {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), "sealane: {}", crate::error::printable(message));
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

/// Why a plugin cannot be run.
pub(crate) fn resolve_error(error: &ResolveError) -> Error {
    match error {
        ResolveError::InvalidPluginName { name } => invalid_name(name),
        ResolveError::MissingPlugin { binary_name } => Error::new(format!("plugin {binary_name} not found in PATH"))
            .hint(format!("install {binary_name}: https://age-encryption.org/awesome#plugins lists plugins")),
        other => Error::new(other.to_string()),
    }
}
