//! Decrypts a range of the plaintext.

use std::io::{self, BufRead as _, Read, Seek, SeekFrom, Write};

use sealane_age::{CopyError, StreamReader, Threads};

use crate::args::PlaintextRange;
use crate::error::Error;
use crate::io::output::Output;

/// Seeks to the start of the range in a file, and reads no more than is needed. Returns the number
/// of bytes to write; `None` is all up to the end. The length of the plaintext is used only after
/// its last chunk is authenticated.
pub(super) fn seek<R: Read + Seek>(
    reader: &mut StreamReader<R>,
    range: PlaintextRange,
) -> Result<Option<u64>, CopyError> {
    match range {
        PlaintextRange::Last(len) => {
            let end = reader.plaintext_len().map_err(CopyError::Read)?;
            reader.seek(SeekFrom::Start(end.saturating_sub(len))).map_err(CopyError::Read)?;
            Ok(None)
        }
        PlaintextRange::From(start, len) => {
            reader.seek(SeekFrom::Start(start)).map_err(CopyError::Read)?;
            if start > 0 && reader.fill_buf().map_err(CopyError::Read)?.is_empty() {
                let end = reader.plaintext_len().map_err(CopyError::Read)?;
                if start > end {
                    return Err(beyond(start, end));
                }
            }
            Ok(len)
        }
    }
}

/// Skips to the start of the range in a stream, and authenticates all chunks before it. Returns the
/// same as [`seek`]. [`PlaintextRange::Last`] is an error.
pub(super) fn skip<R: Read>(reader: &mut StreamReader<R>, range: PlaintextRange) -> Result<Option<u64>, CopyError> {
    match range {
        PlaintextRange::Last(_) => {
            Err(own(Error::new("-LEN needs a binary file that can be read from its end, not armor and not a pipe")
                .hint("give the name of a binary file as INPUT, or decrypt all of it and take the end (tail -c)")))
        }
        PlaintextRange::From(start, len) => {
            let skipped = io::copy(&mut reader.take(start), &mut io::sink()).map_err(CopyError::Read)?;
            if skipped < start { Err(beyond(start, skipped)) } else { Ok(len) }
        }
    }
}

/// Writes `len` bytes from the current position, or all up to the end.
pub(super) fn write<R: Read>(
    mut reader: StreamReader<R>,
    len: Option<u64>,
    output: &mut Output,
    threads: Threads,
) -> Result<(), CopyError> {
    let Some(mut left) = len else { return reader.copy_to(output, threads).map(drop) };
    while left > 0 {
        let plaintext = match reader.fill_buf() {
            Ok([]) => break,
            Ok(plaintext) => plaintext,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CopyError::Read(error)),
        };
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(plaintext.len());
        output.write_all(&plaintext[..n]).map_err(CopyError::Write)?;
        reader.consume(n);
        left -= n as u64;
    }
    Ok(())
}

fn beyond(start: u64, end: u64) -> CopyError {
    own(Error::new(format!("the range begins at byte {start}, and the plaintext has {end}"))
        .hint("-LEN takes the last bytes of a plaintext of any length"))
}

fn own(error: Error) -> CopyError {
    CopyError::Read(error.into_io())
}
