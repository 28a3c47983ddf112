//! A file beside its target that becomes the target when it is complete.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use tempfile::{Builder, TempPath};

use crate::cleanup::FileGuard;

const PREFIX: &str = ".sealane-";
const SUFFIX: &str = ".tmp";

/// An unfinished file. Dropped, or at a signal, it is removed.
pub(crate) struct Temporary {
    // Fields are dropped in this order: the file is closed and removed, and only then no longer watched over.
    file: File,
    path: TempPath,
    _guard: FileGuard,
}

impl Temporary {
    /// A new one in `directory`, with what the umask leaves of `mode`.
    pub(crate) fn create(directory: &Path, mode: u32) -> io::Result<Self> {
        let made = Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(directory, |path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
            #[cfg(not(unix))]
            let _ = mode;
            FileGuard::make(path, || options.open(path))
        });
        let (made, path) = made?.into_parts();
        let (file, _guard) = made;
        Ok(Self { file, path, _guard })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives it the name `target`. A file that has that name already is replaced, or that is an error.
    pub(crate) fn persist(self, target: &Path, replace: bool) -> io::Result<()> {
        drop(self.file);
        let persisted = if replace { self.path.persist(target) } else { self.path.persist_noclobber(target) };
        persisted.map_err(|error| error.error)
    }

    /// Whether a file of this name is one that was never finished.
    pub(crate) fn is_name(name: &std::ffi::OsStr) -> bool {
        name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
    }
}
