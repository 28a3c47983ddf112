//! `sealane decrypt`, which is `age -d`.

use std::io::{Read, Seek as _};

use age::Identity;
use sealane_age::armor::ArmoredReader;
use sealane_age::threshold::{Part, ThresholdIdentity};
use sealane_age::{Backend, CopyError, DecryptError, Decryptor, ReadAt, StreamReader, Threads};

use super::contribute::read_parts;
use super::{check_same, range, salvage};
use crate::args::{FileArgs, IdentitySource};
use crate::error::{Error, Result};
use crate::failure::{copy_error, decrypt_error, payload_error};
use crate::identities::Identities;
use crate::input::Input;
use crate::output::{Content, Output};
use crate::passphrase::Passphrases;
use crate::scrypt::PassphraseIdentity;
use crate::stdin::StdinUse;

/// Decrypts.
pub(crate) fn run(args: &FileArgs) -> Result<()> {
    let backend = crate::backend()?;
    if args.salvage {
        return salvage::run(args);
    }
    let stdin = StdinUse::default();
    let mut input = Input::open(args.input.as_deref(), &stdin)?;
    let mut output = Output::prepare(args.output.as_deref(), Content::Plaintext, input.is_terminal)?;
    check_same(args, &input, &output)?;
    let quiet = output.is_terminal() || input.is_terminal;
    let passphrases = Passphrases::new(&stdin);
    let identities = Identities::load(&args.identities, &stdin, &passphrases)?;
    if input.is_terminal {
        input.take_pasted_armor()?;
    }
    input.refuse_mangled()?;

    let mut reader = ArmoredReader::new(input.reader);
    // If that cannot be found out, the header cannot be read either.
    let file = input.file.filter(|_| reader.is_armored().is_ok_and(|armored| !armored));

    // Whatever is wrong with the header or the identities is found before anything is written.
    let openers = Openers::new(&args.identities, identities, passphrases, &input.name)
        .with_parts(read_parts(&args.parts, &stdin)?);
    let (threads, progress) = (args.threads(), input.progress);
    let begin = || {
        progress.reset();
        progress.show(input.len.filter(|_| args.range.is_none()), quiet)
    };
    let written = match (args.range, file) {
        (Some(range), Some(mut file)) => {
            file.rewind().map_err(|error| Error::io(format!("cannot read {}", input.name), &error))?;
            let reader = openers.decrypt(file, backend)?;
            let _shown = begin();
            range::write_at(reader, range, &mut output, threads)
        }
        (Some(range), None) => {
            let reader = openers.decrypt(reader, backend)?;
            let _shown = begin();
            range::write(reader, range, &mut output, threads)
        }
        (None, file) => {
            let reader = openers.decrypt(reader, backend)?;
            let _shown = begin();
            write(reader, file, &mut output, threads)
        }
    };
    match written.map_err(|error| copy_error(error, |error| payload_error(error, &input.name))) {
        Ok(()) => output.finish(),
        Err(error) => {
            output.abandon();
            Err(error)
        }
    }
}

/// What opens files, as the command line names it.
pub(super) struct Openers<'a> {
    sources: &'a [IdentitySource],
    identities: Identities,
    passphrases: Passphrases,
    /// The name of the file, quoted.
    file: &'a str,
    parts: Vec<Part>,
}

impl<'a> Openers<'a> {
    pub(super) fn new(
        sources: &'a [IdentitySource],
        identities: Identities,
        passphrases: Passphrases,
        file: &'a str,
    ) -> Self {
        Self { sources, identities, passphrases, file, parts: Vec::new() }
    }

    /// Parts of the file's key that others have contributed.
    pub(super) fn with_parts(self, parts: Vec<Part>) -> Self {
        Self { parts, ..self }
    }

    /// Reads the header of `file`, and does what needs its key.
    pub(super) fn open<R: Read, T, E: Into<OpenError>>(
        self,
        file: R,
        act: impl FnOnce(Decryptor<R>, &[&dyn Identity]) -> Result<T, E>,
    ) -> Result<T> {
        let decryptor = Decryptor::new(file).map_err(decrypt_error)?;
        let with_passphrase = decryptor.is_scrypt();
        if self.sources.is_empty() && self.parts.is_empty() {
            if !with_passphrase {
                return Err(Error::new("the file is not encrypted with a passphrase: it takes an identity to open it")
                    .hint("give the private key of one of its recipients with -i, or a plugin with -j"));
            }
            let identity = PassphraseIdentity::new(self.file, self.passphrases);
            // How hard the passphrase may be is the identity's business.
            let decryptor = decryptor.with_max_work_factor(u8::MAX);
            return act(decryptor, &[&identity]).map_err(|error| error.into().explain(false));
        }
        // A passphrase file with -i: only a plugin could open it; an encrypted identity file must not be asked for in vain.
        let identities = self.identities.into_openers(with_passphrase);
        let identities: Vec<_> = identities.iter().map(|identity| &**identity).collect();
        let together = ThresholdIdentity::new(identities.iter().copied(), &self.parts);
        let all: Vec<_> = identities.into_iter().chain([&together as &dyn Identity]).collect();
        act(decryptor, &all).map_err(|error| error.into().explain(with_passphrase))
    }

    pub(super) fn decrypt<R: Read>(self, file: R, backend: Backend) -> Result<StreamReader<R>> {
        self.open(file, |decryptor, identities| decryptor.with_backend(backend).decrypt(identities.iter().copied()))
    }
}

/// Why a file is not opened.
pub(super) enum OpenError {
    Decrypt(DecryptError),
    Other(Error),
}

impl From<DecryptError> for OpenError {
    fn from(error: DecryptError) -> Self {
        Self::Decrypt(error)
    }
}

impl OpenError {
    /// `in_vain` says that identities were given for a file with a passphrase.
    fn explain(self, in_vain: bool) -> Error {
        match self {
            Self::Decrypt(DecryptError::NoMatch) if in_vain => {
                Error::new("the file is encrypted with a passphrase, and identities were given")
                    .hint("leave -i and -j out to open it with its passphrase")
            }
            Self::Decrypt(error) => decrypt_error(error),
            Self::Other(error) => error,
        }
    }
}

/// Writes what is authentic. `file` is what is read, where that can be done at any place.
fn write<R: Read>(
    reader: StreamReader<R>,
    file: Option<impl ReadAt>,
    output: &mut Output,
    threads: Threads,
) -> Result<(), CopyError> {
    if let Some(file) = file {
        let output = output.at_any_place().map_err(|error| CopyError::Write(error.into_io()))?;
        if let Some(output) = output {
            return reader.copy_at(&file, &output, threads).map(drop);
        }
    }
    reader.copy_to(output, threads).map(drop)
}
