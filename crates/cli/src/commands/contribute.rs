//! `sealane contribute` contributes a holder's part of a file key to the person who opens the
//! file.
//!
//! The question shows only values that are authenticated with the part. Everything else, such as
//! the name of the file, may come from an attacker who wants the part of another file.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use sealane_age::armor::{ArmoredReader, ArmoredWriter};
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{Label, Part, ShareDescription};
use sealane_age::{Decryptor, Encryptor, Recipient};
use zeroize::Zeroizing;

use crate::args::{ArmorArgs, ContributeArgs, RecipientArgs};
use crate::error::explain::{decrypt_error, encrypt_error};
use crate::error::{Error, Result, printable, quoted};
use crate::io::old_header::{self, Repair};
use crate::io::output::{Content, Output};
use crate::io::stdin::StdinUse;
use crate::keys::encrypt_to::recipients;
use crate::keys::identities::Identities;
use crate::keys::passphrase::Passphrases;
use crate::keys::same_file::KeyFiles;
use crate::os::tty;

type Contribution = (ShareDescription, Part);

/// Unwraps the parts that the identities hold, and contributes them.
pub(crate) fn run(args: &ContributeArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let named = args.recipients();
    let content = match (named.are_named(), args.armor) {
        (false, _) => Content::Secret,
        (true, false) => Content::Binary,
        (true, true) => Content::Text,
    };
    if args.input.is_dir() {
        return Err(Error::new(format!("{} is a folder, and a part belongs to one file", quoted(&args.input))).hint(
            "give a file in it; to open the whole folder, as many identities as it needs must be in one place (-i)",
        ));
    }
    let mut input = old_header::open_input(Some(&args.input), &stdin, Repair::InFile)?;
    let mut output = Output::prepare(args.output.path(), content, false)?;
    let files = KeyFiles { identities: &args.identities, parts: &[], recipients: &named.recipients_files };
    files.check_with(&input, &output)?;
    let passphrases = Passphrases::new(&stdin);
    // Errors of recipients should come before any question.
    let encryptor = if named.are_named() { Some(encryptor(&named, &stdin, &passphrases)?) } else { None };
    let identities = Identities::load(&args.identities.opening(), &stdin, &passphrases)?.into_openable();
    input.refuse_mangled()?;
    let header = Decryptor::read_header(ArmoredReader::new(input.reader)).map_err(decrypt_error)?;
    let parts = Part::of(&header, identities.holders()).map_err(|error| decrypt_error(error.into()))?;
    if parts.is_empty() {
        return Err(Error::new(format!("no identity holds a part of the key of {}", input.name))
            .hint("sealane inspect shows whether the file is for several holders"));
    }
    let parts = of_set(with_label(parts, args.label.as_ref())?, args.set.as_deref())?;
    let parts = if args.yes { of_one_set(parts)? } else { agreed(parts)? };
    let text = text(&parts);

    let failed = |error| Error::from_io("cannot write", error);
    match encryptor {
        None => output.write_all(text.as_bytes()).map_err(failed)?,
        Some(encryptor) => {
            let armor = ArmoredWriter::with_format(&mut output, ArmorArgs { armor: args.armor }.format());
            let mut writer = encryptor.wrap_output(armor).map_err(failed)?;
            writer.write_all(text.as_bytes()).map_err(failed)?;
            writer.finish().and_then(ArmoredWriter::finish).map_err(failed)?;
        }
    }
    output.finish()
}

fn encryptor(named: &RecipientArgs, stdin: &StdinUse, passphrases: &Passphrases) -> Result<Encryptor> {
    let recipients = recipients(named, &[], stdin, passphrases)?;
    let recipients = recipients.iter().map(|recipient| &**recipient as &dyn Recipient);
    Ok(Encryptor::with_recipients(recipients).map_err(encrypt_error)?.with_backend(crate::os::backend::chosen()?))
}

