//! A new file that replaces an encrypted file.

use std::io::{self, Write};
use std::path::Path;

use super::Target;
use crate::error::{Error, Result, quoted};
use crate::io::output::{Permissions, Temporary, keep_retry};
use crate::os::disk;

/// A new file, which replaces the target when it is complete. Until then, the target is untouched.
/// Both are reached through the directory that was opened with the target, so that no link leads
/// the new file elsewhere.
pub(crate) struct NewFile<'a> {
    target: &'a Target,
    temporary: Temporary,
}

impl<'a> NewFile<'a> {
    /// Creates the file with the permissions of `target`.
    pub(crate) fn create(target: &'a Target) -> Result<Self> {
        let temporary = Temporary::create_in(&target.place.directory, 0o600).map_err(|error| {
            Error::io(format!("cannot make a temporary file beside {}", quoted(&target.path)), &error)
                .hint("write a new file with -o")
        })?;
        let new = Self { target, temporary };
        new.give_permissions()?;
        Ok(new)
    }

    fn give_permissions(&self) -> Result<()> {
        let given =
            Permissions::of_file(&self.target.file).and_then(|permissions| permissions.give(self.temporary.file()));
        given.map_err(|error| Error::cannot_write(&self.target.path, &error))
    }

    /// Writes the complete file to the disk, and replaces the target unless `unchanged` returns an
    /// error. `unchanged` is called last.
    pub(crate) fn finish(self, unchanged: impl FnOnce() -> Result<()>) -> Result<()> {
        let target = self.target;
        let cannot = |error: io::Error| Error::cannot_write(&target.path, &error);
        disk::sync(self.temporary.file()).map_err(cannot)?;
        // The user may have changed the permissions meanwhile.
        self.give_permissions()?;
        unchanged()?;
        self.temporary.persist(Path::new(&target.place.name), true).map_err(cannot)?;
        // Also write the name to the disk.
        target.place.directory.sync();
        Ok(())
    }
}

impl Write for NewFile<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.temporary.file().write(data);
        written.map_err(|error| keep_retry(error, |error| Error::cannot_write(&self.target.path, &error)))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
