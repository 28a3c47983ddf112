//! Error messages: the failure, and advice.

pub(crate) mod explain;
mod private_key;

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use sealane::RandomError;

use crate::program::Program;
pub(crate) use private_key::{holds_private_key, without_secrets};

/// A failure of the command.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    message: String,
    hint: Option<String>,
    kind: Kind,
}

/// The way in which a failure ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Exit status 1.
    Failure,
    /// An error in the command line: exit status 2, or 1 if another program is emulated.
    Usage,
    /// The reader of standard output has gone: the process ends as if SIGPIPE killed it, without a
    /// message.
    BrokenPipe,
    /// The user answered a question with Ctrl-C: the process ends as if SIGINT killed it, without a
    /// message.
    Interrupted,
}

/// A result whose error is shown to the user.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns a failure. The message begins in lower case, and has no full stop.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind: Kind::Failure }
    }

    /// Returns an error in the command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind: Kind::Usage }
    }

    /// Returns the error of a broken pipe on standard output.
    pub(crate) fn broken_pipe() -> Self {
        Self { message: "broken pipe".into(), hint: None, kind: Kind::BrokenPipe }
    }

    /// Returns the error of a question that was answered with Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self { message: "interrupted".into(), hint: None, kind: Kind::Interrupted }
    }

    /// Adds advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds advice, unless there is some.
    pub(crate) fn or_hint(self, hint: impl Into<String>) -> Self {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    /// Returns the advice.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Puts `context` before the message, unless the message already contains it.
    pub(crate) fn in_context(mut self, context: &str) -> Self {
        if !self.message.contains(context) {
            self.message = format!("{context}: {}", self.message);
        }
        self
    }

    /// Returns an I/O error with the action that failed: "cannot open \"x\": No such file or
    /// directory".
    pub(crate) fn io(doing: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(format!("{doing}: {}", describe(error)))
    }

    /// Returns the error of a write to `path`.
    pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Self {
        Self::io(format!("cannot write to {}", quoted(path)), error)
    }

    /// Wraps this error in an `io::Error`, to pass it through `Read` and `Write`.
    /// [`Error::from_io`] unwraps it.
    pub(crate) fn into_io(self) -> io::Error {
        let kind = if self.kind == Kind::BrokenPipe { io::ErrorKind::BrokenPipe } else { io::ErrorKind::Other };
        io::Error::new(kind, self)
    }

    /// Unwraps an error that [`Error::into_io`] wrapped, or adds the action that failed to an I/O
    /// error. If a writer got no random numbers, the file that it writes to is not at fault.
    pub(crate) fn from_io(doing: impl fmt::Display, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) if error.get_ref().is_some_and(|inner| inner.is::<RandomError>()) => Self::new(describe(&error)),
            Err(error) => Self::io(doing, &error),
        }
    }

    /// Prints this error. The command may continue.
    pub(crate) fn say(&self) {
        self.say_message();
        if let Some(hint) = &self.hint {
            say("hint", hint);
        }
    }

    /// Prints this error without its advice.
    pub(crate) fn say_message(&self) {
        say("error", &self.message);
    }

    /// Prints this error, and returns the exit status. A broken pipe or Ctrl-C ends the process by
    /// a signal instead.
    pub(crate) fn report(&self) -> ExitCode {
        if matches!(self.kind, Kind::BrokenPipe | Kind::Interrupted) {
            #[cfg(unix)]
            {
                use signal_hook::consts::{SIGINT, SIGPIPE};
                let signal = if self.kind == Kind::Interrupted { SIGINT } else { SIGPIPE };
                // Ends the process, even if the signal was blocked or ignored.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            return ExitCode::from(1);
        }
        self.say();
        ExitCode::from(if self.kind == Kind::Usage { Program::current().usage_status() } else { 1 })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.message))
    }
}

impl std::error::Error for Error {}

/// Quotes a path for a message, without characters that act on a terminal.
pub(crate) fn quoted(path: impl AsRef<Path>) -> String {
    format!("{:?}", path.as_ref().display().to_string())
}

/// Returns a length of plaintext for a message.
pub(crate) fn of_plaintext(bytes: u64) -> String {
    format!("{bytes} {} of plaintext", if bytes == 1 { "byte" } else { "bytes" })
}

/// Prints a warning.
pub(crate) fn warn(message: impl AsRef<str>) {
    say("warning", message.as_ref());
}

/// Prints a line to standard error. A closed standard error is ignored.
fn say(kind: &str, message: &str) {
    use std::io::Write as _;
    let line = format!("{}: {kind}: {}", Program::current().name(), shown(message));
    if cfg!(test) {
        // Only this is captured by the harness of the unit tests.
        eprintln!("{line}");
    } else {
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
}

/// Returns a message of this command as it is shown: without characters that act on a terminal, and
/// without private keys, which may be in quoted arguments.
pub(crate) fn shown(message: &str) -> String {
    printable(&without_secrets(message))
}

/// Replaces control characters, which must not reach the terminal: messages quote file names and
/// plugins. Marks of text direction (UAX #9) are left out, because they would change the order of
/// the text.
pub(crate) fn printable(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_direction_mark(*c));
    shown.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Returns whether a character is a mark of text direction that changes the order of text (UAX #9).
pub(crate) fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the operating system's message without Rust's "(os error 2)".
pub(crate) fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(end)) => text[..end].to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_error_passes_through_io() {
        let error = Error::new("what").hint("do").into_io();
        let error = Error::from_io("reading", error);
        assert_eq!((error.message.as_str(), error.hint.as_deref()), ("what", Some("do")));
        let error = Error::from_io("reading", io::Error::from_raw_os_error(2));
        assert!(error.message.starts_with("reading: "), "{error}");
        assert!(!error.message.contains("os error"), "{error}");
    }

    #[test]
    fn a_failed_generator_is_not_a_failed_write() {
        let error = Error::from_io("cannot write", io::Error::other(RandomError));
        assert_eq!(error.message, RandomError.to_string());
    }

    #[test]
    fn control_characters_are_not_printed() {
        assert_eq!(printable("\u{202e}a\u{202a}b\u{2066}\u{2069}c\u{2065}"), "abc\u{2065}");
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\u{fffd}[2Jb\u{fffd}c");
    }
}
