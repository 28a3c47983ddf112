//! Conversations with plugins (<https://c2sp.org/age-plugin>): a plugin wraps or unwraps a file
//! key, and may ask the user questions meanwhile.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use age_core::plugin::{IDENTITY_V1, RECIPIENT_V1};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use sealane_age::plugin::{Identity, Recipient};
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::{FileKey, Stanza, Wrapped};
use zeroize::Zeroizing;

use super::connection::Connection;
use crate::error::{printable, warn};
use crate::keys::passphrase;
use crate::os::tty;

/// The time after which the command says that it is waiting for a plugin.
const SLOW: Duration = Duration::from_secs(10);

/// The reason why a conversation ended without a result.
pub(super) enum ConversationError {
    /// The connection failed or ended.
    Connection(io::Error),
    /// The errors that the plugin reports, or the errors in its answers.
    Plugin(Vec<String>),
}

impl From<io::Error> for ConversationError {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

/// Lets a plugin wrap a file key for its recipients and the recipients of its identities.
pub(super) fn wrap(
    name: &str,
    path: &Path,
    recipients: &[Recipient],
    identities: &[Identity],
    file_key: &FileKey,
) -> Result<Wrapped, ConversationError> {
    let mut plugin = Connection::open(name, path, RECIPIENT_V1)?;
    let patience = Patience::with_plugin(name);
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

    let mut errors = Vec::new();
    let heard = hear_stanzas(&mut plugin, &patience, name, recipients, &mut errors);
    let (stanzas, labels) = heard.map_err(|error| reason(error, &mut errors))?;
    match (stanzas.is_empty(), errors.is_empty()) {
        (false, true) => return Ok(Wrapped::new(stanzas, labels.unwrap_or_default())),
        (true, true) => errors.push(internal("plugin returned neither stanzas nor errors")),
        (false, false) => errors.push(internal("plugin returned both stanzas and errors")),
        (true, false) => {}
    }
    Err(ConversationError::Plugin(errors))
}

/// Lets a plugin unwrap the file key. Returns `None` if no stanza is for its identities.
pub(super) fn unwrap(
    name: &str,
    path: &Path,
    identities: &[Identity],
    stanzas: &[Stanza],
) -> Result<Option<FileKey>, ConversationError> {
    let mut plugin = Connection::open(name, path, IDENTITY_V1)?;
    let patience = Patience::with_plugin(name);
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

    let mut errors = Vec::new();
    let file_key =
        hear_file_key(&mut plugin, &patience, name, &mut errors).map_err(|error| reason(error, &mut errors))?;
    let Some(bytes) = file_key else {
        return if errors.is_empty() { Ok(None) } else { Err(ConversationError::Plugin(errors)) };
    };
    let key = FileKey::try_init_with_mut(|key| {
        let wrong = || ConversationError::Plugin(vec!["it gave a file key of the wrong length".to_owned()]);
        key.copy_from_slice(<&[u8; 16]>::try_from(bytes.as_slice()).map_err(|_| wrong())?);
        Ok::<_, ConversationError>(())
    })?;
    Ok(Some(key))
}

/// Receives stanzas and their labels, until the plugin is done. Adds its errors to `errors`.
fn hear_stanzas(
    plugin: &mut Connection,
    patience: &Patience,
    name: &str,
    recipients: &[Recipient],
    errors: &mut Vec<String>,
) -> io::Result<(Vec<Stanza>, Option<BTreeSet<String>>)> {
    let (mut stanzas, mut labels) = (Vec::new(), None);
    loop {
        let Stanza { tag, args, body } = patience.wait(|| plugin.receive())?;
        match tag.as_str() {
            "done" => return Ok((stanzas, labels)),
            "recipient-stanza" => {
                let mut args = args.into_iter();
                match (args.next().as_deref(), args.next()) {
                    (Some("0"), Some(tag)) => stanzas.push(Stanza { tag, args: args.collect(), body }),
                    (Some(_), Some(_)) => errors.push(internal("plugin wrapped file key to a file we didn't provide")),
                    _ => errors.push(internal("recipient-stanza command must have at least two metadata arguments")),
                }
                plugin.send("ok", &[], &[])?;
            }
            "labels" => {
                let count = args.len();
                let set: BTreeSet<_> = args.into_iter().collect();
                if labels.is_some() {
                    errors.push(internal("labels command must not be sent more than once"));
                } else if set.len() < count {
                    errors.push(internal("labels command must not contain duplicate labels"));
                } else {
                    labels = Some(set);
                }
                plugin.send("ok", &[], &[])?;
            }
            "error" => {
                errors.push(error(name, &args, &body, recipients));
                plugin.send("ok", &[], &[])?;
            }
            _ => answer(plugin, &tag, &args, &body, errors)?,
        }
    }
}

/// Receives a file key, if there is one, until the plugin is done. Adds its errors to `errors`.
fn hear_file_key(
    plugin: &mut Connection,
    patience: &Patience,
    name: &str,
    errors: &mut Vec<String>,
) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let mut file_key = None;
    loop {
        let Stanza { tag, args, body } = patience.wait(|| plugin.receive())?;
        match tag.as_str() {
            "done" => return Ok(file_key),
            // Only one file key was asked for.
            "file-key" if args == ["0"] && file_key.is_none() => {
                file_key = Some(Zeroizing::new(body));
                plugin.send("ok", &[], &[])?;
            }
            "file-key" => plugin.send("fail", &[], &[])?,
            "error" => {
                errors.push(error(name, &args, &body, &[]));
                plugin.send("ok", &[], &[])?;
            }
            _ => answer(plugin, &tag, &args, &body, errors)?,
        }
    }
}

