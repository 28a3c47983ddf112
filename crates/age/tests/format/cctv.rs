//! Runs the CCTV age vectors, on every backend: their status and their released bytes.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use sealane_age::armor::{ArmorError, ArmoredReader, ArmoredWriter};
use sealane_age::header::{Header, HeaderError};
use sealane_age::secrecy::SecretString;
use sealane_age::{
    Backend, DecryptError, Decryptor, Identity, StreamError, mlkem768x25519, passphrase_identity, x25519,
};
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt as _;

use crate::flaky::{Flaky, block_on};
use crate::support::one_line;
use crate::vector::{self, Vector, hex};

/// The one vector whose status depends on whether the caller requires armor: it has garbage before
/// the armor, so the file is not recognised as armored.
const NOT_RECOGNISED_AS_ARMORED: &str = "armor_garbage_leading";

struct Outcome {
    status: &'static str,
    released: Vec<u8>,
}

fn of_decrypt_error(error: &DecryptError) -> &'static str {
    one_line(error);
    match error {
        DecryptError::Header(_) | DecryptError::ExcessiveWork { .. } => "header failure",
        DecryptError::Armor(_) => "armor failure",
        DecryptError::NoMatch | DecryptError::WrongPassphrase => "no match",
        DecryptError::HeaderMac => "HMAC failure",
        DecryptError::Payload(_) => "payload failure",
        other => panic!("{other:?}"),
    }
}

fn identities(vector: &Vector) -> Vec<Box<dyn Identity>> {
    let native = vector.identities.iter().map(|text| match text.parse::<mlkem768x25519::Identity>() {
        Ok(identity) => Box::new(identity) as Box<dyn Identity>,
        Err(_) => Box::new(text.parse::<x25519::Identity>().unwrap()),
    });
    let passphrases = vector.passphrases.iter();
    native
        .chain(passphrases.map(|p| Box::new(passphrase_identity(SecretString::from(p.clone()))) as Box<dyn Identity>))
        .collect()
}

/// The way in which the payload is read.
#[derive(Clone, Copy, Debug)]
enum How {
    Reader,
    #[cfg(feature = "parallel")]
    Threads(usize),
}

const ALL: &[How] = &[
    How::Reader,
    #[cfg(feature = "parallel")]
    How::Threads(1),
    #[cfg(feature = "parallel")]
    How::Threads(3),
];

fn run(vector: &Vector, input: impl Read, backend: Backend, how: How) -> Outcome {
    let identities = identities(vector);
    let opened = Decryptor::new(input)
        .and_then(|decryptor| decryptor.with_backend(backend).decrypt(identities.iter().map(|i| &**i)));
    let mut reader = match opened {
        Ok(reader) => reader,
        Err(error) => return Outcome { status: of_decrypt_error(&error), released: Vec::new() },
    };
    let mut released = Vec::new();
    let result = match how {
        How::Reader => reader.read_to_end(&mut released).map(drop),
        #[cfg(feature = "parallel")]
        How::Threads(count) => {
            use sealane_age::{CopyError, Threads};
            match reader.copy_to(&mut released, Threads::new(count.try_into().unwrap())) {
                Ok(_) => Ok(()),
                Err(CopyError::Read(error)) => Err(error),
                Err(error) => panic!("{error}"),
            }
        }
    };
    Outcome { status: of_result(result), released }
}

fn of_result(result: io::Result<()>) -> &'static str {
    let Err(error) = result else { return "success" };
    one_line(&error);
    match error.get_ref() {
        Some(e) if e.is::<StreamError>() => "payload failure",
        Some(e) if e.is::<ArmorError>() => "armor failure",
        _ => panic!("{error:?}"),
    }
}

/// Returns the outcome of a reader that does not block, for a binary file.
fn run_async(vector: &Vector, seed: u64) -> Outcome {
    let identities = identities(vector);
    let opened = block_on(Decryptor::new_async(Flaky::new(&vector.file[..], seed)))
        .and_then(|decryptor| decryptor.decrypt_async(identities.iter().map(|i| &**i)));
    let mut released = Vec::new();
    let status = match opened {
        Ok(mut reader) => of_result(block_on(reader.read_to_end(&mut released)).map(drop)),
        Err(error) => of_decrypt_error(&error),
    };
    Outcome { status, released }
}

