//! Files while they are written.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::error::Error;
use crate::io::output::keep_retry;

/// A result or a manifest while it is written. Its errors name the file.
pub(crate) struct Target<'a> {
    file: &'a File,
    path: &'a Path,
    /// Whether the file system cannot have a file of this length.
    pub(super) too_large: bool,
}

impl<'a> Target<'a> {
    pub(super) fn new(file: &'a File, path: &'a Path) -> Self {
        Self { file, path, too_large: false }
    }
}

impl Write for Target<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.file.write(data).map_err(|error| {
            self.too_large |= error.kind() == io::ErrorKind::FileTooLarge;
            keep_retry(error, |error| Error::cannot_write(self.path, &error))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
