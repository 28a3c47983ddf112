//! Ranges that are fetched together.

use std::ops::Range;
use std::sync::Arc;

use sealane_age::StreamError;
use sealane_age::stream::{CHUNK_BYTES, SEALED_CHUNK_BYTES, SealedRange, TAG_BYTES};
use zeroize::Zeroizing;

use crate::chunks::ChunkAssembler;
use crate::unlocked::UnlockedObject;

/// The largest number of bytes to allocate for a range before any of it has arrived: the store may
/// lie about the size of an object.
const FIRST_BYTES: usize = 16 << 20;

/// Ranges whose chunks overlap or touch, which are fetched together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) chunks: SealedRange,
    /// The index of each range in the request, and its position in the plaintext of the chunks.
    /// Sorted by the start of the range. Many short ranges may be a group that is longer than
    /// memory.
    pub(crate) ranges: Vec<(usize, Range<u64>)>,
}

/// Groups ranges of plaintext, which must not be empty or extend beyond the plaintext.
pub(crate) fn groups(object: &UnlockedObject, ranges: &[Range<u64>]) -> Result<Vec<Group>, StreamError> {
    let mut order: Vec<_> = (0..ranges.len()).collect();
    order.sort_by_key(|&i| ranges[i].start);
    let mut merged: Vec<(Range<u64>, SealedRange, Vec<usize>)> = Vec::new();
    for i in order {
        let (range, chunks) = (ranges[i].clone(), object.range(ranges[i].clone())?);
        match merged.last_mut() {
            Some((all, known, members)) if chunks.sealed.start <= known.sealed.end => {
                all.end = all.end.max(range.end);
                *known = object.range(all.clone())?;
                members.push(i);
            }
            _ => merged.push((range, chunks, vec![i])),
        }
    }
    let group = |(_, chunks, members): (Range<u64>, SealedRange, Vec<usize>)| {
        let start = chunks.first * CHUNK_BYTES as u64;
        let ranges = members.into_iter().map(|i| (i, ranges[i].start - start..ranges[i].end - start)).collect();
        Group { chunks, ranges }
    };
    Ok(merged.into_iter().map(group).collect())
}

/// Collects the ranges of a group while its chunks arrive. Each range has its own buffer: a buffer
/// for a whole group may be so large that the allocator asks the kernel for fresh pages each time.
pub(crate) struct Collector {
    assembler: ChunkAssembler,
    ranges: Ranges,
}

impl Collector {
    pub(crate) fn new(object: Arc<UnlockedObject>, group: Group) -> Self {
        let found = group.ranges.iter().map(|(_, within)| Vec::with_capacity(len(within).min(FIRST_BYTES))).collect();
        let assembler = ChunkAssembler::new(&group.chunks);
        Self { assembler, ranges: Ranges { object, group, found, complete: 0, plaintext: Zeroizing::default() } }
    }

    /// Takes the next sealed bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        self.assembler.push(bytes, |first, is_last, chunks| {
            let count = chunks.len().div_ceil(SEALED_CHUNK_BYTES) as u64;
            let mut chunks = (first..first + count).zip(chunks.chunks(SEALED_CHUNK_BYTES));
            chunks.try_for_each(|(i, chunk)| self.ranges.open(i, is_last && i + 1 == first + count, chunk))
        })
    }

    /// Returns the index and the plaintext of each range, if all chunks have arrived.
    pub(crate) fn finish(self) -> Result<impl Iterator<Item = (usize, Vec<u8>)>, StreamError> {
        self.assembler.finish()?;
        let Ranges { group, found, .. } = self.ranges;
        Ok(group.ranges.into_iter().map(|(number, _)| number).zip(found))
    }
}

/// The ranges of a group.
struct Ranges {
    object: Arc<UnlockedObject>,
    group: Group,
    /// The plaintext of each range, as far as it was collected.
    found: Vec<Vec<u8>>,
    /// The number of complete ranges before the first one that is not complete.
    complete: usize,
    /// The plaintext of a chunk that cannot be opened directly into the buffer of one range.
    plaintext: Zeroizing<Vec<u8>>,
}

