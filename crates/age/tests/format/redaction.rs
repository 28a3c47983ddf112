//! `Debug` output contains no secrets.

use std::fmt::Debug;
use std::io::{Read as _, Write as _};
use std::path::Path;

use sealane_age::adapter::{FromAge, ToAge};
use sealane_age::armor::{ArmoredReader, ArmoredWriter};
use sealane_age::folder::{Attributes, Entry, Id, Manifest, Name};
use sealane_age::key_file::{AnyIdentity, EncryptedIdentityFile};
use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use sealane_age::stream::PayloadKey;
use sealane_age::threshold::{Part, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{
    Decryptor, Encryptor, FileKey, Identity, LockedFile, Recipient, mlkem768x25519, plugin, scrypt, x25519,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::flaky::block_on;
use crate::threshold::{keys, seal_labelled};

/// Returns whether `output` has three consecutive bytes of `secret`, in a form that some `Debug`
/// output could have.
fn shows(output: &str, secret: &[u8]) -> bool {
    let output = output.to_lowercase().replace([' ', '\n'], "");
    secret.windows(3).any(|bytes| {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let list = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        output.contains(&hex) || output.contains(&list)
    })
}

/// Asserts that the output has no 3 consecutive bytes of the secret, and no 8 consecutive
/// characters of its text, in upper or lower case.
#[track_caller]
fn assert_redacted(value: &impl Debug, secret: &[u8], text: &str) {
    for output in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!shows(&output, secret), "{output}");
        let has = |part: &[u8]| output.as_bytes().windows(8).any(|other| part.eq_ignore_ascii_case(other));
        let has_text = text.as_bytes().windows(8).any(has);
        assert!(!has_text, "{output}");
    }
}

#[test]
fn a_secret_would_be_found() {
    let secret = [0xe1, 0xc2, 0xa3, 0x84];
    for output in [format!("{secret:?}"), format!("{secret:#?}"), "E1C2A384".to_owned()] {
        assert!(shows(&output, &secret), "{output}");
    }
    for text in ["correct horse", "CORRECT HORSE"] {
        assert!(std::panic::catch_unwind(|| assert_redacted(&"correct horse", &[], text)).is_err());
    }
}

#[test]
fn debug_output_of_keys() {
    let file_key = FileKey::new(Box::new(std::array::from_fn(|at| 0xe1 - 7 * at as u8)));
    assert_redacted(&file_key, file_key.expose_secret(), "");
    let key = PayloadKey::new(&file_key, &[7; 16], sealane_age::Backend::detect());
    assert_eq!(format!("{key:?}"), "PayloadKey { .. }");

    let key = x25519::Identity::generate().unwrap();
    let text = key.to_text();
    let secret_part = &text.expose_secret()["AGE-SECRET-KEY-1".len()..];
    assert_redacted(&key, key.expose_secret(), secret_part);
    // The public key is shown.
    assert!(format!("{key:?}").contains(&key.to_public().to_string()));
    let any: AnyIdentity = text.expose_secret().parse().unwrap();
    assert_redacted(&any, key.expose_secret(), secret_part);

    let key = mlkem768x25519::Identity::generate().unwrap();
    let text = key.to_text();
    assert_redacted(&key, key.expose_secret(), &text.expose_secret()["AGE-SECRET-KEY-PQ-1".len()..]);

    let key = plugin::Identity::without_data("yubikey").unwrap();
    assert_redacted(&key, &[], key.expose_secret());
    let text = "AGE-PLUGIN-YUBIKEY-1QURSWPC8QURSW8FHK3Z";
    assert_redacted(&text.parse::<plugin::Identity>().unwrap(), &[], text);

    let passphrase = SecretString::from("correct horse battery staple");
    assert_redacted(&scrypt::Recipient::new(passphrase.clone()), &[], passphrase.expose_secret());
    assert_redacted(&scrypt::Identity::new(passphrase.clone()), &[], passphrase.expose_secret());
}

#[test]
fn debug_output_of_files() {
    let key = x25519::Identity::generate().unwrap();
    let recipient = key.to_public();
    let new_encryptor = || Encryptor::with_recipients([&recipient as &dyn Recipient]).unwrap();
    let encryptor = new_encryptor();
    assert_redacted(&encryptor, &encryptor.file_id(), "");
    let (_, sealing) = new_encryptor().into_parts().unwrap();
    assert_eq!(format!("{sealing:?}"), "SealingKey { .. }");
    let file = new_encryptor().encrypt_to_vec(b"attack at dawn").unwrap();
    assert_redacted(&EncryptedIdentityFile::new(&file), &file, "");
    let mut reader = Decryptor::new(&file[..]).unwrap().decrypt([&key as &dyn Identity]).unwrap();
    reader.read_exact(&mut [0; 3]).unwrap();
    assert_redacted(&reader, b"attack at dawn", "attack at dawn");
    let salvaged = reader.salvage(&&file[..], file.len() as u64, |progress| {
        assert_redacted(&progress, b"attack at dawn", "attack at dawn");
        assert_eq!(format!("{progress:?}"), "Found { at: 0, len: 14, .. }");
        Ok(())
    });
    assert!(salvaged.unwrap().is_whole());
}

