//! The place of an encrypted file, and of the kept file beside it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::os::dir::Dir;

/// The parts of the kept file's name before and after the name of the file.
const PREFIX: &str = ".";
const SUFFIX: &str = ".sealane-old-header";

/// Returns whether `name` is the name of a kept file.
pub(crate) fn is_name(name: &OsStr) -> bool {
    // The name of a file need not be UTF-8.
    let name = name.as_encoded_bytes();
    name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes())
}

/// A file in an open directory.
#[derive(Clone)]
pub(crate) struct Place {
    pub(super) directory: Dir,
    pub(super) name: OsString,
    /// The path of the file, for messages.
    pub(super) path: PathBuf,
}

impl Place {
    /// Finds the file that `path` leads to through links.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let directory = Dir::open(path.parent().unwrap_or(Path::new("")))?;
        Ok(Self { directory, name, path })
    }

    /// Finds the file with the relative path `within` below `root`. Messages call the file `path`.
    pub(crate) fn below(root: &Dir, within: &Path, path: &Path) -> io::Result<Self> {
        let name = within.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let directory = root.below(within.parent().unwrap_or(Path::new("")))?;
        Ok(Self { directory, name, path: path.to_owned() })
    }

    /// Returns the name of the kept file.
    pub(super) fn kept(&self) -> OsString {
        let mut name = OsString::from(PREFIX);
        name.push(&self.name);
        name.push(SUFFIX);
        name
    }

    /// Returns the path of the kept file.
    pub(super) fn kept_path(&self) -> PathBuf {
        self.path.with_file_name(self.kept())
    }

    /// Returns whether something has the name of the kept file. An error counts as yes.
    pub(super) fn has_kept(&self) -> bool {
        self.directory.has(Path::new(&self.kept()))
    }

    /// Returns whether a file can have the name of the kept file, which is longer than the name of
    /// the file.
    pub(super) fn can_keep(&self) -> bool {
        self.directory.len_of(&self.kept()).err().is_none_or(|error| error.kind() != io::ErrorKind::InvalidFilename)
    }
}