impl Ranges {
    /// Opens a whole chunk, and appends its plaintext to the ranges that it is part of.
    fn open(&mut self, number: u64, is_last: bool, chunk: &[u8]) -> Result<(), StreamError> {
        let key = &self.object.key;
        let start = (number - self.group.chunks.first) * CHUNK_BYTES as u64;
        let plaintext_len = chunk.len().saturating_sub(TAG_BYTES);
        let end = start + plaintext_len as u64;

        let ranges = &self.group.ranges;
        self.complete += ranges[self.complete..].iter().take_while(|(_, within)| within.end <= start).count();
        let members = ranges.iter().zip(&mut self.found).skip(self.complete);
        let members = members.take_while(|((_, within), _)| within.start < end);
        let mut members: Vec<_> = members.filter(|((_, within), _)| start < within.end).collect();
        if let [((_, within), found)] = &mut members[..]
            && within.start <= start
            && end <= within.end
        {
            let before = found.len();
            make_room(found, plaintext_len, len(within));
            found.resize(before + plaintext_len, 0);
            return key.open_chunks(number, is_last, chunk, &mut found[before..]).map(drop);
        }
        self.plaintext.resize(plaintext_len, 0);
        key.open_chunks(number, is_last, chunk, &mut self.plaintext)?;
        for ((_, within), found) in members {
            // Both positions lie in the chunk.
            let (from, to) = (within.start.max(start) - start, within.end.min(end) - start);
            let part = &self.plaintext[from as usize..to as usize];
            make_room(found, part.len(), len(within));
            found.extend_from_slice(part);
        }
        Ok(())
    }
}

/// Returns the length of a range, which must fit in memory.
fn len(range: &Range<u64>) -> usize {
    usize::try_from(range.end - range.start).unwrap_or(usize::MAX)
}

/// Makes room for `more` bytes of a range of `len` bytes. Doubles the allocation, but does not make
/// it longer than the range.
fn make_room(found: &mut Vec<u8>, more: usize, len: usize) {
    if found.capacity() - found.len() < more {
        found.reserve_exact(more.max((len - found.len()).min(found.len())));
    }
}

#[cfg(test)]
mod tests {
    use sealane_age::{Encryptor, Identity, Preamble, Prefix, Recipient, x25519};

    use super::*;
    use crate::unlocked::Stamp;

    /// With 32 bits, a memory is shorter than this group.
    #[test]
    fn short_ranges_in_many_chunks() {
        let identity = x25519::Identity::generate().unwrap();
        let encryptor = Encryptor::with_recipients([&identity.to_public() as &dyn Recipient]).unwrap();
        let (start, sealing_key) = encryptor.into_parts().unwrap();
        let Ok(Prefix::Complete(preamble)) = Preamble::parse(&start) else { panic!("the header is incomplete") };
        let key = preamble.unlock([&identity as &dyn Identity]).unwrap();

        let last = (1 << 32) / CHUNK_BYTES as u64 + 1;
        let mut chunk = [0; 3 + TAG_BYTES];
        sealing_key.seal_part(last, true, b"end", &mut chunk).unwrap();
        let size = (start.len() + chunk.len()) as u64 + last * SEALED_CHUNK_BYTES as u64;
        let stamp = Stamp { e_tag: None, version: None, modified: 0, size };
        let object = UnlockedObject::new(key, *preamble.nonce(), stamp, start.len() as u64).unwrap();

        let positions = (0..=last).map(|i| i * CHUNK_BYTES as u64 + 1);
        let ranges: Vec<_> = positions.map(|position| position..position + 2).collect();
        let mut groups = groups(&object, &ranges).unwrap();
        assert_eq!(groups.len(), 1);
        let mut collector = Collector::new(Arc::new(object), groups.remove(0));
        collector.ranges.open(last, true, &chunk).unwrap();
        let found = &collector.ranges.found;
        assert_eq!((&found[0][..], &found[found.len() - 1][..]), (&b""[..], &b"nd"[..]));
    }
}
