//! Recovers the authentic parts of a damaged file.

mod search;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::{fmt, io};

use zeroize::Zeroizing;

use self::search::{Place, Search};
use crate::error::CopyError;
use crate::random_access::ReadAt;
use crate::stream::{CHUNK_BYTES, ChunkCipher, SEALED_CHUNK_BYTES, StreamReader, TAG_BYTES};

/// The result of salvaging. Positions are positions in the plaintext, in bytes.
///
/// ```
/// use sealane_age::{Decryptor, Identity, Moved, Recipient, Salvaged, Salvaging, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let identity = x25519::Identity::generate()?;
/// # let mut file = sealane_age::encrypt([&identity.to_public() as &dyn Recipient], &vec![7; 300_000])?;
/// // A file of 300,000 bytes lost a hundred of them.
/// file.drain(150_000..150_100);
/// let reader = Decryptor::new(&file[..])?.decrypt([&identity as &dyn Identity])?;
/// let mut written = 0;
/// let salvaged: Salvaged = reader.salvage(&file.as_slice(), file.len() as u64, |progress| {
///     if let Salvaging::Found { plaintext, .. } = progress {
///         written += plaintext.len() as u64;
///     }
///     Ok(())
/// })?;
/// assert_eq!(salvaged.found, written);
/// assert_eq!(salvaged.missing, [131_072..196_608]);
/// let [Moved { start: 196_608, by: -100, .. }] = salvaged.moved[..] else { panic!() };
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Salvaged {
    /// The number of authentic bytes that were found.
    pub found: u64,
    /// The ranges that could not be read or authenticated, in order.
    pub missing: Vec<Range<u64>>,
    /// The runs of chunks that are shifted in the file, because bytes before them were lost or
    /// inserted. A run begins wherever the shift changes, so the chunks of a later run may be at
    /// their original position again.
    pub moved: Vec<Moved>,
    /// The length of the whole plaintext, if the last chunk was found. Otherwise it is unknown.
    pub end: Option<u64>,
    /// The number of bytes after the last chunk, which do not belong to the encrypted file. It is 0
    /// if the last chunk was not found.
    pub trailing: u64,
    /// Whether a search for chunks stopped at its limit. If it did, the file may have more chunks.
    pub limited: bool,
}

impl Salvaged {
    /// Returns whether the whole plaintext was found.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.end.is_some()
    }
}

/// A run of chunks that are shifted by the same number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// The position of the run's first chunk in the plaintext, in bytes.
    pub start: u64,
    /// The number of bytes by which the chunks moved towards the end of the file. It is negative if
    /// more bytes were lost than inserted, and 0 if the chunks are at their original position
    /// again.
    pub by: i64,
}

/// The progress that [`StreamReader::salvage`] reports. `Debug` output has no plaintext.
#[non_exhaustive]
pub enum Salvaging<'a> {
    /// Authentic plaintext was found.
    Found {
        /// Its position in the plaintext, in bytes.
        at: u64,
        /// The plaintext.
        plaintext: &'a [u8],
    },
    /// A chunk is not at its position and is searched for.
    Searching {
        /// The number of steps that the search has done.
        tried: u64,
        /// The largest number of steps that the search can take.
        of: u64,
    },
}

impl fmt::Debug for Salvaging<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found { at, plaintext } => {
                f.debug_struct("Found").field("at", at).field("len", &plaintext.len()).finish_non_exhaustive()
            }
            Self::Searching { tried, of } => f.debug_struct("Searching").field("tried", tried).field("of", of).finish(),
        }
    }
}

impl<R> StreamReader<R> {
    /// Recovers every authentic chunk of a damaged file that can be found. Bytes that cannot be
    /// read count as damaged.
    ///
    /// `input` is the file that this reader reads, from the position at which its decryptor began.
    /// It has `len` bytes.
    ///
    /// If the next chunk does not directly follow the one before it, this method searches for it:
    /// first in steps of whole chunks, then at every byte, with every number that the chunk could
    /// have. The search finds the chunk if up to 64 MiB before it were lost, or inserted, or
    /// damaged, or up to 512 KiB in a mixture of these. If the search fails, 64 MiB count as
    /// damaged, and the search goes on after them. Chunks in another order are not found. The last
    /// chunk is always found if it directly follows the one before it. Otherwise it is found if the
    /// last 640 KiB of the file contain it and the damage before it, only zeros follow it, and at
    /// most nine chunks before it are missing.
    ///
    /// # Errors
    /// The errors of `report`, as [`CopyError::Write`].
    pub fn salvage(
        self,
        input: &impl ReadAt,
        len: u64,
        mut report: impl FnMut(Salvaging<'_>) -> io::Result<()>,
    ) -> Result<Salvaged, CopyError> {
        let payload = Payload { input, start: self.header_len, len: len.saturating_sub(self.header_len) };
        let mut run = Run {
            cipher: &self.opener.key.cipher,
            buf: Zeroizing::new(vec![0; SEALED_CHUNK_BYTES]),
            result: Salvaged {
                found: 0,
                missing: Vec::new(),
                moved: Vec::new(),
                end: None,
                trailing: 0,
                limited: false,
            },
            shift: 0,
        };
        let mut search = Search::new(&self.opener.key.cipher);
        let mut place = Place { number: 0, at: 0 };
        while place.at < payload.len {
            let mut taken = run.take(&payload, place, &mut report)?;
            let mut next = place.after(1);
            if !taken {
                let found = search.next(&payload, place, &mut report).map_err(CopyError::Write)?;
                // A disk may return a chunk only to some of several reads.
                taken = found == Some(place) && run.take(&payload, place, &mut report)?;
                if found != Some(place) {
                    next = found.unwrap_or_else(|| place.after(search::REACH));
                }
                if !taken {
                    run.miss(place, next, payload.len, found.is_some());
                }
            }
            if taken && run.result.end.is_some() {
                break;
            }
            place = next;
        }
        run.result.limited = search.limited;
        Ok(run.result)
    }
}

/// The state of salvaging.
struct Run<'a> {
    cipher: &'a ChunkCipher,
    buf: Zeroizing<Vec<u8>>,
    result: Salvaged,
    /// The [`Place::shift`] of the chunk that was found last.
    shift: i64,
}

