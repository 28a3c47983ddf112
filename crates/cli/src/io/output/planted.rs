//! Files that another user may have planted in a folder that all users can write to, such as /tmp.
//!
//! If the command wrote to them, another user could choose which file it overwrites, or read the
//! result. Linux can refuse this (`fs.protected_symlinks`, `protected_regular` and
//! `protected_fifos` in proc_sys_fs(5)), but only if the kernel itself follows the link, or if the
//! file is opened with `O_CREAT`. The command follows links itself, to find the folder of the file
//! that it replaces, and it opens existing files without `O_CREAT`. So it applies these rules
//! itself, on every Unix.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// The bits of a mode that make a folder shared: all users can write to it, but only the owner of a
/// file can remove it.
const SHARED: u32 = 0o1002;

/// Returns whether `path`, which has this metadata, is in a shared folder and belongs to neither
/// the current user nor the owner of the folder. Directories and devices do not count: a directory
/// is never written to, and only an administrator can make a device.
pub(super) fn is_planted(path: &Path, metadata: &Metadata) -> bool {
    let kind = metadata.file_type();
    if kind.is_dir() || kind.is_block_device() || kind.is_char_device() {
        return false;
    }
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // If the folder cannot be examined, the file cannot be opened either.
    let Ok(folder) = fs::metadata(folder) else { return false };
    let user = rustix::process::geteuid().as_raw();
    is_of_another(metadata.uid(), user, folder.mode(), folder.uid())
}

/// Returns whether the file of `owner` in a folder with this mode and owner is one of another user.
fn is_of_another(owner: u32, user: u32, folder_mode: u32, folder_owner: u32) -> bool {
    folder_mode & SHARED == SHARED && owner != user && owner != folder_owner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_others_in_shared_folders() {
        let (root, user, other) = (0, 1000, 1001);
        assert!(is_of_another(other, user, 0o41777, root));
        assert!(is_of_another(other, root, 0o41777, root));
        assert!(is_of_another(root, user, 0o41777, other));
        for (owner, folder_mode, folder_owner) in [
            (user, 0o41777, root),
            (root, 0o41777, root),
            (other, 0o41777, other),
            // The folder is not shared with all users, or anyone can replace the file.
            (other, 0o41775, root),
            (other, 0o40777, root),
            (other, 0o40755, other),
        ] {
            assert!(!is_of_another(owner, user, folder_mode, folder_owner), "{owner} {folder_mode:o} {folder_owner}");
        }
    }
}
