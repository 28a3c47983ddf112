//! Several threads give the same results as one: the same bytes, the same prefix, the same error.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use sealane_age::{CopyError, Decryptor, Identity, ReadAt, StreamError, Threads, WriteAt};

use crate::support::{CHUNK, SEALED, drain, encryptor, identity, open, payload_start, plaintext, seal};

/// The number of chunks in a batch. It is the test's own number, so that all positions around the
/// ends of batches are tested.
pub(crate) const BATCH: usize = 16;

pub(crate) fn threads(count: usize) -> Threads {
    Threads::new(NonZero::new(count).unwrap())
}

/// Returns what `copy_to` writes, and the error of reading.
pub(crate) fn copied(input: impl Read, count: usize) -> (Vec<u8>, Option<io::Error>) {
    let mut out = Vec::new();
    let error = match open(input).copy_to(&mut out, threads(count)) {
        Ok(_) => None,
        Err(CopyError::Read(error)) => Some(error),
        Err(error) => panic!("{error}"),
    };
    (out, error)
}

/// A file in memory that takes a given number of bytes.
pub(crate) struct Scattered(Mutex<Vec<u8>>, usize);

impl Scattered {
    pub(crate) fn new() -> Self {
        Self::with_room(usize::MAX)
    }

    pub(crate) fn with_room(room: usize) -> Self {
        Self(Mutex::default(), room)
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0.into_inner().unwrap()
    }
}

impl WriteAt for Scattered {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let end = offset as usize + data.len();
        if end > self.1 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut file = self.0.lock().unwrap();
        let len = file.len().max(end);
        file.resize(len, 0);
        file[offset as usize..end].copy_from_slice(data);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }
}

/// Returns the output of `copy_at` for a file.
fn copied_at(file: &[u8], count: usize) -> Result<Vec<u8>, CopyError> {
    let out = Scattered::new();
    let len = open(file).copy_at(&file, &out, threads(count))?;
    let out = out.into_bytes();
    assert_eq!(out.len() as u64, len);
    Ok(out)
}

/// Returns the output of `encrypt_at` for a plaintext.
pub(crate) fn sealed_at(input: &impl ReadAt, count: usize) -> Result<Vec<u8>, CopyError> {
    let out = Scattered::new();
    let len = encryptor().encrypt_at(input, &out, threads(count))?;
    let out = out.into_bytes();
    assert_eq!(out.len() as u64, len);
    Ok(out)
}

/// Opens a file with one and with several threads, and compares. Returns the error.
#[track_caller]
fn same(file: &[u8]) -> Option<StreamError> {
    let (expected, error) = drain(&mut open(file));
    for count in [1, 2, 3] {
        let (released, again) = copied(file, count);
        assert!(released == expected, "{count} threads released {} bytes, not {}", released.len(), expected.len());
        assert_eq!(again.as_ref().map(ToString::to_string), error.as_ref().map(ToString::to_string));
        match (copied_at(file, count), &error) {
            (Ok(out), None) => assert!(out == expected),
            (Err(CopyError::Read(again)), Some(error)) => assert_eq!(again.to_string(), error.to_string()),
            (result, error) => panic!("{count} threads: {:?}, not {error:?}", result.map(|out| out.len())),
        }
    }
    error.map(|error| StreamError::of(&error).expect("a payload error"))
}

/// The next chunk takes the place of a tag, which may come in several reads.
#[test]
fn tags_that_come_in_pieces() {
    struct Steps<'a>(&'a [u8], usize);
    impl Read for Steps<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = out.len().min(self.1);
            self.0.read(&mut out[..len])
        }
    }
    let text = plaintext(2 * BATCH * CHUNK + 1000);
    let file = seal(&text);
    for step in [1000, CHUNK + 1, SEALED - 1, SEALED] {
        for count in 1..=3 {
            let (opened, error) = copied(Steps(&file, step), count);
            assert!(error.is_none() && opened == text, "{step} bytes at once, {count} threads");
        }
    }
}

