//! Directories by path, for Windows.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::entry::{Kind, regular};
use crate::os::disk;
use crate::os::file_id::{id_on_volume, open_any, open_to_query};

/// A directory.
#[derive(Clone, Debug)]
pub(crate) struct Dir(PathBuf);

impl Dir {
    /// Checks the directory that the user named. Links to it are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if !path.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        // This form has no limit of 260 characters. Not every drive has such a form.
        Ok(Self(path.canonicalize().unwrap_or_else(|_| path.to_owned())))
    }

    /// Returns the directory as a file, to set its attributes or to sync it.
    pub(crate) fn file(&self) -> io::Result<File> {
        const FILE_READ_ATTRIBUTES: u32 = 0x80;
        const FILE_WRITE_ATTRIBUTES: u32 = 0x100;
        open_any(&self.0, FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES, 0)
    }

    /// Does nothing: directories have no modes.
    pub(crate) fn make_private(&self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the metadata of the directory.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Returns the serial number of the volume, and the index of the directory on it.
    pub(crate) fn id(&self) -> io::Result<(u64, u64)> {
        let information = winapi_util::file::information(open_to_query(&self.0, true)?)?;
        let id = id_on_volume(information.volume_serial_number(), information.file_index());
        id.ok_or(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn child(&self, name: &OsStr) -> io::Result<Self> {
        match self.kind_of_child(name)? {
            Kind::Directory => Ok(Self(self.0.join(name))),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn open_child(&self, name: &OsStr, write: bool) -> io::Result<File> {
        match self.kind_of_child(name)? {
            Kind::Link => Err(io::Error::other("it is a link, and is not followed")),
            _ => regular(File::options().read(true).write(write).open(self.0.join(name))?),
        }
    }

    pub(super) fn kind_of_child(&self, name: &OsStr) -> io::Result<Kind> {
        self.0.join(name).symlink_metadata().map(|metadata| metadata.file_type().into())
    }

    /// Returns the length of the file `name` in bytes.
    pub(crate) fn len_of(&self, name: &OsStr) -> io::Result<u64> {
        self.0.join(name).symlink_metadata().map(|metadata| metadata.len())
    }

    pub(super) fn make_child(&self, name: &OsStr, _mode: u32) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn link_child(&self, _name: &OsStr, _target: &Path) -> io::Result<()> {
        Err(io::Error::other("symbolic links are not created on this system"))
    }

    pub(super) fn read_child_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.0.join(name))
    }

    pub(super) fn unsorted_entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        fs::read_dir(&self.0)?
            .map(|entry| {
                let entry = entry?;
                Ok((entry.file_name(), entry.file_type()?.into()))
            })
            .collect()
    }

    /// Creates the new file `name` for reading and writing.
    pub(crate) fn create_new(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(self.0.join(name))
    }

    /// Renames the file `from` to `to`. An existing file `to` is replaced if `replace` is set, and
    /// is an error otherwise.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr, replace: bool) -> io::Result<()> {
        let (from, to) = (self.0.join(from), self.0.join(to));
        if replace {
            return fs::rename(from, to);
        }
        let mut from = TempPath::try_from_path(from)?;
        // After an error, the caller still needs the file.
        from.disable_cleanup(true);
        from.persist_noclobber(to).map_err(|error| error.error)
    }

    /// Removes the file `name`.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Writes the names of `file`, which is in the directory, to the disk. `file` is open for
    /// writing.
    pub(crate) fn sync_names(&self, file: &File) -> io::Result<()> {
        disk::sync(file)
    }

    /// Returns whether `name` is the open file `file`, which was opened in the directory.
    pub(crate) fn is_same(&self, name: &OsStr, file: &File) -> io::Result<bool> {
        let entry = match open_to_query(&self.0.join(name), true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            entry => entry?,
        };
        // Both are on the volume of the directory.
        let index = |file: &File| winapi_util::file::information(file).map(|information| information.file_index());
        Ok(index(&entry)? == index(file)?)
    }
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}
