//! Whole files in memory.

use std::io::Write as _;

use sealane_age::armor::{ArmorError, ArmoredReader, ArmoredWriter};
use sealane_age::header::HeaderError;
use sealane_age::secrecy::SecretString;
use sealane_age::{DecryptError, EncryptError, Encryptor, Identity, StreamError, passphrase_identity, x25519};

use crate::support::{
    CHUNK, LENGTHS, SEALED, drain, encryptor, identity, one_line, open, payload_start, plaintext, seal,
};

fn decrypt(file: &[u8]) -> Result<Vec<u8>, DecryptError> {
    sealane_age::decrypt([identity() as &dyn Identity], file)
}

/// Returns the error for a damaged file with a valid header. It must be the error that a stream
/// reader returns.
#[track_caller]
fn same_error(file: &[u8]) -> StreamError {
    let found = decrypt(file).unwrap_err();
    one_line(&found);
    let DecryptError::Payload(found) = found else { panic!("{found:?}") };
    let error = drain(&mut open(file)).1.expect("it is damaged");
    assert_eq!(Some(found), StreamError::of(&error));
    found
}

#[test]
fn every_length_goes_between_memory_and_streams() {
    for len in LENGTHS {
        let text = plaintext(len);
        let file = encryptor().encrypt_to_vec(&text).unwrap();
        assert_eq!(file.len(), seal(&text).len());
        let (opened, error) = drain(&mut open(&file[..]));
        assert!(error.is_none() && opened == text, "{len} {error:?}");
        assert!(decrypt(&seal(&text)).unwrap() == text, "{len}");
        assert!(decrypt(&file).unwrap() == text, "{len}");
    }
}

#[test]
fn armored_files_go_between_memory_and_streams() {
    for len in LENGTHS {
        let text = plaintext(len);
        let file = encryptor().encrypt_to_armor(&text).unwrap();
        let (opened, error) = drain(&mut open(ArmoredReader::armored(file.as_bytes())));
        assert!(error.is_none() && opened == text, "{len} {error:?}");
        let mut writer = encryptor().wrap_output(ArmoredWriter::new(b" \r\n".to_vec())).unwrap();
        writer.write_all(&text).unwrap();
        assert!(decrypt(&writer.finish().unwrap().finish().unwrap()).unwrap() == text, "{len}");
    }
    let mut file = encryptor().encrypt_to_armor(b"text").unwrap();
    file.push('x');
    let error = decrypt(file.as_bytes()).unwrap_err();
    assert!(matches!(error, DecryptError::Armor(ArmorError::TrailingData)), "{error:?}");
    file.truncate(200);
    let error = decrypt(file.as_bytes()).unwrap_err();
    assert!(matches!(error, DecryptError::Armor(ArmorError::Truncated)), "{error:?}");
}

#[test]
fn damage_in_each_chunk_is_reported_as_by_a_stream() {
    for len in [0, 9, CHUNK, 4 * CHUNK, 4 * CHUNK + 100] {
        let file = seal(&plaintext(len));
        let start = payload_start(&file);
        for at in (start..file.len()).step_by(SEALED).flat_map(|at| [at, at + 10, file.len().min(at + SEALED) - 1]) {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            let number = (at - start) as u64 / SEALED as u64;
            let is_last = number == (len.saturating_sub(1) / CHUNK) as u64;
            let expected =
                if is_last { StreamError::CorruptEnd { number } } else { StreamError::CorruptChunk { number } };
            assert_eq!(same_error(&damaged), expected);
        }
        let near = |n: usize| [n.saturating_sub(17), n.saturating_sub(16), n.saturating_sub(1), n, n + 1, n + 16];
        for cut in (0..=file.len() - start).step_by(SEALED).flat_map(near).filter(|cut| start + cut < file.len()) {
            same_error(&file[..start + cut]);
        }
        for extra in [1, 15, 16, 17, SEALED, SEALED + 1] {
            same_error(&[&file[..], &vec![3; extra]].concat());
        }
    }
    assert_eq!(same_error(&seal(b"")[..payload_start(&seal(b""))]), StreamError::Truncated);
}

#[test]
fn headers_identities_and_recipients_that_are_wrong() {
    let file = seal(b"text");
    let stranger = x25519::Identity::generate().unwrap();
    let error = sealane_age::decrypt([&stranger as &dyn Identity], &file).unwrap_err();
    assert!(matches!(error, DecryptError::NoMatch));
    assert!(matches!(sealane_age::decrypt([], &file).unwrap_err(), DecryptError::NoMatch));
    assert!(matches!(decrypt(b"").unwrap_err(), DecryptError::Header(HeaderError::Empty)));
    assert!(matches!(decrypt(b"text").unwrap_err(), DecryptError::Header(HeaderError::NotAge)));
    assert!(matches!(decrypt(&file[..100]).unwrap_err(), DecryptError::Header(HeaderError::Truncated)));
    let mut changed = file.clone();
    let end = payload_start(&file) - 20;
    changed[end] = if changed[end] == b'A' { b'B' } else { b'A' };
    assert!(matches!(decrypt(&changed).unwrap_err(), DecryptError::HeaderMac));
    assert!(matches!(sealane_age::encrypt([], b"text").unwrap_err(), EncryptError::NoRecipients));
}

#[test]
fn a_passphrase() {
    let passphrase = || SecretString::from("correct horse battery staple");
    let encryptor = || Encryptor::with_passphrase_and_work_factor(passphrase(), 2).unwrap();
    for file in [encryptor().encrypt_to_vec(b"text").unwrap(), encryptor().encrypt_to_armor(b"text").unwrap().into()] {
        let identity = passphrase_identity(passphrase());
        assert_eq!(sealane_age::decrypt([&identity as &dyn Identity], &file).unwrap(), b"text");
        let other = passphrase_identity(SecretString::from("other"));
        let error = sealane_age::decrypt([&other as &dyn Identity], &file).unwrap_err();
        assert!(matches!(error, DecryptError::WrongPassphrase));
    }
}
