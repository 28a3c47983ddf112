//! Keeps the old header of a file beside it while a new one is written over it.
//!
//! The kept file, `.NAME.sealane-old-header`, appears complete and is on the disk before the first
//! byte of the header changes. It is removed when the last byte is on the disk. If the change is
//! interrupted, the next reader finds both headers there, and knows that the file has one of them
//! or a mixture. A header that is neither was written by another program, and is left alone.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Cursor, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sealane_age::header::{Header, MAX_HEADER_LEN};
use sealane_age::stream::NONCE_LEN;
use sealane_age::{ReadAt as _, WriteAt};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result, quoted, warn};
use crate::io::input::Input;
use crate::io::output::Temporary;
use crate::io::stdin::StdinUse;
use crate::os::dir::{self, Dir};

/// The kept file's name before and after the name of the file.
const PREFIX: &str = ".";
const SUFFIX: &str = ".sealane-old-header";

/// The first bytes of a kept file.
const MAGIC: &[u8] = b"sealane old header, version 1\n";

/// The maximum length: a length, two headers of that length, the nonce of the payload, and a
/// checksum.
const MAX_LEN: usize = MAGIC.len() + LEN + 2 * MAX_HEADER_LEN + NONCE_LEN + CHECKSUM;
const LEN: usize = 4;
const CHECKSUM: usize = 32;

const PUT_BACK: &str = "an earlier change of the header was interrupted: the old one has been put back first";
const READ_INSTEAD: &str = "a change of the header was interrupted, or is going on: the old one, which is kept beside the file, \
                            is used; sealane rekey puts it back";

/// Returns whether `name` is the name of a kept file.
pub(crate) fn is_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

/// A file in an open directory.
#[derive(Clone)]
pub(crate) struct Place {
    directory: Dir,
    name: OsString,
    /// The whole path, for messages.
    path: PathBuf,
}

impl Place {
    /// Finds the file that `path` leads to through links.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let directory = Dir::open(path.parent().unwrap_or(Path::new("")))?;
        Ok(Self { directory, name, path })
    }

    /// Finds the file `within` below `root`, which the user knows as `path`.
    pub(crate) fn below(root: &Dir, within: &Path, path: &Path) -> io::Result<Self> {
        let name = within.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let directory = root.below(within.parent().unwrap_or(Path::new("")))?;
        Ok(Self { directory, name, path: path.to_owned() })
    }

    /// Returns the name of the kept file.
    fn kept(&self) -> OsString {
        let mut name = OsString::from(PREFIX);
        name.push(&self.name);
        name.push(SUFFIX);
        name
    }

    /// Returns the path of the kept file.
    fn kept_path(&self) -> PathBuf {
        self.path.with_file_name(self.kept())
    }

    fn has_kept(&self) -> bool {
        self.directory.has(Path::new(&self.kept()))
    }
}

/// The contents of a kept file.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    old: Vec<u8>,
    new: Vec<u8>,
    /// Identifies the file that the headers belong to.
    nonce: [u8; NONCE_LEN],
}

