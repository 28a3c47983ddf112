//! `sealane rekey`: other recipients for a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::header::Header;
use sealane_age::{Decryptor, Existing, RekeyError, Rekeyed, WriteAt as _};

use super::contribute::read_parts;
use super::decrypt::{OpenError, Openers};
use super::encrypt::{recipients, with_threshold};
use crate::args::RekeyArgs;
use crate::error::{Error, Result, warn};
use crate::failure::{encrypt_error, payload_error};
use crate::identities::Identities;
use crate::input::Input;
use crate::output::{Content, Output};
use crate::passphrase::Passphrases;
use crate::stdin::StdinUse;

/// Gives a file to others.
pub(crate) fn run(args: &RekeyArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let path = args.file.input.as_deref().unwrap_or(Path::new(""));
    restore(path)?;
    let mut input = Input::open(Some(path), &stdin)?;
    input.refuse_mangled()?;
    // Prepared now, so that what would fail in the end does so before anybody is asked.
    let output = Output::prepare(Some(args.file.output.as_deref().unwrap_or(path)), Content::Binary, false)?;
    let passphrases = Passphrases::new(&stdin);
    let identities = Identities::load(&args.file.identities, &stdin, &passphrases)?;
    let mut reader = ArmoredReader::new(input.reader);
    let armored = reader.is_armored().is_ok_and(|armored| armored);
    let existing = if args.add { Existing::Keep } else { Existing::Drop };
    let openers = Openers::new(&args.file.identities, identities, passphrases.clone(), &input.name)
        .with_parts(read_parts(&args.file.parts, &stdin)?);
    let (rekeyed, decryptor) = openers.open(reader, |decryptor, identities| {
        let new = recipients(&args.file, &[], &stdin, &passphrases).map_err(OpenError::Other)?;
        let rekeyed = with_threshold(args.file.threshold, &new, |recipients| {
            Ok(decryptor.rekey(identities.iter().copied(), recipients.iter().copied(), existing))
        });
        Ok::<_, OpenError>((rekeyed.map_err(OpenError::Other)??, decryptor))
    })?;

    let old = decryptor.header().encode();
    let in_place = args.file.output.is_none() && !armored && output.can_restart();
    match rekeyed.header_of_len(old.len()).filter(|_| in_place) {
        Some(header) => replace_header(path, &old, &header)?,
        None => copy(decryptor, &rekeyed, armored, output, &input.name)?,
    }
    if !args.add {
        warn(
            "whoever could open the file before may have a copy of it, or its key, which is still the same: \
             to take it away from somebody, decrypt it and encrypt it anew",
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

/// The whole file again, with another header.
fn copy<R: Read>(
    decryptor: Decryptor<R>,
    rekeyed: &Rekeyed,
    armored: bool,
    mut output: Output,
    name: &str,
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
    output.finish()
}

/// Writes the header over the old one, which has the same length. The old one is kept beside the file until the new one is on the disk, so that
/// it is whole again after whatever happens in between: the next rekey puts it back.
fn replace_header(path: &Path, old: &[u8], new: &Header) -> Result<()> {
    let backup = backup_path(path);
    let cannot =
        |what: &Path, error: &io::Error| Error::io(format!("cannot write to {:?}", what.display().to_string()), error);
    let file = OpenOptions::new().write(true).open(path).map_err(|error| cannot(path, &error))?;
    let kept = OpenOptions::new().write(true).create_new(true).open(&backup).and_then(|mut kept| {
        kept.write_all(old)?;
        kept.sync_all()
    });
    if let Err(error) = kept.and_then(|()| sync_directory(path)) {
        let _ = fs::remove_file(&backup);
        return Err(cannot(&backup, &error));
    }
    let written = file.write_all_at(&new.encode(), 0).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // The old one again; if that does not go either, it is in the backup.
        if file.write_all_at(old, 0).and_then(|()| file.sync_all()).is_ok() {
            let _ = fs::remove_file(&backup);
        }
        return Err(cannot(path, &error));
    }
    fs::remove_file(&backup).map_err(|error| cannot(&backup, &error))
}

/// Puts back the header of a file whose change was interrupted.
fn restore(path: &Path) -> Result<()> {
    let backup = backup_path(path);
    let Ok(old) = fs::read(&backup) else { return Ok(()) };
    let cannot =
        |error: &io::Error| Error::io(format!("cannot put the header of {:?} back", path.display().to_string()), error);
    // One that is not whole was being written when nothing else had happened yet.
    if Header::parse(&old).is_ok_and(|(_, len)| len == old.len()) {
        let file = OpenOptions::new().write(true).open(path).map_err(|error| cannot(&error))?;
        file.write_all_at(&old, 0).and_then(|()| file.sync_all()).map_err(|error| cannot(&error))?;
        warn("an earlier change of the header was interrupted: the old one has been put back first");
    }
    fs::remove_file(&backup).map_err(|error| cannot(&error))
}

/// Beside the file, with a name that says what it is.
fn backup_path(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".sealane-old-header");
    path.with_file_name(name)
}

fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    // Where directories cannot be synced, there is nothing more to be done.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}
