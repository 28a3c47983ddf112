//! Directories by descriptor.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::os::fd::AsRawFd as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;

use super::entry::{Kind, regular};
use crate::os::disk;

/// The errors of calls that the kernel or the file system does not support. Each can have another
/// cause too.
const UNSUPPORTED: [Errno; 6] =
    [Errno::NOSYS, Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::PERM, Errno::ACCESS];

/// An open directory.
#[derive(Clone, Debug)]
pub(crate) struct Dir(Arc<OwnedFd>);

impl Dir {
    /// Opens the directory that the user named. Links to it are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Self::open_at(rustix::fs::CWD, path, OFlags::empty())
    }

    fn open_at(parent: impl AsFd + Copy, path: impl Arg + Copy, flags: OFlags) -> io::Result<Self> {
        let flags = flags | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = match rustix::fs::openat(parent, path, flags | OFlags::RDONLY, Mode::empty()) {
            // A directory without read permission can still receive files.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Err(Errno::ACCESS) => rustix::fs::openat(parent, path, flags | OFlags::PATH, Mode::empty()),
            opened => opened,
        };
        Ok(Self(Arc::new(opened?)))
    }

    /// Returns the directory as a file, to set its attributes or to sync it.
    pub(crate) fn file(&self) -> io::Result<File> {
        Ok(File::from(self.0.try_clone()?))
    }

    /// Gives only the owner access to the directory.
    pub(crate) fn make_private(&self) -> io::Result<()> {
        match rustix::fs::fchmod(&self.0, Mode::RWXU) {
            // The directory cannot be read, so it was opened with O_PATH.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Err(Errno::BADF) => {
                let descriptor = format!("/proc/self/fd/{}", self.0.as_raw_fd());
                Ok(rustix::fs::chmod(descriptor, Mode::RWXU)?)
            }
            made => Ok(made?),
        }
    }

    /// Returns the metadata of the directory.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.file()?.metadata()
    }

    /// Returns the numbers of the file system and of the directory on it.
    pub(crate) fn id(&self) -> io::Result<(u64, u64)> {
        use std::os::unix::fs::MetadataExt as _;
        self.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    pub(super) fn child(&self, name: &OsStr) -> io::Result<Self> {
        Self::open_at(self.0.as_fd(), name, OFlags::NOFOLLOW)
    }

    pub(super) fn open_child(&self, name: &OsStr, write: bool) -> io::Result<File> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        // Without NONBLOCK, opening a FIFO would wait.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => regular(File::from(file)),
            Err(Errno::LOOP | Errno::MLINK) => Err(io::Error::other("it is a link, and is not followed")),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn kind_of_child(&self, name: &OsStr) -> io::Result<Kind> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(stat.st_mode).into())
    }

    /// Returns the length of the file `name` in bytes.
    pub(crate) fn len_of(&self, name: &OsStr) -> io::Result<u64> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(u64::try_from(stat.st_size).unwrap_or_default())
    }

    pub(super) fn make_child(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        #[allow(clippy::useless_conversion, reason = "modes have 16 bits on some systems")]
        let mode = Mode::from_bits_truncate(mode.try_into().map_err(|_| io::ErrorKind::InvalidInput)?);
        Ok(rustix::fs::mkdirat(&self.0, name, mode)?)
    }

    pub(super) fn link_child(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, name)?)
    }

    pub(super) fn read_child_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(&self.0, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    pub(super) fn unsorted_entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not tell the type.
                FileType::Unknown => match self.kind_of_child(name) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    kind => kind?,
                },
                kind => kind.into(),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Creates the new file `name` for reading and writing, with `mode` reduced by the umask.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        #[allow(clippy::useless_conversion, reason = "modes have 16 bits on some systems")]
        let mode = Mode::from_bits_truncate(mode.try_into().map_err(|_| io::ErrorKind::InvalidInput)?);
        Ok(File::from(rustix::fs::openat(&self.0, name, flags, mode)?))
    }

    /// Renames the file `from` to `to`. An existing file `to` is replaced if `replace` is set, and
    /// is an error otherwise.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr, replace: bool) -> io::Result<()> {
        if replace {
            return Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?);
        }
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        match rustix::fs::renameat_with(&self.0, from, &self.0, to, rustix::fs::RenameFlags::NOREPLACE) {
            Err(error) if UNSUPPORTED.contains(&error) => {}
            renamed => return Ok(renamed?),
        }
        match rustix::fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
            Ok(()) => self.remove(from),
            // FAT and some network file systems have no hard links.
            Err(error) if UNSUPPORTED.contains(&error) => self.rename_after_check(from, to),
            Err(error) => Err(error.into()),
        }
    }

    /// Renames the file `from` to `to` in two steps: a check that nothing has the name `to`, and
    /// the renaming. A file to which another program gives the name between the two is replaced.
    pub(super) fn rename_after_check(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        // Threads of this run may write results to the same name, in upper and lower case.
        static STEPS: Mutex<()> = Mutex::new(());
        let _steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
        match self.kind_of_child(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename(from, to, true),
            Err(error) => Err(error),
        }
    }

    /// Removes the file `name`.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Returns whether `name` is the open file `file`.
    pub(crate) fn is_same(&self, name: &OsStr, file: &File) -> io::Result<bool> {
        let entry = match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(false),
            entry => entry?,
        };
        let file = rustix::fs::fstat(file)?;
        Ok((entry.st_dev, entry.st_ino) == (file.st_dev, file.st_ino))
    }

    /// Writes the names in the directory to the disk. Does nothing if the file system cannot sync
    /// directories. `file` is an open file in the directory.
    pub(crate) fn sync_names(&self, file: &File) -> io::Result<()> {
        let Err(error) = self.file().and_then(|directory| disk::sync(&directory)) else { return Ok(()) };
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let _ = file;
        match Errno::from_io_error(&error) {
            // The directory cannot be read, so it was opened with O_PATH, and only the whole file
            // system can be synced.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Some(Errno::BADF) => Ok(rustix::fs::syncfs(file)?),
            Some(errno) if [Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&errno) => Ok(()),
            _ => Err(error),
        }
    }

    /// Returns the number of the directory's file system.
    #[cfg(target_os = "linux")]
    pub(crate) fn device(&self) -> io::Result<u64> {
        #[allow(clippy::useless_conversion, reason = "the number has 32 bits on some systems")]
        Ok(rustix::fs::fstat(&self.0)?.st_dev.into())
    }

    /// Writes all files of the directory's file system to the disk.
    #[cfg(target_os = "linux")]
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        match rustix::fs::syncfs(&self.0) {
            // The directory cannot be read, so it was opened with O_PATH.
            Err(Errno::BADF) => {
                rustix::fs::sync();
                Ok(())
            }
            synced => Ok(synced?),
        }
    }
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_directory_that_cannot_be_read_are_synced() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        let file = File::create(&path).unwrap();
        let open_path = |path: &Path| rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let unreadable = Dir(Arc::new(open_path(root.path())));
        let error = unreadable.file().unwrap().sync_all().unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::BADF));
        unreadable.sync_names(&file).unwrap();
        // An error is returned, unless the file system cannot sync directories.
        let error = unreadable.sync_names(&File::from(open_path(&path))).unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::BADF));
        let proc = Dir::open(Path::new("/proc")).unwrap();
        assert!(proc.file().unwrap().sync_all().is_err());
        proc.sync_names(&file).unwrap();
    }
}
