//! `sealane encrypt`: encrypts files, as age does without `-d`.

mod folder;

use std::io::Read;

use sealane_age::armor::{ArmoredWriter, Format};
use sealane_age::{CopyError, Encryptor, ReadAt};

use crate::args::FileArgs;
use crate::error::Result;
use crate::error::explain::{copy_error, encrypt_error, read_error};
use crate::io::input::Input;
use crate::io::output::{Content, Output};
use crate::io::stdin::StdinUse;
use crate::keys::encrypt_to::{recipients, with_threshold};
use crate::keys::passphrase::Passphrases;
use crate::keys::same_file::check_same;

/// Encrypts one file, or many.
pub(crate) fn run(args: &FileArgs) -> Result<()> {
    if !args.many.is_empty() {
        return folder::run(args);
    }
    let backend = crate::os::backend::chosen()?;
    let stdin = StdinUse::default();
    let input = Input::open(args.input.as_deref(), &stdin)?;
    let content = if args.armor { Content::Text } else { Content::Binary };
    let mut output = Output::prepare(args.output.as_deref(), content, input.is_terminal)?;
    check_same(args, &input, &output)?;
    let quiet = output.is_terminal() || input.is_terminal;

    // All errors of recipients occur here, before anything is written.
    let encryptor = encryptor(args, &stdin)?.with_backend(backend);
    let progress = input.progress.show(input.len, quiet);
    let written = write(encryptor, args, input.file, input.reader, &mut output);
    drop(progress);
    written.map_err(|error| copy_error(error, |error| read_error(error, &input.name)))?;
    output.finish()
}

fn write(
    encryptor: Encryptor,
    args: &FileArgs,
    file: Option<impl ReadAt>,
    reader: impl Read,
    output: &mut Output,
) -> Result<(), CopyError> {
    let format = args.format();
    if let (Some(file), Format::Binary) = (file, format)
        && let Some(output) = output.at_any_place().map_err(CopyError::Write)?
    {
        return encryptor.encrypt_at(&file, &output, args.threads()).map(drop);
    }
    let writer = encryptor.encrypt(reader, ArmoredWriter::with_format(output, format), args.threads())?;
    writer.finish().map(drop).map_err(CopyError::Write)
}

fn encryptor(args: &FileArgs, stdin: &StdinUse) -> Result<Encryptor> {
    let passphrases = Passphrases::new(stdin);
    let recipients = recipients(args, &args.identities, stdin, &passphrases)?;
    with_threshold(args, &recipients, |recipients| {
        Encryptor::with_recipients(recipients.iter().copied()).map_err(encrypt_error)
    })
}