impl Kept {
    fn encode(&self) -> Vec<u8> {
        let len = u32::try_from(self.old.len()).unwrap_or(u32::MAX);
        let mut bytes = [MAGIC, &len.to_be_bytes(), &self.old, &self.new, &self.nonce].concat();
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
        if Sha256::digest(content)[..] != checksum[..] {
            return None;
        }
        let (len, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<LEN>()?;
        let len = usize::try_from(u32::from_be_bytes(*len)).ok()?;
        let (old, rest) = rest.split_at_checked(len)?;
        let (new, nonce) = rest.split_at_checked(len)?;
        let is_header = |bytes: &[u8]| Header::parse(bytes).is_ok_and(|(_, len)| len == bytes.len());
        (is_header(old) && is_header(new)).then_some(())?;
        Some(Self { old: old.to_vec(), new: new.to_vec(), nonce: nonce.try_into().ok()? })
    }
}

/// The state of a file after a change of its header.
enum State {
    /// No file is kept: no change was interrupted.
    None,
    /// The file has one of the two headers.
    Whole(File),
    /// The file has parts of both headers.
    Torn(Kept, File),
    /// The kept headers belong to another file.
    OfAnother,
    /// Something else has the name of the kept file. The text says what.
    NotKept(String),
}

impl State {
    fn of(place: &Place, file: &File) -> io::Result<Self> {
        let mut kept_file = match place.directory.open_file(Path::new(&place.kept())) {
            Ok(kept) => kept,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::None),
            Err(error) => return Ok(Self::NotKept(crate::error::describe(&error))),
        };
        // The owner of the file may do anything with it anyway.
        if !dir::is_own(&kept_file.metadata()?, dir::owner(&file.metadata()?)) {
            return Ok(Self::NotKept("it belongs to somebody else, or has another name too".to_owned()));
        }
        let mut bytes = Vec::new();
        (&mut kept_file).take(MAX_LEN as u64 + 1).read_to_end(&mut bytes)?;
        let Some(kept) = Kept::decode(&bytes) else {
            return Ok(Self::NotKept("it is damaged, or something else".to_owned()));
        };
        let mut found = vec![0; kept.old.len() + NONCE_LEN];
        match read_start(file, &mut found) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Self::OfAnother),
            read => read?,
        }
        let (header, nonce) = found.split_at(kept.old.len());
        if nonce != kept.nonce {
            return Ok(Self::OfAnother);
        }
        if header == kept.old || header == kept.new {
            return Ok(Self::Whole(kept_file));
        }
        let is_mixture =
            header.iter().zip(&kept.old).zip(&kept.new).all(|((found, old), new)| found == old || found == new);
        let is_header = Header::parse(header).is_ok();
        Ok(if is_mixture || !is_header { Self::Torn(kept, kept_file) } else { Self::OfAnother })
    }
}