fn check(vector: &Vector, outcome: &Outcome, expect: &str, how: &str) {
    assert_eq!(outcome.status, expect, "{} {how}", vector.name);
    match (&vector.payload, expect) {
        (Some(hash), _) => assert_eq!(hex(&Sha256::digest(&outcome.released)), *hash, "{} {how}", vector.name),
        // The vectors do not state what is released before a failure of the armor.
        (None, "armor failure") => {}
        (None, _) => assert!(outcome.released.is_empty(), "{} {how}", vector.name),
    }
}

#[test]
fn every_vector_has_the_expected_status_and_releases_the_expected_bytes() {
    let vectors = vector::all();
    assert_eq!(vectors.len(), 147);
    let mut run_by_status = BTreeMap::new();
    for vector in &vectors {
        *run_by_status.entry(&*vector.expect).or_insert(0) += 1;
        for (i, backend) in Backend::available().enumerate() {
            for &how in ALL {
                let name = format!("{} {how:?}", backend.name());
                if vector.armored {
                    let outcome = run(vector, ArmoredReader::armored(&vector.file[..]), backend, how);
                    check(vector, &outcome, &vector.expect, &name);
                    let expect =
                        if vector.name == NOT_RECOGNISED_AS_ARMORED { "header failure" } else { &vector.expect };
                    check(vector, &run(vector, ArmoredReader::new(&vector.file[..]), backend, how), expect, &name);
                } else {
                    check(vector, &run(vector, &vector.file[..], backend, how), &vector.expect, &name);
                    let reader = ArmoredReader::new(&vector.file[..]);
                    check(vector, &run(vector, reader, backend, how), &vector.expect, &name);
                }
            }
            // Work factors make scrypt slow, and scrypt does not depend on the backend.
            if i == 0 && !vector.passphrases.is_empty() {
                break;
            }
        }
    }
    let expected = [
        ("HMAC failure", 1),
        ("armor failure", 26),
        ("header failure", 62),
        ("no match", 13),
        ("payload failure", 19),
        ("success", 26),
    ];
    assert_eq!(run_by_status, BTreeMap::from(expected));
    assert_eq!(run_by_status.values().sum::<i32>(), 147);
}

#[test]
fn readers_that_do_not_block_and_memory_give_the_same() {
    for (seed, vector) in (0..).zip(&vector::all()) {
        if !vector.armored {
            check(vector, &run_async(vector, seed), &vector.expect, "without blocking");
        }
        let found = sealane_age::decrypt(identities(vector).iter().map(|i| &**i), &vector.file);
        let expect = if vector.name == NOT_RECOGNISED_AS_ARMORED { "header failure" } else { &vector.expect };
        match found {
            Ok(released) => check(vector, &Outcome { status: "success", released }, expect, "in memory"),
            // The result is all of the plaintext or nothing.
            Err(error) => assert_eq!(of_decrypt_error(&error), expect, "{} in memory", vector.name),
        }
    }
}

#[test]
fn headers_that_parse_are_written_as_they_were() {
    let mut parsed = 0;
    for vector in vector::all().iter().filter(|v| !v.armored) {
        match Header::parse(&vector.file) {
            Ok((header, len)) => {
                assert_eq!(header.encode(), vector.file[..len], "{}", vector.name);
                parsed += 1;
            }
            Err(error) => {
                assert_eq!(vector.expect, "header failure", "{} {error}", vector.name);
                let read = Decryptor::new(&vector.file[..]).err().unwrap();
                assert!(matches!(read, DecryptError::Header(e) if e == error), "{}", vector.name);
            }
        }
    }
    assert!(parsed >= 50, "{parsed}");
}