/// Returns the parts with this label, or all parts if no label is given.
fn with_label(mut parts: Vec<Contribution>, label: Option<&Label>) -> Result<Vec<Contribution>> {
    let Some(label) = label else { return Ok(parts) };
    let others: Vec<_> = parts.iter().map(|(description, _)| shown(description.label.as_ref())).collect();
    parts.retain(|(description, _)| description.label.as_ref() == Some(label));
    if parts.is_empty() {
        return Err(Error::new(format!("no part has the label {}", shown(Some(label))))
            .hint(format!("the labels in the file: {}", others.join(", "))));
    }
    Ok(parts)
}

/// Returns the parts of the share set with this id, or all parts if no id is given.
fn of_set(mut parts: Vec<Contribution>, id: Option<&str>) -> Result<Vec<Contribution>> {
    let Some(id) = id else { return Ok(parts) };
    let mut others: Vec<_> = parts.iter().map(|(description, _)| description.set.to_string()).collect();
    others.dedup();
    parts.retain(|(description, _)| description.set.to_string() == id);
    if parts.is_empty() {
        return Err(Error::new(format!("no part is of share set {id}"))
            .hint(format!("the share sets of the parts: {}", others.join(", "))));
    }
    Ok(parts)
}

/// Refuses parts of several share sets, because without a question the user has not chosen one.
fn of_one_set(parts: Vec<Contribution>) -> Result<Vec<Contribution>> {
    let mut sets: Vec<_> = parts.iter().map(|(description, _)| description.set).collect();
    sets.dedup();
    if sets.len() > 1 {
        let sets: Vec<_> = sets.iter().map(ToString::to_string).collect();
        return Err(Error::new(format!("the identities hold parts of several share sets: {}", sets.join(", ")))
            .hint("with -y, choose one with --set or --label; without -y, the command asks about each"));
    }
    Ok(parts)
}

/// Returns the parts that the user agrees to contribute.
fn agreed(parts: Vec<Contribution>) -> Result<Vec<Contribution>> {
    let mut agreed = Vec::new();
    for part in parts {
        if ask(&part.0)? {
            agreed.push(part);
        }
    }
    if agreed.is_empty() { Err(Error::new("no part was contributed")) } else { Ok(agreed) }
}

fn ask(description: &ShareDescription) -> Result<bool> {
    let no_terminal = |error: io::Error| {
        Error::io("cannot ask whether to contribute the part", &error).hint("-y contributes it without asking")
    };
    let ShareDescription { threshold, count, point, set, label, .. } = description;
    for line in [
        "A part of a file key. The maker of the file says:".to_owned(),
        format!("  label      {}", shown(label.as_ref())),
        format!("  part       {point} of {count}; any {threshold} open the file"),
        format!("  share set  {set} (format v1)"),
    ] {
        tty::show(&line).map_err(no_terminal)?;
    }
    loop {
        let answer = match tty::ask("Contribute this part? (y/n)") {
            Ok(answer) => answer,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(no_terminal(error)),
        };
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" | "" => return Ok(false),
            _ => {}
        }
    }
}

fn shown(label: Option<&Label>) -> String {
    label.map_or("none".to_owned(), |label| format!("\"{}\"", printable(label.as_str())))
}

/// Formats the parts, each after a comment.
fn text(parts: &[Contribution]) -> Zeroizing<String> {
    const MAX_BYTES: usize = 1024;
    let mut text = Zeroizing::new(String::with_capacity(parts.len() * MAX_BYTES));
    for (description, part) in parts {
        let ShareDescription { threshold, count, point, set, label, .. } = description;
        // Writing to a string does not fail.
        let _ = writeln!(text, "# part {point} of {count}; any {threshold} open the file: a secret");
        let _ = writeln!(text, "# share set {set}, label {}", shown(label.as_ref()));
        let _ = writeln!(text, "{}", part.to_text().expose_secret());
    }
    text
}
