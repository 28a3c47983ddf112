//! Several threads give what one gives: the same bytes, the same prefix, the same error.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::num::NonZero;

use sealane_age::{CopyError, StreamError, Threads};

use crate::support::{CHUNK, SEALED, drain, encryptor, open, payload_start, plaintext, seal};

/// Chunks that go from thread to thread together: the test's own number, to have every place around their ends.
const BATCH: usize = 16;

fn threads(count: usize) -> Threads {
    Threads::new(NonZero::new(count).unwrap())
}

/// What `copy_to` writes, and the error of reading.
fn copied(input: impl Read, count: usize) -> (Vec<u8>, Option<io::Error>) {
    let mut out = Vec::new();
    let error = match open(input).copy_to(&mut out, threads(count)) {
        Ok(_) => None,
        Err(CopyError::Read(error)) => Some(error),
        Err(error) => panic!("{error}"),
    };
    (out, error)
}

/// Opens a file in both ways, and compares.
#[track_caller]
fn same(file: &[u8]) -> Option<StreamError> {
    let (expected, error) = drain(&mut open(file));
    for count in [1, 2, 3] {
        let (released, again) = copied(file, count);
        assert!(released == expected, "{count} threads released {} bytes, not {}", released.len(), expected.len());
        assert_eq!(again.as_ref().map(ToString::to_string), error.as_ref().map(ToString::to_string));
    }
    error.map(|error| StreamError::of(&error).expect("a payload error"))
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
        // The same file once more.
        assert_eq!(same(&[&file[..], &file[..]].concat()), Some(StreamError::TrailingData));
    }
}

/// Fails for good after so many bytes.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(io::Error::new(io::ErrorKind::ConnectionReset, "the other end is gone")),
            n => Ok(n),
        }
    }
}

#[test]
fn an_input_that_fails_releases_what_one_thread_would() {
    let file = seal(&plaintext(3 * BATCH * CHUNK + 5));
    let start = payload_start(&file);
    for chunks in [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH, 3 * BATCH] {
        for cut in (chunks * SEALED).saturating_sub(1)..=chunks * SEALED + 1 {
            let (expected, _) = drain(&mut open(Failing(&file[..start + cut])));
            for count in [1, 2, 3] {
                let (released, error) = copied(Failing(&file[..start + cut]), count);
                assert!(released == expected, "{count} threads, {cut}: {} for {}", released.len(), expected.len());
                assert_eq!(error.unwrap().kind(), io::ErrorKind::ConnectionReset);
            }
        }
    }
    // What is to be sealed, too: such a file nobody can open to its end.
    for len in [0, 1, CHUNK, BATCH * CHUNK, 2 * BATCH * CHUNK + 1] {
        for count in [1, 2, 3] {
            let mut sealed = Vec::new();
            let result = encryptor().encrypt(Failing(&vec![1; len]), &mut sealed, threads(count));
            assert!(matches!(result, Err(CopyError::Read(error)) if error.kind() == io::ErrorKind::ConnectionReset));
            let (released, error) = drain(&mut open(&sealed[..]));
            assert!(error.is_some() && released.len() <= len);
        }
    }
}

/// Takes so many bytes.
struct Full<'a>(&'a mut Vec<u8>, usize);

impl Write for Full<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = data.len().min(self.1 - self.0.len());
        self.0.extend_from_slice(&data[..n]);
        if n == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(n) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_fails_has_a_prefix() {
    let text = plaintext(3 * BATCH * CHUNK + 5);
    let file = seal(&text);
    for room in [0, 1, CHUNK, BATCH * CHUNK - 1, BATCH * CHUNK, 2 * BATCH * CHUNK + 1] {
        for count in [1, 2, 3] {
            let mut opened = Vec::new();
            let result = open(&file[..]).copy_to(Full(&mut opened, room), threads(count));
            assert!(matches!(result.map(drop), Err(CopyError::Write(e)) if e.kind() == io::ErrorKind::StorageFull));
            assert!(opened == text[..room]);

            let mut sealed = Vec::new();
            let result = encryptor().encrypt(&text[..], Full(&mut sealed, room), threads(count));
            assert!(matches!(result.map(drop), Err(CopyError::Write(e)) if e.kind() == io::ErrorKind::StorageFull));
            assert_eq!(sealed.len(), room);
        }
    }
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
