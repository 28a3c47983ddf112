//! Decrypts folders.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::attributes::Attributes;
use super::file::{FileFault, OpenFileError, open_file};
use super::folders::folders;
use super::link::leads_out;
use super::manifest::Known;
use super::name::Name;
use super::verify::{VerifyError, open_sealed, read_manifest};
use super::work::for_each_file;
use crate::identity::Identity;
use crate::parallel::Threads;
use crate::stream::StreamReader;

/// A folder cannot be decrypted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] VerifyError),
    /// A file or a folder cannot be written.
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
/// on Windows, each link. An entry whose name the system cannot have is a fault too. Files that are
/// not in the manifest are ignored. The files are not synced to the disk. Nobody else may change the
/// two folders during the call.
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
    let manifest = read_manifest(folder, identities.iter().map(|&identity| identity as &dyn Identity))?;
    let names = manifest.files.keys().chain(manifest.links.keys());
    let directories = folders(names, manifest.directories.iter().map(|(name, attributes)| (name, *attributes)));
    // The manifest has no mode for the folder itself.
    make_directory(destination, Attributes::private())?;
    for (path, attributes) in &directories {
        make_directory(&destination.join(path), *attributes)?;
    }

    let files: Vec<_> = manifest.files.iter().collect();
    let (faults, failure) = (Mutex::new(Vec::new()), Mutex::new(None));
    for_each_file(
        &files,
        threads,
        |(_, known)| known.size,
        |(name, known), threads| {
            let to = destination.join(name.as_path());
            let opened = open_sealed(&folder.join(name.sealed()), identities).map_err(OpenFileError::Fault);
            match opened.and_then(|reader| {
                let output = create(&to, known.attributes).map_err(OpenFileError::Write)?;
                write(reader, known, &output, threads).inspect_err(|_| drop(fs::remove_file(&to)))
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
    let folders: HashSet<_> =
        directories.iter().map(|(path, _)| *path).filter(|_| !manifest.links.is_empty()).collect();
    for (name, target) in &manifest.links {
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
    for (path, attributes) in directories.iter().rev().filter(|_| cfg!(unix)) {
        let path = destination.join(path);
        File::open(&path).and_then(|directory| attributes.apply(&directory)).map_err(at(&path))?;
    }
    faults.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(faults)
}

fn write<R: io::Read>(
    reader: StreamReader<R>,
    known: &Known,
    output: &File,
    threads: Threads,
) -> Result<(), OpenFileError> {
    open_file(reader, Some(known), output, threads)?;
    known.attributes.apply(output).map_err(OpenFileError::Write)
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
