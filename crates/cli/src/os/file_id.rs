//! Tells whether two names lead to the same file, through links of any kind.

use std::fs::Metadata;
use std::path::Path;

use crate::error::{Error, Result};

/// Identifies a file independently of its names. Only files whose content could be lost have an
/// identity: regular files and, on Unix, block devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId(Inner);

#[cfg(unix)]
type Inner = (bool, u64, u64);
#[cfg(not(unix))]
type Inner = std::path::PathBuf;

impl FileId {
    /// Returns the identity of the file behind `metadata`. `path` is its name, if it was opened by
    /// name.
    #[cfg(unix)]
    pub(crate) fn new(metadata: &Metadata, _path: Option<&Path>) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
        if metadata.is_file() {
            Some(Self((false, metadata.dev(), metadata.ino())))
        } else if metadata.file_type().is_block_device() {
            Some(Self((true, metadata.rdev(), 0)))
        } else {
            None
        }
    }

    /// Returns the identity of the file behind `metadata`. `path` is its name, if it was opened by
    /// name.
    #[cfg(not(unix))]
    pub(crate) fn new(metadata: &Metadata, path: Option<&Path>) -> Option<Self> {
        // Without `unsafe`, only the canonical path identifies a file here; hard links are not
        // recognised.
        metadata.is_file().then(|| path.and_then(|path| path.canonicalize().ok()).map(Self)).flatten()
    }

    /// Returns the identity of the file that `path` leads to.
    pub(crate) fn of_path(path: &Path) -> Option<Self> {
        Self::new(&path.metadata().ok()?, Some(path))
    }
}

/// Refuses to write to a file that is read. `inputs` are the files that are read, with descriptions
/// for messages.
pub(crate) fn refuse_same(output: Option<&FileId>, inputs: &[(Option<FileId>, String)]) -> Result<()> {
    let Some(output) = output else { return Ok(()) };
    match inputs.iter().find(|(id, _)| id.as_ref() == Some(output)) {
        Some((_, what)) => Err(Error::new(format!("the output is the same file as {what}"))
            .hint("nothing was changed; give the output another name with -o")),
        None => Ok(()),
    }
}