impl Run<'_> {
    /// Opens the chunk at `place`, reports its plaintext, and records it in the result. Returns
    /// false if the chunk is not there.
    fn take(
        &mut self,
        payload: &Payload<'_, impl ReadAt>,
        place: Place,
        report: &mut impl FnMut(Salvaging<'_>) -> io::Result<()>,
    ) -> Result<bool, CopyError> {
        let sealed = payload.read(place.at, &mut self.buf);
        let Some((len, last)) = find_here(self.cipher, place.number, &mut self.buf[..sealed]) else { return Ok(false) };
        let at = place.plaintext();
        let plaintext = &self.buf[..len];
        report(Salvaging::Found { at, plaintext }).map_err(CopyError::Write)?;
        self.result.found += len as u64;
        let shift = place.shift();
        if shift != self.shift {
            self.shift = shift;
            self.result.moved.push(Moved { start: at, by: shift });
        }
        if last {
            self.result.end = Some(at + len as u64);
            self.result.trailing = payload.len - place.at - (len + TAG_BYTES) as u64;
        }
        Ok(true)
    }

    /// Records that everything from `from` to `to` is missing. If `found` is false, there is no
    /// chunk at `to`, but the search continues there.
    fn miss(&mut self, from: Place, to: Place, payload_len: u64, found: bool) {
        let start = from.plaintext();
        let mut end = to.plaintext();
        if !found && to.at >= payload_len {
            // The missing plaintext is at most what the rest of the file holds if all of it is
            // chunks. A last part that is shorter than a tag holds no plaintext.
            let left = payload_len - from.at;
            let (whole, rest) = (left / SEALED_CHUNK_BYTES as u64, left % SEALED_CHUNK_BYTES as u64);
            end = start + whole * CHUNK_BYTES as u64 + rest.saturating_sub(TAG_BYTES as u64);
        }
        match self.result.missing.last_mut() {
            _ if end <= start => {}
            Some(range) if range.end == start => range.end = end,
            _ => self.result.missing.push(start..end),
        }
    }
}

/// Opens the chunk at the start of `sealed`, which is at most as long as a full chunk. Returns the
/// length of the plaintext, and whether the chunk is the last of the file.
fn find_here(cipher: &ChunkCipher, number: u64, sealed: &mut [u8]) -> Option<(usize, bool)> {
    if sealed.len() == SEALED_CHUNK_BYTES && cipher.open(number, false, sealed) {
        return Some((CHUNK_BYTES, false));
    }
    let len = cipher.find_end(number, sealed)?;
    // Only the chunk of an empty file is empty.
    let is_chunk = (len > 0 || number == 0) && cipher.open(number, true, &mut sealed[..len + TAG_BYTES]);
    is_chunk.then_some((len, true))
}

/// The chunks of a file. In a damaged file, other bytes may be between them.
struct Payload<'a, I> {
    input: &'a I,
    start: u64,
    len: u64,
}

/// The number of bytes that are read at a time where larger reads fail: a sector of a disk.
const SECTOR: usize = 512;

impl<I: ReadAt> Payload<'_, I> {
    /// Reads from `at` on, until `out` is full or the payload ends. Returns the number of bytes.
    /// Bytes that cannot be read become zeros.
    fn read(&self, at: u64, out: &mut [u8]) -> usize {
        let len = out.len().min(usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX));
        let out = &mut out[..len];
        let from = self.start + at;
        if read_exact_at(self.input, out, from).is_err() {
            for (sector, offset) in out.chunks_mut(SECTOR).zip((from..).step_by(SECTOR)) {
                if read_exact_at(self.input, sector, offset).is_err() {
                    sector.fill(0);
                }
            }
        }
        len
    }
}

fn read_exact_at(input: &impl ReadAt, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match crate::input::retry(|| input.read_at(out, offset))? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => (out, offset) = (&mut out[n..], offset + n as u64),
        }
    }
    Ok(())
}
