//! Seals one file of a folder, or opens one and compares it with its entry in the manifest.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use super::manifest::{Id, Known};
use crate::encryptor::Encryptor;
use crate::error::{CopyError, DecryptError};
use crate::parallel::Threads;
use crate::stream::StreamReader;

/// The fault of an entry of a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// It is missing, is not a regular file, cannot be read or is damaged. If it is damaged, the
    /// error wraps a [`StreamError`](crate::StreamError) or an
    /// [`ArmorError`](crate::armor::ArmorError).
    #[error("{0}")]
    Read(#[source] io::Error),
    /// It cannot be opened, for example because its header is malformed or none of the identities
    /// unwraps its file key.
    #[error(transparent)]
    Open(DecryptError),
    /// It is another file than the one in the manifest.
    #[error("this is not the file that the manifest lists")]
    Exchanged,
    /// Its length differs from the one in the manifest. Only someone who can open the file could
    /// have changed it and kept its id.
    #[error("it has {found} bytes, but the manifest says {known}")]
    OtherSize {
        /// The length of its plaintext.
        found: u64,
        /// The length in the manifest.
        known: u64,
    },
    /// The system cannot have its name, for example because Windows reserves the name for a device.
    /// The [`Name`](super::Name) beside this fault has `_` in place of each such component.
    #[error("the name {name:?} is reserved or not allowed on this system")]
    UnusableName {
        /// The name in the manifest.
        name: String,
    },
    /// It cannot be created in the destination, because the file system there does not allow its
    /// name, or does not distinguish it from the name of another entry. The folder that contains
    /// the entry may be the reason.
    #[error("it cannot be created: {0}")]
    NotCreated(#[source] io::Error),
    /// It is a symbolic link that may lead out of the folder.
    #[error("the link leads out of the folder, to {target:?}")]
    ExternalLink {
        /// The path to which it leads.
        target: PathBuf,
    },
    /// It is a symbolic link that cannot be created, for example because the destination's file
    /// system has no links.
    #[error("the link to {target:?} cannot be created: {error}")]
    LinkFailed {
        /// The path to which it leads.
        target: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
}

/// A file of a folder cannot be decrypted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenFileError {
    /// The file has a fault. The output may be incomplete, or belong to another file.
    #[error(transparent)]
    Fault(FileFault),
    /// The output cannot be written.
    #[error("{0}")]
    Write(#[source] io::Error),
}

/// Encrypts one file of a folder: all of `input`. Returns the length of the plaintext and the
/// file's id, which the manifest needs, and `output`.
///
/// # Errors
/// [`CopyError`].
pub fn seal_file<W: Write + Send>(
    encryptor: Encryptor,
    input: impl Read,
    output: W,
    threads: Threads,
) -> Result<(u64, Id, W), CopyError> {
    let id = Id(encryptor.file_id());
    let mut counted = Counted { inner: input, count: 0 };
    let output = encryptor.encrypt(&mut counted, output, threads)?;
    Ok((counted.count, id, output))
}

/// Decrypts one file of a folder, and compares it with its entry in the manifest, if it has one.
/// Returns the length of the plaintext, and `output`.
///
/// Every byte that is written is authentic. Only if this succeeds is the output complete, and the
/// file the one in the manifest.
///
/// # Errors
/// [`OpenFileError`].
pub fn open_file<R: Read, W: Write + Send>(
    reader: StreamReader<R>,
    known: Option<&Known>,
    output: W,
    threads: Threads,
) -> Result<(u64, W), OpenFileError> {
    if known.is_some_and(|known| known.id != Id(reader.file_id())) {
        return Err(OpenFileError::Fault(FileFault::Exchanged));
    }
    let (found, output) = match reader.copy_to(Counted { inner: output, count: 0 }, threads) {
        Ok(Counted { inner, count }) => (count, inner),
        Err(CopyError::Read(error)) => return Err(OpenFileError::Fault(FileFault::Read(error))),
        Err(CopyError::Write(error)) => return Err(OpenFileError::Write(error)),
    };
    match known {
        Some(known) if known.size != found => {
            Err(OpenFileError::Fault(FileFault::OtherSize { found, known: known.size }))
        }
        _ => Ok((found, output)),
    }
}

/// A reader or writer that counts bytes.
struct Counted<T> {
    inner: T,
    count: u64,
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
