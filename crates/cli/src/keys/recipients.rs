//! Collects the recipients of encrypted files from arguments, recipients files and identities.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sealane_age::key_file::{AnyRecipient, KeyFileError, MAX_FILE_BYTES, RecipientFault, parse_recipients};
use sealane_age::{Recipient, plugin};
use zeroize::Zeroizing;

use crate::error::{Error, Result, holds_private_key, warn};
use crate::io::stdin::StdinUse;
use crate::keys::identities::{Identities, ParsedIdentity, PlainIdentity};
use crate::keys::plugin::PluginRecipient;

/// The longest recipients file, in bytes.
const FILE_LIMIT: u64 = MAX_FILE_BYTES as u64;

const FORM: &str = "a recipients file has one recipient on each line; lines that begin with # are comments";

/// A recipient that any number of threads may use.
pub(crate) type SharedRecipient = Box<dyn Recipient + Send + Sync>;

/// The recipients that have been collected. A plugin wraps a file key for all its recipients in one
/// run, unless they are holders.
#[derive(Default)]
pub(crate) struct Recipients {
    all: Vec<SharedRecipient>,
    plugins: BTreeMap<String, (Vec<plugin::Recipient>, Vec<plugin::Identity>)>,
    /// A text for each recipient in `all`. Two forms of one key have the same text.
    names: Vec<String>,
}

impl Recipients {
    /// Adds `-r RECIPIENT`.
    pub(crate) fn add_argument(&mut self, argument: &str) -> Result<()> {
        let recipient = argument.parse().map_err(|fault| {
            // An identity file as the argument is no recipient of a known kind.
            let fault = if holds_private_key(argument) { RecipientFault::Identity } else { fault };
            // A private key is not shown.
            let shown = if fault == RecipientFault::Identity { String::new() } else { format!(": {argument:?}") };
            let error = Error::new(format!("{fault}{shown}"));
            if let Some(hint) = hint(&fault) {
                error.hint(hint)
            } else if Path::new(argument).exists() {
                error.hint(format!("for the recipients in the file {argument:?}, use -R"))
            } else {
                error.hint("a recipient looks like age1…, ssh-ed25519 AAAA…, or ssh-rsa AAAA…")
            }
        })?;
        self.add(recipient)
    }

    /// Adds the recipients in the file `path` (`-R`); "-" is standard input.
    pub(crate) fn add_file(&mut self, path: &Path, stdin: &StdinUse) -> Result<()> {
        let name = path.display().to_string();
        if path == Path::new("-") {
            return self.add_lines(stdin.read("recipients")?, "standard input");
        }
        let file = File::open(path);
        self.add_lines(file.map_err(|e| Error::io(format!("cannot open recipients file {name:?}"), &e))?, &name)
    }

    /// Adds the recipients of identities (`-e -i`, `-e -j`).
    pub(crate) fn add_identities(&mut self, identities: Identities) -> Result<()> {
        identities.into_parsed().into_iter().try_for_each(|identity| self.add_identity(identity))
    }

    fn add_identity(&mut self, identity: ParsedIdentity) -> Result<()> {
        match identity {
            ParsedIdentity::Plain(identity) => self.add_plain_identity(identity),
            ParsedIdentity::Ssh(key) => self.add_public(key.to_recipient()?),
            ParsedIdentity::Encrypted(file) => {
                file.decrypt()?.into_iter().for_each(|identity| self.add_plain_identity(identity));
            }
        }
        Ok(())
    }

    fn add_plain_identity(&mut self, identity: PlainIdentity) {
        match identity {
            PlainIdentity::X25519(identity) => self.add_public(identity.to_public()),
            PlainIdentity::PostQuantum(identity) => self.add_public(identity.to_public()),
            PlainIdentity::Plugin(identity) => {
                self.plugins.entry(identity.plugin().to_owned()).or_default().1.push(identity);
            }
        }
    }

    fn add_public(&mut self, recipient: impl Recipient + ToString + Send + Sync + 'static) {
        self.names.push(recipient.to_string());
        self.all.push(Box::new(recipient));
    }

    /// Returns a text that identifies the set of recipients in any order. It is secret if plugin
    /// identities are.
    pub(crate) fn names(&self) -> Zeroizing<String> {
        let of_plugins = self.plugins.values();
        let recipients: Vec<_> = of_plugins.clone().flat_map(|(all, _)| all).map(ToString::to_string).collect();
        let identities = of_plugins.flat_map(|(_, all)| all).map(|identity| identity.expose_secret());
        let all: BTreeSet<_> = self.names.iter().chain(&recipients).map(String::as_str).chain(identities).collect();
        // The only copy of the identities. It must not grow: growing leaves a copy behind that is
        // not wiped.
        let mut text = Zeroizing::new(String::with_capacity(all.iter().map(|name| name.len() + 1).sum()));
        for name in all {
            text.push_str(name);
            text.push('\n');
        }
        text.pop();
        text
    }

    /// Finds the plugins, and returns all recipients.
    pub(crate) fn build(mut self) -> Result<Vec<SharedRecipient>> {
        for (name, (recipients, identities)) in self.plugins {
            self.all.push(Box::new(PluginRecipient::new(&name, &recipients, &identities)?));
        }
        Ok(self.all)
    }

