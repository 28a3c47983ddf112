//! Finds the next chunk after damage.

use std::collections::BTreeSet;
use std::io;

use zeroize::Zeroizing;

use super::{Payload, Salvaging, find_here};
use crate::random_access::ReadAt;
use crate::stream::{CHUNK_BYTES, ChunkCipher, SEALED_CHUNK_BYTES, TAG_BYTES};

/// The number of chunks that count as damaged after a search that fails: 64 MiB.
pub(super) const REACH: u64 = 1024;
/// Searches try shorter distances than this, in chunks. 64 MiB of damage can begin and end inside a
/// chunk. If less than a chunk is also lost or inserted, the next whole chunk is up to `REACH + 2`
/// chunks further on.
const FAR: u64 = REACH + 3;
/// Bytes may be both lost and inserted at shorter distances than this, in chunks. After 512 KiB of
/// such damage, the next whole chunk is up to 9 chunks further on.
const NEAR: u64 = 10;
/// The number of stretches, each a chunk long, in which all searches of a file together may try
/// every byte. This many take some minutes.
const LIMIT: u64 = 1 << 17;
/// Trying all chunks at their places takes no longer than searching this many stretches.
const IN_PLACE: u64 = 32;

/// A chunk: its number, and its position in the payload, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) number: u64,
    pub(super) at: u64,
}

impl Place {
    /// Returns the place of the chunk that is `chunks` further on.
    pub(super) fn after(self, chunks: u64) -> Self {
        Self { number: self.number + chunks, at: self.at + chunks * SEALED_CHUNK_BYTES as u64 }
    }

    /// Returns the chunk's position in the plaintext.
    pub(super) fn plaintext(self) -> u64 {
        self.number * CHUNK_BYTES as u64
    }

    /// Returns by how many bytes the chunk has moved towards the end of the file.
    pub(super) fn shift(self) -> i64 {
        (self.at as i64).wrapping_sub((self.number * SEALED_CHUNK_BYTES as u64) as i64)
    }
}

