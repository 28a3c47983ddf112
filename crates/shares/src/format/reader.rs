//! Reads a share in binary form.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use super::checksum::Checksum;
use super::error::ShareError;
use super::field::Field;
use super::header::Header;
use super::layout::{COMMITMENT_BYTES, TRAILER_BYTES};

const BUFFER_BYTES: usize = 64 * 1024 + TRAILER_BYTES;
/// The length of the first buffer. A share that fills it gets longer ones.
const FIRST_BUFFER_BYTES: usize = 1024 + TRAILER_BYTES;

/// Reads a share in binary form: the header at once, the payload through [`Read`].
///
/// Reading returns `Ok(0)` at the end of the share if its checksum is right, and otherwise an
/// error: a [`ShareError`] in an [`io::Error`]. The share ends where its source ends. Memory does
/// not grow with the share.
///
/// To combine or refresh shares, pass readers from which nothing was read, or which were
/// [rewound](Self::rewind). Others are refused, because what was read would be missing.
///
/// The reader's buffer is wiped when it is dropped.
///
/// Combining shares of any length, in constant memory:
///
/// ```
/// use std::io::Write as _;
///
/// use sealane_shares::{Restart, ShareReader, Split, SplitError, SplitWriter, WipedVec, combine_seek};
///
/// let mut writer: SplitWriter<Vec<u8>> = Split::new(2, 3)?.write_to(vec![Vec::new(); 3])?;
/// writer.write_all(&[7; 100_000])?;
/// let files = writer.finish()?;
///
/// let open = |file: &[u8]| ShareReader::new(std::io::Cursor::new(file.to_vec()));
/// let readers = vec![open(&files[2])?, open(&files[0])?];
/// assert_eq!(readers[0].header().index(), 3);
///
/// // The output is wiped when it is dropped. If a share turns out to be bad, it is started over:
/// // see `Restart`.
/// let mut secret = WipedVec::default();
/// fn takes_restart(_: &impl Restart) {}
/// takes_restart(&secret);
/// combine_seek(readers, &mut secret)?;
/// assert_eq!(secret.into_inner()[..], [7; 100_000]);
///
/// assert!(matches!(Split::new(4, 3), Err(SplitError::Parameter(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ShareReader<R> {
    source: R,
    header: Header,
    encoded: Zeroizing<Vec<u8>>,
    checksum: Option<Checksum>,
    buffer: Zeroizing<Vec<u8>>,
    /// `buffer` holds payload from `start` to `end`, and bytes that may be the trailer from `end`
    /// to `filled`.
    start: usize,
    end: usize,
    filled: usize,
    payload_len: u64,
    commitment: Option<[u8; COMMITMENT_BYTES]>,
    shared_source: Option<usize>,
    /// The number of bytes that were read from the source.
    consumed: u64,
    /// The position of the share in its source, once it is known.
    share_start: Option<u64>,
}

impl<R: Read> ShareReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If this is not a share of this version of the format, or the header is damaged or invalid.
    pub fn new(mut source: R) -> Result<Self, ShareError> {
        let (header, encoded) = Header::read(&mut source)?;
        let mut checksum = Checksum::new();
        checksum.update(&encoded);
        let consumed = encoded.len() as u64;
        Ok(Self {
            source,
            header,
            encoded,
            checksum: Some(checksum),
            buffer: Zeroizing::new(Vec::new()),
            start: 0,
            end: 0,
            filled: 0,
            payload_len: 0,
            commitment: None,
            shared_source: None,
            consumed,
            share_start: None,
        })
    }

    /// Returns the commitment, once the payload was read to its end and the checksum was right.
    #[must_use]
    pub fn commitment(&self) -> Option<[u8; COMMITMENT_BYTES]> {
        self.commitment
    }

    /// Returns the number of payload bytes that were read so far.
    #[must_use]
    pub fn payload_len(&self) -> u64 {
        self.payload_len
    }

    fn fill(&mut self) -> Result<(), ShareError> {
        // Bytes that were held back as a possible trailer move to the front.
        if self.filled == self.buffer.len() && self.filled < BUFFER_BYTES {
            let bytes = (4 * self.filled).clamp(FIRST_BUFFER_BYTES, BUFFER_BYTES);
            let mut longer = Zeroizing::new(vec![0; bytes]);
            longer[..self.filled - self.end].copy_from_slice(&self.buffer[self.end..]);
            self.buffer = longer;
        } else {
            self.buffer.copy_within(self.end..self.filled, 0);
        }
        self.filled -= self.end;
        (self.start, self.end) = (0, 0);
        while self.filled <= TRAILER_BYTES {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(0) => return self.finish(),
                Ok(count) => {
                    self.filled += count;
                    self.consumed += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ShareError::from_io(error)),
            }
        }
        self.end = self.filled - TRAILER_BYTES;
        if let Field::Element { .. } = self.header.field() {
            // The length is checked before the payload is returned, because callers have room for
            // one element only.
            let bytes = self.payload_len + self.end as u64;
            if bytes > self.header.field().element_len() as u64 {
                self.end = 0;
                return Err(ShareError::PayloadBytes(bytes));
            }
        }
        if let Some(checksum) = &mut self.checksum {
            checksum.update(&self.buffer[..self.end]);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ShareError> {
        // If there is no checksum any more, the end was reached before, and the share was bad.
        let mut checksum = self.checksum.take().ok_or(ShareError::Checksum)?;
        if self.filled < TRAILER_BYTES {
            return Err(ShareError::Truncated);
        }
        let (commitment, expected) = self.buffer[..TRAILER_BYTES].split_at(COMMITMENT_BYTES);
        checksum.update(commitment);
        if !bool::from(checksum.finalize().ct_eq(expected)) {
            return Err(ShareError::Checksum);
        }
        if let Field::Element { .. } = self.header.field()
            && self.payload_len != self.header.field().element_len() as u64
        {
            return Err(ShareError::PayloadBytes(self.payload_len));
        }
        self.commitment = commitment.try_into().ok();
        Ok(())
    }
}

