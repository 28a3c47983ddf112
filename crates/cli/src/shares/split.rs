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
use super::sheet::{Sheet, Sheets};
use super::write::{NewShares, Sink, text_of};
use crate::args::FormArgs;
use crate::error::explain::read_error;
use crate::error::{Error, Result, warn};
use crate::io::input::Input;
use crate::io::output::{Content, Output, print_with, warn_if_others_read};
use crate::io::stdin::StdinUse;
use crate::keys::passphrase::Passphrases;

/// The content of standard output with `-o -`, as named in a warning.
const SHARES: &str = "the set of all shares, which restores the secret,";
/// The number of bytes to read at a time.
const READ: usize = 256 << 10;

/// The way to split a secret.
pub(crate) struct Splitting<'a> {
    pub(crate) threshold: usize,
    pub(crate) count: usize,
    /// The folder for the shares, or the current one. "-" is standard output.
    pub(crate) output: Option<&'a Path>,
    /// A new file for sheets with all shares, instead of a file for each share.
    pub(crate) sheet: Option<&'a Path>,
    pub(crate) form: FormArgs,
    /// Whether shares in words are also encrypted with a passphrase.
    pub(crate) passphrase: bool,
    /// The name of the secret.
    pub(crate) stem: String,
    /// Comments for shares in text form.
    pub(crate) comments: Vec<String>,
}

