//! Readers and writers that fail, stop short or are interrupted.

use std::io::{self, Read, Write};

use sealane_age::armor::{ArmorError, ArmoredReader, ArmoredWriter};
use sealane_age::{DecryptError, Decryptor, Identity, StreamError};

use crate::support::{CHUNK, drain, encryptor, identity, open, plaintext, seal};

/// A writer that fails once, after `room` bytes, and takes more bytes after that.
struct FullDisk {
    taken: Vec<u8>,
    room: usize,
    failed: bool,
}

impl FullDisk {
    fn new(room: usize) -> Self {
        Self { taken: Vec::new(), room, failed: false }
    }
}

impl Write for &mut FullDisk {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.taken.len() == self.room && !self.failed {
            self.failed = true;
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the disk is full"));
        }
        let n = if self.failed { data.len() } else { data.len().min(self.room - self.taken.len()) };
        self.taken.extend_from_slice(&data[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_midway_fails_for_good_and_leaves_a_prefix() {
    let text = plaintext(10 * CHUNK);
    for room in [0, 100, 216, 5000, 4 * CHUNK, 5 * CHUNK + 7, 9 * CHUNK, 10 * CHUNK] {
        let mut disk = FullDisk::new(room);
        let failed_at = match encryptor().wrap_output(&mut disk) {
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                None
            }
            Ok(mut writer) => match writer.write_all(&text) {
                Ok(()) => Some(writer.finish().err().unwrap()),
                Err(error) => {
                    // The disk has room again, but the buffer is partly sealed.
                    for again in [writer.write(b"more").err(), writer.flush().err(), writer.finish().err()] {
                        assert_eq!(StreamError::of(&again.unwrap()), Some(StreamError::EarlierFailure));
                    }
                    Some(error)
                }
            },
        };
        assert!(failed_at.is_none_or(|e| e.kind() == io::ErrorKind::StorageFull), "{room}");
        assert_eq!(disk.taken.len(), room, "nothing is written after the failure");
        if let Ok(decryptor) = Decryptor::new(&disk.taken[..]) {
            let mut reader = decryptor.decrypt([identity() as &dyn Identity]).unwrap();
            let (released, error) = drain(&mut reader);
            assert!(StreamError::of(&error.unwrap()).is_some());
            assert!(text.starts_with(&released));
        }
    }
}

#[test]
fn an_armored_writer_that_fails_fails_for_good() {
    let mut disk = FullDisk::new(100_000);
    let mut writer = ArmoredWriter::new(&mut disk);
    assert_eq!(writer.write_all(&plaintext(300_000)).unwrap_err().kind(), io::ErrorKind::StorageFull);
    for again in [writer.write(b"more").err(), writer.flush().err(), writer.finish().err()] {
        let again = again.unwrap();
        assert_eq!(ArmorError::of(&again), Some(ArmorError::EarlierFailure));
    }
    assert_eq!(disk.taken.len(), 100_000);
}

/// A writer that panics once.
struct Panicking {
    taken: Vec<u8>,
    panicked: bool,
}

impl Write for Panicking {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.taken.extend_from_slice(data);
        assert!(std::mem::replace(&mut self.panicked, true), "the writer panics");
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_armored_writer_writes_nothing_twice_after_a_panic() {
    let mut writer = ArmoredWriter::new(Panicking { taken: Vec::new(), panicked: false });
    let text = plaintext(100_000);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.write_all(&text))).unwrap_err();
    let again = writer.flush().unwrap_err();
    assert_eq!(ArmorError::of(&again), Some(ArmorError::EarlierFailure));
}

/// A reader that gives up to `step` bytes at a time, and an error of kind `kind` before each time.
struct Halting<'a> {
    rest: &'a [u8],
    step: usize,
    kind: Option<io::ErrorKind>,
    halted: bool,
}

impl<'a> Halting<'a> {
    fn new(rest: &'a [u8], step: usize, kind: Option<io::ErrorKind>) -> Self {
        Self { rest, step, kind, halted: false }
    }
}

impl Read for Halting<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.halted = !self.halted;
        if let Some(kind) = self.kind.filter(|_| self.halted) {
            return Err(kind.into());
        }
        let n = self.step.min(out.len());
        self.rest.read(&mut out[..n])
    }
}

