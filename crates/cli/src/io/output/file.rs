//! Output to a file.
//!
//! A regular file is replaced by renaming. The result is written to a temporary file in the same
//! directory. Once it is complete and on the disk, the temporary file is renamed to the target. If
//! anything fails before that, no new file appears, and an existing file is unchanged.
//!
//! If the existing file is writable but its directory is not, the complete result is written to
//! the system's directory for temporary files, and then copied over the file. A file that cannot be
//! replaced, such as a mount point, is overwritten in the same way. A failed copy can leave a
//! mixture of old and new content. Secrets are never copied like this: writing them is an error
//! instead. Other files (devices, FIFOs, `/dev/stdout`) are written to directly, as `direct` says.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sealane_age::WriteAt;

use super::failure::keep_retry;
use super::in_place;
use super::permissions::Permissions;
use super::temporary::Temporary;
use crate::error::{Error, Result, quoted};
use crate::os::cleanup::uninterrupted;
use crate::os::dir::{ends_as_directory, sync_parent};
use crate::os::disk;
use crate::os::file_id::FileId;
use crate::os::temp_dir::temp_dir;

/// The number of symbolic links that Linux follows.
const MAX_LINKS: usize = 40;

/// The file that the user named.
pub(super) struct Target {
    /// The path, with symbolic links followed.
    pub(super) path: PathBuf,
    /// Its metadata, if it exists.
    pub(super) existing: Option<Metadata>,
    /// Whether `path` names an open file descriptor, such as `/dev/stdout`, or a device of Windows,
    /// which cannot be replaced.
    pub(super) names_open_file: bool,
    /// The name that the user gave, quoted.
    shown: String,
}

