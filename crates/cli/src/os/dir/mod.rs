//! An open directory. All paths below it are opened relative to it, and no symbolic link is
//! followed, so a user who can write there cannot redirect the command to other files.
//!
//! On Unix, paths are opened with `openat` and `O_NOFOLLOW`, one component at a time. On Windows,
//! whole paths are used: links are refused, but a link that appears between the check and the use
//! is not noticed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path};

use sealane_age::folder::refuses_name;

use crate::os::disk;

mod descent;
mod entry;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use descent::Descent;
pub(crate) use entry::Kind;
#[cfg(unix)]
pub(crate) use unix::Dir;
#[cfg(windows)]
pub(crate) use windows::Dir;

impl Dir {
    /// Opens the directory that holds `path`. Returns this directory, and the last component of
    /// `path`.
    fn parent_of<'a>(&self, path: &'a Path) -> io::Result<(Self, &'a OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.below(path.parent().unwrap_or(Path::new("")))?, name))
    }

    /// Opens the directory at `path` below this one.
    pub(crate) fn below(&self, path: &Path) -> io::Result<Self> {
        let mut directory = self.clone();
        for component in path.components() {
            let Component::Normal(name) = component else { return Err(io::ErrorKind::InvalidInput.into()) };
            directory = directory.child(name)?;
        }
        Ok(directory)
    }

    /// Opens the regular file at `path` for reading.
    pub(crate) fn open_file(&self, path: &Path) -> io::Result<File> {
        let (parent, name) = self.parent_of(path)?;
        parent.open_child(name, false)
    }

    /// Opens the regular file at `path` for reading and writing.
    pub(crate) fn open_file_to_write(&self, path: &Path) -> io::Result<File> {
        let (parent, name) = self.parent_of(path)?;
        parent.open_child(name, true)
    }

    /// Returns the kind of the entry at `path`, or `None` if there is none. No entry has a name
    /// that the file system does not allow.
    pub(crate) fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        none_if_missing(self.parent_of(path).and_then(|(parent, name)| parent.kind_of_child(name)))
    }

    /// Returns whether something is at `path`. An error counts as yes.
    pub(crate) fn has(&self, path: &Path) -> bool {
        !matches!(self.kind(path), Ok(None))
    }

    /// Creates a symbolic link.
    pub(crate) fn make_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let (parent, name) = self.parent_of(path)?;
        parent.link_child(name, target)
    }

    /// Returns the target of the link at `path`.
    pub(crate) fn read_link(&self, path: &Path) -> io::Result<std::path::PathBuf> {
        let (parent, name) = self.parent_of(path)?;
        parent.read_child_link(name)
    }

    /// Returns the names in the directory with their kinds, sorted by name.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = self.unsorted_entries()?;
        entries.sort_by(|(one, _), (two, _)| one.cmp(two));
        Ok(entries)
    }

    /// Writes the names in the directory to the disk, on systems that can sync directories.
    pub(crate) fn sync(&self) {
        let _ = self.file().and_then(|directory| disk::sync(&directory));
    }
}

/// Writes the name of the file `path` to the disk, on systems that can sync directories.
pub(crate) fn sync_parent(path: &Path) {
    if let Ok(directory) = Dir::open(path.parent().unwrap_or(Path::new(""))) {
        directory.sync();
    }
}

/// Returns whether a path ends in `/` or `/.`, or in `\` or `\.` on Windows, and so can only mean a
/// directory. `Path::file_name` ignores these ends.
pub(crate) fn ends_as_directory(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    let last = path.strip_suffix(b".").unwrap_or(path).last();
    last.is_some_and(|&last| std::path::is_separator(char::from(last)))
}

/// Returns `None` in place of an error that [`is_missing`] accepts.
fn none_if_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether the error says that no entry has the name, or that none can have it.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    // Only the system knows which names are not allowed. A path with `..` is an error of its own.
    error.kind() == io::ErrorKind::NotFound || (error.raw_os_error().is_some() && refuses_name(error))
}

/// Returns whether no other user controls `file`: it is regular, has one name, and belongs to the
/// current user or to `owner`, if there is one. Windows does not tell the owner.
pub(crate) fn is_own(file: &File, owner: Option<u32>) -> io::Result<bool> {
    #[cfg(unix)]
    let is_owner = |metadata: &Metadata| {
        let uid = std::os::unix::fs::MetadataExt::uid(metadata);
        uid == rustix::process::geteuid().as_raw() || owner == Some(uid)
    };
    #[cfg(windows)]
    let is_owner = |_: &Metadata| owner.is_none();
    let metadata = file.metadata()?;
    Ok(metadata.is_file() && links(file)? == 1 && is_owner(&metadata))
}

/// Returns whether the file has several hard links.
pub(crate) fn has_other_names(file: &File) -> io::Result<bool> {
    Ok(links(file)? > 1)
}

/// Returns the number of hard links of a file.
fn links(file: &File) -> io::Result<u64> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?));
    #[cfg(windows)]
    Ok(winapi_util::file::information(file)?.number_of_links())
}

