//! `sealane rekey`: other recipients for a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::header::Header;
use sealane_age::stream::NONCE_LEN;
use sealane_age::{Decryptor, Existing, ReadAt as _, RekeyError, Rekeyed, WriteAt as _};

use super::encrypt::{recipients, with_threshold};
use super::openers::{OpenError, Openers};
use super::{check_same, check_same_keys};
use crate::args::RekeyArgs;
use crate::error::{Error, Result, quoted, warn};
use crate::failure::{encrypt_error, payload_error};
use crate::input::Input;
use crate::output::{Content, Output, sync_directory};
use crate::passphrase::Passphrases;
use crate::stdin::StdinUse;

/// Gives a file to others.
pub(crate) fn run(args: &RekeyArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let path = args.file.input.as_deref().unwrap_or(Path::new(""));
    restore(path)?;
    let mut input = Input::open(Some(path), &stdin)?;
    input.refuse_mangled()?;
    // Prepared and checked now, so that what would fail in the end does so before anybody is asked.
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
    let cannot = Error::cannot_write;
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| cannot(path, &error))?;
    let nonce = read_nonce(&file, old.len() as u64);
    let nonce = nonce.map_err(|error| Error::io(format!("cannot read {}", quoted(path)), &error))?;
    let kept = OpenOptions::new().write(true).create_new(true).open(&backup).and_then(|mut kept| {
        kept.write_all(old)?;
        kept.write_all(&nonce)?;
        kept.sync_all()
    });
    if let Err(error) = kept {
        let _ = fs::remove_file(&backup);
        return Err(cannot(&backup, &error));
    }
    sync_directory(backup.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new(".")));
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

/// What the person should know of a file whose change was interrupted.
const INTERRUPTED: &str = "an earlier change of the header was interrupted, and the old one is kept beside the file: \
                           run sealane rekey again, which puts it back first";

/// Warns of a file whose change was interrupted: it may have neither of its headers.
pub(super) fn warn_if_interrupted(path: Option<&Path>) {
    if is_interrupted(path) {
        warn(INTERRUPTED);
    }
}

fn is_interrupted(path: Option<&Path>) -> bool {
    matches!(path.and_then(Kept::of), Some(Kept::Header(_)))
}

/// Says of a file that cannot be opened that a change of it was interrupted, if it was.
pub(super) fn explain_interrupted(error: Error, path: Option<&Path>) -> Error {
    if is_interrupted(path) { error.hint(INTERRUPTED) } else { error }
}

/// What is kept of a file while another header is written over its own: that, and the nonce of the payload, which says of which
/// file it is.
enum Kept {
    /// The header.
    Header(Vec<u8>),
    /// It was not written to its end: nothing else had happened yet.
    Unfinished,
    /// Another file has come in the place of the one that it was of.
    OfAnother,
}

impl Kept {
    /// What is kept of the file, if anything is.
    fn of(path: &Path) -> Option<Self> {
        let kept = fs::read(backup_path(path)).ok()?;
        let Some((header, nonce)) = kept.split_last_chunk::<NONCE_LEN>() else { return Some(Self::Unfinished) };
        if !Header::parse(header).is_ok_and(|(_, len)| len == header.len()) {
            return Some(Self::Unfinished);
        }
        let file = File::open(path).and_then(|file| read_nonce(&file, header.len() as u64));
        Some(if file.is_ok_and(|found| found == *nonce) { Self::Header(header.to_vec()) } else { Self::OfAnother })
    }
}

fn read_nonce(file: &File, at: u64) -> io::Result<[u8; NONCE_LEN]> {
    let (mut nonce, mut len) = ([0; NONCE_LEN], 0);
    while len < NONCE_LEN {
        match file.read_at(&mut nonce[len..], at + len as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => len += n,
        }
    }
    Ok(nonce)
}

/// Puts back the header of a file whose change was interrupted.
fn restore(path: &Path) -> Result<()> {
    let backup = backup_path(path);
    let cannot = |error: &io::Error| Error::io(format!("cannot put the header of {} back", quoted(path)), error);
    match Kept::of(path) {
        None => return Ok(()),
        Some(Kept::Unfinished) => {}
        Some(Kept::OfAnother) => {
            let what =
                format!("{} is the header of another file that had the name of {}", quoted(&backup), quoted(path));
            return Err(Error::new(what).hint("remove it if nobody misses that file"));
        }
        Some(Kept::Header(old)) => {
            let file = OpenOptions::new().write(true).open(path).map_err(|error| cannot(&error))?;
            file.write_all_at(&old, 0).and_then(|()| file.sync_all()).map_err(|error| cannot(&error))?;
            warn("an earlier change of the header was interrupted: the old one has been put back first");
        }
    }
    fs::remove_file(&backup).map_err(|error| cannot(&error))
}

/// Beside the file, with a name that says what it is. Links to the file lead to the same one.
fn backup_path(path: &Path) -> PathBuf {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".sealane-old-header");
    path.with_file_name(name)
}
