//! Tells whether two names lead to the same file, through links of any kind.

#[cfg(windows)]
use std::fs::File;
use std::fs::Metadata;
#[cfg(windows)]
use std::io;
use std::path::Path;

use crate::error::{Error, Result};

/// Identifies a file independently of its names. Only files whose content could be lost have a
/// file id: regular files and, on Unix, block devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId(Inner);

#[cfg(unix)]
type Inner = (bool, u64, u64);
/// The serial number of the volume, and the index of the file on it.
#[cfg(windows)]
type Inner = (u64, u64);

impl FileId {
    /// Returns the id of the file behind `metadata`. `path` is its name, if it was opened by name.
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

    /// Returns the id of the file behind `metadata`. `path` is its name, if it was opened by name.
    /// Other files have no file id here.
    #[cfg(windows)]
    pub(crate) fn new(metadata: &Metadata, path: Option<&Path>) -> Option<Self> {
        let file = open_to_query(path.filter(|_| metadata.is_file())?, false).ok()?;
        let information = winapi_util::file::information(file).ok()?;
        id_on_volume(information.volume_serial_number(), information.file_index()).map(Self)
    }

    /// Returns the id of the file that `path` leads to.
    pub(crate) fn of_path(path: &Path) -> Option<Self> {
        Self::new(&path.metadata().ok()?, Some(path))
    }
}

/// Returns what identifies a file or directory on Windows, or nothing if its index is 0: some file
/// systems of networks have no indices.
#[cfg(any(windows, test))]
pub(crate) fn id_on_volume(serial_number: u64, index: u64) -> Option<(u64, u64)> {
    (index != 0).then_some((serial_number, index))
}

/// Opens a file or directory only to query it, which no program prevents. With `link`, a link is
/// opened itself.
#[cfg(windows)]
pub(crate) fn open_to_query(path: &Path, link: bool) -> io::Result<File> {
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    open_any(path, 0, if link { FILE_FLAG_OPEN_REPARSE_POINT } else { 0 })
}

/// Opens a file or directory with the rights `access` and with `flags` of Windows.
#[cfg(windows)]
pub(crate) fn open_any(path: &Path, access: u32, flags: u32) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    // Without this flag, Windows opens no directory.
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    File::options().access_mode(access).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | flags).open(path)
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn all_names_of_a_file_lead_to_it() {
        let root = tempfile::tempdir().unwrap();
        let [one, link, other] = ["one", "link", "other"].map(|name| root.path().join(name));
        for path in [&one, &other] {
            fs::write(path, "content").unwrap();
        }
        fs::hard_link(&one, &link).unwrap();
        assert!(FileId::of_path(&one).is_some());
        assert_eq!(FileId::of_path(&one), FileId::of_path(&link));
        assert_ne!(FileId::of_path(&one), FileId::of_path(&other));
        assert_eq!(FileId::of_path(root.path()), None);
    }

    /// Otherwise all files of a volume without indices would be one.
    #[test]
    fn a_file_without_an_index_has_no_id() {
        assert_eq!(id_on_volume(7, 0), None);
        assert_eq!(id_on_volume(0, 1), Some((0, 1)));
    }
}
