//! New files that appear together or not at all, readable by their owner only.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::error::{Error, Result, quoted};
use crate::os::cleanup::FileGuard;
use crate::os::dir::sync;
use crate::os::disk;

/// Temporary files in their final folder. They are removed unless [`NewFiles::finish`] is called.
pub(crate) struct NewFiles {
    directory: PathBuf,
    files: Vec<NewFile>,
}

struct NewFile {
    // Fields are dropped in this order: the file is closed and removed while it is still watched.
    file: File,
    temporary: TempPath,
    _guard: FileGuard,
    target: PathBuf,
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
        let mut new = Self { directory: directory.to_owned(), files: Vec::new() };
        for name in names {
            let target = directory.join(name);
            if fs::symlink_metadata(&target).is_ok() {
                return Err(exists(&target));
            }
            new.files.push(new.make(target)?);
        }
        Ok(new)
    }

    fn make(&self, target: PathBuf) -> Result<NewFile> {
        let made = tempfile::Builder::new()
            .prefix(".sealane-")
            .suffix(".tmp")
            .make_in(&self.directory, FileGuard::make_private);
        let (made, temporary) = made.map_err(|error| Error::cannot_write(&target, &error))?.into_parts();
        let (file, guard) = made;
        Ok(NewFile { file, temporary, _guard: guard, target })
    }

    /// Returns the files, in the order in which [`NewFiles::create`] got their names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().map(|new| &new.file)
    }

    /// Syncs the complete files, and gives them their names. Returns their paths.
    pub(crate) fn finish(self) -> Result<Vec<PathBuf>> {
        for new in &self.files {
            disk::sync(&new.file).map_err(|error| Error::cannot_write(&new.target, &error))?;
        }
        let mut placed = Placed::default();
        for NewFile { file, temporary, target, .. } in self.files {
            drop(file);
            let rename = || temporary.persist_noclobber(&target).map_err(|error| error.error);
            match FileGuard::make(&target, rename) {
                Ok(((), guard)) => placed.0.push((target, guard)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(&target)),
                Err(error) => return Err(Error::cannot_write(&target, &error)),
            }
        }
        sync(&self.directory);
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
