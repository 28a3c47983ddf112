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
    /// Sorted by the start of the range.
    pub(crate) ranges: Vec<(usize, Range<usize>)>,
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
        // The plaintext of the ranges fits in memory, so its positions fit `usize`.
        let within = |at: u64| usize::try_from(at - start).unwrap_or(usize::MAX);
        let ranges = members.into_iter().map(|i| (i, within(ranges[i].start)..within(ranges[i].end))).collect();
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
        let found = group.ranges.iter().map(|(_, within)| Vec::with_capacity(within.len().min(FIRST_BYTES))).collect();
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
        // The plaintext of the ranges fits in memory, so positions within the group fit `usize`.
        let start = usize::try_from(number - self.group.chunks.first).unwrap_or(usize::MAX) * CHUNK_BYTES;
        let end = start + chunk.len().saturating_sub(TAG_BYTES);

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
            make_room(found, end - start, within.len());
            found.resize(before + (end - start), 0);
            return key.open_chunks(number, is_last, chunk, &mut found[before..]).map(drop);
        }
        self.plaintext.resize(end - start, 0);
        key.open_chunks(number, is_last, chunk, &mut self.plaintext)?;
        for ((_, within), found) in members {
            let part = &self.plaintext[within.start.max(start) - start..within.end.min(end) - start];
            make_room(found, part.len(), within.len());
            found.extend_from_slice(part);
        }
        Ok(())
    }
}

/// Makes room for `more` bytes of a range of `len` bytes. Doubles the allocation, but does not make
/// it longer than the range.
fn make_room(found: &mut Vec<u8>, more: usize, len: usize) {
    if found.capacity() - found.len() < more {
        found.reserve_exact(more.max((len - found.len()).min(found.len())));
    }
}