/// Returns the owner of the file behind `metadata`, on systems with owners.
#[cfg(unix)]
pub(crate) fn owner(metadata: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
pub(crate) fn owner(_metadata: &Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        use std::os::unix::fs::symlink;

        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "outside").unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/file"), "inside").unwrap();
        symlink(outside.path(), root.path().join("a/out")).unwrap();
        symlink("b/file", root.path().join("a/link")).unwrap();
        let dir = Dir::open(root.path()).unwrap();
        assert_eq!(io::read_to_string(dir.open_file(Path::new("a/b/file")).unwrap()).unwrap(), "inside");
        for name in ["a/out/file", "a/link", "a/b", "a/none"] {
            assert!(dir.open_file(Path::new(name)).is_err(), "{name}");
            assert!(dir.open_file_to_write(Path::new(name)).is_err(), "{name}");
        }
        for name in ["..", "a/../a/b/file", "/etc/passwd", "", "."] {
            assert!(dir.open_file(Path::new(name)).is_err(), "{name}");
        }
        assert!(Descent::new(&dir).make_directory(Path::new("a/out/new"), 0o777).is_err());
        assert!(dir.make_link(Path::new("a/out/new"), Path::new("x")).is_err());
        assert!(dir.below(Path::new("a/out")).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        let kinds: Vec<_> = dir.below(Path::new("a")).unwrap().entries().unwrap();
        assert_eq!(kinds, [("b".into(), Kind::Directory), ("link".into(), Kind::Link), ("out".into(), Kind::Link)]);
        assert_eq!(dir.kind(Path::new("a/none")).unwrap(), None);
        assert_eq!(dir.read_link(Path::new("a/link")).unwrap(), Path::new("b/file"));
    }

    #[test]
    fn a_new_name_does_not_take_the_place_of_another() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open(root.path()).unwrap();
        for name in ["one", "two"] {
            fs::write(root.path().join(name), name).unwrap();
        }
        let error = dir.rename(OsStr::new("one"), OsStr::new("two"), false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(root.path().join("two")).unwrap(), b"two");
        dir.rename(OsStr::new("one"), OsStr::new("three"), false).unwrap();
        dir.rename(OsStr::new("three"), OsStr::new("two"), true).unwrap();
        assert_eq!(fs::read(root.path().join("two")).unwrap(), b"one");
        assert_eq!(dir.entries().unwrap().len(), 1);
    }

    /// Renames a file within the directory.
    type Rename = fn(&Dir, &OsStr, &OsStr) -> io::Result<()>;

    #[test]
    fn of_several_new_files_one_gets_the_name() {
        const THREADS: u8 = 4;
        let ways: &[Rename] = &[
            |dir, from, to| dir.rename(from, to, false),
            // Where the file system has neither such a call nor hard links.
            #[cfg(unix)]
            Dir::rename_after_check,
        ];
        for rename in ways {
            let root = tempfile::tempdir().unwrap();
            let dir = Dir::open(root.path()).unwrap();
            for round in 0..300 {
                let (barrier, to) = (Barrier::new(THREADS.into()), format!("to{round}"));
                let (barrier, dir, root, to) = (&barrier, &dir, root.path(), &to);
                let run = |number: u8| {
                    let from = format!("from{number}");
                    fs::write(root.join(&from), [number]).unwrap();
                    barrier.wait();
                    match rename(dir, OsStr::new(&from), OsStr::new(to)) {
                        Ok(()) => Some(number),
                        Err(error) => {
                            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
                            // The file is still there.
                            fs::remove_file(root.join(&from)).unwrap();
                            None
                        }
                    }
                };
                let renamed: Vec<u8> = thread::scope(|scope| {
                    let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || run(number))).collect();
                    threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
                });
                assert_eq!(fs::read(root.join(to)).unwrap(), renamed);
            }
        }
    }

    #[test]
    fn a_file_that_took_a_name_is_another_file() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open(root.path()).unwrap();
        let (name, path) = (OsStr::new("file"), root.path().join("file"));
        fs::write(&path, "content").unwrap();
        let file = File::open(&path).unwrap();
        assert!(dir.is_same(name, &file).unwrap());
        assert!(!has_other_names(&file).unwrap() && is_own(&file, None).unwrap());
        fs::hard_link(&path, root.path().join("link")).unwrap();
        assert!(dir.is_same(OsStr::new("link"), &file).unwrap());
        assert!(has_other_names(&file).unwrap() && !is_own(&file, None).unwrap());
        fs::rename(&path, root.path().join("moved")).unwrap();
        assert!(!dir.is_same(name, &file).unwrap());
        // The same length and times.
        let times = file.metadata().unwrap().modified().unwrap();
        fs::write(&path, "content").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(times).unwrap();
        assert!(!dir.is_same(name, &file).unwrap());
    }

    #[test]
    fn a_directory_has_attributes() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open(root.path()).unwrap();
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        dir.file().unwrap().set_modified(time).unwrap();
        assert_eq!(dir.metadata().unwrap().modified().unwrap(), time);
    }

    #[test]
    fn paths_that_can_only_mean_a_directory() {
        for (path, expected) in [
            ("", false),
            ("a", false),
            ("a/", true),
            ("/", true),
            ("a/b", false),
            ("a/.", true),
            ("a/./.", true),
            ("a/b.", false),
            ("a/..", false),
            (".", false),
            ("a\\", cfg!(windows)),
            ("a\\.", cfg!(windows)),
            ("a\\b", false),
        ] {
            assert_eq!(ends_as_directory(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn nothing_has_a_name_that_is_too_long() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open(root.path()).unwrap();
        assert!(!dir.has(Path::new(&"n".repeat(300))));
    }
}
