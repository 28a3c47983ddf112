//! Permissions of a file that replaces another.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Gives `file` the owner, group, mode and access list of the file at `path`, which it will replace
/// and which has the metadata `existing`. The rights of the group or of the list are dropped if
/// they cannot be kept.
#[cfg(unix)]
pub(super) fn keep(file: &File, path: &Path, existing: &Metadata) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let new = file.metadata()?;
    let mode = existing.mode() & 0o7777;
    if new.uid() != existing.uid() {
        // Only root can do this; any other user becomes the owner.
        let _ = fchown(file, Some(existing.uid()), None);
    }
    let keeps_group = new.gid() == existing.gid() || fchown(file, None, Some(existing.gid())).is_ok();
    // The list is set before the mode: with a list, the group bits of the mode are the maximum that
    // the list allows.
    let keeps_list = access_list::replace(file, path, keeps_group)?;
    file.set_permissions(Permissions::from_mode(kept_mode(mode, keeps_group && keeps_list)))
}

/// Returns `mode`, without the group's rights unless the group and the list are kept.
#[cfg(unix)]
fn kept_mode(mode: u32, keeps_group_and_list: bool) -> u32 {
    if keeps_group_and_list { mode } else { mode & !0o070 }
}

#[cfg(not(unix))]
pub(super) fn keep(file: &File, _path: &Path, existing: &Metadata) -> io::Result<()> {
    file.set_permissions(existing.permissions())
}

/// POSIX access lists, as acl(5) describes them.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod access_list {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, getxattr};
    use rustix::io::Errno;

    const NAME: &str = "system.posix_acl_access";

    /// The length of the longest extended attribute.
    const MAX_BYTES: usize = 64 << 10;

    /// Replaces the list that `file` inherited from its directory with the list of the file at
    /// `path`, or with none if `keep` is not set or the list cannot be copied. Returns whether
    /// `file` now has exactly the list of the file at `path`.
    pub(super) fn replace(file: &File, path: &Path, keep: bool) -> io::Result<bool> {
        let mut list = vec![0; MAX_BYTES];
        let old = match getxattr(path, NAME, &mut list[..]) {
            Ok(len) => Some(&list[..len]),
            Err(Errno::NODATA | Errno::OPNOTSUPP) => None,
            // There may be a list that cannot be read.
            Err(_) => return remove(file).map(|()| false),
        };
        match old {
            Some(old) if keep && fsetxattr(file, NAME, old, XattrFlags::empty()).is_ok() => Ok(true),
            Some(_) => remove(file).map(|()| false),
            None => remove(file).map(|()| true),
        }
    }

    fn remove(file: &File) -> io::Result<()> {
        match fremovexattr(file, NAME) {
            Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Access lists are not supported on these systems.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod access_list {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn replace(_file: &File, _path: &Path, _keep: bool) -> io::Result<bool> {
        Ok(true)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    use super::*;

    #[test]
    fn where_the_list_cannot_be_kept_the_group_gets_no_rights() {
        const NAME: &str = "system.posix_acl_access";
        // The owner, the user 12345, the group, the maximum for these two, and others.
        let entries =
            [(1_u16, 6_u16, u32::MAX), (2, 6, 12345), (4, 6, u32::MAX), (0x10, 6, u32::MAX), (0x20, 0, u32::MAX)];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, may, id) in entries {
            list.extend([&tag.to_le_bytes()[..], &may.to_le_bytes(), &id.to_le_bytes()].concat());
        }
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        for path in [&old, &new] {
            std::fs::write(path, "").unwrap();
            setxattr(path, NAME, &list, XattrFlags::empty()).expect("a file system with access lists");
        }
        let file = File::options().write(true).open(&new).unwrap();
        assert!(!access_list::replace(&file, &old, false).unwrap());
        assert!(getxattr(&new, NAME, &mut [0; 1024][..]).is_err(), "a rule for another user is left");
        assert_eq!((kept_mode(0o660, false), kept_mode(0o660, true)), (0o600, 0o660));
    }
}
