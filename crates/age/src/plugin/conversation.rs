//! Conversations with plugins (<https://c2sp.org/age-plugin>): a plugin wraps or unwraps a file
//! key, and may ask the user questions meanwhile.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::thread;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::callbacks::Callbacks;
use super::connection::Connection;
use super::failure::Failure;
use super::patience::Patience;
use super::{Identity, Recipient};
use crate::file_key::FileKey;
use crate::recipient::Wrapped;
use crate::stanza::Stanza;

/// A conversation with a running plugin.
pub(super) struct Conversation<'a, C> {
    plugin: Connection,
    patience: Patience,
    name: &'a str,
    callbacks: &'a C,
    /// The errors that the plugin reports, and those in its answers.
    errors: Vec<String>,
}

/// Starts the program `path` of the plugin `name`, which then runs `state_machine`, and converses
/// with it. The plugin has ended when this returns.
pub(super) fn converse<C: Callbacks, T>(
    name: &str,
    path: &Path,
    state_machine: &str,
    callbacks: &C,
    with: impl FnOnce(&mut Conversation<'_, C>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let plugin = Connection::open(name, path, state_machine, callbacks)?;
    thread::scope(|scope| {
        let patience = Patience::new(scope, callbacks.patience(), || callbacks.waiting(name));
        with(&mut Conversation { plugin, patience, name, callbacks, errors: Vec::new() })
    })
}

impl<C: Callbacks> Conversation<'_, C> {
    /// Lets the plugin wrap a file key for its recipients and the recipients of its identities.
    pub(super) fn wrap(
        &mut self,
        recipients: &[Recipient],
        identities: &[Identity],
        file_key: &FileKey,
    ) -> Result<Wrapped, Failure> {
        let Self { plugin, patience, .. } = self;
        patience.wait(|| {
            for recipient in recipients {
                plugin.send("add-recipient", &[&recipient.to_string()], &[])?;
            }
            for identity in identities {
                plugin.send("add-identity", &[identity.expose_secret()], &[])?;
            }
            plugin.send("extension-labels", &[], &[])?;
            plugin.send("wrap-file-key", &[], file_key.expose_secret())?;
            plugin.send("done", &[], &[])
        })?;

        let (stanzas, labels) = self.hear_stanzas(recipients).map_err(|error| self.reason(error))?;
        match (stanzas.is_empty(), self.errors.is_empty()) {
            (false, true) => return Ok(Wrapped::new(stanzas, labels.unwrap_or_default())),
            (true, true) => self.internal("plugin returned neither stanzas nor errors"),
            (false, false) => self.internal("plugin returned both stanzas and errors"),
            (true, false) => {}
        }
        Err(self.reported())
    }

    /// Lets the plugin unwrap the file key. Returns `None` if no stanza is for its identities.
    pub(super) fn unwrap(&mut self, identities: &[Identity], stanzas: &[Stanza]) -> Result<Option<FileKey>, Failure> {
        let Self { plugin, patience, .. } = self;
        // A plugin that writes before it has read everything can block this forever.
        patience.wait(|| {
            for identity in identities {
                plugin.send("add-identity", &[identity.expose_secret()], &[])?;
            }
            for stanza in stanzas {
                plugin.send_stanza("recipient-stanza", "0", stanza)?;
            }
            plugin.send("done", &[], &[])
        })?;

        let Some(bytes) = self.hear_file_key().map_err(|error| self.reason(error))? else {
            return if self.errors.is_empty() { Ok(None) } else { Err(self.reported()) };
        };
        let key = FileKey::try_init_with_mut(|key| {
            let wrong = || Failure::Reported(vec!["it gave a file key of the wrong length".to_owned()]);
            key.copy_from_slice(<&[u8; 16]>::try_from(bytes.as_slice()).map_err(|_| wrong())?);
            Ok::<_, Failure>(())
        })?;
        Ok(Some(key))
    }

    /// Receives stanzas and their labels, until the plugin is done.
    fn hear_stanzas(&mut self, recipients: &[Recipient]) -> io::Result<(Vec<Stanza>, Option<BTreeSet<String>>)> {
        let (mut stanzas, mut labels) = (Vec::new(), None);
        loop {
            let Stanza { tag, args, body } = self.receive()?;
            match tag.as_str() {
                "done" => return Ok((stanzas, labels)),
                "recipient-stanza" => {
                    let mut args = args.into_iter();
                    match (args.next().as_deref(), args.next()) {
                        (Some("0"), Some(tag)) => stanzas.push(Stanza { tag, args: args.collect(), body }),
                        (Some(_), Some(_)) => self.internal("plugin wrapped file key to a file we didn't provide"),
                        _ => self.internal("recipient-stanza command must have at least two metadata arguments"),
                    }
                    self.plugin.send("ok", &[], &[])?;
                }
                "labels" => {
                    let count = args.len();
                    let set: BTreeSet<_> = args.into_iter().collect();
                    if labels.is_some() {
                        self.internal("labels command must not be sent more than once");
                    } else if set.len() < count {
                        self.internal("labels command must not contain duplicate labels");
                    } else {
                        labels = Some(set);
                    }
                    self.plugin.send("ok", &[], &[])?;
                }
                _ => self.answer(&tag, &args, &body, recipients)?,
            }
        }
    }

    /// Receives a file key, if there is one, until the plugin is done.
    fn hear_file_key(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let mut file_key = None;
        loop {
            let Stanza { tag, args, body } = self.receive()?;
            // A file key that is refused is wiped, too.
            let body = Zeroizing::new(body);
            match tag.as_str() {
                "done" => return Ok(file_key),
                // Only one file key was asked for.
                "file-key" if args == ["0"] && file_key.is_none() => {
                    file_key = Some(body);
                    self.plugin.send("ok", &[], &[])?;
                }
                "file-key" => self.plugin.send("fail", &[], &[])?,
                _ => self.answer(&tag, &args, &body, &[])?,
            }
        }
    }

    fn receive(&mut self) -> io::Result<Stanza> {
        self.patience.wait(|| self.plugin.receive())
    }

    /// Returns the reason why the connection failed. If the plugin ended after it reported errors,
    /// these are the reason: the plugins of the Go library end after an error, without `done`.
    fn reason(&mut self, error: io::Error) -> Failure {
        match Failure::from(error) {
            Failure::Ended if !self.errors.is_empty() => self.reported(),
            failure => failure,
        }
    }

    fn reported(&mut self) -> Failure {
        Failure::Reported(std::mem::take(&mut self.errors))
    }

    /// Adds an error in what the plugin has sent.
    fn internal(&mut self, message: &str) {
        self.errors.push(format!("(internal) {message}"));
    }

    /// Answers an error, a message or a question of the plugin.
    fn answer(&mut self, command: &str, args: &[String], body: &[u8], recipients: &[Recipient]) -> io::Result<()> {
        let message = String::from_utf8_lossy(body);
        let (answer, texts, secret) = match command {
            "error" => {
                self.errors.push(error(self.name, args, &message, recipients));
                ("ok", &[][..], None)
            }
            "msg" => {
                self.callbacks.say(&message);
                ("ok", &[][..], None)
            }
            "confirm" => match self.confirm(&message, args) {
                Some(true) => ("ok", &["yes"][..], None),
                Some(false) => ("ok", &["no"][..], None),
                None => ("fail", &[][..], None),
            },
            "request-public" => match self.callbacks.request_public(&message) {
                Some(answer) => ("ok", &[][..], Some(answer.into())),
                None => ("fail", &[][..], None),
            },
            "request-secret" => match self.callbacks.request_secret(&message) {
                Some(secret) => ("ok", &[][..], Some(secret)),
                None => ("fail", &[][..], None),
            },
            _ => ("unsupported", &[][..], None),
        };
        let secret = secret.as_ref().map_or("", |secret: &SecretString| secret.expose_secret());
        self.plugin.send(answer, texts, secret.as_bytes())
    }

    fn confirm(&mut self, message: &str, args: &[String]) -> Option<bool> {
        let texts: Result<Vec<_>, _> = args.iter().take(2).map(|text| BASE64_STANDARD_NO_PAD.decode(text)).collect();
        match texts.as_deref() {
            Ok([yes, no @ ..]) => {
                let no = no.first().map(|no| String::from_utf8_lossy(no));
                self.callbacks.confirm(message, &String::from_utf8_lossy(yes), no.as_deref())
            }
            Ok([]) => {
                self.internal("confirm command must have at least one metadata argument");
                None
            }
            Err(_) => {
                self.internal("The first two metadata arguments to the confirm command must be Base64-encoded");
                None
            }
        }
    }
}

/// Returns the text of a plugin's error.
fn error(name: &str, args: &[String], message: &str, recipients: &[Recipient]) -> String {
    match args {
        [kind, index] if kind == "recipient" => {
            let recipient = index.parse::<usize>().ok().and_then(|index| recipients.get(index));
            if let Some(recipient) = recipient {
                return format!("age-plugin-{name} couldn't use recipient {recipient}: {message}");
            }
        }
        [kind, index] if kind == "identity" && index == "0" => {
            return format!("age-plugin-{name} couldn't use an identity: {message}");
        }
        _ => {}
    }
    format!("({}) {message}", args.join(" "))
}