#[test]
fn debug_output_of_readers_and_writers() {
    let key = x25519::Identity::generate().unwrap();
    let recipient = key.to_public();
    let text = "attack at dawn";
    let redacted = |value: &dyn Debug| assert_redacted(&value, text.as_bytes(), text);
    let encryptor = || Encryptor::with_recipients([&recipient as &dyn Recipient]).unwrap();
    let mut file = Vec::new();
    let mut writer = encryptor().wrap_output(ArmoredWriter::new(&mut file)).unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    redacted(&writer);
    let armored = writer.finish().unwrap();
    redacted(&armored);
    armored.finish().unwrap();
    let mut reader = ArmoredReader::new(&file[..]);
    reader.read_exact(&mut [0; 3]).unwrap();
    redacted(&reader);

    let mut output = Vec::new();
    let mut writer = encryptor().wrap_async_output(&mut output).unwrap();
    block_on(writer.write_all(text.as_bytes())).unwrap();
    redacted(&writer);
    block_on(writer.finish()).unwrap();
    let decryptor = block_on(Decryptor::new_async(&output[..])).unwrap();
    let mut reader = decryptor.decrypt_async([&key as &dyn Identity]).unwrap();
    block_on(reader.read_exact(&mut [0; 3])).unwrap();
    redacted(&reader);

    let locked = LockedFile::read(&output[..]).unwrap();
    redacted(&locked);
    redacted(&locked.unlock([&key as &dyn Identity]).unwrap());
    // A wrapper shows what is in it, and no more.
    let (ours, theirs) = (ToAge(key.clone()), FromAge(ToAge(key.clone())));
    let secret_part = &key.to_text().expose_secret()["AGE-SECRET-KEY-1".len()..].to_owned();
    for wrapper in [&ours as &dyn Debug, &theirs] {
        assert_redacted(&wrapper, key.expose_secret(), secret_part);
    }
}

#[test]
fn debug_output_of_manifests() {
    let secret = std::array::from_fn(|at| 0xe1 - 7 * at as u8);
    let (name, id) = (Name::new(Path::new("note")).unwrap(), Id(secret));
    let entry = Entry::File { name: name.clone(), size: 14, id, attributes: Attributes::default() };
    // As base64, in which a manifest has it.
    let text = serde_json::to_string(&id).unwrap();
    assert_eq!(text.len(), 45);
    let mut manifest = Vec::new();
    Manifest::write(&mut manifest, [entry]).unwrap();
    let manifest = Manifest::read(&manifest[..]).unwrap();
    assert_redacted(&id, &secret, &text);
    assert_redacted(&manifest.entries().next().unwrap(), &secret, &text);
    assert_redacted(&manifest.files[&name], &secret, &text);
    assert_redacted(&manifest, &secret, &text);
    assert!(manifest.files[&name].id == id);
}

#[test]
fn debug_output_of_holders() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], None);
    let header = Decryptor::new(&file[..]).unwrap().into_header();
    let parts: Vec<Part> = Part::of(&header, [&keys[0] as &dyn Identity]).unwrap().into_iter().map(|it| it.1).collect();
    let [part] = &parts[..] else { panic!("{parts:?}") };
    let text = part.to_text();
    let share = &part.to_bytes()[20..];
    assert_redacted(part, share, &text.expose_secret()["SEALANE-PART-1".len()..]);
    assert!(format!("{part:?}").contains("point: 1"));
    let together = ThresholdIdentity::new([&keys[1] as &dyn Identity], &parts);
    assert_redacted(&together, share, &text.expose_secret()["SEALANE-PART-1".len()..]);
    assert_redacted(&together, keys[1].expose_secret(), "");
    let recipients: Vec<_> = keys.iter().map(x25519::Identity::to_public).collect();
    let all = ThresholdRecipient::new(2, recipients.iter().map(|one| one as &dyn Recipient)).unwrap();
    assert_eq!(format!("{all:?}"), "ThresholdRecipient { threshold: 2, recipients: 3, label: None }");
}
