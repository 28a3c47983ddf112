//! Keeps the old header of an encrypted file beside it while `sealane rekey` writes a new one over
//! it.
//!
//! The kept file, `.NAME.sealane-old-header`, appears complete and is on the disk before the first
//! byte of the header changes. It is removed when the last byte is on the disk. If the change is
//! interrupted, the next reader finds both headers in the kept file. If the encrypted file has one
//! of them, it stays unchanged. If it has a mixture of them, or a header that cannot be parsed, the
//! old header is put back. If it has any other header, or another payload, another program wrote
//! it, and it stays unchanged.

mod kept;
mod new_file;
mod place;
mod target;

use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, SeekFrom};
use std::path::Path;

use self::kept::State;
use self::target::Lock;
use crate::error::{Error, Result, quoted, warn};
use crate::io::input::Input;
use crate::io::stdin::StdinUse;
pub(crate) use new_file::NewFile;
pub(crate) use place::{Place, is_name};
pub(crate) use target::Target;

const READ_INSTEAD: &str = "a change of the header was interrupted, or is going on: the old one, which is kept beside the file, \
                            is used; sealane rekey puts it back";

/// How a reader treats a file in which a change of the header was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Puts the old header back, and removes the kept file. If that is impossible, for example
    /// because the file cannot be written, reads the old header in place of the damaged one.
    InFile,
    /// Reads the old header in place of the damaged one. Writes and removes nothing.
    InMemory,
}

/// Opens an encrypted file by name, or standard input. Treats an interrupted change of its header
/// as `repair` says.
pub(crate) fn open_input(path: Option<&Path>, stdin: &StdinUse, repair: Repair) -> Result<Input> {
    let old = path.and_then(|path| Place::of(path).ok()).and_then(|place| settle(&place, repair, File::try_lock));
    with_start(Input::open(path, stdin)?, old)
}

/// Opens the encrypted file at `place`, as [`open_input`] does. Messages call it `path`.
pub(crate) fn open_input_at(place: &Place, path: &Path, repair: Repair) -> Result<Input> {
    let old = settle(place, repair, File::try_lock);
    let file = place.directory.open_file(Path::new(&place.name));
    let file = file.map_err(|error| Error::io(format!("cannot open {}", quoted(path)), &error))?;
    with_start(Input::of_file(file, path)?, old)
}

/// Replaces the start of the input if there is something to read instead.
fn with_start(mut input: Input, start: Option<Vec<u8>>) -> Result<Input> {
    if let Some(start) = start {
        input.replace_start(start)?;
    }
    Ok(input)
}

/// Opens an encrypted file that is read from start to end, and treats an interrupted change as
/// [`open_input`] does. Returns the file, for its metadata, and a reader of its bytes.
pub(crate) fn open(place: &Place, repair: Repair) -> io::Result<(File, impl Read + Send + use<>)> {
    let old = settle(place, repair, File::try_lock).unwrap_or_default();
    let mut file = place.directory.open_file(Path::new(&place.name))?;
    file.seek(SeekFrom::Start(old.len() as u64))?;
    let reader = Cursor::new(old).chain(file.try_clone()?);
    Ok((file, reader))
}

/// Treats an interrupted change as `repair` says. Returns the header to read in place of the
/// damaged one, unless the file has a complete header. `lock` locks the file.
fn settle(place: &Place, repair: Repair, lock: Lock) -> Option<Vec<u8>> {
    if !place.has_kept() {
        return None;
    }
    // Opening the target puts the old header back.
    if repair == Repair::InFile && Target::at(place.clone(), &place.path, lock).is_ok() {
        return None;
    }
    header_to_read(place, &place.directory.open_file(Path::new(&place.name)).ok()?)
}

/// Returns the old header, after a warning, if `file` has parts of both headers or a header that
/// cannot be parsed.
fn header_to_read(place: &Place, file: &File) -> Option<Vec<u8>> {
    match State::of(place, file) {
        Ok(State::Torn(kept, _)) => {
            warn(format!("{}: {READ_INSTEAD}", quoted(&place.path)));
            Some(kept.old)
        }
        _ => None,
    }
}

/// Adds a hint to the error of a file that cannot be opened, if a kept header is beside it.
pub(crate) fn explain(error: Error, path: Option<&Path>) -> Error {
    match path.map(Place::of) {
        Some(Ok(place)) => explain_at(error, &place),
        _ => error,
    }
}

/// Adds the hint of [`explain`] for the file at `place`.
pub(crate) fn explain_at(error: Error, place: &Place) -> Error {
    if !place.has_kept() {
        return error;
    }
    error.hint(format!(
        "an earlier change of the header was interrupted: {} is beside it, and cannot be used here",
        quoted(place.kept_path())
    ))
}

#[cfg(test)]
mod tests;
