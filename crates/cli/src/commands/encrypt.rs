//! `sealane encrypt`, which is what age does without `-d`.

use std::io::Read;

use age::Recipient;
use sealane_age::armor::{ArmoredWriter, Format};
use sealane_age::threshold::ThresholdRecipient;
use sealane_age::{CopyError, Encryptor, ReadAt};

use super::check_same;
use crate::args::{FileArgs, IdentitySource};
use crate::error::{Error, Result};
use crate::failure::{copy_error, encrypt_error, read_error};
use crate::identities::Identities;
use crate::input::Input;
use crate::output::{Content, Output};
use crate::passphrase::Passphrases;
use crate::recipients::{Recipients, SharedRecipient};
use crate::scrypt;
use crate::stdin::StdinUse;

/// Encrypts.
pub(crate) fn run(args: &FileArgs) -> Result<()> {
    let backend = crate::backend()?;
    let stdin = StdinUse::default();
    let input = Input::open(args.input.as_deref(), &stdin)?;
    let content = if args.armor { Content::Text } else { Content::Binary };
    let mut output = Output::prepare(args.output.as_deref(), content, input.is_terminal)?;
    check_same(args, &input, &output)?;
    let quiet = output.is_terminal() || input.is_terminal;

    // Everything that can be wrong with recipients is found here, and nothing has been written yet.
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

/// Does something with `recipients`, or, with -k, with one recipient that stands for all of them
/// together.
pub(super) fn with_threshold<T>(
    args: &FileArgs,
    recipients: &[SharedRecipient],
    act: impl FnOnce(&[&dyn Recipient]) -> Result<T>,
) -> Result<T> {
    let recipients: Vec<_> = recipients.iter().map(|recipient| &**recipient as &dyn Recipient).collect();
    let Some(threshold) = args.threshold else { return act(&recipients) };
    let together = ThresholdRecipient::new(threshold, recipients).map_err(|error| {
        Error::usage(error.to_string()).hint("-k is how many of the recipients (-r, -R) are needed")
    })?;
    act(&[&together.with_label(args.label.clone())])
}

/// Those that the command line names, and those of the identities in `sources`.
pub(super) fn recipients(
    args: &FileArgs,
    sources: &[IdentitySource],
    stdin: &StdinUse,
    passphrases: &Passphrases,
) -> Result<Vec<SharedRecipient>> {
    if args.passphrase {
        return Ok(vec![Box::new(scrypt::recipient(passphrases.to_encrypt()?.secret())?)]);
    }
    build(args, collect(args, sources, stdin, passphrases)?)
}

/// Each by itself if they are holders who are counted.
pub(super) fn build(args: &FileArgs, recipients: Recipients) -> Result<Vec<SharedRecipient>> {
    if args.threshold.is_some() { recipients.build_holders() } else { recipients.build() }
}

/// Those that have public keys.
pub(super) fn collect(
    args: &FileArgs,
    sources: &[IdentitySource],
    stdin: &StdinUse,
    passphrases: &Passphrases,
) -> Result<Recipients> {
    let mut recipients = Recipients::default();
    for recipient in &args.recipients {
        recipients.add_argument(recipient)?;
    }
    for path in &args.recipients_files {
        recipients.add_file(path, stdin)?;
    }
    recipients.add_identities(Identities::load(sources, stdin, passphrases)?)?;
    Ok(recipients)
}