/// The searches in one file, which share a limit.
pub(super) struct Search<'a> {
    cipher: &'a ChunkCipher,
    /// Room for two chunks. A chunk that begins in the first half fits.
    buf: Zeroizing<Vec<u8>>,
    /// The positions of the chunks' lengths that have a single byte value or cannot be read, as far
    /// as the present search knows them.
    blank: BTreeSet<u64>,
    tried: u64,
    /// Whether the search stopped at its limit.
    pub(super) limited: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(cipher: &'a ChunkCipher) -> Self {
        let buf = Zeroizing::new(vec![0; 2 * SEALED_CHUNK_BYTES]);
        Self { cipher, buf, blank: BTreeSet::new(), tried: 0, limited: false }
    }

    /// Returns the next chunk that can be found after the missing one at `from`.
    pub(super) fn next(
        &mut self,
        payload: &Payload<'_, impl ReadAt>,
        from: Place,
        report: &mut impl FnMut(Salvaging<'_>) -> io::Result<()>,
    ) -> io::Result<Option<Place>> {
        self.blank.clear();
        if let Some(found) = self.in_place(payload, from) {
            return Ok(Some(found));
        }
        // The number of cells at all distances.
        let of = NEAR * NEAR + 7 * (FAR - NEAR);
        let mut tried = 0;
        // The nearest places come first: those with up to `distance` chunks lost, and room for up
        // to `distance` chunks inserted.
        for distance in 0..FAR {
            for (lost, inserted) in cells(distance) {
                if tried % 16 == 0 {
                    report(Salvaging::Searching { tried, of })?;
                }
                tried += 1;
                let number = from.number + lost;
                let at = from.at + inserted * SEALED_CHUNK_BYTES as u64;
                if let Some(at) = self.anywhere(payload, number, at) {
                    // The next search may try the same chunks at their places again. It does not
                    // if this one fails.
                    self.tried += IN_PLACE;
                    return Ok(Some(Place { number, at }));
                }
                if self.limited {
                    return Ok(self.last(payload, from));
                }
            }
        }
        Ok(self.last(payload, from))
    }

    /// Returns the next chunk that has not moved in relation to `from`.
    fn in_place(&mut self, payload: &Payload<'_, impl ReadAt>, from: Place) -> Option<Place> {
        (1..FAR).map(|chunks| from.after(chunks)).take_while(|place| place.at < payload.len).find(|place| {
            let len = payload.read(place.at, &mut self.buf[..SEALED_CHUNK_BYTES]);
            let sealed = &mut self.buf[..len];
            if is_blank(sealed) {
                self.blank.insert(place.at);
                return false;
            }
            // The end of the last chunk is searched for only near the end of the file, because it
            // takes longer.
            if payload.len - place.at > NEAR * SEALED_CHUNK_BYTES as u64 {
                return self.cipher.open(place.number, false, sealed);
            }
            find_here(self.cipher, place.number, sealed).is_some()
        })
    }

    /// Returns the position of the chunk `number`, if it starts at `at` or less than a chunk's
    /// length after it.
    fn anywhere(&mut self, payload: &Payload<'_, impl ReadAt>, number: u64, at: u64) -> Option<u64> {
        if payload.len.saturating_sub(at) < SEALED_CHUNK_BYTES as u64 {
            return None;
        }
        let halves = [at, at + SEALED_CHUNK_BYTES as u64];
        let has_data = |blank: &BTreeSet<u64>| halves.iter().any(|at| *at < payload.len && !blank.contains(at));
        // Nothing is read again in vain, because a disk may need seconds for each bad sector.
        if !has_data(&self.blank) {
            return None;
        }
        let len = payload.read(at, &mut self.buf);
        let data = &self.buf[..len];
        let blank = halves.into_iter().zip(data.chunks(SEALED_CHUNK_BYTES)).filter(|(_, half)| is_blank(half));
        self.blank.extend(blank.map(|(at, _)| at));
        if !has_data(&self.blank) {
            return None;
        }
        if self.tried >= LIMIT {
            self.limited = true;
            return None;
        }
        self.tried += 1;
        self.cipher.find(number, data).map(|offset| at + offset as u64)
    }

    /// Searches for the last chunk at every position, if little follows `from`. The chunk must be
    /// at the end of the file, or only zeros may follow it.
    fn last(&mut self, payload: &Payload<'_, impl ReadAt>, from: Place) -> Option<Place> {
        let left = payload.len.saturating_sub(from.at);
        if left > NEAR * SEALED_CHUNK_BYTES as u64 {
            return None;
        }
        let mut data = vec![0; usize::try_from(left).ok()?];
        let len = payload.read(from.at, &mut data);
        let written = data[..len].iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
        // A tag can itself end with zeros.
        let ends = [len].into_iter().chain((written..len.min(written + 3)).rev());
        for end in ends.filter(|end| *end > TAG_BYTES) {
            let start = end.saturating_sub(SEALED_CHUNK_BYTES);
            for number in from.number..from.number + NEAR {
                if let Some(offset) = self.cipher.find_start(number, &data[start..end]) {
                    return Some(Place { number, at: from.at + (start + offset) as u64 });
                }
            }
        }
        None
    }
}

/// Returns whether all bytes are the same. A disk returns zeros for sectors that were never
/// written.
fn is_blank(data: &[u8]) -> bool {
    data.iter().all(|byte| *byte == data[0])
}

/// Returns the numbers of lost and of inserted chunks to try at this distance. At near distances,
/// all combinations are tried. At others, only those in which one of the numbers is at most 1, or
/// both differ by at most 1.
fn cells(distance: u64) -> impl Iterator<Item = (u64, u64)> {
    let is_likely = move |other: &u64| distance < NEAR || *other <= 1 || *other + 1 >= distance;
    let lost = (0..=distance).filter(is_likely).map(move |inserted| (distance, inserted));
    lost.chain((0..distance).filter(is_likely).map(move |lost| (lost, distance)))
}

