//! Temporary files for results. A temporary file is usually in the directory of its target, and
//! gets the name of the target when it is complete.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

use crate::os::cleanup::FileGuard;
use crate::os::dir::Dir;

const PREFIX: &str = ".sealane-";
const SUFFIX: &str = ".tmp";

/// An unfinished file. It is removed when this value is dropped, or when a signal ends the process,
/// unless it has its final name by then.
pub(crate) struct Temporary {
    file: File,
    directory: Dir,
    name: OsString,
    /// Whether the file still has its temporary name.
    unfinished: bool,
    // Dropped last, so that the file is watched until then.
    _guard: FileGuard,
}

impl Temporary {
    /// Creates a file in `directory` with `mode`, reduced by the umask.
    pub(crate) fn create(directory: &Path, mode: u32) -> io::Result<Self> {
        Self::create_in(&Dir::open(directory)?, mode)
    }

    /// Creates a file in `directory` with `mode`, reduced by the umask.
    pub(crate) fn create_in(directory: &Dir, mode: u32) -> io::Result<Self> {
        const ATTEMPTS: u32 = 100;
        let mut failed = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..ATTEMPTS {
            let mut random = [0; 8];
            getrandom::fill(&mut random)?;
            let name = OsString::from(format!("{PREFIX}{:016x}{SUFFIX}", u64::from_le_bytes(random)));
            match FileGuard::make_in(directory, &name, mode) {
                Ok((file, _guard)) => {
                    return Ok(Self { file, directory: directory.clone(), name, unfinished: true, _guard });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => failed = error,
                Err(error) => return Err(error),
            }
        }
        Err(failed)
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Renames the file, within its directory, to the file name of `target`. An existing file is
    /// replaced if `replace` is set, and is an error otherwise.
    pub(crate) fn persist(mut self, target: &Path, replace: bool) -> io::Result<()> {
        self.rename(target, replace)
    }

    /// Does the work of [`Temporary::persist`]. After an error, the unfinished file is still there.
    pub(super) fn rename(&mut self, target: &Path, replace: bool) -> io::Result<()> {
        let target = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.directory.rename(&self.name, target, replace)?;
        self.unfinished = false;
        Ok(())
    }

    /// Returns whether `name` is the name of an unfinished file.
    pub(crate) fn is_name(name: &OsStr) -> bool {
        name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.unfinished {
            let _ = self.directory.remove(&self.name);
        }
    }
}
