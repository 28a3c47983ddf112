//! The user of the command, who answers the questions of plugins.

use std::io::{self, Write as _};
use std::process::Command;
use std::time::Duration;

use sealane_age::plugin::{Callbacks, Process};
use sealane_age::secrecy::SecretString;

use crate::error::{printable, warn};
use crate::keys::passphrase;
use crate::os::cleanup::{self, ChildGuard};
use crate::os::temp_dir::cannot_make_folder;
use crate::os::tty;
use crate::program::Program;

/// Answers at the terminal or through pinentry, never through standard input.
pub(super) struct User;

impl Callbacks for User {
    fn say(&self, message: &str) {
        let _ = writeln!(io::stderr().lock(), "{}: {}", Program::current().name(), printable(message));
    }

    fn confirm(&self, message: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        let choice = match no {
            Some(no) => format!("{message} (y: {yes}, n: {no})"),
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

    fn request_public(&self, message: &str) -> Option<String> {
        tty::ask(message).ok().filter(|answer| !answer.is_empty())
    }

    fn request_secret(&self, message: &str) -> Option<SecretString> {
        let failed = |error| warn(format!("cannot answer a plugin's request for a secret: {error}"));
        passphrase::ask(message).map_err(failed).ok()
    }

    fn patience(&self) -> Option<Duration> {
        Some(Duration::from_secs(10))
    }

    fn waiting(&self, name: &str) {
        self.say(&format!("waiting for age-plugin-{name}"));
    }

    /// Starts the plugin so that it ends, and its directory is removed, when a signal arrives.
    fn start(&self, mut command: Command) -> io::Result<Process> {
        let directory = cleanup::private_directory().map_err(|error| cannot_make_folder(&error).into_io())?;
        let mut child = ChildGuard::spawn(command.current_dir(directory.path()))?;
        let (Some(input), Some(output)) = child.pipes() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        // The process ends before its directory is removed.
        Ok(Process::new(input, output, (child, directory)))
    }
}
