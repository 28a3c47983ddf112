//! Several threads with an input or an output that fails or changes: the same error as with one.

use std::io::{self, Read, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sealane_age::{CopyError, ReadAt, StreamError, WriteAt as _};

use crate::parallel::{BATCH, Scattered, copied, sealed_at, threads};
use crate::support::{CHUNK, SEALED, drain, encryptor, open, payload_start, plaintext, seal};

/// A reader that always fails after its bytes.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(io::Error::new(io::ErrorKind::ConnectionReset, "the other end is gone")),
            n => Ok(n),
        }
    }
}

struct FailingAt<'a>(&'a [u8]);

impl ReadAt for FailingAt<'_> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.0.read_at(out, offset)? {
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
    // The file is cut at many positions.
    for cut in [0, SEALED, BATCH * SEALED - 1, BATCH * SEALED, BATCH * SEALED + 1, 2 * BATCH * SEALED] {
        for count in [1, 2, 3] {
            let result = open(&file[..]).copy_at(&FailingAt(&file[..start + cut]), &Scattered::new(), threads(count));
            assert!(matches!(result, Err(CopyError::Read(error)) if error.kind() == io::ErrorKind::ConnectionReset));
            let result = sealed_at(&FailingAt(&file[..start + cut]), count);
            assert!(matches!(result, Err(CopyError::Read(error)) if error.kind() == io::ErrorKind::ConnectionReset));
        }
    }
    // The same is done for plaintext; a file that was cut short cannot be opened to its end.
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

/// A writer that takes a given number of bytes.
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

            let result = open(&file[..]).copy_at(&&file[..], &Scattered::with_room(room), threads(count));
            assert!(matches!(result, Err(CopyError::Write(e)) if e.kind() == io::ErrorKind::StorageFull));
            let result = encryptor().encrypt_at(&&text[..], &Scattered::with_room(room), threads(count));
            assert!(matches!(result, Err(CopyError::Write(e)) if e.kind() == io::ErrorKind::StorageFull));
        }
    }
}

/// Every byte that is written is authentic, and the others stay.
#[test]
fn an_output_keeps_what_is_not_written_over() {
    let text = plaintext(2 * BATCH * CHUNK);
    let mut file = seal(&text);
    let start = payload_start(&file);
    for chunk in [0, 1, BATCH + 1] {
        file[start + chunk * SEALED] ^= 1;
        let output = Scattered::new();
        output.write_all_at(&vec![0xaa; text.len() + 5], 0).unwrap();
        let result = open(&file[..]).copy_at(&&file[..], &output, threads(1));
        assert!(matches!(result, Err(CopyError::Read(_))));
        let bytes = output.into_bytes();
        assert!(bytes[..chunk * CHUNK] == text[..chunk * CHUNK], "chunk {chunk}");
        assert!(
            bytes.len() == text.len() + 5 && bytes[chunk * CHUNK..].iter().all(|&byte| byte == 0xaa),
            "chunk {chunk}"
        );
        file[start + chunk * SEALED] ^= 1;
    }
}

#[test]
fn the_earliest_failure_is_the_one_that_is_told() {
    let mut file = seal(&plaintext(6 * BATCH * CHUNK));
    let start = payload_start(&file);
    // The fourth batch is damaged, and the output has room for two.
    file[start + 3 * BATCH * SEALED] ^= 1;
    for _ in 0..20 {
        let output = Scattered::with_room(2 * BATCH * CHUNK);
        let result = open(&file[..]).copy_at(&&file[..], &output, threads(3));
        assert!(matches!(result, Err(CopyError::Write(_))));
    }
    // Now the damage comes before the output is full.
    for _ in 0..20 {
        let output = Scattered::with_room(5 * BATCH * CHUNK);
        let result = open(&file[..]).copy_at(&&file[..], &output, threads(3));
        let Err(CopyError::Read(error)) = result else { panic!("damage") };
        assert_eq!(StreamError::of(&error), Some(StreamError::CorruptChunk { number: 3 * BATCH as u64 }));
    }
}

/// An input that has another length at each read.
struct Changing<'a> {
    bytes: &'a [u8],
    len: AtomicUsize,
    by: isize,
}

