//! Permissions of a file that replaces another.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// The owner, group, mode and access list of an old file, for the file that replaces it.
pub(crate) struct Permissions {
    metadata: Metadata,
    #[cfg(unix)]
    list: access_list::List,
}

impl Permissions {
    /// Reads the permissions of the file at `path`, which has this metadata.
    pub(super) fn of_path(path: &Path, metadata: &Metadata) -> Self {
        #[cfg(not(unix))]
        let _ = path;
        Self {
            metadata: metadata.clone(),
            #[cfg(unix)]
            list: access_list::of_path(path),
        }
    }

    /// Reads the permissions of an open file.
    pub(crate) fn of_file(file: &File) -> io::Result<Self> {
        Ok(Self {
            metadata: file.metadata()?,
            #[cfg(unix)]
            list: access_list::of_file(file),
        })
    }

    /// Gives the permissions to `file`. If the group or the list cannot be kept, their rights are
    /// dropped, and all other users get no right that these may have been denied. If the owner or
    /// the group cannot be kept, the file does not run with the rights of the new one.
    #[cfg(unix)]
    pub(crate) fn give(&self, file: &File) -> io::Result<()> {
        use std::fs::Permissions;
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
        let (new, old) = (file.metadata()?, &self.metadata);
        // Only root can do this; any other user becomes the owner.
        let keeps_owner = new.uid() == old.uid() || fchown(file, Some(old.uid()), None).is_ok();
        let keeps_group = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
        // The list is set before the mode: with a list, the group bits of the mode are the maximum
        // that the list allows.
        let keeps_list = access_list::replace(file, &self.list, keeps_group)?;
        let mode = kept_mode(old.mode() & 0o7777, keeps_owner, keeps_group, keeps_list);
        // On FAT, all files have one owner and one mode, and other users cannot even set this mode.
        if file.metadata()?.mode() & 0o7777 == mode {
            return Ok(());
        }
        file.set_permissions(Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    pub(crate) fn give(&self, file: &File) -> io::Result<()> {
        file.set_permissions(self.metadata.permissions())
    }
}

/// Returns the rights in `mode` that cannot exceed those of the old file. Without the list or the
/// group, the users that they named are among all others, so the others keep only the rights that
/// no list could deny, or that the group had too. Set-user-ID and set-group-ID stay only with the
/// owner and the group whose rights they give.
#[cfg(unix)]
fn kept_mode(mode: u32, keeps_owner: bool, keeps_group: bool, keeps_list: bool) -> u32 {
    let mode = mode & !(if keeps_owner { 0 } else { 0o4000 } | if keeps_group { 0 } else { 0o2000 });
    match (keeps_group, keeps_list) {
        (true, true) => mode,
        (false, true) => mode & (0o7700 | (mode & 0o070) >> 3),
        (_, false) => mode & 0o7700,
    }
}

/// POSIX access lists, as acl(5) describes them.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod access_list {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr, getxattr};
    use rustix::io::Errno;

    const NAME: &str = "system.posix_acl_access";

    /// The length of the longest extended attribute.
    const MAX_BYTES: usize = 64 << 10;

    /// The list of a file, if it has one. An error says that there may be a list that cannot be
    /// read.
    pub(super) type List = Result<Option<Vec<u8>>, Errno>;

    pub(super) fn of_path(path: &Path) -> List {
        read(|list| getxattr(path, NAME, list))
    }

    pub(super) fn of_file(file: &File) -> List {
        read(|list| fgetxattr(file, NAME, list))
    }

    fn read(get: impl FnOnce(&mut [u8]) -> Result<usize, Errno>) -> List {
        let mut list = vec![0; MAX_BYTES];
        match get(&mut list) {
            Ok(len) => {
                list.truncate(len);
                Ok(Some(list))
            }
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the list that `file` inherited from its directory with `list`, or with none if
    /// `keep` is not set or the list cannot be copied. Returns whether `file` now has exactly
    /// `list`.
    pub(super) fn replace(file: &File, list: &List, keep: bool) -> io::Result<bool> {
        match list {
            Ok(Some(list)) if keep && fsetxattr(file, NAME, list, XattrFlags::empty()).is_ok() => Ok(true),
            Ok(None) => remove(file).map(|()| true),
            Ok(Some(_)) | Err(_) => remove(file).map(|()| false),
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

    pub(super) struct List;

    pub(super) fn of_path(_path: &Path) -> List {
        List
    }

    pub(super) fn of_file(_file: &File) -> List {
        List
    }

    pub(super) fn replace(_file: &File, _list: &List, _keep: bool) -> io::Result<bool> {
        Ok(true)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    use super::*;

    #[test]
    fn nobody_gets_a_right_that_a_lost_group_or_list_denied() {
        for (mode, keeps_owner, keeps_group, keeps_list, kept) in [
            (0o664, true, true, true, 0o664),
            (0o604, true, true, true, 0o604),
            // The members of the group had at most its rights.
            (0o604, true, false, true, 0o600),
            (0o664, true, false, true, 0o604),
            (0o647, true, false, true, 0o604),
            // The list may deny any right to a user.
            (0o664, true, true, false, 0o600),
            (0o4755, true, false, false, 0o4700),
            // The file must not run with the rights of a new owner or group.
            (0o6775, true, true, true, 0o6775),
            (0o6775, false, true, true, 0o2775),
            (0o6775, true, false, true, 0o4705),
            (0o6755, false, false, false, 0o700),
        ] {
            let found = kept_mode(mode, keeps_owner, keeps_group, keeps_list);
            assert_eq!(found, kept, "{mode:o} {keeps_owner} {keeps_group} {keeps_list}");
        }
    }

    #[test]
    fn where_the_list_cannot_be_kept_only_the_owner_gets_rights() {
        const NAME: &str = "system.posix_acl_access";
        // The owner, the user 12345, who has no rights, the group, the maximum for these two, and
        // others.
        let entries =
            [(1_u16, 6_u16, u32::MAX), (2, 0, 12345), (4, 6, u32::MAX), (0x10, 6, u32::MAX), (0x20, 4, u32::MAX)];
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
        let list = access_list::of_path(&old);
        assert!(list.as_ref().is_ok_and(Option::is_some));
        assert!(!access_list::replace(&file, &list, false).unwrap());
        assert!(getxattr(&new, NAME, &mut [0; 1024][..]).is_err(), "a rule for another user is left");
        // The whole list is lost if it cannot be read.
        let mut permissions = Permissions::of_path(&old, &old.metadata().unwrap());
        permissions.list = Err(rustix::io::Errno::IO);
        permissions.give(&file).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&new.metadata().unwrap().permissions());
        assert_eq!(mode & 0o7777, 0o600);
    }
}
