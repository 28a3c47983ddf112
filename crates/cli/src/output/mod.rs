//! Where the result goes: a file that appears only when it is whole, standard output, or a terminal.

mod file;
mod in_place;
mod temporary;
mod terminal;

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::same_file::FileId;
pub(crate) use file::sync_directory;
use file::{AnyPlace, Direct, Replacement};
pub(crate) use temporary::Temporary;
use terminal::Terminal;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An encrypted file.
    Binary,
    /// Text: an armored file.
    Text,
    /// Plaintext, of which nothing is known beforehand.
    Plaintext,
    /// Plaintext that was kept in shares: a new file is for its owner only.
    Secret,
}

/// The output. Nothing is made or changed before the first write.
pub(crate) struct Output {
    sink: Sink,
    id: Option<FileId>,
}

enum Sink {
    Stdout(Box<dyn Write + Send>),
    Terminal(Terminal),
    Direct(Direct),
    Replacement(Replacement),
}

impl Output {
    /// Looks at `path` (or standard output) without touching it. `typed` says that somebody types the input.
    pub(crate) fn prepare(path: Option<&Path>, content: Content, typed: bool) -> Result<Self> {
        match path {
            Some(path) if path != Path::new("-") => Self::file(path, content),
            // "-o -" is how a person says that the terminal is meant.
            explicit => Self::stdout(content, explicit.is_some(), typed),
        }
    }

    fn file(path: &Path, content: Content) -> Result<Self> {
        let target = file::resolve(path)?;
        Ok(match target.existing {
            Some(ref metadata) if target.is_special || !metadata.is_file() => {
                Self { id: FileId::new(metadata, Some(&target.path)), sink: Sink::Direct(Direct::new(target)) }
            }
            _ => {
                let id = target.existing.as_ref().and_then(|metadata| FileId::new(metadata, Some(&target.path)));
                Self { id, sink: Sink::Replacement(Replacement::prepare(target, content == Content::Secret)?) }
            }
        })
    }

    fn stdout(content: Content, explicit: bool, typed: bool) -> Result<Self> {
        let (writer, id) = unbuffered_stdout();
        if !io::stdout().is_terminal() {
            return Ok(Self { sink: Sink::Stdout(writer), id });
        }
        if content == Content::Binary && !explicit {
            return Err(terminal::refused().hint("-a encrypts to text, -o FILE writes to a file; -o - insists"));
        }
        let must_be_text = matches!(content, Content::Plaintext | Content::Secret) && !explicit;
        Ok(Self { sink: Sink::Terminal(Terminal::new(writer, must_be_text, typed)), id: None })
    }

    /// Which file it is, if it exists.
    pub(crate) fn id(&self) -> Option<&FileId> {
        self.id.as_ref()
    }

    /// Whether the result is shown on a terminal, so that nothing else should be.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self.sink, Sink::Terminal(_))
    }

    /// Whether what was written can be taken back: nobody has seen it yet.
    pub(crate) fn can_restart(&self) -> bool {
        matches!(self.sink, Sink::Replacement(_))
    }

    /// The file, to be written at any place and by several threads, if it is one that nobody sees before it is complete.
    pub(crate) fn at_any_place(&mut self) -> io::Result<Option<AnyPlace<'_>>> {
        match &mut self.sink {
            Sink::Replacement(replacement) => replacement.at_any_place().map(Some),
            _ => Ok(None),
        }
    }

    /// Takes back what was written, where that can be done.
    pub(crate) fn restart(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Replacement(replacement) => {
                replacement.restart();
                Ok(())
            }
            _ => Err(io::Error::other("what was written cannot be taken back")),
        }
    }

    /// The result is complete: makes it last. Without this, a file is left as it was.
    pub(crate) fn finish(self) -> Result<()> {
        match self.sink {
            Sink::Stdout(mut writer) => writer.flush().map_err(stdout_error),
            Sink::Terminal(terminal) => terminal.finish(),
            Sink::Direct(direct) => direct.finish(),
            Sink::Replacement(replacement) => replacement.finish(),
        }
    }

    /// The result is not complete: shows what has been held back of it, where there is such a thing.
    pub(crate) fn abandon(self) {
        if let Sink::Terminal(terminal) = self.sink {
            // The failure that led here is what will be reported.
            let _ = terminal.finish();
        }
    }
}

impl Write for Output {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stdout(writer) => writer.write(data).map_err(|error| keep_retry(error, stdout_error)),
            Sink::Terminal(terminal) => terminal.write(data),
            Sink::Direct(direct) => direct.write(data),
            Sink::Replacement(replacement) => replacement.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing here is buffered that a flush should show.
        Ok(())
    }
}

/// An interrupted call is tried again by the caller; anything else becomes an error for a person.
pub(crate) fn keep_retry(error: io::Error, explain: impl FnOnce(io::Error) -> Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted { error } else { explain(error).into_io() }
}

/// Writes a text to standard output, as it is.
pub(crate) fn print(text: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush()).map_err(stdout_error)
}

/// The text of a report for programs.
pub(crate) fn json(report: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string_pretty(report);
    Ok(json.map_err(|error| Error::new(format!("cannot write JSON: {error}")))? + "\n")
}

/// An error of standard output.
pub(crate) fn stdout_error(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Error::broken_pipe()
    } else {
        Error::io("cannot write to standard output", &error)
    }
}

/// Standard output without std's line buffer, and which file is behind it.
#[cfg(unix)]
fn unbuffered_stdout() -> (Box<dyn Write + Send>, Option<FileId>) {
    use std::os::fd::AsFd as _;
    match io::stdout().as_fd().try_clone_to_owned().map(File::from) {
        Ok(file) => {
            crate::pipe::enlarge(&file);
            let id = file.metadata().ok().and_then(|metadata| FileId::new(&metadata, None));
            (Box::new(file), id)
        }
        Err(_) => (Box::new(io::stdout()), None),
    }
}

#[cfg(not(unix))]
fn unbuffered_stdout() -> (Box<dyn Write + Send>, Option<FileId>) {
    (Box::new(io::stdout()), None)
}
