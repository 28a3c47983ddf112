//! Exchanges files with the `age` crate, both ways: every kind of recipient, every length, armored
//! and binary.

use std::io::{BufReader, Read, Write};

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::secrecy::SecretString;
use sealane_age::{Decryptor, Encryptor, Identity, Recipient, age, passphrase_identity};

use crate::support::{LENGTHS, backend, plaintext};

struct Pair {
    name: &'static str,
    recipient: Box<dyn Recipient>,
    identity: Box<dyn Identity>,
}

fn ssh(name: &'static str, public: &str, private: &str) -> Pair {
    let identity = age::ssh::Identity::from_buffer(BufReader::new(private.as_bytes()), None).unwrap();
    let recipient: age::ssh::Recipient = public.parse().unwrap();
    Pair { name, recipient: Box::new(recipient), identity: Box::new(identity) }
}

fn pairs() -> Vec<Pair> {
    let x25519 = age::x25519::Identity::generate();
    let passphrase = || SecretString::from("a passphrase".to_owned());
    let mut scrypt = age::scrypt::Recipient::new(passphrase());
    scrypt.set_work_factor(2);
    vec![
        Pair { name: "X25519", recipient: Box::new(x25519.to_public()), identity: Box::new(x25519) },
        Pair { name: "scrypt", recipient: Box::new(scrypt), identity: Box::new(passphrase_identity(passphrase())) },
        ssh("ssh-ed25519", include_str!("../data/ssh_ed25519.pub"), include_str!("../data/ssh_ed25519")),
        ssh("ssh-rsa", include_str!("../data/ssh_rsa.pub"), include_str!("../data/ssh_rsa")),
    ]
}

const FORMATS: [(Format, age::armor::Format); 2] =
    [(Format::Binary, age::armor::Format::Binary), (Format::Armored, age::armor::Format::AsciiArmor)];

#[test]
fn the_age_crate_opens_what_we_seal() {
    for pair in pairs() {
        for len in LENGTHS {
            for (format, _) in FORMATS {
                let text = plaintext(len);
                let encryptor = Encryptor::with_recipients([&*pair.recipient]).unwrap().with_backend(backend());
                assert_eq!(encryptor.header().stanzas()[0].tag, pair.name);
                let mut writer = encryptor.wrap_output(ArmoredWriter::with_format(Vec::new(), format)).unwrap();
                writer.write_all(&text).unwrap();
                let file = writer.finish().unwrap().finish().unwrap();

                let decryptor = age::Decryptor::new_buffered(age::armor::ArmoredReader::new(&file[..])).unwrap();
                let mut opened = Vec::new();
                decryptor.decrypt([&*pair.identity].into_iter()).unwrap().read_to_end(&mut opened).unwrap();
                assert!(opened == text, "{} {len} {format:?}", pair.name);
            }
        }
    }
}

#[test]
fn we_open_what_the_age_crate_seals() {
    for pair in pairs() {
        for len in LENGTHS {
            for (_, format) in FORMATS {
                let text = plaintext(len);
                let encryptor = age::Encryptor::with_recipients([&*pair.recipient].into_iter()).unwrap();
                let output = age::armor::ArmoredWriter::wrap_output(Vec::new(), format).unwrap();
                let mut writer = encryptor.wrap_output(output).unwrap();
                writer.write_all(&text).unwrap();
                let file = writer.finish().unwrap().finish().unwrap();

                let decryptor = Decryptor::new(ArmoredReader::new(&file[..])).unwrap().with_backend(backend());
                assert_eq!(decryptor.is_scrypt(), pair.name == "scrypt");
                let mut opened = Vec::new();
                decryptor.decrypt([&*pair.identity]).unwrap().read_to_end(&mut opened).unwrap();
                assert!(opened == text, "{} {len}", pair.name);
            }
        }
    }
}

#[test]
fn all_kinds_of_keys_in_one_file() {
    let pairs: Vec<Pair> = pairs().into_iter().filter(|p| p.name != "scrypt").collect();
    let encryptor = Encryptor::with_recipients(pairs.iter().map(|p| &*p.recipient)).unwrap();
    let mut writer = encryptor.wrap_output(Vec::new()).unwrap();
    writer.write_all(b"for everybody").unwrap();
    let file = writer.finish().unwrap();
    for pair in &pairs {
        let mut ours = Vec::new();
        Decryptor::new(&file[..]).unwrap().decrypt([&*pair.identity]).unwrap().read_to_end(&mut ours).unwrap();
        assert_eq!(ours, b"for everybody", "{}", pair.name);
        let mut theirs = Vec::new();
        let decryptor = age::Decryptor::new_buffered(&file[..]).unwrap();
        decryptor.decrypt([&*pair.identity].into_iter()).unwrap().read_to_end(&mut theirs).unwrap();
        assert_eq!(theirs, ours, "{}", pair.name);
    }
}
