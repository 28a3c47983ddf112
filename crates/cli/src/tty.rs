//! The terminal as a person's keyboard and screen, whatever standard input and output are.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};

use zeroize::Zeroizing;

use crate::cleanup;
use crate::error::printable;

/// The controlling terminal, to read from and to write to.
fn open() -> io::Result<(File, File)> {
    if cfg!(windows) {
        let read = OpenOptions::new().read(true).write(true).open("CONIN$")?;
        Ok((read, OpenOptions::new().write(true).open("CONOUT$")?))
    } else {
        let tty = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        Ok((tty.try_clone()?, tty))
    }
}

/// Asks for a secret, without echo. Ctrl-D is `UnexpectedEof`.
pub(crate) fn ask_secret(question: &str) -> io::Result<Zeroizing<String>> {
    // Until the guard goes, a signal gives the terminal its echo back before it ends the process.
    let (tty, _) = open()?;
    let _echo = cleanup::EchoGuard::new(&tty);
    rpassword::prompt_password(format!("{}: ", printable(question))).map(Zeroizing::new)
}

/// Asks for a line that is not a secret.
pub(crate) fn ask(question: &str) -> io::Result<String> {
    let (read, mut write) = open()?;
    write!(write, "{} ", printable(question))?;
    write.flush()?;
    let mut line = String::new();
    if BufReader::new(read).read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Shows a line to the person only: not to whatever standard error is redirected to.
pub(crate) fn show(line: &str) -> io::Result<()> {
    let (_, mut write) = open()?;
    writeln!(write, "{}", printable(line))
}
