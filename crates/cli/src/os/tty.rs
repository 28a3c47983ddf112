//! The user's terminal, even if standard input and output are redirected.

#[cfg(unix)]
use std::fs::File;
use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zeroize::Zeroizing;

use crate::error::printable;
use crate::os::typed::Typed;
#[cfg(unix)]
use crate::os::{cleanup, ready::Ready};

/// Lets one thread at a time ask a question.
static PERSON: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    PERSON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the controlling terminal, for reading and for writing. If there is none, or it belongs to
/// another user (`su`), and standard input is a terminal, this terminal is used, as in age. Another
/// program may then have made it non-blocking.
#[cfg(unix)]
fn open() -> io::Result<(Ready<File>, Ready<File>)> {
    use std::os::fd::AsFd as _;

    let opened = OpenOptions::new().read(true).write(true).open("/dev/tty");
    let tty = opened.or_else(|error| match io::stdin() {
        stdin if stdin.is_terminal() => stdin.as_fd().try_clone_to_owned().map(File::from),
        _ => Err(error),
    })?;
    Ok((Ready(tty.try_clone()?), Ready(tty)))
}

/// Opens the console, for reading and for writing. If a standard stream is the console, that stream
/// is used, because std gives it Unicode. A file has the bytes of the console's code page.
#[cfg(windows)]
fn open() -> io::Result<(Box<dyn io::Read>, Box<dyn io::Write>)> {
    let (stdin, stderr) = (io::stdin(), io::stderr());
    let read: Box<dyn io::Read> = if stdin.is_terminal() {
        Box::new(stdin)
    } else {
        Box::new(OpenOptions::new().read(true).write(true).open("CONIN$")?)
    };
    let write: Box<dyn io::Write> =
        if stderr.is_terminal() { Box::new(stderr) } else { Box::new(OpenOptions::new().write(true).open("CONOUT$")?) };
    Ok((read, write))
}

/// Questions for secrets, whose answers are not shown.
pub(crate) struct Secrets {
    // Restores the echo when it is dropped, or before a signal ends the process. Nothing else may
    // change the terminal: a change at the moment of a signal would leave it without echo.
    #[cfg(unix)]
    echo: cleanup::EchoGuard,
    // Dropped last.
    _turn: MutexGuard<'static, ()>,
}

#[cfg(unix)]
impl Secrets {
    /// Opens the terminal, and turns its echo off. It is an error if there is no terminal. With
    /// `discards`, input that was not read is discarded after the last question: of a pasted text,
    /// nothing goes to the shell.
    pub(crate) fn open(discards: bool) -> io::Result<Self> {
        let turn = turn();
        let (tty, _) = open()?;
        Ok(Self { echo: cleanup::EchoGuard::new(tty, discards)?, _turn: turn })
    }

    /// Asks for a secret. Ctrl-D is `UnexpectedEof`. A line that is not UTF-8, or so long that it
    /// may have been cut, is `InvalidData`.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<Zeroizing<String>> {
        self.echo.ask(format!("{}: ", printable(question)))?;
        read_line(&mut self.echo)
    }
}

#[cfg(not(unix))]
impl Secrets {
    /// Begins questions. The terminal is opened for each of them. Nothing is discarded.
    pub(crate) fn open(_discards: bool) -> io::Result<Self> {
        open()?;
        Ok(Self { _turn: turn() })
    }

    /// Asks for a secret.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<Zeroizing<String>> {
        rpassword::prompt_password(format!("{}: ", printable(question))).map(Zeroizing::new)
    }
}

/// The longest line that is certainly whole on Linux, in bytes. Linux passes on 4,095 bytes of a
/// line and drops the others, so such a line may be cut. Other systems may cut shorter lines.
pub(crate) const MAX_LINE: usize = 4094;

/// Reads a line. Unlike `BufRead`, it leaves no other copy of the line in memory. The kernel
/// returns one line at a time.
#[cfg(unix)]
fn read_line(mut from: impl io::Read) -> io::Result<Zeroizing<String>> {
    let mut line = Zeroizing::new([0; MAX_LINE + 2]);
    let mut len = 0;
    while len < line.len() && !line[..len].ends_with(b"\n") {
        match from.read(&mut line[len..]) {
            Ok(0) if len == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if len == line.len() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long for a terminal"));
    }
    let text = std::str::from_utf8(&line[..len]).map_err(|_| not_text())?;
    Ok(Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(unix)]
fn not_text() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is not UTF-8")
}

/// Asks for a line with echo.
pub(crate) fn ask(question: &str) -> io::Result<String> {
    let _turn = turn();
    let (read, mut write) = open()?;
    #[cfg(unix)]
    cleanup::wait_for_foreground(&read);
    write!(write, "{} ", printable(question))?;
    write.flush()?;
    let mut line = String::new();
    if BufReader::new(Typed::new(read)).read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Shows a line on the terminal, even if standard error is redirected.
pub(crate) fn show(line: &str) -> io::Result<()> {
    let (_, mut write) = open()?;
    writeln!(write, "{}", printable(line))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_its_end_or_that_of_the_input() {
        assert_eq!(*read_line(&b"correct horse\n"[..]).unwrap(), "correct horse");
        assert_eq!(*read_line(io::Read::chain(&b"in "[..], &b"pieces"[..])).unwrap(), "in pieces");
        assert_eq!(*read_line(&b"\n"[..]).unwrap(), "");
        assert_eq!(read_line(&b""[..]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(read_line(&b"\xff\n"[..]).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // The kernel cuts lines to 4,095 bytes before their end.
        let line = |len: usize| read_line(format!("{}\n", "x".repeat(len)).as_bytes());
        assert_eq!(line(4094).unwrap().len(), 4094);
        for len in [4095, 4096, 9999] {
            assert_eq!(line(len).unwrap_err().to_string(), "the line is too long for a terminal");
        }
    }
}
