//! Verifies encrypted folders.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::fault::FileFault;
use super::file::{OpenFileError, open_file};
use super::input::open_regular;
use super::manifest::{Known, Manifest, ManifestError};
use super::name::{MANIFEST, Name};
use super::work::for_each_file;
use crate::armor::ArmoredReader;
use crate::decryptor::Decryptor;
use crate::error::DecryptError;
use crate::identity::Identity;
use crate::parallel::Threads;
use crate::stream::StreamReader;

/// A folder cannot be verified or decrypted, because its manifest cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The manifest cannot be opened.
    #[error("cannot open the manifest: {0}")]
    Open(#[from] DecryptError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// Decrypts the manifest of a folder.
///
/// # Errors
/// [`VerifyError`].
pub fn read_manifest<'a>(
    folder: &Path,
    identities: impl IntoIterator<Item = &'a dyn Identity>,
) -> Result<Manifest, VerifyError> {
    let file = open_regular(&folder.join(MANIFEST)).map_err(DecryptError::Io)?;
    let reader = Decryptor::new(ArmoredReader::new(file))?.decrypt(identities)?;
    Ok(Manifest::read(BufReader::new(reader))?)
}

/// Verifies a folder on several threads: opens each file that its manifest lists, to the end, and
/// compares its id and its length with the manifest. Nothing is written. Returns the entries with
/// faults, in the order of their names; if there are none, the folder is complete and authentic.
/// Files that are not in the manifest are not looked at.
///
/// # Errors
/// [`VerifyError`], if the manifest cannot be read.
pub fn verify(
    folder: &Path,
    identities: &[&(dyn Identity + Sync)],
    threads: Threads,
) -> Result<Vec<(Name, FileFault)>, VerifyError> {
    let plain = || identities.iter().map(|&identity| identity as &dyn Identity);
    let manifest = read_manifest(folder, plain())?;
    let faults = Mutex::new(manifest.unusable_faults().collect::<Vec<_>>());
    let files: Vec<_> = manifest.files.into_iter().collect();
    let one = |(name, known): &(Name, Known), threads| {
        let reader = open_sealed(&folder.join(name.sealed()), identities);
        if let Err(fault) = reader.and_then(|reader| verify_file(reader, Some(known), threads)) {
            faults.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), fault));
        }
        ControlFlow::Continue(())
    };
    for_each_file(&files, threads, |(_, known)| known.size, one);
    let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(faults)
}

/// Verifies one file to its end, and compares it with its entry in the manifest, if it has one.
/// Returns the length of the plaintext.
///
/// # Errors
/// [`FileFault`], if the file cannot be read, or is not the one in the manifest.
pub fn verify_file<R: Read>(
    reader: StreamReader<R>,
    known: Option<&Known>,
    threads: Threads,
) -> Result<u64, FileFault> {
    match open_file(reader, known, io::sink(), threads) {
        Ok((found, _)) => Ok(found),
        Err(OpenFileError::Fault(fault)) => Err(fault),
        Err(OpenFileError::Write(error)) => Err(FileFault::Read(error)),
    }
}

/// Opens an encrypted file, binary or armored. Returns a reader for its plaintext.
pub(super) fn open_sealed(
    path: &Path,
    identities: &[&(dyn Identity + Sync)],
) -> Result<StreamReader<ArmoredReader<File>>, FileFault> {
    let file = open_regular(path).map_err(FileFault::Read)?;
    let decryptor = Decryptor::new(ArmoredReader::new(file)).map_err(FileFault::Open)?;
    decryptor.decrypt(identities.iter().map(|&identity| identity as &dyn Identity)).map_err(FileFault::Open)
}
