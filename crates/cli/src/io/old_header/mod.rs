//! The old header of a file, kept beside it while another one is written over it.
//!
//! What is kept is a file of its own, `.NAME.sealane-old-header`, which appears complete and is on
//! the disk before the first byte of the header changes, and is removed when the last one is on the
//! disk. So whatever happens in between, whoever reads the file next knows both headers, and that
//! the file has one of them, or a mixture. A header that neither is nor looks like a mixture of
//! them is somebody else's, and is left alone.

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

/// The name of what is kept, before and after the name of the file.
const PREFIX: &str = ".";
const SUFFIX: &str = ".sealane-old-header";

/// How it begins.
const MAGIC: &[u8] = b"sealane old header, version 1\n";

/// The two headers, which have the same length, between the length and the nonce of the payload,
/// and a checksum.
const MAX_LEN: usize = MAGIC.len() + LEN + 2 * MAX_HEADER_LEN + NONCE_LEN + CHECKSUM;
const LEN: usize = 4;
const CHECKSUM: usize = 32;

const PUT_BACK: &str = "an earlier change of the header was interrupted: the old one has been put back first";
const READ_INSTEAD: &str = "a change of the header was interrupted, or is going on: the old one, which is kept beside the file, \
                            is used; sealane rekey puts it back";

/// Whether a file of this name is a header that is kept.
pub(crate) fn is_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

/// The name of a file in an open directory.
#[derive(Clone)]
pub(crate) struct Place {
    directory: Dir,
    name: OsString,
    /// The whole of it, for messages.
    path: PathBuf,
}

impl Place {
    /// The name that `path` leads to through links.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let directory = Dir::open(path.parent().unwrap_or(Path::new("")))?;
        Ok(Self { directory, name, path })
    }

    /// The file `within` below `root`, which a person calls `path`.
    pub(crate) fn below(root: &Dir, within: &Path, path: &Path) -> io::Result<Self> {
        let name = within.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let directory = root.below(within.parent().unwrap_or(Path::new("")))?;
        Ok(Self { directory, name, path: path.to_owned() })
    }

    /// The name of what is kept of it.
    fn kept(&self) -> OsString {
        let mut name = OsString::from(PREFIX);
        name.push(&self.name);
        name.push(SUFFIX);
        name
    }

    /// The path of what is kept of it.
    fn kept_path(&self) -> PathBuf {
        self.path.with_file_name(self.kept())
    }

    fn has_kept(&self) -> bool {
        self.directory.has(Path::new(&self.kept()))
    }
}

/// What is kept.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    old: Vec<u8>,
    new: Vec<u8>,
    /// Says which file it is of.
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

/// What a change of a file left beside it.
enum State {
    /// Nothing.
    None,
    /// The file has one of its headers.
    Whole(File),
    /// It has parts of both.
    Torn(Kept, File),
    /// What is kept is of another file.
    OfAnother,
    /// It has the name of what is kept, and is something else.
    NotKept(String),
}

impl State {
    fn of(place: &Place, file: &File) -> io::Result<Self> {
        let mut kept_file = match place.directory.open_file(Path::new(&place.kept())) {
            Ok(kept) => kept,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::None),
            Err(error) => return Ok(Self::NotKept(crate::error::describe(&error))),
        };
        // The owner of the file could do anything with it anyhow.
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

/// Reads as much as `out` takes, from the start.
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

/// Removes the name `name` if it is that of `file`.
fn remove_same(directory: &Dir, name: &OsStr, file: &File) -> io::Result<()> {
    if directory.is_same(name, file)? { directory.remove(name) } else { Ok(()) }
}

/// Locks a file, or fails at once.
type Lock = fn(&File) -> Result<(), TryLockError>;

/// A file whose header is to be changed, and which nobody else changes meanwhile: it is locked.
pub(crate) struct Target {
    place: Place,
    file: File,
    /// Its length, and when it was changed last, when it was opened.
    stamp: Stamp,
    /// What a person calls it.
    path: PathBuf,
}

impl Target {
    /// Opens and locks the file that `path` leads to, and puts its header right if an earlier
    /// change of it was interrupted.
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
        // It may have been replaced before it was locked.
        target.refuse_if_replaced()?;
        target.recover(is_locked)?;
        target.stamp = stamp(&target.file).map_err(cannot_open)?;
        Ok(target)
    }