/// Follows symbolic links to the file, which may be missing. Refuses links and files that another
/// user may have planted.
pub(super) fn resolve(named: &Path) -> Result<Target> {
    let shown = quoted(named);
    let cannot = |error: &io::Error| Error::io(format!("cannot write to {shown}"), error);
    let mut path = named.to_owned();
    let mut names_open_file = is_open_file(&path);
    for _ in 0..MAX_LINKS {
        if names_open_file {
            break;
        }
        match fs::read_link(&path) {
            Ok(link) => {
                let metadata = fs::symlink_metadata(&path).map_err(|error| cannot(&error))?;
                refuse_planted(&path, &metadata, &shown)?;
                path = path.parent().unwrap_or(Path::new("")).join(link);
                names_open_file = is_open_file(&path);
            }
            // Not a link, or missing: this is the file.
            Err(_) => break,
        }
    }
    let existing = match fs::metadata(&path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound && names_open_file && cfg!(unix) => {
            return Err(Error::new(format!("cannot write to {shown}: the file descriptor is not open"))
                .hint("the shell opens one: 3> FILE"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // A device of Windows, such as NUL, has no metadata.
        Err(_) if cfg!(windows) && OpenOptions::new().write(true).open(&path).is_ok() => {
            names_open_file = true;
            None
        }
        Err(error) => return Err(cannot(&error)),
    };
    if let Some(metadata) = existing.as_ref().filter(|_| !names_open_file) {
        refuse_planted(&path, metadata, &shown)?;
    }
    if existing.as_ref().is_some_and(Metadata::is_dir) {
        return Err(
            Error::new(format!("cannot write to {shown}: it is a directory")).hint("give -o the name of a file")
        );
    }
    Ok(Target { path, existing, names_open_file, shown })
}

/// Refuses a link or file that another user may have planted in a folder that all users can write
/// to. `shown` is the name that the user gave, quoted.
#[cfg(unix)]
fn refuse_planted(path: &Path, metadata: &Metadata, shown: &str) -> Result<()> {
    if !super::planted::is_planted(path, metadata) {
        return Ok(());
    }
    let kind = if metadata.is_symlink() { "link" } else { "file" };
    Err(Error::new(format!(
        "cannot write to {shown}: {} is another user's {kind} in a folder that all users can write to",
        quoted(path)
    ))
    .hint("give -o another name, best in a folder of your own"))
}

#[cfg(not(unix))]
fn refuse_planted(_path: &Path, _metadata: &Metadata, _shown: &str) -> Result<()> {
    Ok(())
}

/// Returns whether a path names an open file, as `/dev/stdout` and `/proc/self/fd/3` do.
fn is_open_file(path: &Path) -> bool {
    let Some(directory) = path.parent() else { return false };
    // The directory may be a link, like /dev/fd on Linux.
    let directory = &fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    let standard = [OsStr::new("stdin"), OsStr::new("stdout"), OsStr::new("stderr")];
    (directory == Path::new("/dev") && path.file_name().is_some_and(|name| standard.contains(&name)))
        || directory == Path::new("/dev/fd")
        || (directory.starts_with("/proc") && directory.ends_with("fd"))
}

/// How a result treats an existing file with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// Replace it. The result gets its permissions, or the usual ones if there was no such file.
    Permissions,
    /// Refuse to replace it. Only the owner can access a new file.
    Old,
}

/// A regular file, which is replaced when the result is complete.
pub(super) struct Replacement {
    target: Target,
    directory: PathBuf,
    keeping: Keeping,
    /// Whether `directory` is not that of the target, so that the result must be copied.
    in_place: bool,
    temporary: Option<Temporary>,
}

impl Replacement {
    /// Finds, before anything is written, errors that would otherwise occur only at the end.
    pub(super) fn prepare(target: Target, keeping: Keeping) -> Result<Self> {
        let cannot = |error: &io::Error| target.cannot_write(error);
        if keeping == Keeping::Old && target.existing.is_some() {
            return Err(target.exists());
        }
        let directory = match target.path.parent() {
            Some(parent) if parent == Path::new("") => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => return Err(cannot(&io::ErrorKind::IsADirectory.into())),
        };
        if target.existing.is_some() {
            // Renaming ignores the permissions of the file, so check that it is writable.
            OpenOptions::new().write(true).open(&target.path).map_err(|error| cannot(&error))?;
        } else {
            let is_name = target.path.file_name().is_some() && !ends_as_directory(&target.path);
            match fs::metadata(&directory) {
                Ok(metadata) if metadata.is_dir() && is_name => {}
                Ok(_) => return Err(cannot(&io::ErrorKind::NotADirectory.into())),
                Err(error) => {
                    return Err(Error::io(
                        format!("cannot write to {}: cannot access its directory", target.shown),
                        &error,
                    ));
                }
            }
        }
        let mut prepared = Self { target, directory, keeping, in_place: false, temporary: None };
        if let Err(error) = may_make_files_in(&prepared.directory) {
            if !prepared.may_overwrite() {
                return Err(prepared.cannot_create(&error));
            }
            (prepared.directory, prepared.in_place) = (temp_dir(), true);
            may_make_files_in(&prepared.directory).map_err(|error| prepared.cannot_create(&error))?;
        }
        Ok(prepared)
    }

    /// Returns whether the result may be copied over an existing file.
    fn may_overwrite(&self) -> bool {
        self.target.existing.is_some()
    }

    pub(super) fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let (mut file, target) = self.file().map_err(Error::into_io)?;
        file.write(data).map_err(|error| keep_retry(error, |error| target.cannot_write(&error)))
    }

    /// Returns the file, for writes at any offset.
    pub(super) fn at_any_place(&mut self) -> io::Result<AnyPlace<'_>> {
        self.file().map_err(Error::into_io).map(|(file, target)| AnyPlace { file, target })
    }

    fn file(&mut self) -> Result<(&File, &Target)> {
        let temporary = match self.temporary.take() {
            Some(temporary) => temporary,
            None => self.create()?,
        };
        Ok((self.temporary.insert(temporary).file(), &self.target))
    }

    /// Discards what was written.
    pub(super) fn restart(&mut self) {
        self.temporary = None;
    }

    /// Writes the complete result to the disk, and puts it into its place.
    pub(super) fn finish(mut self) -> Result<()> {
        // If the result is empty, nothing has created the temporary file yet.
        let mut temporary = match self.temporary.take() {
            Some(temporary) => temporary,
            None => self.create()?,
        };
        if self.in_place {
            return self.overwrite(&temporary);
        }
        let replace = self.keeping != Keeping::Old;
        disk::sync(temporary.file()).map_err(|error| self.target.cannot_write(&error))?;
        // The user may have changed the permissions meanwhile.
        if let Some(now) = self.existing_now() {
            self.give_permissions(&now, &temporary)?;
        }
        if let Err(error) = temporary.rename(&self.target.path, replace) {
            // A mount point cannot be replaced, and in a directory with the sticky bit neither can
            // the file of another user. On Windows, the error means that a program uses the file.
            let is_irreplaceable = error.kind() == io::ErrorKind::ResourceBusy
                || (cfg!(unix) && error.kind() == io::ErrorKind::PermissionDenied);
            return match error.kind() {
                _ if is_irreplaceable && self.may_overwrite() => self.overwrite(&temporary),
                _ if is_irreplaceable => Err(self.target.cannot_write(&error).hint("`-o - > FILE` writes in place")),
                io::ErrorKind::AlreadyExists if !replace => Err(self.target.exists()),
                _ => Err(self.target.cannot_write(&error)),
            };
        }
        // Also write the name to the disk.
        sync_parent(&self.target.path);
        Ok(())
    }

    /// Copies the result over the existing file.
    fn overwrite(&self, result: &Temporary) -> Result<()> {
        // A signal during the copy would leave a mixture of old and new content.
        let path = &self.target.path;
        let file = OpenOptions::new().write(true).open(path).map_err(|error| self.target.cannot_write(&error))?;
        // In a directory that others can write to, the name may have become a link to another file.
        let id = |metadata: &Metadata| FileId::new(metadata, Some(path));
        let opened = file.metadata().map_err(|error| self.target.cannot_write(&error))?;
        if self.target.existing.as_ref().and_then(id) != id(&opened) {
            return Err(self.target.became_another());
        }
        let copied = uninterrupted(|| in_place::overwrite(&file, result.file()));
        copied.map_err(|error| self.target.cannot_write(&error))
    }

    fn create(&self) -> Result<Temporary> {
        // A new file gets the usual mode, reduced by the umask. A secret is for its owner only. A
        // file that replaces another gets the permissions of that one before anything is written.
        let is_secret = self.keeping == Keeping::Old;
        let mode = if is_secret || self.target.existing.is_some() { 0o600 } else { 0o666 };
        let temporary = Temporary::create(&self.directory, mode).map_err(|error| self.cannot_create(&error))?;
        if let Some(existing) = &self.target.existing {
            self.give_permissions(self.existing_now().as_ref().unwrap_or(existing), &temporary)?;
        }
        Ok(temporary)
    }

    /// Returns what the metadata of the existing file are now, unless another file has its name.
    fn existing_now(&self) -> Option<Metadata> {
        let path = &self.target.path;
        let id = |metadata: &Metadata| FileId::new(metadata, Some(path));
        let now = fs::symlink_metadata(path).ok()?;
        (id(&now) == self.target.existing.as_ref().and_then(id)).then_some(now)
    }

    /// Gives the result the permissions of the existing file, if it is to keep them.
    fn give_permissions(&self, existing: &Metadata, result: &Temporary) -> Result<()> {
        if self.keeping != Keeping::Permissions || self.in_place {
            return Ok(());
        }
        let given = Permissions::of_path(&self.target.path, existing).give(result.file());
        given.map_err(|error| self.target.cannot_write(&error))
    }

    fn cannot_create(&self, error: &io::Error) -> Error {
        if self.in_place {
            return Error::io(format!("cannot make a temporary file for {}", self.target.shown), error)
                .hint("the directory of the output is not writable; TMPDIR must name a writable directory");
        }
        let failed = Error::io(format!("cannot make a temporary file beside {}", self.target.shown), error);
        let is_refused = matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem);
        match &self.target.existing {
            Some(_) if is_refused => failed.hint(
                "the result is written to that file, and renamed when it is complete; `-o - > FILE` writes in place",
            ),
            None if is_refused => failed.hint("give -o a file in a folder that you can write to"),
            _ => failed,
        }
    }
}

