//! Verifies encrypted folders.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::manifest::{Id, Known, Manifest, ManifestError};
use super::name::{MANIFEST, Name};
use super::work::for_each_file;
use crate::armor::ArmoredReader;
use crate::decryptor::Decryptor;
use crate::error::{CopyError, DecryptError};
use crate::identity::Identity;
use crate::parallel::Threads;
use crate::stream::StreamReader;

/// A folder cannot be verified.
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

/// The fault of a file in a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// It is missing, cannot be read or is damaged. In the last case the error wraps a
    /// [`StreamError`](crate::StreamError).
    #[error("{0}")]
    Read(#[source] io::Error),
    /// It cannot be opened.
    #[error(transparent)]
    Open(DecryptError),
    /// It is another file than the one in the manifest.
    #[error("it is not the file in the manifest")]
    Exchanged,
    /// It has another length than in the manifest. Only someone who can open the file could have
    /// changed it and kept its id.
    #[error("it has {found} bytes, and {known} in the manifest")]
    OtherSize {
        /// The length of its plaintext.
        found: u64,
        /// The length in the manifest.
        known: u64,
    },
    /// It is a symbolic link that may lead out of the folder.
    #[error("the link leads out of the folder, to {}", .target.display())]
    ExternalLink {
        /// What it leads to.
        target: PathBuf,
    },
}

/// Decrypts the manifest of a folder.
///
/// # Errors
/// [`VerifyError`].
pub fn read_manifest<'a>(
    folder: &Path,
    identities: impl IntoIterator<Item = &'a dyn Identity>,
) -> Result<Manifest, VerifyError> {
    let file = File::open(folder.join(MANIFEST)).map_err(DecryptError::Io)?;
    let reader = Decryptor::new(ArmoredReader::new(file))?.decrypt(identities)?;
    Ok(Manifest::read(BufReader::new(reader))?)
}

/// Verifies a folder on several threads: opens each file that its manifest lists, to the end, and
/// compares its id and its length with the manifest. Nothing is written. Returns the files with
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
    let files: Vec<_> = read_manifest(folder, plain())?.files.into_iter().collect();
    let faults = Mutex::new(Vec::new());
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
/// [`FileFault`]: it cannot be read, or is another than in the manifest.
pub fn verify_file<R: Read>(
    reader: StreamReader<R>,
    known: Option<&Known>,
    threads: Threads,
) -> Result<u64, FileFault> {
    match copy_file(reader, known, io::sink(), threads) {
        Ok((found, _)) => Ok(found),
        Err(CopyFault::Fault(fault)) => Err(fault),
        Err(CopyFault::Write(error)) => Err(FileFault::Read(error)),
    }
}

/// Opens an encrypted file.
pub(super) fn open_sealed(
    path: &Path,
    identities: &[&(dyn Identity + Sync)],
) -> Result<StreamReader<ArmoredReader<File>>, FileFault> {
    let file = File::open(path).map_err(FileFault::Read)?;
    let decryptor = Decryptor::new(ArmoredReader::new(file)).map_err(FileFault::Open)?;
    decryptor.decrypt(identities.iter().map(|&identity| identity as &dyn Identity)).map_err(FileFault::Open)
}

/// The reason why a file is not copied.
pub(super) enum CopyFault {
    /// The fault of the file.
    Fault(FileFault),
    /// Writing failed.
    Write(io::Error),
}

/// Writes the plaintext of a file to `output`, and compares the file with its entry in the
/// manifest, if it has one. Returns the length of the plaintext, and `output`.
pub(super) fn copy_file<R: Read, W: Write + Send>(
    reader: StreamReader<R>,
    known: Option<&Known>,
    output: W,
    threads: Threads,
) -> Result<(u64, W), CopyFault> {
    if known.is_some_and(|known| known.id != Id(reader.file_id())) {
        return Err(CopyFault::Fault(FileFault::Exchanged));
    }
    let (found, output) = match reader.copy_to(Counted { inner: output, count: 0 }, threads) {
        Ok(Counted { inner, count }) => (count, inner),
        Err(CopyError::Read(error)) => return Err(CopyFault::Fault(FileFault::Read(error))),
        Err(CopyError::Write(error)) => return Err(CopyFault::Write(error)),
    };
    match known {
        Some(known) if known.size != found => Err(CopyFault::Fault(FileFault::OtherSize { found, known: known.size })),
        _ => Ok((found, output)),
    }
}

/// A reader or writer that counts bytes.
pub(super) struct Counted<T> {
    pub(super) inner: T,
    pub(super) count: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(data)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.count += read as u64;
        Ok(read)
    }
}
