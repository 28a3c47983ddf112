//! Passphrases, from the environment, the terminal or pinentry.
//!
//! `AGE_PASSPHRASE` and `AGE_PASSPHRASE_FD` mean the same as for age-plugin-batchpass. If one of
//! them is set and not empty, it answers every passphrase question of this command: for a file, an
//! identity file, an ssh key or shares in words. Questions of a plugin are not answered. It is an
//! error to set both. A passphrase from a file descriptor has at most 1 MiB, and line ends at its
//! end are removed.

use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use crate::error::{Error, Result, describe};
use crate::io::stdin::StdinUse;
use crate::keys::cached::Once;
use crate::keys::pinentry;
use crate::os::memory;
use crate::os::tty::{self, Secrets};
use crate::program::Program;

const LIMIT: u64 = 1 << 20;

/// The source of passphrases. Clones share what has been read.
#[derive(Clone)]
pub(crate) struct Passphrases {
    stdin: StdinUse,
    from_environment: Arc<Once<Option<SecretString>>>,
}

/// A passphrase, and its source.
pub(crate) enum Given {
    /// From the environment, without a question.
    Environment(SecretString),
    /// Typed at the terminal or into pinentry, or generated.
    Typed(SecretString),
}

impl Given {
    /// Returns the passphrase.
    pub(crate) fn secret(self) -> SecretString {
        match self {
            Self::Environment(secret) | Self::Typed(secret) => secret,
        }
    }
}

impl Passphrases {
    /// Returns the source of passphrases, and reads nothing yet. Other uses of standard input must
    /// be claimed before the first passphrase is needed.
    pub(crate) fn new(stdin: &StdinUse) -> Self {
        Self { stdin: stdin.clone(), from_environment: Arc::default() }
    }

    /// Returns the passphrase in the environment, if there is one. A file descriptor is read once.
    fn environment(&self) -> Result<Option<SecretString>> {
        let secret = self.from_environment.get(|| from_environment(&self.stdin).inspect(|_| memory::lock()))?;
        Ok(secret.as_ref().clone())
    }

    /// Returns whether input behind an answer is discarded, so that the shell does not get it. It
    /// may be data. age leaves it for later questions too, as scripts may expect.
    fn discards(&self) -> bool {
        Program::current() == Program::Sealane && !self.stdin.is_claimed()
    }

    /// Returns whether the environment answers all questions.
    pub(crate) fn are_answered(&self) -> Result<bool> {
        Ok(self.environment()?.is_some())
    }

    /// Returns a passphrase to open `what`. An empty answer is an error.
    pub(crate) fn to_open(&self, what: &str) -> Result<Given> {
        if let Some(secret) = self.environment()? {
            return Ok(Given::Environment(secret));
        }
        let answer = ask_or_end(&format!("Enter passphrase for {what}"), self.discards())?;
        match answer.filter(|secret| !secret.expose_secret().is_empty()) {
            Some(secret) => Ok(Given::Typed(secret)),
            None => Err(Error::new(format!("no passphrase given for {what}"))),
        }
    }

    /// Returns a passphrase to encrypt with. If there is none in the environment, prompts for it
    /// twice, or generates and shows one if the answer is empty.
    pub(crate) fn to_encrypt(&self) -> Result<Given> {
        if let Some(secret) = self.environment()? {
            return Ok(Given::Environment(secret));
        }
        let program = pinentry::program();
        let mut terminal = program.is_none().then(|| terminal(self.discards())).transpose()?;
        let mut ask = |question: &str| match &mut terminal {
            Some(terminal) => answer(terminal, question)?.ok_or_else(none_given),
            // pinentry could compare two answers in one dialog, but a program that cannot do this
            // would ask only once and not say so.
            None => pinentry::ask(program.as_deref().unwrap_or_default(), question, false),
        };
        let secret = ask("Enter passphrase (leave empty to generate a secure one)")?;
        if secret.expose_secret().is_empty() {
            return generate().map(Given::Typed);
        }
        let confirmed = ask("Confirm passphrase")?;
        // Comparison in variable time is safe here: the user typed both.
        if confirmed.expose_secret() != secret.expose_secret() {
            return Err(Error::new("the passphrases are not the same").hint("nothing was written; try again"));
        }
        Ok(Given::Typed(secret))
    }
}

/// Asks at the terminal, or through the program in `PINENTRY_PROGRAM`. Ctrl-D is an error.
pub(crate) fn ask(question: &str) -> Result<SecretString> {
    // Ctrl-D is not an empty answer, which may have a meaning.
    ask_or_end(question, false)?.ok_or_else(none_given)
}

/// Asks like [`ask`]. Returns `None` for Ctrl-D. `discards` is as for [`Secrets::open`].
fn ask_or_end(question: &str, discards: bool) -> Result<Option<SecretString>> {
    if let Some(program) = pinentry::program() {
        return pinentry::ask(&program, question, true).map(Some);
    }
    answer(&mut terminal(discards)?, question)
}

/// Opens the terminal.
fn terminal(discards: bool) -> Result<Secrets> {
    Secrets::open(discards).map_err(|error| {
        Error::new(format!("a passphrase is needed, and there is no terminal: {}", describe(&error))).hint(
            "put it into AGE_PASSPHRASE, or the number of a file descriptor to read it from into AGE_PASSPHRASE_FD",
        )
    })
}

