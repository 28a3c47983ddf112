//! A file whose header is to be changed.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sealane_age::WriteAt;
use sealane_age::stream::NONCE_BYTES;

use super::kept::{Kept, State, read_start};
use super::place::Place;
use crate::error::{Error, Result, quoted, warn};
use crate::io::input::Input;
use crate::io::output::{Permissions, Temporary};
use crate::os::dir::{self, Dir};
use crate::os::disk;

const PUT_BACK: &str = "an earlier change of the header was interrupted: the old one has been put back first";
type Stamp = (u64, Option<SystemTime>);

fn stamp(file: &File) -> io::Result<Stamp> {
    file.metadata().map(|metadata| (metadata.len(), metadata.modified().ok()))
}

/// Removes the name `name` if it leads to `file`.
fn remove_same(directory: &Dir, name: &OsStr, file: &File) -> io::Result<()> {
    if directory.is_same(name, file)? { directory.remove(name) } else { Ok(()) }
}

/// Locks a file, or fails at once.
pub(super) type Lock = fn(&File) -> Result<(), TryLockError>;

/// A file whose header is to be changed. It is locked, where the file system has locks.
pub(crate) struct Target {
    pub(super) place: Place,
    pub(super) file: File,
    /// Its length and time of last change when it was opened, or after the old header was put back.
    stamp: Stamp,
    /// The name for messages.
    pub(super) path: PathBuf,
}

