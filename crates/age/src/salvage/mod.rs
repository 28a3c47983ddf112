//! What a damaged file still has.

mod search;

use std::io;
use std::ops::Range;

use zeroize::Zeroizing;

use self::search::{Place, Search};
use crate::parallel::{CopyError, ReadAt};
use crate::stream::{CHUNK_LEN, ChunkCipher, SEALED_CHUNK_LEN, StreamReader, TAG_LEN};

/// What was found, and what was not. Places are those of the plaintext, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Salvaged {
    /// Bytes that are authentic.
    pub found: u64,
    /// What could not be read or authenticated, in order.
    pub missing: Vec<Range<u64>>,
    /// Chunks that do not stand where they stood when the file was made, because bytes before them
    /// were lost or inserted.
    pub moved: Vec<Moved>,
    /// Where the plaintext ends, if the last chunk is there. Otherwise nobody knows how much
    /// followed.
    pub end: Option<u64>,
    /// Bytes of the file after the last chunk, which do not belong to it.
    pub trailing: u64,
    /// Whether a search for chunks was given up at its limit: there may be more.
    pub limited: bool,
}

impl Salvaged {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.end.is_some()
    }
}

/// From here on chunks stand elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// The place in the plaintext, in bytes.
    pub start: u64,
    /// How many bytes further back in the file they stand than when it was made; less than 0 if
    /// bytes were lost.
    pub by: i64,
}

/// What [`StreamReader::salvage`] reports while it works.
#[derive(Debug)]
#[non_exhaustive]
pub enum Salvaging<'a> {
    /// This is authentic.
    Found {
        /// Its place in the plaintext, in bytes.
        at: u64,
        /// The bytes.
        plaintext: &'a [u8],
    },
    /// A chunk is not where it should be, and is looked for.
    Searching {
        /// How much of the search is done.
        tried: u64,
        /// What is all of it.
        of: u64,
    },
}

impl<R> StreamReader<R> {
    /// Gives every chunk of a damaged file that is authentic and can be found. What cannot be read
    /// counts as damaged.
    ///
    /// `input` is what this reader reads, from the place on where its decryptor began, and has
    /// `len` bytes.
    ///
    /// A chunk that is not where the one before it ends is looked for: up to 64 MiB further on in
    /// steps of whole chunks; then at every byte, with every number that it could have if up to 64
    /// MiB were lost, inserted or damaged before it, or a mixture of up to 512 KiB of these. If
    /// that is in vain, 64 MiB are taken for damaged, and the search goes on after them. Chunks
    /// that were put into another order are not found. The last chunk is found whatever follows it,
    /// where the one before it ends; otherwise if it stands within 512 KiB, and ends with the file
    /// or with zeros to its end.
    ///
    /// # Errors
    /// Those of `report`, as [`CopyError::Write`].
    pub fn salvage(
        self,
        input: &impl ReadAt,
        len: u64,
        mut report: impl FnMut(Salvaging<'_>) -> io::Result<()>,
    ) -> Result<Salvaged, CopyError> {
        let payload = Payload { input, start: self.header_len, len: len.saturating_sub(self.header_len) };
        let mut run = Run {
            cipher: &self.opener.cipher,
            buf: Zeroizing::new(vec![0; SEALED_CHUNK_LEN]),
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
        let mut search = Search::new(&self.opener.cipher);
        let mut place = Place { number: 0, at: 0 };
        while place.at < payload.len {
            if run.take(&payload, place, &mut report)? {
                if run.result.end.is_some() {
                    break;
                }
                place = place.after(1);
                continue;
            }
            let found = search.next(&payload, place, &mut report).map_err(CopyError::Write)?;
            let next = found.unwrap_or_else(|| place.after(search::REACH));
            run.miss(place, next, payload.len, found.is_some());
            place = next;
        }
        run.result.limited = search.limited;
        Ok(run.result)
    }
}

/// What has been found so far.
struct Run<'a> {
    cipher: &'a ChunkCipher,
    buf: Zeroizing<Vec<u8>>,
    result: Salvaged,
    /// How far the chunks that were found last stand from their place.
    shift: i64,
}

impl Run<'_> {
    /// Takes the chunk at `place`, if it is there.
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
            self.result.trailing = payload.len - place.at - (len + TAG_LEN) as u64;
        }
        Ok(true)
    }

    /// What belongs between the two is missing. If `found` is not so, `to` is no more than the
    /// place to go on from.
    fn miss(&mut self, from: Place, to: Place, payload_len: u64, found: bool) {
        let start = from.plaintext();
        let mut end = to.plaintext();
        if !found && to.at >= payload_len {
            // As much as there is room for, if all that follows is chunks. Less than a tag stands
            // for nothing.
            let left = payload_len - from.at;
            let (whole, rest) = (left / SEALED_CHUNK_LEN as u64, left % SEALED_CHUNK_LEN as u64);
            end = start + whole * CHUNK_LEN as u64 + rest.saturating_sub(TAG_LEN as u64);
        }
        match self.result.missing.last_mut() {
            _ if end <= start => {}
            Some(range) if range.end == start => range.end = end,
            _ => self.result.missing.push(start..end),
        }
    }
}

/// Opens the chunk at the start of `sealed`, which is at most one chunk, and says how long its
/// plaintext is and whether it is the last of the file.
fn find_here(cipher: &ChunkCipher, number: u64, sealed: &mut [u8]) -> Option<(usize, bool)> {
    if sealed.len() == SEALED_CHUNK_LEN && cipher.open(number, false, sealed) {
        return Some((CHUNK_LEN, false));
    }
    let len = cipher.find_end(number, sealed)?;
    // Only the chunk of an empty file is empty.
    let is_chunk = (len > 0 || number == 0) && cipher.open(number, true, &mut sealed[..len + TAG_LEN]);
    is_chunk.then_some((len, true))
}

/// The chunks of a file, and what may be between them.
struct Payload<'a, I> {
    input: &'a I,
    start: u64,
    len: u64,
}

/// So much is read by itself where reading more fails: a sector of a disk.
const SECTOR: usize = 512;

impl<I: ReadAt> Payload<'_, I> {
    /// Reads from `at` on as much as there is and `out` has room for. What cannot be read is zeros.
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
