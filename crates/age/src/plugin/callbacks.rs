//! Callbacks of a program for the plugins that it starts.

use std::io;
use std::process::Command;
use std::time::Duration;

use secrecy::SecretString;

use super::process::Process;

/// Starts plugins, and answers their questions.
///
/// Texts of a plugin may contain any characters, also ones that act on a terminal. The methods are
/// called one after the other during a conversation, but several conversations may run at once.
///
/// ```
/// use sealane_age::plugin::{Callbacks, Client, Failure, PluginError};
///
/// /// Shows the messages of plugins.
/// struct Shown;
///
/// impl Callbacks for Shown {
///     fn say(&self, message: &str) {
///         eprintln!("{}", message.escape_debug());
///     }
/// }
///
/// let PluginError { plugin, failure, .. } =
///     Client::at("/no/such/program", "test", Shown).unwrap(&[]).unwrap_err();
/// assert_eq!(plugin, "test");
/// assert!(matches!(failure, Failure::Io(_)));
/// ```
pub trait Callbacks: Sync {
    /// Shows a message. By default, it is lost.
    fn say(&self, message: &str) {
        let _ = message;
    }

    /// Asks to choose between `yes` and `no`. If there is no `no`, the user can only confirm or
    /// refuse. Returns `None` if the user cannot be asked, which is the default.
    fn confirm(&self, message: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        let _ = (message, yes, no);
        None
    }

    /// Asks for a text that may be shown. Returns `None` if there is no answer, which is the
    /// default.
    fn request_public(&self, message: &str) -> Option<String> {
        let _ = message;
        None
    }

    /// Asks for a secret, such as a PIN. Returns `None` if there is no answer, which is the
    /// default.
    fn request_secret(&self, message: &str) -> Option<SecretString> {
        let _ = message;
        None
    }

    /// Returns the time after which [`Callbacks::waiting`] is called while a plugin is silent, or
    /// `None` if it need not be called, which is the default.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Notes that the plugin `name` has not answered for a while, perhaps because it waits for its
    /// user. This method is called in another thread.
    fn waiting(&self, name: &str) {
        let _ = name;
    }

    /// Starts a plugin, whose standard input and output are pipes.
    ///
    /// By default, it runs in a temporary directory that only its owner can access. If it still
    /// runs half a second after the conversation, it is killed. A program that handles signals may
    /// want to end the plugin then, too.
    ///
    /// # Errors
    /// The errors of the system. They become [`Failure::Io`](super::Failure::Io), or
    /// [`Failure::Ended`](super::Failure::Ended) if a pipe is broken or ends.
    fn start(&self, command: Command) -> io::Result<Process> {
        Process::start(command)
    }
}

/// Callbacks that answer no questions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCallbacks;

impl Callbacks for NoCallbacks {}