/// Fills `out` from the start of the file.
fn read_start(file: &File, out: &mut [u8]) -> io::Result<()> {
    let mut len = 0;
    while len < out.len() {
        match file.read_at(&mut out[len..], len as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

type Stamp = (u64, Option<SystemTime>);

fn stamp(file: &File) -> io::Result<Stamp> {
    file.metadata().map(|metadata| (metadata.len(), metadata.modified().ok()))
}

/// Removes the name `name` if it leads to `file`.
fn remove_same(directory: &Dir, name: &OsStr, file: &File) -> io::Result<()> {
    if directory.is_same(name, file)? { directory.remove(name) } else { Ok(()) }
}

/// Locks a file, or fails at once.
type Lock = fn(&File) -> Result<(), TryLockError>;

/// A file whose header is to be changed. It is locked, where the file system has locks.
pub(crate) struct Target {
    place: Place,
    file: File,
    /// Its length and time of last change when it was opened.
    stamp: Stamp,
    /// The name that the user gave.
    path: PathBuf,
}

impl Target {
    /// Opens and locks the file that `path` leads to. If a change of its header was interrupted,
    /// the old header is put back.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let cannot_open = |error: io::Error| {
            let what = Error::io(format!("cannot open {}", quoted(path)), &error);
            if error.kind() == io::ErrorKind::NotFound { what.hint("is the name of the file right?") } else { what }
        };
        Self::at(Place::of(path).map_err(cannot_open)?, path, File::try_lock)
    }

    /// Opens the file at `place`, and locks it with `lock`.
    fn at(place: Place, path: &Path, lock: Lock) -> Result<Self> {
        let cannot_open = |error: io::Error| Error::io(format!("cannot open {}", quoted(path)), &error);
        let file = place.directory.open_file_to_write(Path::new(&place.name)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => cannot_open(error),
            _ => Error::cannot_write(path, &error),
        })?;
        let mut target = Self { stamp: stamp(&file).map_err(cannot_open)?, place, file, path: path.to_owned() };
        let is_locked = match lock(&target.file) {
            Ok(()) => true,
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => false,
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(format!("another run is changing the recipients of {}", quoted(path)))
                    .hint("wait until it has ended"));
            }
        };
        // Another file may have taken the name before the lock.
        target.refuse_if_replaced()?;
        target.recover(is_locked)?;
        target.stamp = stamp(&target.file).map_err(cannot_open)?;
        Ok(target)
    }

    /// Returns the file as an input.
    pub(crate) fn input(&self) -> Result<Input> {
        let file = self.file.try_clone();
        let file = file.map_err(|error| Error::io(format!("cannot open {}", quoted(&self.path)), &error))?;
        Input::of_file(file, &self.path)
    }

    /// Puts back the old header if the file has parts of both. Without a lock, another run may be
    /// writing right now: then nothing is written or removed, and that is an error.
    fn recover(&self, is_locked: bool) -> Result<()> {
        let cannot =
            |error: io::Error| Error::io(format!("cannot put the header of {} back", quoted(&self.path)), &error);
        let kept = match State::of(&self.place, &self.file).map_err(cannot)? {
            State::None => return Ok(()),
            State::Whole(_) | State::Torn(..) if !is_locked => {
                return Err(Error::new(format!(
                    "{} shows that another run is changing the recipients of {}, or was interrupted",
                    quoted(self.place.kept_path()),
                    quoted(&self.path)
                ))
                .hint("this file system has no locks, so nothing is put back; sealane rekey -o makes a new file"));
            }
            State::Whole(kept) => kept,
            State::Torn(Kept { old, .. }, kept) => {
                self.file.write_all_at(&old, 0).and_then(|()| self.file.sync_all()).map_err(cannot)?;
                warn(PUT_BACK);
                kept
            }
            State::OfAnother => {
                let (kept, path) = (quoted(self.place.kept_path()), quoted(&self.path));
                return Err(Error::new(format!("{kept} is the header of another file that had the name of {path}"))
                    .hint("remove it if nobody misses that file"));
            }
            State::NotKept(why) => {
                return Err(Error::new(format!("{} is in the way: {why}", quoted(self.place.kept_path())))
                    .hint("the old header is kept under that name while it is changed; move that file away"));
            }
        };
        remove_same(&self.place.directory, &self.place.kept(), &kept).map_err(cannot)
    }

    /// Fails if another file has taken the name of this one, or if its header is no longer `old`.
    pub(crate) fn refuse_if_changed(&self, old: &[u8], nonce: &[u8; NONCE_LEN]) -> Result<()> {
        self.refuse_if_replaced()?;
        let mut found = vec![0; old.len() + NONCE_LEN];
        let is_same = read_start(&self.file, &mut found).is_ok() && found.starts_with(old) && found.ends_with(nonce);
        if is_same { Ok(()) } else { Err(self.replaced("changed")) }
    }

    /// Fails if another file has taken the name of this one, or if anything was written to it.
    pub(crate) fn refuse_if_modified(&self) -> Result<()> {
        self.refuse_if_replaced()?;
        if stamp(&self.file).is_ok_and(|stamp| stamp == self.stamp) { Ok(()) } else { Err(self.replaced("changed")) }
    }

    fn refuse_if_replaced(&self) -> Result<()> {
        match self.place.directory.is_same(&self.place.name, &self.file) {
            Ok(true) => Ok(()),
            _ => Err(self.replaced("replaced by another file")),
        }
    }

    fn replaced(&self, how: &str) -> Error {
        Error::new(format!("{} was {how} while this command was at work", quoted(&self.path)))
            .hint("it was left as it is; run the command again")
    }

    /// Writes the header `new` over `old`, which has the same length. `nonce` follows it in the
    /// file.
    pub(crate) fn replace(&self, old: &[u8], new: &[u8], nonce: &[u8; NONCE_LEN]) -> Result<()> {
        self.replace_through(&self.file, old, new, nonce)
    }

    /// Writes the header through `file`, which tests replace.
    fn replace_through(&self, file: &impl WriteAt, old: &[u8], new: &[u8], nonce: &[u8; NONCE_LEN]) -> Result<()> {
        self.refuse_if_changed(old, nonce)?;
        let kept = self.keep(&Kept { old: old.to_vec(), new: new.to_vec(), nonce: *nonce });
        let kept = kept.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::new(format!("{} exists already", quoted(self.place.kept_path())))
                .hint("another run may be at work; nothing was changed"),
            _ => Error::cannot_write(&self.place.kept_path(), &error),
        })?;
        let remove = || remove_same(&self.place.directory, &self.place.kept(), &kept);
        if let Err(error) = self.refuse_if_changed(old, nonce) {
            let _ = remove();
            return Err(error);
        }
        let sync = || self.file.sync_all();
        if let Err(error) = file.write_all_at(new, 0).and_then(|()| sync()) {
            // Restore the old header. If that fails too, its copy stays.
            if file.write_all_at(old, 0).and_then(|()| sync()).is_ok() {
                let _ = remove();
            }
            return Err(Error::cannot_write(&self.path, &error));
        }
        remove().map_err(|error| Error::cannot_write(&self.place.kept_path(), &error))?;
        self.refuse_if_replaced()
    }

    /// Writes the kept file, which appears complete.
    fn keep(&self, kept: &Kept) -> io::Result<File> {
        let temporary = Temporary::create_in(&self.place.directory, 0o600)?;
        let mut file = temporary.file().try_clone()?;
        file.write_all(&kept.encode())?;
        file.sync_all()?;
        temporary.persist(Path::new(&self.place.kept()), false)?;
        self.place.directory.sync();
        Ok(file)
    }
}

