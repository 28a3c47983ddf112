//! `sealane encrypt`: encrypts files, as age does without `-d`.

mod folder;

use std::io::Read;

use sealane_age::armor::{ArmoredWriter, Format};
use sealane_age::{CopyError, Encryptor, ReadAt};

use crate::args::EncryptArgs;
use crate::error::Result;
use crate::error::explain::{copy_error, encrypt_error, read_error};
use crate::io::input::Input;
use crate::io::output::{Content, Output};
use crate::io::stdin::StdinUse;
use crate::keys::encrypt_to::{recipients, with_threshold};
use crate::keys::passphrase::Passphrases;
use crate::keys::same_file::KeyFiles;

/// Encrypts one file, or many.
pub(crate) fn run(args: &EncryptArgs) -> Result<()> {
    if args.many {
        return folder::run(args);
    }
    let backend = crate::os::backend::chosen()?;
    let stdin = StdinUse::default();
    let input = Input::open(args.inputs.file(), &stdin)?;
    let content = if args.sealing.armor.armor { Content::Text } else { Content::Binary };
    let mut output = Output::prepare(args.sealing.output.path(), content, input.is_terminal)?;
    let recipients = &args.sealing.recipients.recipients_files;
    KeyFiles { identities: &args.identities, parts: &[], recipients }.check_with(&input, &output)?;
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
    args: &EncryptArgs,
    file: Option<impl ReadAt>,
    reader: impl Read,
    output: &mut Output,
) -> Result<(), CopyError> {
    let format = args.sealing.armor.format();
    if let (Some(file), Format::Binary) = (file, format)
        && let Some(output) = output.at_any_place().map_err(CopyError::Write)?
    {
        return encryptor.encrypt_at(&file, &output, args.threads.threads()).map(drop);
    }
    let writer = encryptor.encrypt(reader, ArmoredWriter::with_format(output, format), args.threads.threads())?;
    writer.finish().map(drop).map_err(CopyError::Write)
}

fn encryptor(args: &EncryptArgs, stdin: &StdinUse) -> Result<Encryptor> {
    let passphrases = Passphrases::new(stdin);
    let named = &args.sealing.recipients;
    let recipients = recipients(named, &args.identities.given, stdin, &passphrases)?;
    with_threshold(named, &recipients, |recipients| {
        Encryptor::with_recipients(recipients.iter().copied()).map_err(encrypt_error)
    })
}