    /// The file as what is read.
    pub(crate) fn input(&self) -> Result<Input> {
        let file = self.file.try_clone();
        let file = file.map_err(|error| Error::io(format!("cannot open {}", quoted(&self.path)), &error))?;
        Input::of_file(file, &self.path)
    }

    /// Puts back the old header if the file has parts of both. Without a lock, another run may be
    /// writing the new one right now: then nothing is written or removed, and that is an error.
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

    /// Refuses to go on if another file has come in the place of this one, or if its header is not
    /// `old` any more.
    pub(crate) fn refuse_if_changed(&self, old: &[u8], nonce: &[u8; NONCE_LEN]) -> Result<()> {
        self.refuse_if_replaced()?;
        let mut found = vec![0; old.len() + NONCE_LEN];
        let is_same = read_start(&self.file, &mut found).is_ok() && found.starts_with(old) && found.ends_with(nonce);
        if is_same { Ok(()) } else { Err(self.replaced("changed")) }
    }

    /// Refuses to go on if another file has come in the place of this one, or if anything was
    /// written to it.
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

    /// Writes the header `new` over `old`, which has the same length. `nonce` follows them in the
    /// file.
    pub(crate) fn replace(&self, old: &[u8], new: &[u8], nonce: &[u8; NONCE_LEN]) -> Result<()> {
        self.replace_through(&self.file, old, new, nonce)
    }

    /// The same with another way to write to the file.
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
            // The old one again; if that does not go either, it is kept.
            if file.write_all_at(old, 0).and_then(|()| sync()).is_ok() {
                let _ = remove();
            }
            return Err(Error::cannot_write(&self.path, &error));
        }
        remove().map_err(|error| Error::cannot_write(&self.place.kept_path(), &error))?;
        self.refuse_if_replaced()
    }

    /// Keeps the header. The file appears complete.
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

/// Opens a sealed file by its name, or standard input. If a change of its header was interrupted,
/// that is put right before; where it cannot be, the old header is read in the place of what the
/// file has.
pub(crate) fn open_input(path: Option<&Path>, stdin: &StdinUse) -> Result<Input> {
    let old = path.and_then(|path| Place::of(path).ok()).and_then(|place| settle(&place, File::try_lock));
    let mut input = Input::open(path, stdin)?;
    if let Some(old) = old {
        input.replace_start(old)?;
    }
    Ok(input)
}

/// The same for a file that is read from its start to its end.
pub(crate) fn open(place: &Place) -> io::Result<(File, impl Read + Send + use<>)> {
    let old = settle(place, File::try_lock).unwrap_or_default();
    let mut file = place.directory.open_file(Path::new(&place.name))?;
    file.seek(SeekFrom::Start(old.len() as u64))?;
    let reader = Cursor::new(old).chain(file.try_clone()?);
    Ok((file, reader))
}

/// Puts the header of a file right, if need be. If that cannot be done, gives the header that is to
/// be read.
fn settle(place: &Place, lock: Lock) -> Option<Vec<u8>> {
    if !place.has_kept() || Target::at(place.clone(), &place.path, lock).is_ok() {
        return None;
    }
    header_to_read(place, &place.directory.open_file(Path::new(&place.name)).ok()?)
}

/// The header that is to be read in the place of what `file` has, if it has parts of two.
fn header_to_read(place: &Place, file: &File) -> Option<Vec<u8>> {
    match State::of(place, file) {
        Ok(State::Torn(kept, _)) => {
            warn(READ_INSTEAD);
            Some(kept.old)
        }
        _ => None,
    }
}

/// Says of a file that cannot be opened that a change of it may have been interrupted, if what is
/// kept of one is beside it.
pub(crate) fn explain(error: Error, path: Option<&Path>) -> Error {
    match path.map(Place::of) {
        Some(Ok(place)) => explain_at(error, &place),
        _ => error,
    }
}

/// The same of the file at `place`.
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
