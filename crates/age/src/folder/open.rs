//! Decrypts folders.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::attributes::Attributes;
use super::close::close;
use super::fault::FileFault;
use super::file::{OpenFileError, open_file};
use super::folders::folders;
use super::link::leads_out;
use super::manifest::Known;
use super::name::Name;
use super::usable::refuses_name;
use super::verify::{VerifyError, open_sealed, read_complete_manifest};
use super::work::for_each_file;
use crate::identity::Identity;
use crate::parallel::Threads;
use crate::stream::StreamReader;

/// A folder cannot be decrypted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The folder is known to be incomplete, or its manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] VerifyError),
    /// A file or a folder cannot be written, for example because the disk is full.
    #[error("{path:?}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
}

/// Returns a function that adds the path to an error.
fn at(path: &Path) -> impl FnOnce(io::Error) -> OpenError {
    move |error| OpenError::Io { path: path.to_owned(), error }
}

/// Decrypts a folder on several threads. Creates the folder `destination`, which only its owner can
/// use, for the result. Returns the entries that are missing because of a fault, in the order of
/// their names. If there are none, the result is complete and authentic. [`seal`](super::seal())
/// has an example.
///
/// Modes, times and symbolic links are those of the manifest. A link that may lead out of the
/// folder is not created. Such a link is a fault, and so is a link that the system cannot create:
/// on Windows, each link. An entry whose name the system or the file system cannot have is a fault
/// too, and so are the entries below such a folder. Where `README` and `readme` are one name, only
/// one of these entries can be created, and the other is a fault. Files that are not in the
/// manifest are ignored. The files are not synced to the disk. Nobody else may change the two
/// folders during the call.
///
/// # Errors
/// [`OpenError`], for example if `destination` exists. Files that were decrypted before the error
/// stay there.
pub fn open(
    folder: &Path,
    destination: &Path,
    identities: &[&(dyn Identity + Sync)],
    threads: Threads,
) -> Result<Vec<(Name, FileFault)>, OpenError> {
    let manifest = read_complete_manifest(folder, identities)?;
    let names = manifest.files.keys().chain(manifest.links.keys());
    let directories = folders(names, manifest.directories.iter().map(|(name, attributes)| (name, *attributes)));
    // The manifest has no mode for the folder itself.
    make_directory(destination, Attributes::private())?;
    let Directories { made, refused, mut faults } = make_directories(destination, directories)?;
    let entries = manifest.files.keys().chain(manifest.links.keys()).chain(manifest.directories.keys());
    let lost = entries.filter(|name| is_below(name.as_path(), &refused));
    faults.extend(lost.map(|name| (name.clone(), without_folder())));

    let files: Vec<_> = manifest.files.iter().filter(|(name, _)| !is_below(name.as_path(), &refused)).collect();
    let (faults, failure) = (Mutex::new(faults), Mutex::new(None));
    for_each_file(
        &files,
        threads,
        |(_, known)| known.size,
        |(name, known), threads| {
            let to = destination.join(name.as_path());
            let opened = open_sealed(&folder.join(name.sealed()), identities).map_err(OpenFileError::Fault);
            match opened.and_then(|reader| {
                let output = create(&to, known.attributes).map_err(not_created)?;
                write(reader, known, output, threads).inspect_err(|_| drop(fs::remove_file(&to)))
            }) {
                Ok(()) => ControlFlow::Continue(()),
                Err(OpenFileError::Fault(fault)) => {
                    faults.lock().unwrap_or_else(PoisonError::into_inner).push(((*name).clone(), fault));
                    ControlFlow::Continue(())
                }
                Err(OpenFileError::Write(error)) => {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(at(&to)(error));
                    ControlFlow::Break(())
                }
            }
        },
    );
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.extend(manifest.unusable_faults());

    // Links come after the files, so that nothing is written through a link.
    let folders: HashSet<_> = made.iter().map(|(path, _)| *path).filter(|_| !manifest.links.is_empty()).collect();
    for (name, target) in manifest.links.iter().filter(|(name, _)| !is_below(name.as_path(), &refused)) {
        let fault = if leads_out(name, target, |path| folders.contains(path)) {
            FileFault::ExternalLink { target: target.clone() }
        } else if let Err(error) = make_link(target, &destination.join(name.as_path())) {
            FileFault::LinkFailed { target: target.clone(), error }
        } else {
            continue;
        };
        faults.push((name.clone(), fault));
    }
    // Folders get their attributes last, and the lowest ones first: a folder's time changes with
    // its contents, and its mode may forbid changes.
    // Only Unix can open a folder like a file.
    for (path, attributes) in made.iter().rev().filter(|_| cfg!(unix)) {
        let path = destination.join(path);
        File::open(&path).and_then(|directory| attributes.apply(&directory)).map_err(at(&path))?;
    }
    faults.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(faults)
}