/// A file that can be written at any offset.
pub(crate) struct AnyPlace<'a> {
    file: &'a File,
    target: &'a Target,
}

impl WriteAt for AnyPlace<'_> {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        WriteAt::write_all_at(self.file, data, offset).map_err(|error| self.target.cannot_write(&error).into_io())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        WriteAt::set_len(self.file, len).map_err(|error| self.target.cannot_write(&error).into_io())
    }
}

impl Target {
    fn exists(&self) -> Error {
        Error::new(format!("{} exists, and a secret never replaces a file", self.shown))
            .hint("give another name; nothing was changed")
    }

    /// Returns the error for a file that took the name since it was resolved.
    pub(super) fn became_another(&self) -> Error {
        Error::new(format!("{} became another file", self.shown)).hint("it was left unchanged; run the command again")
    }

    pub(super) fn cannot_write(&self, error: &io::Error) -> Error {
        Error::io(format!("cannot write to {}", self.shown), error)
    }
}

/// Checks whether files can be created and renamed in `directory`.
#[cfg(unix)]
fn may_make_files_in(directory: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(directory, Access::WRITE_OK | Access::EXEC_OK)?)
}

#[cfg(not(unix))]
fn may_make_files_in(_directory: &Path) -> io::Result<()> {
    // Other systems do not tell before the file is created.
    Ok(())
}
