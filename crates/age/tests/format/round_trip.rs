//! Sealed files can be opened: all lengths, all backends, and all ways to write and read.

use std::io::{BufRead, Read, Write};

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::{Backend, Decryptor, Existing, FileKey, Identity, Recipient, Stanza, UnwrapError, x25519};

use crate::support::{LENGTHS, SEALED, drain, encryptor, identity, open, payload_start, plaintext, seal};

#[test]
fn every_length_has_the_right_number_of_chunks_and_comes_back() {
    for len in LENGTHS {
        let text = plaintext(len);
        let file = seal(&text);
        let chunks = len.div_ceil(65536).max(1);
        assert_eq!(file.len() - payload_start(&file), len + 16 * chunks, "{len}");
        let (opened, error) = drain(&mut open(&file[..]));
        assert!(error.is_none(), "{len} {error:?}");
        assert!(opened == text, "{len}");
    }
}

#[test]
fn what_one_backend_seals_every_other_opens() {
    let backends: Vec<Backend> = Backend::available().collect();
    assert!(!backends.is_empty());
    let text = plaintext(3 * 65536 + 1000);
    for &sealer in &backends {
        let mut writer = encryptor().with_backend(sealer).wrap_output(Vec::new()).unwrap();
        writer.write_all(&text).unwrap();
        let file = writer.finish().unwrap();
        for &opener in &backends {
            let decryptor = Decryptor::new(&file[..]).unwrap().with_backend(opener);
            let mut opened = Vec::new();
            decryptor.decrypt([identity() as &dyn Identity]).unwrap().read_to_end(&mut opened).unwrap();
            assert!(opened == text, "{} {}", sealer.name(), opener.name());
        }
    }
}

#[test]
fn pieces_of_any_length_can_be_written_and_read() {
    let text = plaintext(400_000);
    for piece in [1, 7, 4096, 65535, 65536, 65537, 262_144, 262_145, 399_999] {
        let mut writer = encryptor().wrap_output(Vec::new()).unwrap();
        for part in text.chunks(piece) {
            writer.write_all(part).unwrap();
        }
        let file = writer.finish().unwrap();
        let mut reader = open(&file[..]);
        let mut opened = Vec::new();
        let mut buf = vec![0; piece];
        loop {
            match reader.read(&mut buf).unwrap() {
                0 => break,
                n => opened.extend_from_slice(&buf[..n]),
            }
        }
        assert!(opened == text, "{piece}");
    }
}

#[test]
fn flushes_do_not_change_what_is_read() {
    for step in [1000, 65536, 70_000, 131_072] {
        let text = plaintext(300_000);
        let mut writer = encryptor().wrap_output(Vec::new()).unwrap();
        for part in text.chunks(step) {
            writer.write_all(part).unwrap();
            writer.flush().unwrap();
        }
        let file = writer.finish().unwrap();
        assert_eq!(file.len() - payload_start(&file), text.len() + 16 * 5);
        assert!(drain(&mut open(&file[..])).0 == text, "{step}");
    }
}

#[test]
fn the_buffered_reader_gives_whole_chunks() {
    let text = plaintext(2 * 65536 + 5);
    let file = seal(&text);
    let mut reader = open(&file[..]);
    let mut lengths = Vec::new();
    let mut opened = Vec::new();
    loop {
        let ready = reader.fill_buf().unwrap();
        if ready.is_empty() {
            break;
        }
        lengths.push(ready.len());
        opened.extend_from_slice(ready);
        let n = ready.len();
        reader.consume(n);
    }
    assert_eq!(lengths, [65536, 65536, 5]);
    assert!(opened == text);
    assert!(reader.fill_buf().unwrap().is_empty(), "the end stays the end");
}

#[test]
fn armored_files_come_back_and_binary_ones_pass() {
    for len in LENGTHS {
        let text = plaintext(len);
        for format in [Format::Armored, Format::Binary] {
            let mut writer = encryptor().wrap_output(ArmoredWriter::with_format(Vec::new(), format)).unwrap();
            writer.write_all(&text).unwrap();
            let file = writer.finish().unwrap().finish().unwrap();
            assert_eq!(file.starts_with(b"-----BEGIN AGE"), format == Format::Armored);
            let mut input = ArmoredReader::new(&file[..]);
            assert_eq!(input.is_armored().unwrap(), format == Format::Armored);
            let (opened, error) = drain(&mut open(input));
            assert!(error.is_none(), "{len} {error:?}");
            assert!(opened == text, "{len}");
        }
    }
}

#[test]
fn no_two_files_have_a_file_key_or_nonce_in_common() {
    let (a, b) = (seal(b"same"), seal(b"same"));
    let chunk = SEALED - 65536 + 4;
    assert_ne!(a[a.len() - chunk..], b[b.len() - chunk..]);
    assert_ne!(a[payload_start(&a) - 16..payload_start(&a)], b[payload_start(&b) - 16..payload_start(&b)]);
    assert_ne!(a[..payload_start(&a)], b[..payload_start(&b)]);
}

/// An identity that records the file key of each file that it opens.
struct Noting(std::cell::RefCell<Vec<u8>>);

impl Identity for Noting {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let unwrapped = identity().unwrap_file_key(stanzas);
        if let Ok(Some(key)) = &unwrapped {
            self.0.replace(key.expose_secret().to_vec());
        }
        unwrapped
    }
}

#[test]
fn the_id_of_a_file_is_derived_from_its_key_and_stays() {
    let encryptor = encryptor();
    let id = encryptor.file_id();
    let file = encryptor.wrap_output(Vec::new()).unwrap().finish().unwrap();
    let noting = Noting(Vec::new().into());
    let reader = Decryptor::new(&file[..]).unwrap().decrypt([&noting as &dyn Identity]).unwrap();
    assert_eq!(reader.file_id(), id);
    let mut derived = [0; 32];
    let hkdf = hkdf::Hkdf::<sha2::Sha256>::new(None, &noting.0.borrow());
    hkdf.expand(b"sealane/file-id", &mut derived).unwrap();
    assert_eq!(id, derived);

    let other = x25519::Identity::generate().unwrap();
    let decryptor = Decryptor::new(&file[..]).unwrap();
    let rekeyed =
        decryptor.rekey([identity() as &dyn Identity], [&other.to_public() as &dyn Recipient], Existing::Drop).unwrap();
    let mut moved = rekeyed.header().encode();
    decryptor.into_payload().read_to_end(&mut moved).unwrap();
    assert_eq!(Decryptor::new(&moved[..]).unwrap().decrypt([&other as &dyn Identity]).unwrap().file_id(), id);
    assert_ne!(open(&seal(b"")[..]).file_id(), id, "of two files with the same content");
}
