//! Seals one file of a folder, or opens one and compares it with its entry in the manifest.

use std::io::{self, Read, Write};

use super::fault::FileFault;
use super::manifest::{Id, Known};
use crate::encryptor::Encryptor;
use crate::error::CopyError;
use crate::parallel::Threads;
use crate::stream::StreamReader;

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
