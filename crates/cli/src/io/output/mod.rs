//! The output of a command: a regular file, which appears only when it is complete, a device or
//! FIFO, standard output, or a terminal.

mod descriptor;
mod direct;
mod failure;
mod file;
mod in_place;
mod permissions;
#[cfg(unix)]
mod planted;
mod temporary;
mod terminal;

use std::fmt::Write as _;
use std::fs::Metadata;
use std::io::{self, IsTerminal as _, StdoutLock, Write};
use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result, is_direction_mark, warn};
use crate::os::file_id::FileId;
use crate::os::ready::Ready;
use descriptor::Stdout;
use direct::Direct;
pub(crate) use failure::{keep_retry, stdout_error};
use file::{AnyPlace, Keeping, Replacement};
pub(crate) use permissions::Permissions;
pub(crate) use temporary::Temporary;
use terminal::{Accepted, Terminal};

/// The kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An encrypted file in binary form, or in a form that is not known yet.
    Binary,
    /// Text: an armored file, or a page of HTML.
    Text,
    /// Plaintext, which may be text or binary.
    Plaintext,
    /// A range of plaintext, which may begin or end within a character.
    PlaintextRange,
    /// A secret that was restored from shares, a sheet with new shares, or a part of a key. Only
    /// the owner can access the file, and an existing file is not replaced.
    Secret,
}

/// The output. No file is created or changed before the first write or the first call of
/// [`Output::at_any_place`]. If neither happens, [`Output::finish`] makes the file empty.
pub(crate) struct Output {
    sink: Sink,
    id: Option<FileId>,
    /// Whether this is a secret in a file that others can read. In that case the first write warns
    /// the user.
    is_exposed: bool,
}

enum Sink {
    Stdout(Stdout),
    Terminal(Terminal),
    Direct(Direct),
    Replacement(Replacement),
}

impl Output {
    /// Checks whether the output can be written to `path`, or to standard output. Writes nothing.
    /// `typed` tells whether the user types the input on a terminal.
    pub(crate) fn prepare(path: Option<&Path>, content: Content, typed: bool) -> Result<Self> {
        match path {
            Some(path) if path != Path::new("-") => Self::file(path, content),
            // "-o -" allows binary data on the terminal.
            explicit => Self::stdout(content, explicit.is_some(), typed),
        }
    }

    fn file(path: &Path, content: Content) -> Result<Self> {
        let target = file::resolve(path)?;
        let existing = target.existing.as_ref();
        let id = existing.and_then(|metadata| FileId::new(metadata, Some(&target.path)));
        let is_direct = match existing {
            Some(metadata) => target.names_open_file || !metadata.is_file(),
            None => cfg!(windows) && target.names_open_file,
        };
        if is_direct {
            let is_exposed = content == Content::Secret && existing.is_some_and(others_read);
            return Ok(Self { id, sink: Sink::Direct(Direct::new(target)), is_exposed });
        }
        let keeping = match content {
            Content::Binary | Content::Text | Content::Plaintext | Content::PlaintextRange => Keeping::Permissions,
            Content::Secret => Keeping::Old,
        };
        Ok(Self { id, sink: Sink::Replacement(Replacement::prepare(target, keeping)?), is_exposed: false })
    }

    fn stdout(content: Content, explicit: bool, typed: bool) -> Result<Self> {
        let stdout = Stdout::unbuffered();
        if !io::stdout().is_terminal() {
            stdout.enlarge_pipe();
            let metadata = stdout.metadata();
            let id = metadata.as_ref().and_then(|metadata| FileId::new(metadata, None));
            let is_exposed = content == Content::Secret && metadata.as_ref().is_some_and(others_read);
            return Ok(Self { sink: Sink::Stdout(stdout), id, is_exposed });
        }
        if content == Content::Binary && !explicit {
            return Err(terminal::refused()
                .hint("-a encrypts to text, -o FILE writes to a file; -o - writes to the terminal anyway"));
        }
        let accepted = match content {
            Content::Binary | Content::Text => Accepted::Anything,
            _ if explicit => Accepted::Anything,
            Content::PlaintextRange => Accepted::PartOfText,
            Content::Plaintext | Content::Secret => Accepted::Text,
        };
        Ok(Self { sink: Sink::Terminal(Terminal::new(Box::new(stdout), accepted, typed)), id: None, is_exposed: false })
    }

