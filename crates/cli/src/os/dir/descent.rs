//! Opens many directories below one.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::{Dir, Kind, none_if_missing};

/// Opens directories below another, each from the last one if it is inside that, and otherwise from
/// the root. In sorted order, a chain of directories is therefore opened step by step.
pub(crate) struct Descent<'a> {
    root: &'a Dir,
    last: Option<(PathBuf, Dir)>,
}

impl<'a> Descent<'a> {
    pub(crate) fn new(root: &'a Dir) -> Self {
        Self { root, last: None }
    }

    /// Opens the directory at `path`.
    pub(crate) fn below(&mut self, path: &Path) -> io::Result<&Dir> {
        let inside = self.last.as_ref().and_then(|(last, directory)| Some((directory, path.strip_prefix(last).ok()?)));
        let (from, rest) = inside.unwrap_or((self.root, path));
        let directory = from.below(rest)?;
        Ok(&self.last.insert((path.to_owned(), directory)).1)
    }

    /// Returns the kind of the entry at `path`, or `None` if there is none, as [`Dir::kind`] does.
    pub(crate) fn kind(&mut self, path: &Path) -> io::Result<Option<Kind>> {
        none_if_missing(self.parent_of(path).and_then(|(parent, name)| parent.kind_of_child(name)))
    }

    /// Creates the directory `path` with `mode`, reduced by the umask.
    pub(crate) fn make_directory(&mut self, path: &Path, mode: u32) -> io::Result<()> {
        let (parent, name) = self.parent_of(path)?;
        parent.make_child(name, mode)
    }

    fn parent_of<'p>(&mut self, path: &'p Path) -> io::Result<(&Dir, &'p OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.below(path.parent().unwrap_or(Path::new("")))?, name))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_same_as_from_the_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b/c")).unwrap();
        fs::write(root.path().join("a/b/file"), "content").unwrap();
        symlink("a", root.path().join("link")).unwrap();
        let dir = Dir::open(root.path()).unwrap();
        let mut descent = Descent::new(&dir);
        for path in
            ["a", "a/b", "a/b/c", "a/b/file", "a/b/none", "a/none", "a/b/c", "link", "link/b", "a/bc", "a/b/file/x"]
        {
            let (found, known) = (descent.kind(Path::new(path)), dir.kind(Path::new(path)));
            assert_eq!(found.map_err(|error| error.kind()), known.map_err(|error| error.kind()), "{path}");
        }
        for path in ["d", "d/e", "d/e/f", "a/b/g"] {
            descent.make_directory(Path::new(path), 0o700).unwrap();
            assert!(root.path().join(path).is_dir(), "{path}");
        }
        for path in ["d/../x", "", "..", "link/x", "none/x"] {
            assert!(descent.make_directory(Path::new(path), 0o700).is_err(), "{path}");
        }
    }
}
