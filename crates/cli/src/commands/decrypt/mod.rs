//! `sealane decrypt`: decrypts files, as `age -d` does.

mod folder;
mod range;
mod salvage;

use std::io::{Read, Seek as _};

use sealane_age::armor::ArmoredReader;
use sealane_age::{CopyError, ReadAt, StreamReader, Threads};

use crate::args::{DecryptArgs, KeyArgs, OpeningArgs};
use crate::error::explain::{copy_error, payload_error};
use crate::error::{Error, Result};
use crate::io::old_header::{self, Repair};
use crate::io::output::{Content, Output};
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::{AllowPassphrase, Openers};
use crate::keys::same_file::KeyFiles;

/// Decrypts one file, or many.
pub(crate) fn run(args: &DecryptArgs) -> Result<()> {
    if args.many {
        return folder::run(args);
    }
    let backend = crate::os::backend::chosen()?;
    let OpeningArgs { keys, threads, decryption, inputs, .. } = &args.opening;
    let (path, range) = (inputs.file(), decryption.range);
    if decryption.salvage {
        return salvage::run(args);
    }
    let stdin = StdinUse::default();
    let mut input = old_header::open_input(path, &stdin, Repair::InFile)?;
    let content = if range.is_some() { Content::PlaintextRange } else { Content::Plaintext };
    let mut output = Output::prepare(args.output.path(), content, input.is_terminal)?;
    let KeyArgs { identities, parts } = keys;
    KeyFiles { identities, parts, recipients: &[] }.check_with(&input, &output)?;
    let quiet = output.is_terminal() || input.is_terminal;
    let openers = Openers::load(keys, &stdin)?;
    if input.is_terminal {
        input.take_pasted_armor()?;
    }
    input.refuse_mangled()?;

    let mut reader = ArmoredReader::new(input.reader);
    // If this fails, the header cannot be read either.
    let file = input.file.filter(|_| reader.is_armored().is_ok_and(|armored| !armored));

    // All errors of the header and the identities occur before anything is written.
    let (threads, progress) = (threads.threads(), input.progress);
    let begin = || {
        progress.reset();
        progress.show(input.len.filter(|_| range.is_none()), quiet)
    };
    let explain = |error| old_header::explain(error, path);
    let written = match (range, file) {
        (Some(range), Some(mut file)) => {
            file.rewind().map_err(|error| Error::io(format!("cannot read {}", input.name), &error))?;
            let mut reader = openers.decrypt(file, &input.name, AllowPassphrase::Yes, backend).map_err(explain)?;
            let _shown = begin();
            range::seek(&mut reader, range).and_then(|len| range::write(reader, len, &mut output, threads))
        }
        (Some(range), None) => {
            let mut reader = openers.decrypt(reader, &input.name, AllowPassphrase::Yes, backend).map_err(explain)?;
            let _shown = begin();
            range::skip(&mut reader, range).and_then(|len| range::write(reader, len, &mut output, threads))
        }
        (None, file) => {
            let reader = openers.decrypt(reader, &input.name, AllowPassphrase::Yes, backend).map_err(explain)?;
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

/// Writes the authenticated plaintext. `file` is the input, if it is binary and allows random
/// access.
fn write<R: Read>(
    reader: StreamReader<R>,
    file: Option<impl ReadAt>,
    output: &mut Output,
    threads: Threads,
) -> Result<(), CopyError> {
    if let Some(file) = file
        && let Some(output) = output.at_any_place().map_err(CopyError::Write)?
    {
        return reader.copy_at(&file, &output, threads).map(drop);
    }
    reader.copy_to(output, threads).map(drop)
}
