//! New files that appear together or not at all, readable by their owner only.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, quoted};
use crate::io::output::Temporary;
use crate::os::cleanup::FileGuard;
use crate::os::dir::Dir;
use crate::os::disk;

/// Temporary files in their final folder. They are removed unless [`NewFiles::finish`] is called.
pub(crate) struct NewFiles {
    directory: Dir,
    /// The files, with their final paths.
    files: Vec<(Temporary, PathBuf)>,
}

impl NewFiles {
    /// Creates the files in `directory`, which is created if it is missing. None of the names may
    /// exist.
    pub(crate) fn create(directory: &Path, names: &[String]) -> Result<Self> {
        if directory.as_os_str() == "-" {
            return Err(
                Error::usage("these files can't be printed").hint("-o names a folder; ./- is a folder called -")
            );
        }
        let directory = if directory == Path::new("") { Path::new(".") } else { directory };
        make_directory(directory)?;
        let opened = Dir::open(directory).map_err(|error| Error::cannot_write(directory, &error))?;
        let mut new = Self { directory: opened, files: Vec::new() };
        for name in names {
            let target = directory.join(name);
            if fs::symlink_metadata(&target).is_ok() {
                return Err(exists(&target));
            }
            let temporary = Temporary::create_in(&new.directory, 0o600);
            new.files.push((temporary.map_err(|error| Error::cannot_write(&target, &error))?, target));
        }
        Ok(new)
    }

    /// Returns the files with their final paths, in the order in which [`NewFiles::create`] got
    /// their names.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&File, &Path)> {
        self.files.iter().map(|(temporary, path)| (temporary.file(), path.as_path()))
    }

    /// Syncs the complete files, and gives them their names. Returns their paths.
    pub(crate) fn finish(self) -> Result<Vec<PathBuf>> {
        for (temporary, target) in &self.files {
            disk::sync(temporary.file()).map_err(|error| Error::cannot_write(target, &error))?;
        }
        let mut placed = Placed::default();
        for (mut temporary, target) in self.files {
            match temporary.persist_guarded(&target) {
                Ok(guard) => placed.0.push((target, guard)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(&target)),
                Err(error) => return Err(Error::cannot_write(&target, &error)),
            }
        }
        self.directory.sync();
        Ok(placed.keep())
    }
}

/// Files that have their final names. They are removed unless all files get their names.
#[derive(Default)]
struct Placed(Vec<(PathBuf, FileGuard)>);

impl Placed {
    fn keep(mut self) -> Vec<PathBuf> {
        let (paths, guards): (Vec<_>, Vec<_>) = self.0.drain(..).unzip();
        FileGuard::release(&guards);
        paths
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        for (path, _) in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

fn make_directory(directory: &Path) -> Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match builder.create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(Error::io(format!("cannot make the folder {}", quoted(directory)), &error))
        }
        _ if directory.is_dir() => Ok(()),
        _ => {
            Err(Error::new(format!("{} is not a folder", quoted(directory))).hint("-o names the folder for the shares"))
        }
    }
}

fn exists(path: &Path) -> Error {
    Error::new(format!("{} exists, and shares are never overwritten", quoted(path))).hint("give another folder with -o")
}
