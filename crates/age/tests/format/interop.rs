//! Exchanges files with the `age` crate, both ways: every kind of recipient, every length, armored
//! and binary.

use std::io::{BufReader, Read, Write};

use sealane_age::adapter::{FromAge, ToAge};
use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use sealane_age::{
    DecryptError, Decryptor, EncryptError, Encryptor, Identity, Recipient, UnwrapError, mlkem768x25519, scrypt,
    threshold, x25519,
};

use crate::support::{LENGTHS, backend, plaintext};

/// A key in our type, and in the type of the crate `age`.
struct Pair {
    name: &'static str,
    ours: (Box<dyn Recipient>, Box<dyn Identity>),
    theirs: (Box<dyn age::Recipient>, Box<dyn age::Identity>),
}

fn ssh(name: &'static str, public: &str, private: &str) -> Pair {
    let identity = || age::ssh::Identity::from_buffer(BufReader::new(private.as_bytes()), None).unwrap();
    let recipient = || public.parse::<age::ssh::Recipient>().unwrap();
    Pair {
        name,
        ours: (Box::new(recipient()), Box::new(identity())),
        theirs: (Box::new(recipient()), Box::new(identity())),
    }
}

fn x25519() -> Pair {
    let identity = x25519::Identity::generate().unwrap();
    let age_identity: age::x25519::Identity = identity.to_text().expose_secret().parse().unwrap();
    assert_eq!(age_identity.to_string().expose_secret(), identity.to_text().expose_secret());
    let recipient: age::x25519::Recipient = identity.to_public().to_string().parse().unwrap();
    assert_eq!(age_identity.to_public(), recipient);
    Pair {
        name: "X25519",
        ours: (Box::new(identity.to_public()), Box::new(identity)),
        theirs: (Box::new(recipient), Box::new(age_identity)),
    }
}

fn scrypt() -> Pair {
    let passphrase = || SecretString::from("a passphrase");
    let mut age_recipient = age::scrypt::Recipient::new(passphrase());
    age_recipient.set_work_factor(2);
    Pair {
        name: "scrypt",
        ours: (
            Box::new(scrypt::Recipient::new(passphrase()).with_work_factor(2).unwrap()),
            Box::new(scrypt::Identity::new(passphrase())),
        ),
        theirs: (Box::new(age_recipient), Box::new(age::scrypt::Identity::new(passphrase()))),
    }
}

/// Returns the adapters, applied in both directions.
fn adapted() -> Pair {
    let identity = x25519::Identity::generate().unwrap();
    let age_identity: age::x25519::Identity = identity.to_text().expose_secret().parse().unwrap();
    Pair {
        name: "X25519",
        ours: (Box::new(FromAge(age_identity.to_public())), Box::new(FromAge(age_identity))),
        theirs: (Box::new(ToAge(identity.to_public())), Box::new(ToAge(identity))),
    }
}

fn pairs() -> Vec<Pair> {
    vec![
        x25519(),
        adapted(),
        scrypt(),
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
                let encryptor = Encryptor::with_recipients([&*pair.ours.0]).unwrap().with_backend(backend());
                assert_eq!(encryptor.header().stanzas()[0].tag, pair.name);
                let mut writer = encryptor.wrap_output(ArmoredWriter::with_format(Vec::new(), format)).unwrap();
                writer.write_all(&text).unwrap();
                let file = writer.finish().unwrap().finish().unwrap();

                let decryptor = age::Decryptor::new_buffered(age::armor::ArmoredReader::new(&file[..])).unwrap();
                let mut opened = Vec::new();
                decryptor.decrypt([&*pair.theirs.1].into_iter()).unwrap().read_to_end(&mut opened).unwrap();
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
                let encryptor = age::Encryptor::with_recipients([&*pair.theirs.0].into_iter()).unwrap();
                let output = age::armor::ArmoredWriter::wrap_output(Vec::new(), format).unwrap();
                let mut writer = encryptor.wrap_output(output).unwrap();
                writer.write_all(&text).unwrap();
                let file = writer.finish().unwrap().finish().unwrap();

                let decryptor = Decryptor::new(ArmoredReader::new(&file[..])).unwrap().with_backend(backend());
                assert_eq!(decryptor.is_scrypt(), pair.name == "scrypt");
                let mut opened = Vec::new();
                decryptor.decrypt([&*pair.ours.1]).unwrap().read_to_end(&mut opened).unwrap();
                assert!(opened == text, "{} {len}", pair.name);
            }
        }
    }
}

