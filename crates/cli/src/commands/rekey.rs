//! `sealane rekey` changes the recipients of a file.

use std::io::{self, Read, Write};
use std::path::Path;

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::{Decryptor, Existing, RekeyError, Rekeyed};

use crate::args::RekeyArgs;
use crate::error::explain::{encrypt_error, payload_error};
use crate::error::{Error, Result, warn};
use crate::io::old_header::{self, Target};
use crate::io::output::{Content, Output};
use crate::io::stdin::StdinUse;
use crate::keys::encrypt_to::{recipients, with_threshold};
use crate::keys::file_keys::{OpenError, Openers};
use crate::keys::passphrase::Passphrases;
use crate::keys::same_file::{check_same, check_same_keys};

/// Changes the recipients of a file.
pub(crate) fn run(args: &RekeyArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let path = args.file.input.as_deref().unwrap_or(Path::new(""));
    // Open and locked to the end: another file that takes the name meanwhile is not touched.
    let target = if args.file.output.is_none() { Some(Target::open(path)?) } else { None };
    let mut input = match &target {
        Some(target) => target.input()?,
        None => old_header::open_input(Some(path), &stdin)?,
    };
    input.refuse_mangled()?;
    // Errors of the output should come before any question.
    let output = Output::prepare(Some(args.file.output.as_deref().unwrap_or(path)), Content::Binary, false)?;
    match args.file.output {
        Some(_) => check_same(&args.file, &input, &output)?,
        None => check_same_keys(&args.file, &output)?,
    }
    let passphrases = Passphrases::new(&stdin);
    let openers = Openers::load(&args.file, &stdin, passphrases.clone())?;
    let mut reader = ArmoredReader::new(input.reader);
    let armored = reader.is_armored().is_ok_and(|armored| armored);
    let existing = if args.add { Existing::Keep } else { Existing::Drop };
    let (rekeyed, decryptor) = openers.open(reader, &input.name, |decryptor, identities| {
        let new = recipients(&args.file, &[], &stdin, &passphrases).map_err(OpenError::Other)?;
        let rekeyed = with_threshold(&args.file, &new, |recipients| {
            Ok(decryptor.rekey(identities.iter().copied(), recipients.iter().copied(), existing))
        });
        Ok::<_, OpenError>((rekeyed.map_err(OpenError::Other)??, decryptor))
    })?;

    let old = decryptor.header().encode();
    match target {
        None => copy(decryptor, &rekeyed, armored, output, &input.name, || Ok(()))?,
        Some(target) => match rekeyed.header_of_len(old.len()).filter(|_| !armored) {
            Some(header) => target.replace(&old, &header.encode(), decryptor.nonce())?,
            // Never copied over the only file: an interruption would destroy it.
            None if output.is_renamed() => {
                let nonce = *decryptor.nonce();
                copy(decryptor, &rekeyed, armored, output, &input.name, || {
                    target.refuse_if_modified()?;
                    if armored { Ok(()) } else { target.refuse_if_changed(&old, &nonce) }
                })?;
            }
            None => {
                return Err(Error::new(format!("the new header of {} is longer than the old one", input.name))
                    .hint("write a new file with -o"));
            }
        },
    }
    if !args.add {
        warn(
            "anyone who could open the file before may have a copy, or its key, which stays the same: \
             to exclude somebody, decrypt the file and encrypt it anew",
        );
    }
    Ok(())
}

impl From<RekeyError> for OpenError {
    fn from(error: RekeyError) -> Self {
        match error {
            RekeyError::Open(error) => Self::Decrypt(error),
            RekeyError::Wrap(error) => Self::Other(encrypt_error(error)),
            error => {
                Self::Other(Error::new(error.to_string()).hint("without --add, only the new recipients can open it"))
            }
        }
    }
}

/// Writes the whole file with another header. `unchanged` is asked before the result gets its name.
fn copy<R: Read>(
    decryptor: Decryptor<R>,
    rekeyed: &Rekeyed,
    armored: bool,
    mut output: Output,
    name: &str,
    unchanged: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let format = if armored { Format::Armored } else { Format::Binary };
    let write_failed = |error| Error::from_io("cannot write", error);
    let mut writer = ArmoredWriter::with_format(&mut output, format);
    writer.write_all(&rekeyed.header().encode()).map_err(write_failed)?;
    let mut payload = decryptor.into_payload();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n = match payload.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(payload_error(error, name)),
        };
        writer.write_all(&buffer[..n]).map_err(write_failed)?;
    }
    writer.finish().map_err(write_failed)?;
    output.finish_if(unchanged)
}
