//! The file systems that a run writes to, which are synced once. A folder within the folder for the
//! results can be a mount point.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use crate::os::dir::Dir;

/// A folder on each file system that the run writes to.
pub(super) struct FileSystems(Mutex<BTreeMap<u64, Dir>>);

impl FileSystems {
    /// Starts with the file system of `root`.
    pub(super) fn of(root: &Dir) -> io::Result<Self> {
        Ok(Self(Mutex::new(BTreeMap::from([(root.device()?, root.clone())]))))
    }

    /// Adds the file system of `folder`.
    pub(super) fn add(&self, folder: &Dir) -> io::Result<()> {
        let device = folder.device()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(device).or_insert_with(|| folder.clone());
        Ok(())
    }

    /// Writes all files of these file systems to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        let folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        folders.values().try_for_each(Dir::sync_file_system)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_file_system_is_noted_once() {
        let (one, two) = (tempfile::tempdir().unwrap(), Path::new("/proc"));
        let root = Dir::open(one.path()).unwrap();
        let file_systems = FileSystems::of(&root).unwrap();
        let count = || file_systems.0.lock().unwrap().len();
        std::fs::create_dir(one.path().join("folder")).unwrap();
        file_systems.add(&root.below(Path::new("folder")).unwrap()).unwrap();
        assert_eq!(count(), 1);
        for _ in 0..2 {
            file_systems.add(&Dir::open(two).unwrap()).unwrap();
            assert_eq!(count(), 2);
        }
        file_systems.sync().unwrap();
    }
}