fn write<R: io::Read>(
    reader: StreamReader<R>,
    known: &Known,
    output: File,
    threads: Threads,
) -> Result<(), OpenFileError> {
    let (_, output) = open_file(reader, Some(known), output, threads)?;
    known.attributes.apply(&output).and_then(|()| close(output)).map_err(OpenFileError::Write)
}

/// The folders in the result.
struct Directories<'a> {
    /// The folders that were created.
    made: Vec<(&'a Path, Attributes)>,
    /// The folders that cannot be created, in the order of their paths, without those inside them.
    refused: Vec<&'a Path>,
    /// A fault for each refused folder.
    faults: Vec<(Name, FileFault)>,
}

/// Creates `directories`, which are in the order of their paths.
fn make_directories<'a>(
    destination: &Path,
    directories: Vec<(&'a Path, Attributes)>,
) -> Result<Directories<'a>, OpenError> {
    let mut all = Directories { made: Vec::with_capacity(directories.len()), refused: Vec::new(), faults: Vec::new() };
    for (path, attributes) in directories {
        if is_below(path, &all.refused) {
            continue;
        }
        match make_directory(&destination.join(path), attributes) {
            Ok(()) => all.made.push((path, attributes)),
            Err(OpenError::Io { error, .. }) if concerns_one_name(&error) => {
                all.refused.push(path);
                all.faults.extend(Name::new(path).map(|name| (name, FileFault::NotCreated(error))));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Returns whether `path` is inside one of `folders`, which are in the order of their paths. None
/// of them is inside another.
fn is_below(path: &Path, folders: &[&Path]) -> bool {
    // In this order, only the last folder before `path` can contain it.
    let before = folders.partition_point(|folder| *folder < path);
    folders[..before].last().is_some_and(|folder| path.starts_with(folder))
}

/// Returns the fault of an entry whose folder was not created.
fn without_folder() -> FileFault {
    FileFault::NotCreated(io::Error::new(io::ErrorKind::NotFound, "its folder cannot be created"))
}

/// Returns whether a file or a folder cannot be created because of its name, so that others can.
/// The destination is new, so an entry that exists there is another one of the manifest, whose name
/// the file system does not distinguish from this one.
fn concerns_one_name(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists || refuses_name(error)
}

/// Returns the error for a file that cannot be created.
fn not_created(error: io::Error) -> OpenFileError {
    if concerns_one_name(&error) {
        OpenFileError::Fault(FileFault::NotCreated(error))
    } else {
        OpenFileError::Write(error)
    }
}

/// Creates a folder. If it gets a mode at the end, only its owner can use it until then.
fn make_directory(path: &Path, attributes: Attributes) -> Result<(), OpenError> {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, attributes.first_mode(0o700, 0o777));
    let _ = attributes;
    builder.create(path).map_err(at(path))
}

/// Creates a file. If it gets a mode at the end, only its owner can use it until then.
fn create(path: &Path, attributes: Attributes) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, attributes.first_mode(0o600, 0o666));
    let _ = attributes;
    options.open(path)
}

#[cfg(unix)]
fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn make_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "symbolic links cannot be created on this system"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a file system does not distinguish two names, the second folder exists already.
    #[test]
    fn the_folders_below_one_that_cannot_be_created_are_left_out() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("b")).unwrap();
        let long = "x".repeat(300);
        let (inside, beside) = (format!("{long}/y"), format!("{long}y"));
        let paths = ["a", "b", "b/c", "b/c/d", "b!", "bc", &long, &inside, &beside, "z"].map(Path::new);
        let all = paths.map(|path| (path, Attributes::default())).to_vec();
        let Directories { made, refused, faults } = make_directories(place.path(), all).unwrap();
        let made: Vec<_> = made.iter().map(|(path, _)| *path).collect();
        assert_eq!(made, ["a", "b!", "bc", "z"].map(Path::new));
        assert_eq!(refused, ["b", &long, &beside].map(Path::new));
        for ((name, fault), refused) in faults.iter().zip(&refused) {
            assert_eq!(name.as_path(), *refused);
            assert!(matches!(fault, FileFault::NotCreated(_)), "{fault:?}");
        }
        assert_eq!(faults.len(), refused.len());
        for (path, expected) in [("b", false), ("b/c/d/e", true), ("b!/c", false), ("a/b", false), (&inside, true)] {
            assert_eq!(is_below(Path::new(path), &refused), expected, "{path}");
        }
        let missing = place.path().join("missing");
        assert!(make_directories(&missing, vec![(Path::new("a"), Attributes::default())]).is_err());
    }
}