impl<R> ShareReader<R> {
    /// Declares that the share comes from the same source as all others with this number, such as
    /// one file or one person. Otherwise each share counts as a separate source.
    ///
    /// If shares contradict each other, or shares of other sources are damaged, those that agree
    /// are preferred only if they come from as many sources as the threshold. One source with many
    /// shares therefore never outvotes the others.
    #[must_use]
    pub fn from_source(mut self, source: usize) -> Self {
        self.shared_source = Some(source);
        self
    }

    /// Returns the number given to [`from_source`](Self::from_source), if there is one.
    pub(crate) fn shared_source(&self) -> Option<usize> {
        self.shared_source
    }

    /// Returns whether no payload was read, not even by a call that failed.
    pub(crate) fn is_unread(&self) -> bool {
        self.filled == 0 && self.payload_len == 0 && self.checksum.is_some()
    }

    /// Returns the header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the share of the blinding value.
    pub(crate) fn blinding(&self) -> &[u8] {
        &self.encoded[self.header.blinding_range()]
    }
}

impl<R: Read + Seek> ShareReader<R> {
    /// Returns to the beginning of the payload. The share begins where its source was when the
    /// reader was created.
    ///
    /// # Errors
    /// If seeking or reading fails, or the header has changed.
    pub fn rewind(&mut self) -> Result<(), ShareError> {
        let start = match self.share_start {
            Some(start) => start,
            None => self.source.stream_position().map_err(ShareError::Io)?.saturating_sub(self.consumed),
        };
        self.share_start = Some(start);
        self.source.seek(SeekFrom::Start(start)).map_err(ShareError::Io)?;
        let (header, encoded) = Header::read(&mut self.source)?;
        if header != self.header || !bool::from(encoded.ct_eq(&self.encoded)) {
            return Err(ShareError::Changed);
        }
        let mut checksum = Checksum::new();
        checksum.update(&encoded);
        self.checksum = Some(checksum);
        (self.start, self.end, self.filled, self.payload_len) = (0, 0, 0, 0);
        self.commitment = None;
        Ok(())
    }
}

impl<R: Read> Read for ShareReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.commitment.is_some() {
            return Ok(0);
        }
        if self.start == self.end {
            self.fill()?;
        }
        let count = out.len().min(self.end - self.start);
        out[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
        // Each payload byte is returned once, so it can be wiped now.
        self.buffer[self.start..self.start + count].zeroize();
        self.start += count;
        self.payload_len += count as u64;
        Ok(count)
    }
}

impl<R> fmt::Debug for ShareReader<R> {
    /// Shows the header and the progress only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShareReader")
            .field("header", &self.header)
            .field("payload_len", &self.payload_len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::format::header::SetId;

    /// Both headers are valid, and they have the same parameters.
    #[test]
    fn another_share_of_the_blinding_value_is_a_change() {
        let header = Header::new(SetId([7; 16]), Field::Bytes, 2, 3, 1).unwrap();
        let encoded = |byte| header.encode(&vec![byte; Field::Bytes.blinding_share_bytes()]).to_vec();
        let mut reader = ShareReader::new(Cursor::new(encoded(1))).unwrap();
        assert!(reader.rewind().is_ok());
        *reader.source.get_mut() = encoded(2);
        assert!(matches!(reader.rewind(), Err(ShareError::Changed)));
    }

    #[test]
    fn a_damaged_header_is_named() {
        let header = Header::new(SetId([7; 16]), Field::Bytes, 2, 3, 1).unwrap();
        let mut encoded = header.encode(&vec![1; Field::Bytes.blinding_share_bytes()]).to_vec();
        encoded[header.blinding_range().start] ^= 1;
        assert!(matches!(ShareReader::new(&encoded[..]), Err(ShareError::HeaderChecksum)));
    }
}