#[cfg(test)]
mod tests {
    use sealane::Backend;

    use super::*;

    /// Somebody who stores the file writes noise in the place of its chunks.
    #[test]
    fn searches_in_noise_end_at_their_limit() {
        let cipher = ChunkCipher::new(&[1; 32], Backend::detect());
        let noise: Vec<u8> =
            (0..20 * SEALED_CHUNK_BYTES as u64).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
        let payload = Payload { input: &&noise[..], start: 0, len: noise.len() as u64 };
        let mut search = Search { tried: LIMIT - 5, ..Search::new(&cipher) };
        let found = search.next(&payload, Place { number: 0, at: 0 }, &mut |_| Ok(())).unwrap();
        assert_eq!((found, search.tried, search.limited), (None, LIMIT, true));
        // Later searches try no more positions.
        let found = search.next(&payload, Place { number: 10, at: 0 }, &mut |_| Ok(())).unwrap();
        assert_eq!((found, search.tried), (None, LIMIT));
    }

    /// Somebody who stores the file inserts a byte before each chunk. Each search finds its chunk
    /// nearby, but only after it has tried all chunks at their places.
    #[test]
    fn searches_after_many_insertions_end_at_their_limit() {
        let cipher = ChunkCipher::new(&[1; 32], Backend::detect());
        let mut file = Vec::new();
        for number in 0..20 {
            let mut chunk = vec![7; SEALED_CHUNK_BYTES];
            cipher.seal(number, false, &mut chunk);
            file.push(0);
            file.extend(chunk);
        }
        let payload = Payload { input: &&file[..], start: 0, len: file.len() as u64 };
        let mut search = Search { tried: LIMIT - 5 * (IN_PLACE + 1), ..Search::new(&cipher) };
        let mut from = Place { number: 0, at: 0 };
        for _ in 0..5 {
            let found = search.next(&payload, from, &mut |_| Ok(())).unwrap().unwrap();
            assert_eq!(found, Place { at: from.at + 1, ..from });
            assert!(!search.limited);
            from = found.after(1);
        }
        let found = search.next(&payload, from, &mut |_| Ok(())).unwrap();
        assert_eq!((found, search.tried, search.limited), (None, LIMIT, true));
    }

    #[test]
    fn each_cell_once() {
        let mut all: Vec<_> = (0..FAR).flat_map(cells).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(count as u64, NEAR * NEAR + 7 * (FAR - NEAR));
        for cell in [(0, 0), (1, 0), (0, 1), (9, 9), (1026, 0), (1, 1026), (1026, 1026), (1025, 1026), (500, 499)] {
            assert!(all.contains(&cell), "{cell:?}");
        }
    }

    /// Damage can begin at any byte of a chunk.
    #[test]
    fn the_chunk_after_the_largest_damage_is_in_a_cell() {
        const CHUNK: u64 = SEALED_CHUNK_BYTES as u64;
        const FEW: u64 = 512 << 10;
        const MANY: u64 = 64 << 20;
        let all: Vec<_> = (0..FAR).flat_map(cells).collect();
        for offset in [0, 1, 16_384, CHUNK - 1] {
            for (lost, damaged, inserted) in [
                (MANY, 0, 0),
                (0, 0, MANY),
                (0, MANY, 0),
                (CHUNK - 1, MANY, 0),
                (0, MANY, CHUNK - 1),
                (FEW, 0, 0),
                (0, FEW, 0),
                (0, 0, FEW),
                (FEW / 2, FEW / 2, 0),
                (FEW / 2, 0, FEW / 2),
                (0, FEW / 2, FEW / 2),
                (FEW / 4, FEW / 2, FEW / 4),
            ] {
                let number = (offset + lost + damaged).div_ceil(CHUNK);
                let at = number * CHUNK - lost + inserted;
                let case = format!("{lost} lost, {damaged} damaged and {inserted} inserted after {offset}");
                assert!(all.contains(&(number, at / CHUNK)), "{case}");
                assert!(number < FAR, "{case}");
            }
        }
    }
}
