//! Encrypts folders.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::attributes::Attributes;
use super::close::close;
use super::file::seal_file;
use super::input::open_any;
use super::manifest::{Known, Manifest};
use super::name::{MANIFEST, Name};
use super::work::for_each_file;
use crate::encryptor::Encryptor;
use crate::error::{CopyError, EncryptError};
use crate::parallel::Threads;
use crate::recipient::Recipient;

/// A folder cannot be encrypted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// A file or a folder cannot be read or written.
    #[error("{path:?}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The folder has an entry that is neither a file nor a folder nor a link.
    #[error("{0:?}: neither a file nor a folder nor a link")]
    Kind(PathBuf),
    /// An entry has a name that an encrypted folder uses itself (see [`Name::is_reserved`]).
    #[error("{0:?}: encrypted folders use this name themselves")]
    Reserved(PathBuf),
    /// An entry has a name that [`Name::new`] rejects.
    #[error("{0:?}: the name is reserved or not allowed on this system")]
    Unusable(PathBuf),
    /// An entry has a name that no manifest can list (see [`Name::fits`]).
    #[error("{:?}: the name within the folder has more than {} bytes or {} components", .0, Name::MAX_BYTES, Name::MAX_COMPONENTS)]
    Long(PathBuf),
    /// The encrypted form of a file would have the name of a folder. For example, `a` would become
    /// `a.age`.
    #[error("{file:?}: its encrypted form would have the name of the folder {folder:?}")]
    Collision {
        /// The file.
        file: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The recipient is a passphrase: see [`FileFault::Passphrase`](super::FileFault::Passphrase).
    #[error("the files of a folder cannot be encrypted with a passphrase")]
    Passphrase,
    /// A file cannot be encrypted to the recipients.
    #[error(transparent)]
    Encrypt(#[from] EncryptError),
}

/// Returns a function that adds the path to an error.
fn at(path: &Path) -> impl FnOnce(io::Error) -> SealError {
    move |error| SealError::Io { path: path.to_owned(), error }
}

/// Encrypts the contents of the folder `source` to the new folder `destination`, on several
/// threads. Each file becomes an encrypted file of its own, and an encrypted manifest lists them
/// all. Returns the manifest.
///
/// Symbolic links are not followed: the manifest records them. It also has the modes and times of
/// files and folders. The files are not synced to the disk. Nobody else may change the two folders
/// during the call.
///
/// ```
/// use std::fs;
///
/// use sealane_age::folder::{open, seal, verify};
/// use sealane_age::{Identity, Recipient, Threads, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let temporary = tempfile::tempdir()?;
/// # let (folder, sealed, opened) = ["folder", "sealed", "opened"].map(|name| temporary.path().join(name)).into();
/// let identity = x25519::Identity::generate()?;
/// let recipient = identity.to_public();
/// fs::create_dir(&folder)?;
/// fs::write(folder.join("note"), "attack at dawn")?;
///
/// seal(&folder, &sealed, &[&recipient as &(dyn Recipient + Sync)], Threads::available())?;
/// assert!(sealed.join("note.age").is_file());
///
/// let identities = [&identity as &(dyn Identity + Sync)];
/// assert!(verify(&sealed, &identities, Threads::available())?.is_empty());
/// assert!(open(&sealed, &opened, &identities, Threads::available())?.is_empty());
/// assert_eq!(fs::read_to_string(opened.join("note"))?, "attack at dawn");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`SealError`], for example if `destination` exists, or if a file's name is so long that the file
/// system does not allow it with `.age`. Errors that a network file system reports only when a file
/// is closed are returned too. If encryption fails, `destination` is removed.
pub fn seal(
    source: &Path,
    destination: &Path,
    recipients: &[&(dyn Recipient + Sync)],
    threads: Threads,
) -> Result<Manifest, SealError> {
    let encryptor = || Encryptor::with_recipients(recipients.iter().map(|&recipient| recipient as &dyn Recipient));
    // The recipients are checked before anything is created.
    let manifest_encryptor = encryptor()?;
    if manifest_encryptor.header().is_scrypt() {
        return Err(SealError::Passphrase);
    }
    // `destination` may be inside `source`, so the files are listed before it is created.
    let Found { files, mut manifest } = find(source)?;
    fs::create_dir(destination).map_err(at(destination))?;
    let sealed = (|| {
        for name in manifest.directories.keys() {
            let path = destination.join(name.as_path());
            fs::create_dir(&path).map_err(at(&path))?;
        }
        let known = Mutex::new(Vec::new());
        let failure = Mutex::new(None);
        for_each_file(
            &files,
            threads,
            |(_, len)| *len,
            |(name, _), threads| {
                let (from, to) = (source.join(name.as_path()), destination.join(name.sealed()));
                match encryptor()
                    .map_err(SealError::from)
                    .and_then(|encryptor| seal_path(encryptor, &from, &to, threads))
                {
                    Ok(sealed) => {
                        known.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), sealed));
                        ControlFlow::Continue(())
                    }
                    Err(error) => {
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        manifest.files.extend(known.into_inner().unwrap_or_else(PoisonError::into_inner));
        write_manifest(&manifest, manifest_encryptor, &destination.join(MANIFEST))
    })();
    match sealed {
        Ok(()) => Ok(manifest),
        Err(error) => {
            // The first error is reported.
            let _ = fs::remove_dir_all(destination);
            Err(error)
        }
    }
}

/// The contents of a folder.
struct Found {
    /// The files, with their lengths.
    files: Vec<(Name, u64)>,
    /// A manifest with the folders and links, but without files.
    manifest: Manifest,
}

/// Lists the contents of a folder. Refuses entries that cannot be sealed.
fn find(source: &Path) -> Result<Found, SealError> {
    let mut found = Found { files: Vec::new(), manifest: Manifest::default() };
    let mut left = vec![PathBuf::new()];
    while let Some(folder) = left.pop() {
        let path = source.join(&folder);
        for entry in fs::read_dir(&path).map_err(at(&path))? {
            let entry = entry.map_err(at(&path))?;
            let (within, path) = (folder.join(entry.file_name()), entry.path());
            let name = Name::new(&within).ok_or_else(|| SealError::Unusable(path.clone()))?;
            if name.is_reserved() {
                return Err(SealError::Reserved(path));
            }
            if !name.fits() {
                return Err(SealError::Long(path));
            }
            // For a link, this is the metadata of the link itself.
            let metadata = entry.metadata().map_err(at(&path))?;
            if metadata.is_dir() {
                found.manifest.directories.insert(name, Attributes::of(&metadata));
                left.push(within);
            } else if metadata.is_symlink() {
                found.manifest.links.insert(name, fs::read_link(&path).map_err(at(&path))?);
            } else if metadata.is_file() {
                found.files.push((name, metadata.len()));
            } else {
                return Err(SealError::Kind(path));
            }
        }
    }
    if let Some((file, folder)) = collision(found.files.iter().map(|(name, _)| name), found.manifest.directories.keys())
    {
        let [file, folder] = [file, folder].map(|name| source.join(name.as_path()));
        return Err(SealError::Collision { file, folder });
    }
    Ok(found)
}

/// Returns a file whose encrypted form would have the name of a folder, and the folder. For
/// example, `a` would become `a.age`.
///
/// Nothing else can collide: the names of encrypted files differ from each other, and links are
/// only in the manifest.
pub fn collision<'a>(
    files: impl IntoIterator<Item = &'a Name>,
    folders: impl IntoIterator<Item = &'a Name>,
) -> Option<(&'a Name, &'a Name)> {
    let folders: HashMap<_, _> = folders.into_iter().map(|folder| (folder.as_path(), folder)).collect();
    files.into_iter().find_map(|file| Some((file, *folders.get(file.sealed().as_path())?)))
}

fn seal_path(encryptor: Encryptor, from: &Path, to: &Path, threads: Threads) -> Result<Known, SealError> {
    let input = open_any(from).map_err(at(from))?;
    let metadata = input.metadata().map_err(at(from))?;
    if !metadata.is_file() {
        return Err(SealError::Kind(from.to_owned()));
    }
    let attributes = Attributes::of(&metadata);
    let output = File::create_new(to).map_err(at(to))?;
    let (size, id, output) = seal_file(encryptor, input, output, threads).map_err(|error| match error {
        CopyError::Read(error) => at(from)(error),
        CopyError::Write(error) => at(to)(error),
    })?;
    attributes.apply(&output).and_then(|()| close(output)).map_err(at(to))?;
    Ok(Known { size, id, attributes })
}

fn write_manifest(manifest: &Manifest, encryptor: Encryptor, path: &Path) -> Result<(), SealError> {
    let write = || {
        let mut writer = encryptor.wrap_output(File::create_new(path)?)?;
        Manifest::write(&mut writer, manifest.entries())?;
        close(writer.finish()?)
    };
    write().map_err(at(path))
}