impl Target {
    /// Opens and locks the file that `path` leads to. If a change of its header was interrupted,
    /// the old header is put back.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let cannot_open = |error: io::Error| {
            let explained = Error::io(format!("cannot open {}", quoted(path)), &error);
            if error.kind() == io::ErrorKind::NotFound {
                explained.hint("is the name of the file right?")
            } else {
                explained
            }
        };
        Self::at(Place::of(path).map_err(cannot_open)?, path, File::try_lock)
    }

    /// Opens and locks the file at `place`, as [`Target::open`] does. Messages call it `path`.
    pub(crate) fn open_at(place: Place, path: &Path) -> Result<Self> {
        Self::at(place, path, File::try_lock)
    }

    /// Opens the file at `place` as [`Target::open`] does, and locks it with `lock`.
    pub(super) fn at(place: Place, path: &Path, lock: Lock) -> Result<Self> {
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
        // Another file may have taken the name before the lock was taken.
        target.refuse_if_replaced()?;
        target.recover(is_locked)?;
        target.stamp = stamp(&target.file).map_err(cannot_open)?;
        Ok(target)
    }

    /// Returns the file as an input.
    pub(crate) fn input(&self) -> Result<Input> {
        // On Windows, reading and writing at an offset move the file's own position.
        let file = self.file.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        let file = file.map_err(|error| Error::io(format!("cannot open {}", quoted(&self.path)), &error))?;
        Input::of_file(file, &self.path)
    }

    /// Puts back the old header if the file has parts of both headers or a header that cannot be
    /// parsed, and removes the kept file. A kept file that belongs to another file or cannot be
    /// used is an error. Without a lock, another run may be writing at the same time, so any kept
    /// file is an error, and nothing is written or removed.
    fn recover(&self, is_locked: bool) -> Result<()> {
        let cannot =
            |error: io::Error| Error::io(format!("cannot put the header of {} back", quoted(&self.path)), &error);
        if is_locked && let Ok(kept) = self.place.directory.open_file(Path::new(&self.place.kept())) {
            Temporary::remove_other_name(&self.place.directory, &kept).map_err(cannot)?;
        }
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
            State::Whole(kept) => {
                // The interrupted run may not have synced the header that is in the file.
                disk::sync(&self.file).map_err(cannot)?;
                kept
            }
            State::Torn(Kept { old, .. }, kept) => {
                self.file.write_all_at(&old, 0).and_then(|()| disk::sync(&self.file)).map_err(cannot)?;
                warn(format!("{}: {PUT_BACK}", quoted(&self.path)));
                kept
            }
            State::OfAnother => {
                let (kept, path) = (quoted(self.place.kept_path()), quoted(&self.path));
                return Err(Error::new(format!("{kept} is the header of another file that had the name of {path}"))
                    .hint("remove it if you do not need that file any more"));
            }
            State::NotKept(why) => {
                return Err(Error::new(format!("{} is in the way: {why}", quoted(self.place.kept_path())))
                    .hint("the old header is kept under that name while it is changed; move that file away"));
            }
        };
        remove_same(&self.place.directory, &self.place.kept(), &kept).map_err(cannot)
    }

    /// Fails if another file has taken the name of this one, or if this one no longer begins with
    /// the header `old` and `nonce`.
    pub(crate) fn refuse_if_changed(&self, old: &[u8], nonce: &[u8; NONCE_BYTES]) -> Result<()> {
        self.refuse_if_replaced()?;
        let mut found = vec![0; old.len() + NONCE_BYTES];
        let is_same = read_start(&self.file, &mut found).is_ok() && found.starts_with(old) && found.ends_with(nonce);
        if is_same { Ok(()) } else { Err(self.replaced("changed")) }
    }

    /// Fails if another file has taken the name of this one, or if the length or time of this one
    /// shows that it was written to.
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
            .hint("it was left unchanged; run the command again")
    }

    /// Fails if the file has other hard links. A change in place would change the file under all
    /// its names, but a crash would be put right under one only. A new file would replace one name,
    /// and the others would lead to the old recipients.
    pub(crate) fn refuse_other_names(&self) -> Result<()> {
        let cannot = |error: io::Error| Error::io(format!("cannot open {}", quoted(&self.path)), &error);
        if !dir::has_other_names(&self.file).map_err(cannot)? {
            return Ok(());
        }
        Err(Error::new(format!("{} has several hard links, and only this one would change safely", quoted(&self.path)))
            .hint("-o OUTPUT makes a new file, and leaves this one as it is"))
    }

    /// Returns whether the old header can be kept beside the file while the new one is written over
    /// it.
    pub(crate) fn can_keep_header(&self) -> bool {
        self.place.can_keep()
    }

    /// Writes the header `new` over `old`, which has the same length. `nonce` follows the header in
    /// the file.
    pub(crate) fn replace(&self, old: &[u8], new: &[u8], nonce: &[u8; NONCE_BYTES]) -> Result<()> {
        self.replace_through(&self.file, old, new, nonce)
    }

    /// Does the work of [`Target::replace`], and writes the header through `file`. Tests pass a
    /// `file` that stops halfway.
    pub(super) fn replace_through(
        &self,
        file: &impl WriteAt,
        old: &[u8],
        new: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> Result<()> {
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
        let sync = || disk::sync(&self.file);
        if let Err(error) = file.write_all_at(new, 0).and_then(|()| sync()) {
            // Restore the old header. If that fails too, the kept file stays.
            if file.write_all_at(old, 0).and_then(|()| sync()).is_ok() {
                let _ = remove();
            }
            return Err(Error::cannot_write(&self.path, &error));
        }
        remove().map_err(|error| Error::cannot_write(&self.place.kept_path(), &error))?;
        self.refuse_if_replaced()
    }

    /// Writes the kept file, which appears complete, with its name to the disk, and returns it. An
    /// existing file with its name is an error.
    fn keep(&self, kept: &Kept) -> io::Result<File> {
        let temporary = Temporary::create_in(&self.place.directory, 0o600)?;
        // Everyone who may read the file needs the kept headers if the change is interrupted. A
        // file system without such permissions is no reason to fail.
        let _ = Permissions::of_file(&self.file).and_then(|permissions| permissions.give(temporary.file()));
        let mut file = temporary.file().try_clone()?;
        file.write_all(&kept.encode())?;
        disk::sync(&file)?;
        temporary.persist(Path::new(&self.place.kept()), false)?;
        // If the name is not on the disk, a crash during the change leaves only a damaged header.
        if let Err(error) = self.place.directory.sync_names(&file) {
            let _ = remove_same(&self.place.directory, &self.place.kept(), &file);
            return Err(error);
        }
        Ok(file)
    }
}