#[test]
fn short_reads_and_interruptions_change_nothing() {
    let text = plaintext(2 * CHUNK + 3);
    let file = seal(&text);
    let mut writer = ArmoredWriter::new(Vec::new());
    writer.write_all(&file).unwrap();
    let armored = writer.finish().unwrap();
    for step in [1, 13, 4095, 65_551, 65_552, 65_553] {
        for kind in [None, Some(io::ErrorKind::Interrupted)] {
            let (opened, error) = drain(&mut open(Halting::new(&file, step, kind)));
            assert!(error.is_none() && opened == text, "{step} {error:?}");
            let input = ArmoredReader::new(Halting::new(&armored, step, kind));
            let (opened, error) = drain(&mut open(input));
            assert!(error.is_none() && opened == text, "{step} {error:?}");
        }
    }
}

#[test]
fn an_error_of_the_input_is_passed_on_and_reading_can_go_on() {
    let text = plaintext(2 * CHUNK + 3);
    let file = seal(&text);
    // The first read gives the whole header, and the second one fails.
    let mut input = Halting::new(&file, 4096, Some(io::ErrorKind::WouldBlock));
    input.halted = true;
    let mut reader = open(input);
    let mut opened = Vec::new();
    let mut halts = 0;
    loop {
        match reader.read_to_end(&mut opened) {
            Ok(_) => break,
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
        halts += 1;
    }
    assert!(halts > 20, "{halts}");
    assert!(opened == text);
}

#[test]
fn lines_of_armor_are_counted_once() {
    let body = format!("{}\n", "QUJD".repeat(16));
    let text = format!("\n\n-----BEGIN AGE ENCRYPTED FILE-----\n{body}QUJ!\n");
    let (_, error) = drain(&mut ArmoredReader::new(text.as_bytes()));
    let expected = "malformed armor: line 5: ";
    assert!(error.unwrap().to_string().starts_with(expected));
    let mut reader = ArmoredReader::new(Halting::new(text.as_bytes(), 1, Some(io::ErrorKind::WouldBlock)));
    let error = loop {
        match reader.read(&mut [0; 48]) {
            Ok(n) => assert_ne!(n, 0),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => break error,
        }
    };
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn an_error_of_the_input_in_the_header_is_not_called_a_malformed_header() {
    let file = seal(b"text");
    let error = Decryptor::new(Halting::new(&file, 50, Some(io::ErrorKind::PermissionDenied))).err().unwrap();
    assert!(matches!(error, DecryptError::Io(e) if e.kind() == io::ErrorKind::PermissionDenied));
}

#[test]
fn errors_of_a_reader_become_those_of_decryption() {
    let mut file = seal(b"text");
    let mut writer = ArmoredWriter::new(Vec::new());
    writer.write_all(&file).unwrap();
    let mut text = writer.finish().unwrap();
    let read = |input: &[u8]| -> Result<Vec<u8>, DecryptError> {
        let decryptor = Decryptor::new(ArmoredReader::new(input))?;
        let mut plaintext = Vec::new();
        decryptor.decrypt([identity() as &dyn Identity])?.read_to_end(&mut plaintext)?;
        Ok(plaintext)
    };
    *file.last_mut().unwrap() ^= 1;
    assert!(matches!(read(&file), Err(DecryptError::Payload(StreamError::CorruptEnd { number: 0 }))));
    text.truncate(text.len() - 10);
    assert!(matches!(read(&text), Err(DecryptError::Armor(ArmorError::Truncated))));
}

/// An endless input that is not an age file.
#[test]
fn an_endless_input_is_given_up_early() {
    struct Endless<'a>(&'a [u8], usize);
    impl Read for Endless<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            for (byte, i) in out.iter_mut().zip(self.1..) {
                *byte = self.0[i % self.0.len()];
            }
            self.1 += out.len();
            assert!(self.1 < 3 << 20, "reads on and on");
            Ok(out.len())
        }
    }
    for pattern in [&b"\0"[..], b" ", b"-", b"a", b"\n"] {
        let error = Decryptor::new(ArmoredReader::new(Endless(pattern, 0))).err().unwrap();
        assert!(matches!(error, DecryptError::Header(_) | DecryptError::Armor(_)), "{pattern:?} {error:?}");
    }
    let stanza = b"-> long\n\n".repeat(16);
    let intro = b"age-encryption.org/v1\n";
    let error = Decryptor::new(intro.chain(Endless(&stanza, 0))).err().unwrap();
    assert!(matches!(error, DecryptError::Header(sealane_age::header::HeaderError::TooManyStanzas)), "{error:?}");
    let error = Decryptor::new(b"age-encryption.org/v1\n-> ".chain(Endless(b"x", 0))).err().unwrap();
    assert!(matches!(error, DecryptError::Header(sealane_age::header::HeaderError::TooLong)), "{error:?}");
}
