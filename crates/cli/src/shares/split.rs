//! Splits a secret into new share files.

use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use sealane_shares::{MAX_TEXT_PAYLOAD_BYTES, Split, WipedVec};
use zeroize::Zeroizing;

use super::failure::split_error;
use super::foreign::{self, MAX_SECRET};
use super::form::Form;
use super::identity;
use super::new_files::NewFiles;
use super::pasted::PUBLIC_KEY_NOTE;
use super::write::{NewShares, Sink, text_of};
use crate::args::FormArgs;
use crate::error::explain::read_error;
use crate::error::{Error, Result};
use crate::io::input::Input;
use crate::io::output::{stdout_error, warn_if_others_read};
use crate::io::stdin::StdinUse;
use crate::keys::passphrase::Passphrases;

/// The content of standard output with `-o -`, for a warning.
const SHARES: &str = "all shares together, which restore the secret,";
/// The number of bytes to read at a time.
const READ: usize = 256 << 10;

/// A secret to split.
pub(crate) struct Splitting<'a> {
    pub(crate) threshold: usize,
    pub(crate) count: usize,
    /// The folder for the shares. "-" is standard output.
    pub(crate) output: Option<&'a Path>,
    pub(crate) form: FormArgs,
    /// Whether shares in words are also encrypted with a passphrase.
    pub(crate) passphrase: bool,
    /// The name of the secret.
    pub(crate) stem: String,
    /// Comments for shares in text form.
    pub(crate) comments: Vec<String>,
}

impl Splitting<'_> {
    /// Splits `input`, and prints the paths of the shares.
    pub(crate) fn run(self, mut input: Input, stdin: &StdinUse) -> Result<()> {
        let FormArgs { binary, text, words, ssss, vault, .. } = self.form;
        if words || ssss || vault {
            return self.lines(input, stdin);
        }
        // One byte more than shares in text form can hold, to choose the form.
        let mut start = Zeroizing::new(Vec::with_capacity(MAX_TEXT_PAYLOAD_BYTES + 1));
        if !binary {
            let prefix = (&mut input.reader).take(MAX_TEXT_PAYLOAD_BYTES as u64 + 1).read_to_end(&mut start);
            prefix.map_err(|error| read_error(error, &input.name))?;
        }
        let small = !binary && start.len() <= MAX_TEXT_PAYLOAD_BYTES;
        if text && !small {
            return Err(Error::new(format!(
                "{} is longer than {MAX_TEXT_PAYLOAD_BYTES} bytes, which shares of text can hold",
                input.name
            ))
            .hint("--binary has no limit"));
        }
        let form = if small { Form::Text } else { Form::Binary };
        if self.output == Some(Path::new("-")) { self.print(form, &start) } else { self.write(form, &start, input) }
    }

    /// Splits the secret in the format of another program, one line per share.
    fn lines(&self, mut input: Input, stdin: &StdinUse) -> Result<()> {
        let mut secret = Zeroizing::new(Vec::with_capacity(MAX_SECRET as usize + 1));
        let read = (&mut input.reader).take(MAX_SECRET + 1).read_to_end(&mut secret);
        read.map_err(|error| read_error(error, &input.name))?;
        if secret.len() as u64 > MAX_SECRET {
            return Err(Error::new(format!("{} is longer than {MAX_SECRET} bytes", input.name))
                .hint("--binary takes a file of any size"));
        }
        let mut comments = Vec::new();
        if let Some(identity) = identity::single(&secret).filter(|_| self.form.words || self.form.ssss) {
            secret = identity.secret;
            comments.push(format!("{PUBLIC_KEY_NOTE}{}", identity.public));
        }
        let passphrases = self.passphrase.then(|| Passphrases::new(stdin));
        let counts = (self.threshold, self.count);
        let lines = foreign::split(self.form, &secret, counts, &comments, passphrases.as_ref())?;
        if self.output == Some(Path::new("-")) {
            warn_if_others_read(SHARES);
            let mut stdout = io::stdout().lock();
            // The notes are the same for all shares.
            let notes = lines.first().map_or("", |line| &line.notes);
            let written = stdout.write_all(notes.as_bytes());
            let written = written.and_then(|()| lines.iter().try_for_each(|line| writeln!(stdout, "{}", *line.text)));
            return written.and_then(|()| stdout.flush()).map_err(stdout_error);
        }
        let names: Vec<_> = lines.iter().map(|line| foreign::file_name(&self.stem, line)).collect();
        let files = NewFiles::create(self.output.unwrap_or(Path::new(".")), &names)?;
        for (mut file, line) in files.files().zip(&lines) {
            let pieces = [line.heading.as_bytes(), line.notes.as_bytes(), line.text.as_bytes(), b"\n"];
            pieces.into_iter().try_for_each(|piece| file.write_all(piece)).map_err(write_failed)?;
        }
        say_where(&files.finish()?);
        Ok(())
    }

    fn split(&self) -> Result<Split> {
        Split::new(self.threshold, self.count).map_err(split_error)
    }

    fn print(&self, form: Form, secret: &[u8]) -> Result<()> {
        if form == Form::Binary {
            return Err(
                Error::usage("shares in binary form can't be printed").hint("-o names the folder for their files")
            );
        }
        let sinks = (0..self.count).map(|_| Sink::Memory(WipedVec::default())).collect();
        let mut writer = self.split()?.write_to(sinks).map_err(split_error)?;
        writer.write_all(secret).map_err(write_failed)?;
        warn_if_others_read(SHARES);
        let mut stdout = io::stdout().lock();
        for sink in writer.finish().map_err(write_failed)? {
            let Sink::Memory(bytes) = sink else { continue };
            writeln!(stdout, "{}", *text_of(bytes)?).map_err(stdout_error)?;
        }
        stdout.flush().map_err(stdout_error)
    }

    fn write(self, form: Form, start: &[u8], input: Input) -> Result<()> {
        let split = self.split()?;
        let headers = split.headers().map(|header| (header, form)).collect();
        let directory = self.output.unwrap_or(Path::new("."));
        let files = NewShares::create(directory, &self.stem, headers)?.with_comments(self.comments);
        let mut writer = split.write_to(files.sinks()).map_err(split_error)?;
        let (name, mut reader) = (input.name, input.reader);
        let progress = input.progress.show(input.len, false);
        writer.write_all(start).map_err(write_failed)?;
        let mut buffer = Zeroizing::new(vec![0; READ]);
        loop {
            let n = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(read_error(error, &name)),
            };
            writer.write_all(&buffer[..n]).map_err(write_failed)?;
        }
        drop(progress);
        let sinks = writer.finish().map_err(write_failed)?;
        files.complete(sinks)?;
        say_where(&files.finish()?);
        Ok(())
    }
}

fn write_failed(error: io::Error) -> Error {
    Error::from_io("cannot write a share", error)
}

/// Prints the paths of new shares.
pub(crate) fn say_where(paths: &[PathBuf]) {
    let mut stderr = io::stderr().lock();
    for path in paths {
        let _ = writeln!(stderr, "{}", crate::error::printable(&path.display().to_string()));
    }
}