/// Returns the reason why the connection failed. If the plugin ended after it reported errors, these
/// are the reason: the plugins of the Go library end after an error, without `done`.
fn reason(error: io::Error, errors: &mut Vec<String>) -> ConversationError {
    match is_end(&error) && !errors.is_empty() {
        true => ConversationError::Plugin(std::mem::take(errors)),
        false => ConversationError::Connection(error),
    }
}

/// Returns whether the connection failed because the plugin ended.
pub(super) fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | UnexpectedEof)
}

fn internal(message: &str) -> String {
    format!("(internal) {message}")
}

/// Returns the text of a plugin's error.
fn error(name: &str, args: &[String], body: &[u8], recipients: &[Recipient]) -> String {
    let message = String::from_utf8_lossy(body);
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

/// Answers a message or a question of a plugin, and adds the errors in it to `errors`. The user
/// answers at the terminal or through pinentry, never through standard input.
fn answer(
    plugin: &mut Connection,
    command: &str,
    args: &[String],
    body: &[u8],
    errors: &mut Vec<String>,
) -> io::Result<()> {
    let message = String::from_utf8_lossy(body);
    match command {
        "msg" => {
            say(&message);
            plugin.send("ok", &[], &[])?;
        }
        "confirm" => {
            let texts =
                args.iter().take(2).map(|text| BASE64_STANDARD_NO_PAD.decode(text)).collect::<Result<Vec<_>, _>>();
            let confirmed = match texts.as_deref() {
                Ok([yes, no @ ..]) => confirm(&message, yes, no.first()),
                Ok([]) => {
                    errors.push(internal("confirm command must have at least one metadata argument"));
                    None
                }
                Err(_) => {
                    errors.push(internal(
                        "The first two metadata arguments to the confirm command must be Base64-encoded",
                    ));
                    None
                }
            };
            match confirmed {
                Some(confirmed) => plugin.send("ok", &[if confirmed { "yes" } else { "no" }], &[])?,
                None => plugin.send("fail", &[], &[])?,
            }
        }
        "request-public" => match tty::ask(&message).ok().filter(|answer| !answer.is_empty()) {
            Some(answer) => plugin.send("ok", &[], answer.as_bytes())?,
            None => plugin.send("fail", &[], &[])?,
        },
        "request-secret" => match passphrase::ask(&message) {
            Ok(secret) => plugin.send("ok", &[], secret.expose_secret().as_bytes())?,
            Err(error) => {
                warn(format!("cannot answer a plugin's request for a secret: {error}"));
                plugin.send("fail", &[], &[])?;
            }
        },
        _ => plugin.send("unsupported", &[], &[])?,
    }
    Ok(())
}

fn say(message: &str) {
    use std::io::Write as _;
    let program = crate::program::Program::current().name();
    let _ = writeln!(io::stderr().lock(), "{program}: {}", printable(message));
}

fn confirm(message: &str, yes: &[u8], no: Option<&Vec<u8>>) -> Option<bool> {
    let yes = String::from_utf8_lossy(yes);
    let choice = match no {
        Some(no) => format!("{message} (y: {yes}, n: {})", String::from_utf8_lossy(no)),
        None => format!("{message} (y: {yes})"),
    };
    loop {
        match tty::ask(&choice).ok()?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            _ => {}
        }
    }
}

/// Calls a function if a single wait takes long. A question to the user is not a wait.
struct Patience(mpsc::Sender<()>);

impl Patience {
    /// Returns the watch of a plugin, which tells the user that the command is waiting for it.
    fn with_plugin(name: &str) -> Self {
        let name = name.to_owned();
        Self::new(SLOW, move || say(&format!("waiting for age-plugin-{name}")))
    }

    fn new(slow: Duration, tell: impl Fn() + Send + 'static) -> Self {
        // Each wait sends its beginning and its end.
        let (sender, waits) = mpsc::channel();
        // Without a thread, the user is not told.
        let _ = thread::Builder::new().spawn(move || {
            while waits.recv().is_ok() {
                if waits.recv_timeout(slow) == Err(mpsc::RecvTimeoutError::Timeout) {
                    tell();
                    let _ = waits.recv();
                }
            }
        });
        Self(sender)
    }

    fn wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        let _ = self.0.send(());
        let result = wait();
        let _ = self.0.send(());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_told_only_during_a_wait() {
        let (tell, told) = mpsc::channel();
        let slow = Duration::from_millis(10);
        let patience = Patience::new(slow, move || tell.send(()).unwrap());
        for _ in 0..2 {
            patience.wait(|| told.recv_timeout(Duration::from_secs(60)).unwrap());
            // The time of a question.
            thread::sleep(20 * slow);
            assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Empty));
        }
    }
}