#[test]
fn a_failure_of_the_header_is_the_one_that_the_vector_is_about() {
    let error = |name: &str| {
        let vectors = vector::all();
        let vector = vectors.iter().find(|v| v.name == name).unwrap();
        match run_to_error(vector) {
            DecryptError::Header(e) => e.to_string(),
            other => other.to_string(),
        }
    };
    for (name, part) in [
        ("empty", "empty"),
        ("version_unsupported", "version"),
        ("header_crlf", "CR LF"),
        ("stream_no_nonce", "cut short"),
        ("hmac_missing", "MAC"),
        ("scrypt_double", "only one"),
        ("scrypt_work_factor_23", "work factor of 23"),
        ("scrypt_work_factor_zero", "work factor"),
        ("scrypt_work_factor_overflow", "work factor"),
        ("scrypt_long_file_key", "32 bytes"),
        ("x25519_long_file_key", "32 bytes"),
        ("x25519_low_order", "invalid"),
        ("x25519_extra_argument", "number of arguments"),
        ("x25519_not_canonical_share", "canonical"),
        ("stanza_missing_body", "shorter than 64 columns"),
        ("stanza_missing_final_line", "shorter than 64 columns"),
        ("stanza_long_line", "64 columns"),
        ("stanza_empty_argument", "empty argument"),
        ("stanza_invalid_character", "printable"),
        ("hybrid_short_share", "mlkem768x25519"),
    ] {
        let text = error(name);
        assert!(text.contains(part), "{name}: {text}");
    }
}

fn run_to_error(vector: &Vector) -> DecryptError {
    let identities = identities(vector);
    Decryptor::new(&vector.file[..]).and_then(|d| d.decrypt(identities.iter().map(|i| &**i))).err().unwrap()
}

#[test]
fn armor_that_decodes_is_written_as_it_was_but_for_white_space() {
    let mut decoded = 0;
    for vector in vector::all().iter().filter(|v| v.armored && v.expect != "armor failure") {
        let mut binary = Vec::new();
        ArmoredReader::armored(&vector.file[..]).read_to_end(&mut binary).unwrap();
        let mut writer = ArmoredWriter::new(Vec::new());
        writer.write_all(&binary).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let original = String::from_utf8(vector.file.clone()).unwrap().replace("\r\n", "\n");
        assert_eq!(text.trim(), original.trim(), "{}", vector.name);
        decoded += 1;
    }
    assert_eq!(decoded, 11);
}

#[test]
fn seeking_to_the_end_believes_only_an_authentic_last_chunk() {
    let vectors = vector::all();
    let mut damaged_before_the_end = Vec::new();
    for vector in vectors.iter().filter(|v| !v.armored && v.name.starts_with("stream_")) {
        let identities = identities(vector);
        let opened = Decryptor::new(Cursor::new(&vector.file)).and_then(|d| d.decrypt(identities.iter().map(|i| &**i)));
        let Ok(mut reader) = opened else {
            assert_eq!(vector.expect, "header failure");
            continue;
        };
        let end = reader.seek(SeekFrom::End(0));
        reader.rewind().unwrap();
        let mut plaintext = Vec::new();
        let read = reader.read_to_end(&mut plaintext);
        assert_eq!(Some(hex(&Sha256::digest(&plaintext))), vector.payload, "{}", vector.name);
        match (end, read) {
            (Ok(len), Ok(_)) => assert_eq!(len, plaintext.len() as u64, "{}", vector.name),
            (Ok(_), Err(_)) => damaged_before_the_end.push(&*vector.name),
            (Err(error), Err(_)) => assert!(StreamError::of(&error).is_some(), "{} {error:?}", vector.name),
            (Err(error), Ok(_)) => panic!("{} {error:?}", vector.name),
        }
    }
    // These files were written with the key, and several of their chunks have the mark of the last
    // chunk. The file ends with one of these.
    let two_last = ["stream_two_final_chunks", "stream_two_final_chunks_full", "stream_two_final_chunks_second"];
    assert_eq!(damaged_before_the_end, two_last);
}

#[test]
fn the_header_error_is_not_lost_on_the_way() {
    let error = Decryptor::new(&b"age-encryption.org/v2\n-> X 1\n"[..]).err().unwrap();
    assert!(matches!(error, DecryptError::Header(HeaderError::UnknownVersion(v)) if v == "v2"));
}