/// Opens an encrypted file by name, or standard input. If a change of its header was interrupted,
/// the old header is put back, or read instead if the file cannot be written.
pub(crate) fn open_input(path: Option<&Path>, stdin: &StdinUse) -> Result<Input> {
    let old = path.and_then(|path| Place::of(path).ok()).and_then(|place| settle(&place, File::try_lock));
    let mut input = Input::open(path, stdin)?;
    if let Some(old) = old {
        input.replace_start(old)?;
    }
    Ok(input)
}

/// Opens an encrypted file that is read from start to end, with the same care.
pub(crate) fn open(place: &Place) -> io::Result<(File, impl Read + Send + use<>)> {
    let old = settle(place, File::try_lock).unwrap_or_default();
    let mut file = place.directory.open_file(Path::new(&place.name))?;
    file.seek(SeekFrom::Start(old.len() as u64))?;
    let reader = Cursor::new(old).chain(file.try_clone()?);
    Ok((file, reader))
}

/// Puts back the old header if a change was interrupted. If that is impossible, returns the header
/// to read instead.
fn settle(place: &Place, lock: Lock) -> Option<Vec<u8>> {
    if !place.has_kept() || Target::at(place.clone(), &place.path, lock).is_ok() {
        return None;
    }
    header_to_read(place, &place.directory.open_file(Path::new(&place.name)).ok()?)
}

/// Returns the old header if `file` has parts of two.
fn header_to_read(place: &Place, file: &File) -> Option<Vec<u8>> {
    match State::of(place, file) {
        Ok(State::Torn(kept, _)) => {
            warn(READ_INSTEAD);
            Some(kept.old)
        }
        _ => None,
    }
}

/// Adds a hint to the error of a file that cannot be opened: a kept header is beside it.
pub(crate) fn explain(error: Error, path: Option<&Path>) -> Error {
    match path.map(Place::of) {
        Some(Ok(place)) => explain_at(error, &place),
        _ => error,
    }
}

/// Adds the same hint for the file at `place`.
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