#[test]
fn all_kinds_of_keys_in_one_file() {
    let pairs: Vec<Pair> = pairs().into_iter().filter(|p| p.name != "scrypt").collect();
    let encryptor = Encryptor::with_recipients(pairs.iter().map(|p| &*p.ours.0)).unwrap();
    let mut writer = encryptor.wrap_output(Vec::new()).unwrap();
    writer.write_all(b"for everybody").unwrap();
    let file = writer.finish().unwrap();
    for pair in &pairs {
        let mut opened = Vec::new();
        Decryptor::new(&file[..]).unwrap().decrypt([&*pair.ours.1]).unwrap().read_to_end(&mut opened).unwrap();
        assert_eq!(opened, b"for everybody", "{}", pair.name);
        let mut opened_by_age = Vec::new();
        let decryptor = age::Decryptor::new_buffered(&file[..]).unwrap();
        decryptor.decrypt([&*pair.theirs.1].into_iter()).unwrap().read_to_end(&mut opened_by_age).unwrap();
        assert_eq!(opened_by_age, opened, "{}", pair.name);
    }
}

/// Errors pass through the adapters, there and back.
#[test]
fn errors_keep_their_meaning() {
    let file =
        |recipient: &dyn Recipient| Encryptor::with_recipients([recipient]).unwrap().encrypt_to_vec(b"text").unwrap();
    let open_error =
        |file: &[u8], identity: &dyn Identity| Decryptor::new(file).unwrap().decrypt([identity]).map(drop).unwrap_err();
    let passphrase = |text: &str| SecretString::from(text);
    let recipient = scrypt::Recipient::new(passphrase("right")).with_work_factor(3).unwrap();
    let locked = file(&recipient);
    let wrong = FromAge(ToAge(scrypt::Identity::new(passphrase("wrong"))));
    assert!(matches!(open_error(&locked, &wrong), DecryptError::WrongPassphrase));
    let low = FromAge(ToAge(scrypt::Identity::new(passphrase("right")).with_max_work_factor(2)));
    assert!(matches!(open_error(&locked, &low), DecryptError::ExcessiveWork { required: 3 }));
    let stranger = FromAge(ToAge(x25519::Identity::generate().unwrap()));
    assert!(matches!(open_error(&locked, &stranger), DecryptError::NoMatch));

    // Errors that the `age` crate does not have.
    let keys: Vec<_> = (0..2).map(|_| x25519::Identity::generate().unwrap()).collect();
    let recipients: Vec<_> = keys.iter().map(x25519::Identity::to_public).collect();
    let all = recipients.iter().map(|recipient| recipient as &dyn Recipient);
    let two_keys = threshold::ThresholdRecipient::new(2, all).unwrap();
    let shared = file(&FromAge(ToAge(two_keys)));
    let one_key = threshold::ThresholdIdentity::new([&keys[0] as &dyn Identity], &[]);
    let error = open_error(&shared, &FromAge(ToAge(one_key)));
    let too_few = threshold::ThresholdError::TooFew { needed: 2, count: 2, found: 1 };
    assert!(matches!(error, DecryptError::Threshold(error) if error == too_few));

    struct Broken;
    impl Identity for Broken {
        fn unwrap_file_key(&self, _: &[sealane_age::Stanza]) -> Result<Option<sealane_age::FileKey>, UnwrapError> {
            Err(UnwrapError::other("the card was removed"))
        }
    }
    assert_eq!(open_error(&locked, &FromAge(ToAge(Broken))).to_string(), "the card was removed");

    let pq = mlkem768x25519::Identity::generate().unwrap().to_public();
    let mixed = threshold::ThresholdRecipient::new(2, [&pq as &dyn Recipient, &recipients[0]]).unwrap();
    let error = Encryptor::with_recipients([&FromAge(ToAge(mixed)) as &dyn Recipient]).unwrap_err();
    assert!(matches!(error, EncryptError::IncompatibleRecipients(..)), "{error:?}");
    let weak = FromAge(ToAge(x25519::Recipient::from_bytes([0; 32])));
    let error = Encryptor::with_recipients([&weak as &dyn Recipient]).unwrap_err();
    assert!(matches!(error, EncryptError::WeakKey), "{error:?}");
}
