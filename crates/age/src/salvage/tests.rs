//! Tests of files that their author crafted, and of disks that fail.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use sealane::Backend;

use super::{Salvaged, Salvaging};
use crate::input::Input;
use crate::random_access::ReadAt;
use crate::stream::{CHUNK_BYTES, ChunkCipher, PayloadKey, SEALED_CHUNK_BYTES, StreamReader, TAG_BYTES};

fn cipher() -> ChunkCipher {
    ChunkCipher::new(&[1; 32], Backend::detect())
}

/// Returns the chunk of this plaintext.
fn sealed(number: u64, last: bool, plaintext: &[u8]) -> Vec<u8> {
    let mut chunk = [plaintext, &[0; TAG_BYTES]].concat();
    cipher().seal(number, last, &mut chunk);
    chunk
}

/// Returns a plaintext of `len` bytes whose ciphertext, as the last chunk, begins with the tag of
/// an empty last chunk of this number.
fn with_inner_end(number: u64, len: usize) -> Vec<u8> {
    let key_stream = sealed(number, true, &[0; TAG_BYTES]);
    let mut plaintext: Vec<u8> = (0..len).map(|i| i as u8).collect();
    for (i, byte) in sealed(number, true, &[]).into_iter().enumerate() {
        plaintext[i] = byte ^ key_stream[i];
    }
    plaintext
}

/// Returns the result, and the plaintext in the order in which it was found. Gives up a search that
/// does not end.
fn salvage(payload: &impl ReadAt) -> (Salvaged, Vec<u8>) {
    let len = payload.size().unwrap();
    let mut found = Vec::new();
    let mut reports = 0;
    let reader = StreamReader::new(Input::new(io::empty()), 0, PayloadKey::with_cipher(cipher()));
    let result = reader.salvage(payload, len, |progress| {
        if let Salvaging::Found { plaintext, .. } = progress {
            found.extend_from_slice(plaintext);
        }
        reports += 1;
        if reports < 10_000 { Ok(()) } else { Err(io::Error::other("the search does not end")) }
    });
    (result.unwrap(), found)
}

/// The author of a file can choose its content so that a shorter last chunk fits inside the last
/// one. The file is still valid.
#[test]
fn a_chunk_inside_the_last_one_does_not_end_the_file() {
    for before in [0, 1] {
        let full: Vec<Vec<u8>> = (0..before).map(|number| vec![number as u8; CHUNK_BYTES]).collect();
        for len in [TAG_BYTES, 1000, CHUNK_BYTES] {
            let last = with_inner_end(before, len);
            let plaintext = [full.concat(), last.clone()].concat();
            let mut file: Vec<u8> = (0..before).flat_map(|n| sealed(n, false, &full[n as usize])).collect();
            file.extend(sealed(before, true, &last));
            for trailing in [0, 100] {
                file.resize(file.len() + trailing, 0);
                let (result, found) = salvage(&&file[..]);
                assert!(result.is_whole() && found == plaintext, "{len} bytes after {before}: {result:?}");
                assert_eq!(result.end, Some(plaintext.len() as u64));
                assert_eq!(result.trailing, trailing as u64);
                file.truncate(file.len() - trailing);
            }
            // The last chunk is found too if bytes before it are lost.
            if before > 0 {
                file.drain(100..200);
                let (result, found) = salvage(&&file[..]);
                assert!(found == plaintext[CHUNK_BYTES..], "{len} bytes after {before}: {result:?}");
            }
        }
    }
}

/// Only the chunk of an empty file is empty.
#[test]
fn an_empty_chunk_ends_an_empty_file_only() {
    let (result, _) = salvage(&&sealed(0, true, &[])[..]);
    assert!(result.is_whole() && result.end == Some(0));
    let file = [sealed(0, false, &[7; CHUNK_BYTES]), sealed(1, true, &[])].concat();
    let (result, found) = salvage(&&file[..]);
    assert_eq!(found, [7; CHUNK_BYTES]);
    assert_eq!(result.end, None);
}