impl ReadAt for Changing<'_> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len.load(Ordering::SeqCst) as u64)
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = self.len.load(Ordering::SeqCst);
        self.len.store(len.saturating_add_signed(self.by).min(self.bytes.len()), Ordering::SeqCst);
        self.bytes[..len].read_at(out, offset)
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_is_sealed_as_it_was_at_some_moment() {
    let text = plaintext(6 * BATCH * CHUNK);
    for by in [1, 100, CHUNK / 2, CHUNK - 1, CHUNK + 1] {
        for count in [1, 2, 3] {
            let input = Changing { bytes: &text, len: AtomicUsize::new(BATCH * CHUNK - 5), by: by as isize };
            let file = sealed_at(&input, count).unwrap();
            let (opened, error) = drain(&mut open(&file[..]));
            assert!(error.is_none() && text.starts_with(&opened) && opened.len() >= BATCH * CHUNK - 5, "{error:?}");
        }
    }
}

/// An input whose length is cut once its first batch has been read.
struct Cut<'a> {
    bytes: &'a [u8],
    to: usize,
    is_cut: AtomicBool,
}

impl ReadAt for Cut<'_> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset as usize >= BATCH * CHUNK {
            self.is_cut.store(true, Ordering::SeqCst);
        }
        let len = if self.is_cut.load(Ordering::SeqCst) { self.to } else { self.bytes.len() };
        self.bytes[..len].read_at(out, offset)
    }
}

/// The last batch, or what follows the file's first length, is then empty. A file must not end with
/// an empty chunk.
#[test]
fn a_file_that_is_cut_between_batches_is_not_sealed() {
    let text = plaintext(2 * BATCH * CHUNK + 5);
    for len in [BATCH * CHUNK + 1, 2 * BATCH * CHUNK, text.len()] {
        for to in [0, CHUNK, BATCH * CHUNK] {
            let input = Cut { bytes: &text[..len], to, is_cut: AtomicBool::new(false) };
            let Err(CopyError::Read(error)) = sealed_at(&input, 1) else { panic!("{len} bytes cut to {to}") };
            assert!(error.to_string().contains("shorter"), "{error}");
        }
    }
    // The file had the length of one batch, is longer when the byte after it is looked for, and has
    // its first length again when the rest is read.
    struct Longer<'a>(&'a [u8]);
    impl ReadAt for Longer<'_> {
        fn size(&self) -> io::Result<u64> {
            Ok((BATCH * CHUNK) as u64)
        }
        fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
            let len = if out.len() == 1 { self.0.len() } else { BATCH * CHUNK };
            self.0[..len].read_at(out, offset)
        }
    }
    let Err(CopyError::Read(error)) = sealed_at(&Longer(&text), 1) else { panic!("it became shorter") };
    assert!(error.to_string().contains("shorter"), "{error}");
}

#[test]
fn a_file_that_becomes_shorter_is_sealed_as_it_was_or_not_at_all() {
    let text = plaintext(6 * BATCH * CHUNK);
    for by in [1, 100, CHUNK / 2, CHUNK, 2 * CHUNK] {
        for count in [1, 2, 3] {
            let input = Changing { bytes: &text, len: AtomicUsize::new(text.len()), by: -(by as isize) };
            match sealed_at(&input, count) {
                Ok(file) => {
                    let (opened, error) = drain(&mut open(&file[..]));
                    assert!(error.is_none() && text.starts_with(&opened), "{error:?}");
                }
                Err(CopyError::Read(error)) => assert!(error.to_string().contains("shorter")),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// An input that says that it read one byte more than it did.
struct Boasting<'a>(&'a [u8]);

fn one_more(n: usize) -> usize {
    if n == 0 { 0 } else { n + 1 }
}

impl Read for Boasting<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(one_more(self.0.read(out)?))
    }
}

impl ReadAt for Boasting<'_> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(one_more(self.0.read_at(out, offset)?))
    }
}

/// Such bytes would be zeros, or plaintext of another chunk.
#[test]
fn bytes_that_were_not_read_are_not_sealed() {
    let text = plaintext(CHUNK);
    for count in [1, 2] {
        let sealed = panic::catch_unwind(|| encryptor().encrypt(Boasting(&text), Vec::new(), threads(count)));
        assert!(sealed.is_err());
        let sealed = panic::catch_unwind(|| sealed_at(&Boasting(&text), count));
        assert!(sealed.is_err());
    }
}