    /// Returns all recipients as holders. Each recipient of a plugin stays separate, so that each
    /// counts as a holder.
    ///
    /// A duplicate is an error: one key would count as two holders.
    pub(crate) fn build_holders(mut self) -> Result<Vec<SharedRecipient>> {
        self.refuse_duplicates()?;
        for (name, (recipients, identities)) in self.plugins {
            for recipient in recipients {
                self.all.push(Box::new(PluginRecipient::new(&name, &[recipient], &[])?));
            }
            for identity in identities {
                self.all.push(Box::new(PluginRecipient::new(&name, &[], &[identity])?));
            }
        }
        Ok(self.all)
    }

    fn refuse_duplicates(&self) -> Result<()> {
        let twice = |name: String| {
            Error::new(format!("the same recipient twice: {name}"))
                .hint("with -k, each holder counts once; a person with two keys can be named by both")
        };
        let mut seen = BTreeSet::new();
        let of_plugins = self.plugins.values().flat_map(|(recipients, _)| recipients).map(ToString::to_string);
        if let Some(name) = self.names.iter().cloned().chain(of_plugins).find(|name| !seen.insert(name.clone())) {
            return Err(twice(name));
        }
        for (plugin, (recipients, identities)) in &self.plugins {
            // Only the plugin knows the recipient of an identity.
            if !recipients.is_empty() && !identities.is_empty() {
                return Err(Error::new(format!(
                    "a recipient and an identity of age-plugin-{plugin} could be one key, which cannot be two holders"
                ))
                .hint("name all holders with this plugin by their recipients, or all by their identities"));
            }
            // The text may be secret, so it is not shown.
            if (1..identities.len()).any(|i| identities[..i].contains(&identities[i])) {
                return Err(twice(format!("an identity of age-plugin-{plugin}")));
            }
        }
        Ok(())
    }

    fn add_lines(&mut self, source: impl Read, name: &str) -> Result<()> {
        let mut contents = Vec::new();
        let read = source.take(FILE_LIMIT + 1).read_to_end(&mut contents);
        read.map_err(|error| Error::io(format!("cannot read recipients file {name:?}"), &error))?;
        if contents.len() as u64 > FILE_LIMIT {
            return Err(Error::new(format!("recipients file {name:?} is longer than 16 MiB")));
        }
        let no_recipients = || Error::new(format!("no recipients in {name:?}")).hint(FORM);
        let found = parse_recipients(&contents).map_err(|error| match error {
            KeyFileError::NotText { line } => {
                Error::new(format!("{name:?} is not a recipients file: line {line} is not UTF-8 text"))
            }
            KeyFileError::NoKeys => no_recipients(),
            // The line may be confidential, so it is not shown.
            KeyFileError::Line { line, fault } => {
                let error = Error::new(format!("recipients file {name:?}, line {line}: {fault}"));
                match fault {
                    RecipientFault::TooLong => error,
                    _ if begins_with_recipient(&contents, line) => {
                        error.hint("nothing may follow a recipient; lines that begin with # are comments")
                    }
                    fault => error.hint(hint(&fault).unwrap_or(FORM)),
                }
            }
            error => Error::new(format!("recipients file {name:?}: {error}")),
        })?;
        for (line, fault) in found.skipped {
            if let RecipientFault::UnsupportedSsh { kind, why } = fault {
                warn(format!("recipients file {name:?}, line {line}: ssh key of type {kind} is not used: {why}"));
            }
        }
        if found.recipients.is_empty() {
            return Err(no_recipients());
        }
        found.recipients.into_iter().try_for_each(|recipient| self.add(recipient))
    }

    fn add(&mut self, recipient: AnyRecipient) -> Result<()> {
        match recipient {
            AnyRecipient::X25519(recipient) => self.add_public(recipient),
            AnyRecipient::PostQuantum(recipient) => self.add_public(*recipient),
            AnyRecipient::Tag(recipient) => self.add_public(recipient),
            AnyRecipient::TagPq(recipient) => self.add_public(*recipient),
            AnyRecipient::Ssh(recipient) => self.add_public(recipient),
            AnyRecipient::Plugin(recipient) => {
                self.plugins.entry(recipient.plugin().to_owned()).or_default().0.push(recipient);
            }
            other => return Err(Error::new(format!("unknown type of recipient: {other}"))),
        }
        Ok(())
    }
}

/// Returns whether the line with this number, from 1, is a recipient and something after it.
fn begins_with_recipient(contents: &[u8], line: usize) -> bool {
    let text = std::str::from_utf8(contents).ok().and_then(|text| text.lines().nth(line.checked_sub(1)?));
    let mut words = text.unwrap_or_default().split_whitespace();
    words.next().is_some_and(|first| first.parse::<AnyRecipient>().is_ok()) && words.next().is_some()
}

/// Returns advice for a text that is not a recipient, if there is any for this fault.
fn hint(fault: &RecipientFault) -> Option<&'static str> {
    Some(match fault {
        RecipientFault::Malformed => "its checksum is wrong: was it copied completely?",
        RecipientFault::PluginName => "a name has only letters, digits, and + - . _ (no path)",
        RecipientFault::Identity => "sealane keygen -y prints the recipient of an identity file; -e -i encrypts to it",
        RecipientFault::Address => {
            "fetch them and use the file: curl -O https://github.com/USER.keys, then -R USER.keys"
        }
        _ => return None,
    })
}
