//! Tests of private parts: fixed keys, and chunk numbers that no file reaches.

use std::io::{Read, Write};

use sealane::Backend;

use super::{
    CHUNK_BYTES, ChunkCipher, Counter, PayloadKey, SEALED_CHUNK_BYTES, StreamError, StreamReader, StreamWriter, nonce,
};
use crate::file_key::FileKey;
use crate::header::Header;
use crate::input::Input;
use crate::keys;

#[path = "../../tests/format/vector.rs"]
#[allow(dead_code, reason = "the vectors are here for some of their fields only")]
mod vector;

fn key_of(key: &[u8; 32], backend: Backend) -> PayloadKey {
    PayloadKey::with_cipher(ChunkCipher::new(key, backend))
}

#[test]
fn the_nonce_is_an_11_byte_big_endian_counter_and_the_mark() {
    assert_eq!(nonce(0, false), [0; 12]);
    assert_eq!(nonce(0, true), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(nonce(0x0102_0304_0506_0708, true), [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1]);
    assert_eq!(nonce(u64::MAX, false)[..4], [0, 0, 0, 0xff]);
}

/// Each nonce contains the chunk's number and the mark of the last chunk, so no two chunks of a
/// file have the same nonce.
#[test]
fn a_nonce_says_the_number_and_the_mark() {
    let check = |number: u64| {
        for last in [false, true] {
            let nonce = nonce(number, last);
            assert_eq!(nonce[..3], [0; 3]);
            assert_eq!(u64::from_be_bytes(nonce[3..11].try_into().unwrap()), number);
            assert_eq!(nonce[11], u8::from(last));
        }
    };
    // Every value of each pair of bytes, with zeros and with ones around it.
    for first in 0..8 {
        for second in 0..first {
            for values in 0..=u16::MAX {
                let (a, b) = (u64::from(values >> 8) << (8 * first), u64::from(values & 0xff) << (8 * second));
                check(a | b);
                check(!(a | b));
            }
        }
    }
}

/// Compares with a counter that cannot overflow, near 0, 2^63 and 2^64. The requests are for a few
/// chunks, and for up to 2^64 - 1.
#[test]
fn a_counter_gives_each_number_once_and_ends() {
    const END: u128 = 1 << 64;
    let near = |value: u64| value.saturating_sub(6)..=value.saturating_add(6);
    let starts: Vec<u64> = near(0).chain(near(1 << 63)).chain(near(u64::MAX)).collect();
    let counts = [0, 1, 2, 3, 5, 1 << 62, 1 << 63, u64::MAX - 6, u64::MAX - 1, u64::MAX];
    let mut refused = 0;
    for start in starts {
        for requests in counts.iter().flat_map(|a| counts.iter().flat_map(move |b| counts.map(|c| [*a, *b, c]))) {
            let (mut counter, mut next) = (Counter(Some(start)), u128::from(start));
            for count in requests {
                let end = next + u128::from(count);
                let given = counter.take_many(count);
                if next == END || end > END {
                    assert_eq!(given, Err(StreamError::CounterOverflow), "{count} from {next}");
                    refused += 1;
                } else {
                    assert_eq!(given.map(u128::from), Ok(next), "{count} from {next}");
                    next = end;
                }
            }
        }
    }
    assert!(refused > 1000);
}

#[test]
fn no_chunk_number_is_given_twice() {
    let mut counter = Counter(Some(u64::MAX - 1));
    assert_eq!(counter.take(), Ok(u64::MAX - 1));
    assert_eq!(counter.take(), Ok(u64::MAX));
    assert_eq!(counter.take(), Err(StreamError::CounterOverflow));
    assert_eq!(counter.take(), Err(StreamError::CounterOverflow));
}

#[test]
fn a_writer_that_runs_out_of_numbers_fails() {
    let mut writer = StreamWriter::new(Vec::new(), key_of(&[1; 32], Backend::detect()));
    writer.sealer.counter = Counter(Some(u64::MAX));
    writer.write_all(&vec![0; CHUNK_BYTES + 1]).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(StreamError::of(&error), Some(StreamError::CounterOverflow));

    let mut writer = StreamWriter::new(Vec::new(), key_of(&[1; 32], Backend::detect()));
    writer.sealer.counter = Counter(Some(u64::MAX));
    let error = writer.write_all(&vec![0; 5 * CHUNK_BYTES]).unwrap_err();
    assert_eq!(StreamError::of(&error), Some(StreamError::CounterOverflow));
    assert_eq!(StreamError::of(&writer.write(b"x").unwrap_err()), Some(StreamError::EarlierFailure));
    assert!(writer.inner.is_empty(), "nothing half sealed is written");
}

#[test]
fn a_reader_that_runs_out_of_numbers_fails() {
    let (key, backend) = ([1; 32], Backend::detect());
    let mut file = vec![0; 2 * SEALED_CHUNK_BYTES];
    let (first, second) = file.split_at_mut(SEALED_CHUNK_BYTES);
    ChunkCipher::new(&key, backend).seal(u64::MAX, false, first);
    ChunkCipher::new(&key, backend).seal(0, true, second);
    let mut reader = StreamReader::new(Input::new(&file[..]), 0, key_of(&key, backend));
    reader.opener.counter = Counter(Some(u64::MAX));
    let mut released = Vec::new();
    let error = reader.read_to_end(&mut released).unwrap_err();
    assert_eq!(StreamError::of(&error), Some(StreamError::CounterOverflow));
    assert_eq!(released, vec![0; CHUNK_BYTES]);
}

/// The vectors have file keys, so their content can be opened and sealed again to the same bytes.
#[test]
fn the_payloads_of_the_cctv_vectors_are_sealed_as_they_were() {
    let mut sealed = 0;
    for vector in vector::all().iter().filter(|v| v.expect == "success" && !v.armored) {
        let file_key = vector.file_key.as_deref().expect("a file key");
        let file_key = FileKey::new(Box::new(file_key.try_into().unwrap()));
        let (header, len) = Header::parse(&vector.file).unwrap();
        assert!(header.verify(&file_key), "{}", vector.name);
        let nonce = vector.file[len..len + super::NONCE_BYTES].try_into().unwrap();
        let payload = &vector.file[len + super::NONCE_BYTES..];
        let key = keys::payload_key(&file_key, &nonce);
        for backend in Backend::available() {
            let mut plaintext = Vec::new();
            let payload_key = || key_of(&key, backend);
            StreamReader::new(Input::new(payload), 0, payload_key()).read_to_end(&mut plaintext).unwrap();
            let mut writer = StreamWriter::new(Vec::new(), payload_key());
            writer.write_all(&plaintext).unwrap();
            assert!(writer.finish().unwrap() == payload, "{} {}", vector.name, backend.name());
            sealed += 1;
        }
        // The header is rebuilt too, with its MAC.
        let stanzas = Header::parse(&vector.file).unwrap().0.into_stanzas();
        assert_eq!(Header::new(stanzas, &file_key).unwrap(), header, "{}", vector.name);
    }
    assert!(sealed >= 17, "{sealed}");
}
