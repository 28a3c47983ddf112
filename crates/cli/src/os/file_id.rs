//! Whether two names are one file, through links of any kind.

use std::fs::Metadata;
use std::path::Path;

use crate::error::{Error, Result};

/// What a file is apart from its names. Only files whose content would be lost have one: regular files and block devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId(Inner);

#[cfg(unix)]
type Inner = (bool, u64, u64);
#[cfg(not(unix))]
type Inner = std::path::PathBuf;

impl FileId {
    /// The file behind `metadata`; `path` is where it was found, if it was found by a name.
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

    /// The file behind `metadata`; `path` is where it was found, if it was found by a name.
    #[cfg(not(unix))]
    pub(crate) fn new(metadata: &Metadata, path: Option<&Path>) -> Option<Self> {
        // Without `unsafe` only its one true path tells a file here; a hard link is not recognised.
        metadata.is_file().then(|| path.and_then(|path| path.canonicalize().ok()).map(Self)).flatten()
    }

    /// The file that `path` leads to, if there is one.
    pub(crate) fn of_path(path: &Path) -> Option<Self> {
        Self::new(&path.metadata().ok()?, Some(path))
    }
}

/// Refuses to write to a file that is read from: `inputs` are files with what they are to a person.
pub(crate) fn refuse_same(output: Option<&FileId>, inputs: &[(Option<FileId>, String)]) -> Result<()> {
    let Some(output) = output else { return Ok(()) };
    match inputs.iter().find(|(id, _)| id.as_ref() == Some(output)) {
        Some((_, what)) => Err(Error::new(format!("the output is the same file as {what}"))
            .hint("nothing was touched; give the output another name with -o")),
        None => Ok(()),
    }
}