    /// Returns the id of the output's file, if the file exists.
    pub(crate) fn id(&self) -> Option<&FileId> {
        self.id.as_ref()
    }

    /// Returns whether the result is shown on a terminal. If it is, nothing else should be shown
    /// there.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self.sink, Sink::Terminal(_))
    }

    /// Returns whether the output can start again, because none of it is visible yet.
    pub(crate) fn can_restart(&self) -> bool {
        matches!(self.sink, Sink::Replacement(_))
    }

    /// Returns the file, so that several threads can write to it at any offset. Returns `None` if
    /// the output is visible before it is complete.
    pub(crate) fn at_any_place(&mut self) -> io::Result<Option<AnyPlace<'_>>> {
        match &mut self.sink {
            Sink::Replacement(replacement) => replacement.at_any_place().map(Some),
            _ => Ok(None),
        }
    }

    /// Discards what was written.
    pub(crate) fn restart(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Replacement(replacement) => {
                replacement.restart();
                Ok(())
            }
            _ => Err(io::Error::other("the output cannot start again")),
        }
    }

    /// Completes the output. Without this, a regular file stays as it was.
    pub(crate) fn finish(self) -> Result<()> {
        match self.sink {
            Sink::Stdout(stdout) => stdout.finish().map_err(stdout_error),
            Sink::Terminal(terminal) => terminal.finish(),
            Sink::Direct(direct) => direct.finish(),
            Sink::Replacement(replacement) => replacement.finish(),
        }
    }

    /// Ends an incomplete output: shows the text that was held back for a terminal.
    pub(crate) fn abandon(self) {
        if let Sink::Terminal(terminal) = self.sink {
            terminal.abandon();
        }
    }
}

impl Write for Output {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_exposed) {
            warn(open_to_others("the secret"));
        }
        match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write(data).map_err(|error| keep_retry(error, stdout_error)),
            Sink::Terminal(terminal) => terminal.write(data),
            Sink::Direct(direct) => direct.write(data),
            Sink::Replacement(replacement) => replacement.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing is buffered.
        Ok(())
    }
}

/// Writes text to standard output.
pub(crate) fn print(text: &[u8]) -> Result<()> {
    print_with(|stdout| stdout.write_all(text))
}

/// Writes all that the command prints to standard output with `write`. Also returns the errors that
/// are known only when standard output is closed.
pub(crate) fn print_with(write: impl FnOnce(&mut Ready<StdoutLock<'_>>) -> io::Result<()>) -> Result<()> {
    let mut stdout = Ready(io::stdout().lock());
    write(&mut stdout).and_then(|()| stdout.flush()).map_err(stdout_error)?;
    Stdout::unbuffered().finish().map_err(stdout_error)
}

/// Warns if standard output is a file that others can read. `what` names the content.
pub(crate) fn warn_if_others_read(what: &str) {
    if Stdout::unbuffered().metadata().as_ref().is_some_and(others_read) {
        warn(open_to_others(what));
    }
}

fn open_to_others(what: &str) -> String {
    format!("{what} goes to a file that others can read; -o OUTPUT makes a file that only you can read")
}

/// Returns whether the group or all users can read the file.
#[cfg(unix)]
fn others_read(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.is_file() && metadata.permissions().mode() & 0o044 != 0
}

#[cfg(not(unix))]
fn others_read(_metadata: &Metadata) -> bool {
    false
}

/// Formats a report as JSON. Characters that act on a terminal, which names of files can have, are
/// escaped, so the values stay the same.
pub(crate) fn json(report: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string_pretty(report);
    let json = json.map_err(|error| Error::new(format!("cannot write JSON: {error}")))?;
    let mut escaped = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        // A line feed is never within a value. All these characters have four digits.
        if (c.is_control() && c != '\n') || is_direction_mark(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped.push('\n');
    Ok(escaped)
}