/// Asks at the terminal. Returns `None` for Ctrl-D.
fn answer(terminal: &mut Secrets, question: &str) -> Result<Option<SecretString>> {
    match terminal.ask(question) {
        Ok(mut answer) => {
            memory::lock();
            Ok(Some(SecretString::from(std::mem::take(&mut *answer))))
        }
        Err(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof => Ok(None),
            io::ErrorKind::Interrupted => Err(Error::interrupted()),
            _ => Err(Error::io("cannot read the passphrase", &error)),
        },
    }
}

fn none_given() -> Error {
    Error::new("no passphrase given")
}

/// Generates a passphrase of ten words from the list of BIP 39 (110 bits), and shows it at the
/// terminal.
fn generate() -> Result<SecretString> {
    use age::cli_common::Passphrase;
    let (Passphrase::Generated(secret) | Passphrase::Typed(secret)) = Passphrase::random(rand_core_06::OsRng);
    let line = Zeroizing::new(format!(
        "{}: using the passphrase \"{}\": write it down",
        Program::current().name(),
        secret.expose_secret()
    ));
    // Only on the terminal: standard error may be a log file.
    tty::show(&line).map_err(|error| Error::io("cannot show the generated passphrase", &error))?;
    Ok(secret)
}

/// Advice on AGE_PASSPHRASE_FD.
const FD_EXAMPLE: &str = "for example: AGE_PASSPHRASE_FD=3 sealane -d FILE 3< PASSPHRASE_FILE";

fn from_environment(stdin: &StdinUse) -> Result<Option<SecretString>> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    match (set("AGE_PASSPHRASE"), set("AGE_PASSPHRASE_FD")) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => {
            Err(Error::usage("AGE_PASSPHRASE and AGE_PASSPHRASE_FD are both set").hint("unset one of them"))
        }
        (Some(value), None) => match value.into_string() {
            Ok(text) => Ok(Some(SecretString::from(text))),
            Err(_) => Err(Error::new("AGE_PASSPHRASE is not UTF-8")),
        },
        (None, Some(fd)) => {
            // The value is not shown, because it may be the passphrase.
            let fd = fd.to_str().and_then(|fd| fd.parse::<u32>().ok()).ok_or_else(|| {
                Error::usage("AGE_PASSPHRASE_FD is not the number of a file descriptor").hint(FD_EXAMPLE)
            })?;
            read_fd(fd, stdin).map(Some)
        }
    }
}

fn read_fd(fd: u32, stdin: &StdinUse) -> Result<SecretString> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            Error::new(format!("file descriptor {fd} is not open (AGE_PASSPHRASE_FD)")).hint(FD_EXAMPLE)
        }
        _ => Error::io(format!("cannot read a passphrase from file descriptor {fd} (AGE_PASSPHRASE_FD)"), &error),
    };
    let source: Box<dyn Read> = if fd == 0 {
        Box::new(stdin.read("a passphrase (AGE_PASSPHRASE_FD=0)")?)
    } else {
        Box::new(reopen(fd)?.map_err(failed)?)
    };
    // Long enough for usual passphrases, so that the vector does not grow: growing leaves a copy
    // behind that is not wiped.
    let mut text = Zeroizing::new(Vec::with_capacity(4096));
    source.take(LIMIT + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > LIMIT {
        return Err(Error::new(format!("the passphrase from file descriptor {fd} is longer than 1 MiB")));
    }
    while let Some(b'\r' | b'\n') = text.last() {
        text.pop();
    }
    match std::str::from_utf8(&text) {
        Ok("") => Err(Error::new(format!("the passphrase from file descriptor {fd} is empty"))),
        Ok(text) => Ok(SecretString::from(text.to_owned())),
        Err(_) => Err(Error::new(format!("the passphrase from file descriptor {fd} is not UTF-8"))),
    }
}

/// Opens the file behind the descriptor `fd` by its path, because a number cannot become an owned
/// descriptor without `unsafe`. On Linux this is a new open file, so it is set to the position of
/// the descriptor.
#[cfg(unix)]
fn reopen(fd: u32) -> Result<io::Result<File>> {
    use std::os::unix::fs::FileTypeExt as _;
    let path = format!("/dev/fd/{fd}");
    if std::fs::metadata(&path).is_ok_and(|metadata| metadata.file_type().is_socket()) {
        return Err(Error::new(format!("file descriptor {fd} is a socket (AGE_PASSPHRASE_FD)"))
            .hint("a passphrase can be read from a file, a pipe or a terminal"));
    }
    Ok(open_at(&path, fd))
}

#[cfg(unix)]
fn open_at(path: &str, fd: u32) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
    // Without NONBLOCK, opening a FIFO without a writer would never return.
    let file = File::from(open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?);
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if file.metadata()?.is_file() {
        use std::io::{Seek as _, SeekFrom};
        let info = memory::read_proc(&format!("/proc/self/fdinfo/{fd}"))?;
        let position = info.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok());
        (&file).seek(SeekFrom::Start(position.ok_or(io::ErrorKind::InvalidData)?))?;
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = fd;
    Ok(file)
}

#[cfg(not(unix))]
fn reopen(_fd: u32) -> Result<io::Result<File>> {
    Err(Error::new("AGE_PASSPHRASE_FD works on Unix only").hint("use AGE_PASSPHRASE"))
}