/// A disk that returns data to long reads only. These are the reads that search for the last chunk.
struct LongReads(Vec<u8>);

impl ReadAt for LongReads {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if out.len() <= 2 * SEALED_CHUNK_BYTES {
            return Err(io::Error::other("the sector cannot be read"));
        }
        self.0.read_at(out, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

#[test]
fn a_chunk_that_only_the_search_can_read_is_missing() {
    let mut file = sealed(0, true, b"attack at dawn");
    file.resize(5 * SEALED_CHUNK_BYTES, 0);
    let (result, found) = salvage(&LongReads(file));
    assert!(found.is_empty() && result.end.is_none(), "{result:?}");
}

/// A part of a large file is missing. It does not end with a chunk.
#[test]
fn the_chunk_after_64_mib_is_found() {
    let lost = 64 << 20;
    let next = usize::div_ceil(lost, SEALED_CHUNK_BYTES);
    let mut file = vec![1; next * SEALED_CHUNK_BYTES - lost];
    file.extend(sealed(next as u64, false, &[7; CHUNK_BYTES]));
    let (result, found) = salvage(&&file[..]);
    assert!(found == [7; CHUNK_BYTES], "{result:?}");
    let [moved] = result.moved[..] else { panic!("{result:?}") };
    assert_eq!((moved.start, moved.by), ((next * CHUNK_BYTES) as u64, -(lost as i64)));
}

/// Chunks before the last one are missing, and nothing is in their place.
#[test]
fn the_last_chunk_after_nine_lost_chunks_is_found() {
    for (lost, is_found) in [(1, true), (9, true), (10, false)] {
        let mut file: Vec<u8> = (0..30 - lost).flat_map(|n| sealed(n, false, &[n as u8; CHUNK_BYTES])).collect();
        file.extend(sealed(30, true, b"the end"));
        let (result, found) = salvage(&&file[..]);
        assert_eq!(found.ends_with(b"the end"), is_found, "{lost} lost: {result:?}");
        assert_eq!(result.end.is_some(), is_found, "{lost} lost: {result:?}");
        assert_eq!(found.len(), (30 - lost as usize) * CHUNK_BYTES + if is_found { 7 } else { 0 });
    }
}

/// A disk with a stretch that cannot be read. It counts the reads that fail.
struct BadStretch {
    data: Vec<u8>,
    bad: Range<u64>,
    failed: AtomicU64,
}

impl ReadAt for BadStretch {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset < self.bad.end && self.bad.start < offset + out.len() as u64 {
            self.failed.fetch_add(1, Ordering::Relaxed);
            return Err(io::Error::other("the sector cannot be read"));
        }
        self.data.as_slice().read_at(out, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.data.len() as u64)
    }
}

/// A disk may need seconds for each sector that it cannot read. The stretches are longer than a
/// search reaches, and at the end of the file.
#[test]
fn sectors_that_cannot_be_read_are_not_tried_again_and_again() {
    let bad_chunks = 70 << 4;
    for after in [0, 1] {
        let mut data = sealed(0, false, &[7; CHUNK_BYTES]);
        let start = data.len() as u64;
        data.resize((1 + bad_chunks) * SEALED_CHUNK_BYTES, 0);
        let bad = start..data.len() as u64;
        let sectors = (bad.end - bad.start) / super::SECTOR as u64;
        data.extend((0..after).flat_map(|_| sealed(1 + bad_chunks as u64, true, b"the end")));
        let disk = BadStretch { data, bad, failed: AtomicU64::new(0) };
        let (result, found) = salvage(&disk);
        assert_eq!(found.len(), CHUNK_BYTES + 7 * after, "{result:?}");
        let missing = CHUNK_BYTES as u64..((1 + bad_chunks) * CHUNK_BYTES) as u64;
        assert_eq!(result.missing, [missing]);
        assert!(!result.limited);
        let failed = disk.failed.into_inner();
        assert!(failed < sectors * 6 / 5, "{failed} failed reads of {sectors} sectors");
    }
}