#[test]
fn every_length_around_the_ends_of_chunks_and_batches() {
    let text = plaintext(5 * BATCH * CHUNK + 2);
    for chunks in [0, 1, 2, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH, 3 * BATCH, 4 * BATCH + 1, 5 * BATCH] {
        for len in (chunks * CHUNK).saturating_sub(1)..=chunks * CHUNK + 1 {
            for count in [1, 2, 3, 7] {
                let file = encryptor().encrypt(&text[..len], Vec::new(), threads(count)).unwrap();
                let (opened, error) = drain(&mut open(&file[..]));
                assert!(error.is_none() && opened == text[..len], "{len} bytes, {count} threads: {error:?}");
                let (opened, error) = copied(&file[..], count);
                assert!(error.is_none() && opened == text[..len], "{len} bytes, {count} threads: {error:?}");
                let file = sealed_at(&&text[..len], count).unwrap();
                assert!(copied_at(&file, count).unwrap() == text[..len], "{len} bytes, {count} threads");
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_around_a_batch() {
    let file = seal(&plaintext(3 * BATCH * CHUNK + 5));
    let start = payload_start(&file);
    for chunks in [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH, 3 * BATCH] {
        for cut in (chunks * SEALED).saturating_sub(17)..=chunks * SEALED + 17 {
            if start + cut < file.len() {
                assert!(same(&file[..start + cut]).is_some(), "{cut}");
            }
        }
    }
}

#[test]
fn a_flipped_bit_in_any_chunk() {
    let file = seal(&plaintext(3 * BATCH * CHUNK + 5));
    let start = payload_start(&file);
    for chunk in 0..=3 * BATCH {
        let mut damaged = file.clone();
        damaged[start + chunk * SEALED + 3] ^= 4;
        let number = chunk as u64;
        let is_last = chunk == 3 * BATCH;
        let expected = if is_last { StreamError::CorruptEnd { number } } else { StreamError::CorruptChunk { number } };
        assert_eq!(same(&damaged), Some(expected));
    }
}

#[test]
fn chunks_that_are_exchanged_doubled_or_left_out() {
    let file = seal(&plaintext(3 * BATCH * CHUNK + 5));
    let start = payload_start(&file);
    let chunk = |number: usize| &file[start + number * SEALED..start + (number + 1) * SEALED];
    for number in [0, 1, BATCH - 2, BATCH - 1, BATCH, 2 * BATCH - 1, 2 * BATCH] {
        let before = &file[..start + number * SEALED];
        let after = &file[start + (number + 2) * SEALED..];
        let exchanged = [before, chunk(number + 1), chunk(number), after].concat();
        let doubled = [before, chunk(number), chunk(number), chunk(number + 1), after].concat();
        let left_out = [before, chunk(number + 1), after].concat();
        for damaged in [exchanged, doubled, left_out] {
            assert!(matches!(same(&damaged), Some(StreamError::CorruptChunk { .. })));
        }
    }
}

#[test]
fn data_after_the_last_chunk() {
    for chunks in [1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH] {
        let file = seal(&plaintext(chunks * CHUNK));
        for extra in [1, 16, SEALED - 1, SEALED, SEALED + 1, BATCH * SEALED] {
            let longer = [&file[..], &vec![7; extra]].concat();
            assert_eq!(same(&longer), Some(StreamError::TrailingData), "{chunks} chunks, {extra} bytes more");
        }
        // The same file is appended.
        assert_eq!(same(&[&file[..], &file[..]].concat()), Some(StreamError::TrailingData));
    }
}

/// A reader that gives no more than the first byte of a chunk before all earlier chunks have been
/// written.
struct Slow<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The start of the first chunk and the length of each, in the input and in the output.
    chunks: (usize, usize),
    results: (usize, usize),
    came_out: usize,
    lens: mpsc::Receiver<usize>,
}

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (start, len) = self.chunks;
        let done = self.at.saturating_sub(start + 1) / len;
        let expected = if done == 0 { 0 } else { self.results.0 + done * self.results.1 };
        while self.came_out < expected {
            self.came_out += self.lens.recv_timeout(Duration::from_secs(30)).expect("a chunk is kept waiting");
        }
        // Up to the byte after the chunk.
        let next = if self.at <= start { start + 1 } else { start + (done + 1) * len + 1 };
        let n = out.len().min(next - self.at).min(self.bytes.len() - self.at);
        out[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// A writer that reports how much is written.
struct Telling(mpsc::Sender<usize>);

impl Write for Telling {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        // After the end, nothing receives this.
        let _ = self.0.send(data.len());
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_chunk_waits_for_more_than_the_byte_after_it() {
    let text = plaintext(40 * CHUNK + 5);
    let file = seal(&text);
    let start = payload_start(&file);
    for count in [1, 2, 3] {
        let (sender, lens) = mpsc::channel();
        let (chunks, results) = ((0, CHUNK), (start, SEALED));
        let input = Slow { bytes: &text, at: 0, chunks, results, came_out: 0, lens };
        encryptor().encrypt(input, Telling(sender), threads(count)).unwrap();

        let (sender, lens) = mpsc::channel();
        let (chunks, results) = ((start, SEALED), (0, CHUNK));
        let input = Slow { bytes: &file, at: 0, chunks, results, came_out: 0, lens };
        open(input).copy_to(Telling(sender), threads(count)).unwrap();
    }
}

#[test]
fn files_on_disk() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let text = plaintext(3 * BATCH * CHUNK + 5);
    std::fs::write(path("plain"), &text).unwrap();
    // The earlier content of the file is removed.
    std::fs::write(path("sealed"), vec![1; text.len() * 2]).unwrap();
    let output = std::fs::File::options().write(true).open(path("sealed")).unwrap();
    let len = encryptor().encrypt_at(&std::fs::File::open(path("plain")).unwrap(), &output, threads(2)).unwrap();
    let file = std::fs::read(path("sealed")).unwrap();
    assert_eq!(file.len() as u64, len);
    assert!(copied_at(&file, 2).unwrap() == text);

    let input = std::fs::File::open(path("sealed")).unwrap();
    let output = std::fs::File::create(path("opened")).unwrap();
    let reader = Decryptor::new(&input).unwrap().decrypt([identity() as &dyn Identity]).unwrap();
    assert_eq!(reader.copy_at(&input, &output, threads(2)).unwrap(), text.len() as u64);
    assert!(std::fs::read(path("opened")).unwrap() == text);
}

#[test]
fn from_any_position_on() {
    let text = plaintext(2 * BATCH * CHUNK + 5);
    let file = seal(&text);
    for start in [0, 1, CHUNK - 1, CHUNK, 5 * CHUNK + 7, BATCH * CHUNK, text.len() - 5, text.len(), text.len() + 9] {
        for ahead in [0, 1, 100, 2 * CHUNK] {
            let mut reader = open(Cursor::new(&file));
            reader.seek(SeekFrom::Start(start as u64)).unwrap();
            let mut first = vec![0; ahead.min(text.len().saturating_sub(start))];
            reader.read_exact(&mut first).unwrap();
            let rest = reader.copy_to(Vec::new(), threads(2)).unwrap();
            let expected = text.get(start..).unwrap_or_default();
            assert!([first, rest].concat() == expected, "from {start}, after {ahead}");
        }
    }
}