impl Splitting<'_> {
    /// Splits `input`. Prints the paths of the shares, unless they go to standard output or to a
    /// sheet.
    pub(crate) fn run(mut self, mut input: Input, stdin: &StdinUse) -> Result<()> {
        let FormArgs { binary, text, words, ssss, vault, .. } = self.form;
        // Errors of the output should come before any question.
        let sheet = self.sheet.map(|path| Output::prepare(Some(path), Content::Secret, false)).transpose()?;
        if let Some(output) = sheet {
            if binary || ssss || vault {
                return Err(Error::usage("--sheet is for shares in text form or in words")
                    .hint("leave the form out, or use --words"));
            }
            return self.sheets(input, stdin, output);
        }
        if words || ssss || vault {
            return self.lines(input, stdin);
        }
        // The form depends on the length.
        let mut start = Zeroizing::new(Vec::new());
        if !binary {
            let (read, public) = read_for_text(&mut input)?;
            start = read;
            self.comments.extend(public.map(|public| format!("{PUBLIC_KEY_NOTE}{public}")));
        }
        let small = !binary && start.len() <= MAX_TEXT_PAYLOAD_BYTES;
        if text && !small {
            return Err(too_long_for_text(&input.name).hint("--binary has no limit"));
        }
        let form = if small { Form::Text } else { Form::Binary };
        if self.output == Some(Path::new("-")) { self.print(form, &start) } else { self.write(form, &start, input) }
    }

    /// Splits the secret in the format of another program, one line per share.
    fn lines(&self, input: Input, stdin: &StdinUse) -> Result<()> {
        let (lines, _) = self.foreign_lines(input, stdin)?;
        if self.output == Some(Path::new("-")) {
            warn_if_others_read(SHARES);
            // The notes are the same for all shares.
            let notes = lines.first().map_or("", |line| &line.notes);
            return print_with(|stdout| {
                stdout.write_all(notes.as_bytes())?;
                lines.iter().try_for_each(|line| writeln!(stdout, "{}", *line.text))
            });
        }
        let names: Vec<_> = lines.iter().map(|line| foreign::file_name(&self.stem, line)).collect();
        let files = NewFiles::create(self.output.unwrap_or(Path::new(".")), &names)?;
        for ((mut file, path), line) in files.files().zip(&lines) {
            let pieces = [line.heading.as_bytes(), line.notes.as_bytes(), line.text.as_bytes(), b"\n"];
            let written = pieces.into_iter().try_for_each(|piece| file.write_all(piece));
            written.map_err(|error| Error::cannot_write(path, &error))?;
        }
        say_where(&files.finish()?);
        Ok(())
    }

    /// Returns the lines of another program's shares. If the secret is an identity file, words and
    /// `ssss` split only its key, and its public key is returned too.
    fn foreign_lines(&self, mut input: Input, stdin: &StdinUse) -> Result<(Vec<foreign::Line>, Option<String>)> {
        let mut secret = Zeroizing::new(Vec::with_capacity(MAX_SECRET as usize + 1));
        let read = (&mut input.reader).take(MAX_SECRET + 1).read_to_end(&mut secret);
        read.map_err(|error| read_error(error, &input.name))?;
        if secret.len() as u64 > MAX_SECRET {
            return Err(Error::new(format!("{} is longer than {MAX_SECRET} bytes", input.name))
                .hint(foreign::advice_on_length(self.form)));
        }
        let (mut comments, mut public) = (Vec::new(), None);
        if let Some(identity) = identity::single(&secret).filter(|_| self.form.words || self.form.ssss) {
            secret = identity.secret;
            comments.push(format!("{PUBLIC_KEY_NOTE}{}", identity.public));
            public = Some(identity.public);
        }
        let passphrases = self.passphrase.then(|| Passphrases::new(stdin));
        let counts = (self.threshold, self.count);
        let lines = foreign::split(self.form, &secret, counts, &comments, passphrases.as_ref())?;
        if self.form.words && public.is_none() && !self.passphrase {
            let shares = match self.threshold - 1 {
                1 => "1 share in words is".to_owned(),
                count => format!("{count} shares in words are"),
            };
            warn(format!(
                "{shares} enough to check a guess at the secret: if it is not a random key, add a passphrase that is \
                 hard to guess (-p)"
            ));
        }
        Ok((lines, public))
    }

    /// Writes all shares to one file, a page for each.
    fn sheets(&self, mut input: Input, stdin: &StdinUse, mut output: Output) -> Result<()> {
        let (texts, set, public) = if self.form.words {
            let (lines, public) = self.foreign_lines(input, stdin)?;
            let set = lines.first().and_then(|line| line.ending.split('.').next()).unwrap_or_default().to_owned();
            (lines.into_iter().map(|line| line.text).collect(), set, public)
        } else {
            let (secret, _) = read_for_text(&mut input)?;
            if secret.len() > MAX_TEXT_PAYLOAD_BYTES {
                return Err(too_long_for_text(&input.name).hint("split a key, and encrypt the file to it"));
            }
            let split = self.split()?;
            let set = split.headers().next().map(|header| header.set().short()).unwrap_or_default();
            (self.texts(split, &secret)?, set, identity::single(&secret).map(|identity| identity.public))
        };
        let sheets = Sheets {
            stem: &self.stem,
            set: &set,
            threshold: self.threshold,
            count: self.count,
            words: self.form.words,
            passphrase: self.passphrase,
            public: public.as_deref(),
        };
        let numbered: Vec<_> = (1..).zip(&texts).map(|(index, text)| Sheet { index, text }).collect();
        let page = sheets.page(&numbered)?;
        output.write_all(page.as_bytes()).map_err(|error| Error::from_io("cannot write the sheets", error))?;
        output.finish()?;
        warn(
            "the file of the sheets has all shares together, which restore the secret: print the file, then destroy it",
        );
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
        let texts = self.texts(self.split()?, secret)?;
        warn_if_others_read(SHARES);
        print_with(|stdout| {
            self.comments.iter().try_for_each(|comment| writeln!(stdout, "# {comment}"))?;
            texts.iter().try_for_each(|text| writeln!(stdout, "{}", **text))
        })
    }

    /// Splits a secret into shares in text form.
    fn texts(&self, split: Split, secret: &[u8]) -> Result<Vec<Zeroizing<String>>> {
        let sinks = (0..self.count).map(|_| Sink::Memory(WipedVec::default())).collect();
        let mut writer = split.write_to(sinks).map_err(split_error)?;
        writer.write_all(secret).map_err(write_failed)?;
        let sinks = writer.finish().map_err(write_failed)?.into_iter();
        let bytes = sinks.filter_map(|sink| if let Sink::Memory(bytes) = sink { Some(bytes) } else { None });
        bytes.map(text_of).collect()
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

/// Reads the beginning of `input`, with at least one byte more than shares in text form can hold.
/// If the whole input is an identity file that is too long for them, returns only the line of the
/// key, and the public key.
fn read_for_text(input: &mut Input) -> Result<(Zeroizing<Vec<u8>>, Option<String>)> {
    const LIMIT: usize = identity::MAX_FILE_BYTES;
    let mut start = Zeroizing::new(Vec::with_capacity(LIMIT + 1));
    let read = (&mut input.reader).take(LIMIT as u64 + 1).read_to_end(&mut start);
    read.map_err(|error| read_error(error, &input.name))?;
    if start.len() > MAX_TEXT_PAYLOAD_BYTES
        && start.len() <= LIMIT
        && let Some(identity) = identity::single(&start)
    {
        warn(format!("the shares have only the key in {}, without its comments", input.name));
        return Ok((Zeroizing::new(identity.line.as_bytes().to_vec()), Some(identity.public)));
    }
    Ok((start, None))
}

fn too_long_for_text(name: &str) -> Error {
    Error::new(format!("{name} is longer than {MAX_TEXT_PAYLOAD_BYTES} bytes, the limit of shares in text form"))
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
