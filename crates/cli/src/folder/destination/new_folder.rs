//! The folder for the results, and its creation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, quoted};
use crate::os::dir::Dir;

/// A folder that this run created. It is removed when this value is dropped, if it is empty and the
/// run has failed.
pub(super) struct NewFolder {
    path: PathBuf,
    /// Whether the folder stays even if it is empty.
    pub(super) stays: bool,
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.stays {
            // This fails if the folder is not empty.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Opens the folder for the results, or creates it.
pub(super) fn open_or_make(path: &Path) -> Result<(Dir, Option<NewFolder>)> {
    // Without `/` or `/.` at the end: with them, neither can a folder be created or removed, nor a
    // link be recognised.
    let path = path.components().as_path();
    let cannot = |error: io::Error| {
        let explained = Error::cannot_write(path, &error);
        match error.kind() {
            io::ErrorKind::NotADirectory => explained.hint("-o names the folder that the files go to"),
            // It was missing a moment ago.
            io::ErrorKind::AlreadyExists if path.is_symlink() => {
                Error::new(format!("{} is a link to nothing", quoted(path)))
                    .hint("remove it, or make the folder that it leads to")
            }
            _ => explained,
        }
    };
    match Dir::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let new = match fs::create_dir(path) {
                Ok(()) => Some(NewFolder { path: path.to_owned(), stays: false }),
                // Another run has just created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => None,
                Err(error) => return Err(cannot(error)),
            };
            Ok((Dir::open(path).map_err(cannot)?, new))
        }
        opened => Ok((opened.map_err(cannot)?, None)),
    }
}
