//! Reads files without blocking.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use sealane_age::header::HeaderError;
use sealane_age::{AsyncStreamReader, DecryptError, Decryptor, Identity, StreamError};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, ReadBuf};

use crate::flaky::{Dice, Flaky, block_on, once};
use crate::support::{CHUNK, LENGTHS, SEALED, backend, drain, identity, open, payload_start, plaintext, seal};

pub(crate) fn open_async<R: AsyncRead + Unpin>(input: R) -> AsyncStreamReader<R> {
    let decryptor = block_on(Decryptor::new_async(input)).unwrap().with_backend(backend());
    decryptor.decrypt_async([identity() as &dyn Identity]).unwrap()
}

/// Reads to the end or to an error.
fn drain_async(reader: &mut (impl AsyncRead + Unpin)) -> (Vec<u8>, Option<io::Error>) {
    let mut out = Vec::new();
    let error = block_on(reader.read_to_end(&mut out)).err();
    (out, error)
}

#[test]
fn every_length_comes_back() {
    for (seed, len) in (1..).zip(LENGTHS) {
        let text = plaintext(len);
        let file = seal(&text);
        let (opened, error) = drain_async(&mut open_async(Flaky::new(&file[..], seed)));
        assert!(error.is_none() && opened == text, "{len} {error:?}");

        let mut reader = open_async(Flaky::new(&file[..], seed));
        let mut opened = Vec::new();
        while let piece @ [_, ..] = block_on(reader.fill_buf()).unwrap() {
            assert_eq!(piece.len(), CHUNK.min(len - opened.len()), "a chunk without another copy");
            opened.extend_from_slice(piece);
            let n = piece.len();
            reader.consume(n);
        }
        assert!(opened == text, "{len}");
    }
}

/// Damages a file. Returns a description of the damage too.
fn damaged(file: &[u8], dice: &mut Dice) -> (Vec<u8>, String) {
    let start = payload_start(file);
    let payload = file.len() - start;
    let mut damaged = file.to_vec();
    // The damage is anywhere, or near the end of a chunk.
    let mut place = dice.roll(payload as u64 + 1) as usize;
    if dice.roll(2) == 0 {
        place = (place / SEALED * SEALED + dice.roll(5) as usize).saturating_sub(2);
    }
    let damage = match dice.roll(4) {
        0 => {
            damaged.truncate(start + place);
            "cut"
        }
        1 => {
            let at = start + place.min(payload - 1);
            damaged[at] ^= 0x40;
            "changed"
        }
        2 => {
            damaged.splice(start + place..start + place, [7; 3]);
            "inserted"
        }
        _ => {
            damaged.extend((0..1 + place).map(|_| 0x55));
            "extended"
        }
    };
    (damaged, format!("{damage} at {place}"))
}

#[test]
fn damage_is_reported_as_by_the_reader_that_blocks_after_the_same_plaintext() {
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let len = [0, 10, CHUNK - 1, CHUNK, CHUNK + 1, 4 * CHUNK, 5 * CHUNK + 99][dice.roll(7) as usize];
        let (file, damage) = damaged(&seal(&plaintext(len)), &mut dice);
        let (expected, expected_error) = drain(&mut open(&file[..]));
        let mut reader = open_async(Flaky::new(&file[..], seed));
        let (released, error) = drain_async(&mut reader);
        assert!(released == expected, "{len} bytes, {damage}");
        match expected_error {
            None => assert!(error.is_none(), "{len} bytes, {damage}: {error:?}"),
            Some(expected) => {
                for error in [error, drain_async(&mut reader).1] {
                    let error = error.unwrap();
                    assert_eq!(error.kind(), expected.kind());
                    assert_eq!(StreamError::of(&error), StreamError::of(&expected), "{len} bytes, {damage}");
                }
                assert!(drain_async(&mut reader).0.is_empty(), "nothing is released after an error");
            }
        }
    }
}

#[test]
fn headers_are_read_and_refused_as_by_the_reader_that_blocks() {
    let file = seal(b"small");
    let start = payload_start(&file);
    let long = [b"age-encryption.org/v1\n", &b"-> a\n\n".repeat(200_000)[..]].concat();
    let mut armored = sealane_age::encrypt_and_armor([&identity().to_public() as _], b"small").unwrap().into_bytes();
    armored.truncate(200);
    let mut inputs: Vec<Vec<u8>> = (0..=start).map(|len| file[..len].to_vec()).collect();
    inputs.extend((0..start - 16).map(|at| [&file[..at], b"\n", &file[at..]].concat()));
    inputs.extend([long, armored, b"age-encryption.org/v2\n".to_vec(), vec![0xff; 5000]]);
    for (seed, input) in (0..).zip(inputs) {
        let found = block_on(Decryptor::new_async(Flaky::new(&input[..], seed)));
        match (Decryptor::new(&input[..]), found) {
            (Ok(expected), Ok(found)) => assert_eq!(found.header(), expected.header()),
            (Err(DecryptError::Header(expected)), Err(DecryptError::Header(found))) => assert_eq!(found, expected),
            (expected, found) => panic!("{expected:?}, {found:?}"),
        }
    }
    let found = block_on(Decryptor::new_async(&b"-----BEGIN AGE ENCRYPTED FILE-----\n"[..]));
    assert!(matches!(found, Err(DecryptError::Header(HeaderError::Armored))));
}

/// Reads are cancelled at random, and nothing is lost.
#[test]
fn futures_that_are_dropped_lose_nothing() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let text = plaintext(dice.roll(700_000) as usize);
        let file = seal(&text);
        let mut reader = open_async(Flaky::new(&file[..], seed));
        let mut opened = Vec::new();
        loop {
            // Each read has another buffer.
            let mut out = vec![0; 1 + dice.roll(100_000) as usize];
            match once(pin!(reader.read(&mut out))) {
                None => {}
                Some(Ok(0)) => break,
                Some(n) => opened.extend_from_slice(&out[..n.unwrap()]),
            }
        }
        assert!(opened == text);
    }
}

/// A reader that fails with a timeout before each piece.
struct Failing<'a>(&'a [u8], bool);

impl AsyncRead for Failing<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.1 = !self.1;
        if self.1 {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let (piece, rest) = self.0.split_at(self.0.len().min(out.remaining()).min(5000));
        out.put_slice(piece);
        self.0 = rest;
        Poll::Ready(Ok(()))
    }
}

#[test]
fn an_error_of_the_input_is_passed_on_and_reading_can_go_on() {
    let text = plaintext(2 * CHUNK + 3);
    let file = seal(&text);
    let error = block_on(Decryptor::new_async(Failing(&file, false))).err().unwrap();
    assert!(matches!(error, DecryptError::Io(e) if e.kind() == io::ErrorKind::TimedOut));
    let mut reader = open_async(Failing(&file, true));
    let (mut opened, mut failed) = (Vec::new(), 0);
    while let Err(error) = block_on(reader.read_to_end(&mut opened)) {
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        failed += 1;
    }
    assert!(failed > 20, "{failed}");
    assert!(opened == text);
}
