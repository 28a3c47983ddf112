//! Splits a secret.

use std::fmt;
use std::io::{self, Write};

use zeroize::Zeroizing;

use super::commitment::Committer;
use super::error::SplitError;
use super::rows::{CHUNK_BYTES, Rows};
use crate::format::field::check_counts;
use crate::format::layout::BLINDING_BYTES;
use crate::format::writer::ShareWriter;
use crate::format::{Field, Header, SetId, Share, WipedVec};
use crate::random;
use sealane::RandomError;
use sealane::shamir::bytes::Splitter;

/// Prepares a new set of shares of a secret of any length. The headers are known before anything is
/// written, so the names of files can depend on them.
///
/// It is neither `Copy` nor `Clone`: shares of two secrets must not claim to be one set.
///
/// ```
/// use std::io::Write;
/// use sealane_shares::{Share, Split, combine};
///
/// let split = Split::new(2, 3)?;
/// assert_eq!(split.headers().count(), 3);
/// let mut writer = split.write_to(vec![Vec::new(), Vec::new(), Vec::new()])?;
/// writer.write_all(b"attack ")?;
/// writer.write_all(b"at dawn")?;
/// let files: Vec<Vec<u8>> = writer.finish()?;
///
/// let shares = [Share::from_bytes(&files[2])?, Share::from_bytes(&files[0])?];
/// assert_eq!(&combine(&shares)?.secret[..], b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Split {
    set: SetId,
    threshold: u16,
    count: u16,
}

impl Split {
    /// Prepares `count` shares. Any `threshold` of them restore the secret.
    ///
    /// # Errors
    /// If the threshold is below 2 or above the count, the count is above 255, or the system's
    /// generator fails.
    pub fn new(threshold: usize, count: usize) -> Result<Self, SplitError> {
        let (threshold, count) = check_counts(Field::Bytes.max_count(), threshold, count)?;
        Ok(Self { set: SetId::random()?, threshold, count })
    }

    /// Returns the identifier of the new set of shares.
    #[must_use]
    pub fn set(&self) -> SetId {
        self.set
    }

    /// Returns the headers of the shares, in the order of the outputs.
    pub fn headers(&self) -> impl Iterator<Item = Header> {
        let Self { set, threshold, count } = *self;
        (1..=count)
            .map(move |index| Header::new(set, Field::Bytes, threshold, count, index).expect("the counts were checked"))
    }

    /// Writes the headers, and returns the [`SplitWriter`] that the secret must be written to.
    ///
    /// # Errors
    /// If the number of outputs is wrong, the system's generator fails, or writing fails.
    pub fn write_to<W: Write>(self, outputs: Vec<W>) -> Result<SplitWriter<W>, SplitError> {
        let (threshold, count) = (usize::from(self.threshold), usize::from(self.count));
        if outputs.len() != count {
            return Err(SplitError::Outputs { outputs: outputs.len(), count: self.count });
        }
        // The counts were checked, so only the generator can fail.
        let mut splitter = Splitter::new(threshold, count).map_err(|_| RandomError)?;
        let mut blinding = Zeroizing::new([0; BLINDING_BYTES]);
        random::fill(&mut blinding[..])?;
        let mut rows = Rows::new(count, BLINDING_BYTES);
        splitter.split(&blinding[..], &mut rows.all_mut(BLINDING_BYTES)).map_err(|_| RandomError)?;
        let headers = self.headers();
        let writers = outputs
            .into_iter()
            .zip(headers)
            .enumerate()
            .map(|(at, (output, header))| ShareWriter::new(output, &header, rows.row(at, BLINDING_BYTES)))
            .collect::<io::Result<_>>()?;
        Ok(SplitWriter {
            writers,
            splitter,
            committer: Committer::new(&blinding, Field::Bytes, self.threshold),
            rows: Rows::new(count, CHUNK_BYTES),
            pending: Zeroizing::new(Vec::with_capacity(CHUNK_BYTES)),
            failed: false,
        })
    }
}

/// Splits the secret that is written to it, 64 KiB at a time. Memory does not grow with the secret.
///
/// The shares are complete only after [`finish`](Self::finish).
pub struct SplitWriter<W> {
    writers: Vec<ShareWriter<W>>,
    splitter: Splitter,
    committer: Committer,
    rows: Rows,
    pending: Zeroizing<Vec<u8>>,
    failed: bool,
}

impl<W: Write> SplitWriter<W> {
    /// Writes the rest of the shares. Flushes and returns the outputs.
    ///
    /// # Errors
    /// If writing fails or has failed before.
    pub fn finish(mut self) -> io::Result<Vec<W>> {
        let pending = std::mem::replace(&mut self.pending, Zeroizing::new(Vec::new()));
        self.split(&pending)?;
        let commitment = self.committer.finalize();
        self.writers.into_iter().map(|writer| writer.finish(&commitment)).collect()
    }

    /// Returns an error if writing has failed before.
    fn check(&self) -> io::Result<()> {
        if self.failed { Err(io::Error::other("writing shares failed before")) } else { Ok(()) }
    }

    fn split(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.check()?;
        self.failed = true;
        self.committer.update(chunk);
        let split = self.splitter.split(chunk, &mut self.rows.all_mut(chunk.len()));
        split.map_err(|_| io::Error::other(RandomError))?;
        for (at, writer) in self.writers.iter_mut().enumerate() {
            writer.write_payload(self.rows.row(at, chunk.len()))?;
        }
        self.failed = false;
        Ok(())
    }
}

impl<W: Write> Write for SplitWriter<W> {
    fn write(&mut self, secret: &[u8]) -> io::Result<usize> {
        // After a failure, `pending` is no longer allocated, and growing it would leave copies.
        self.check()?;
        if self.pending.is_empty() && secret.len() >= CHUNK_BYTES {
            self.split(&secret[..CHUNK_BYTES])?;
            return Ok(CHUNK_BYTES);
        }
        let count = secret.len().min(CHUNK_BYTES - self.pending.len());
        self.pending.extend_from_slice(&secret[..count]);
        if self.pending.len() == CHUNK_BYTES {
            let mut pending = std::mem::replace(&mut self.pending, Zeroizing::new(Vec::new()));
            self.split(&pending)?;
            pending.clear();
            self.pending = pending;
        }
        Ok(count)
    }

    /// Does nothing. Pending bytes are written when there are enough of them, or at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W> fmt::Debug for SplitWriter<W> {
    /// Shows the number of shares only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitWriter").field("shares", &self.writers.len()).finish_non_exhaustive()
    }
}

/// Splits a secret in memory into `count` shares. Any `threshold` of them restore it.
///
/// # Errors
/// If the threshold is below 2 or above the count, the count is above 255, or the system's
/// generator fails.
pub fn split(secret: &[u8], threshold: usize, count: usize) -> Result<Vec<Share>, SplitError> {
    let split = Split::new(threshold, count)?;
    // The buffers are large enough from the start, because growing would copy them.
    let outputs = (0..count).map(|_| WipedVec::with_capacity(secret.len() + 256)).collect();
    let mut writer = split.write_to(outputs)?;
    writer.write_all(secret)?;
    Ok(writer.finish()?.into_iter().map(Share::from_written).collect())
}
