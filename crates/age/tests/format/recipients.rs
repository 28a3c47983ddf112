//! Recipients and identities: which can be combined, which opens a file, and which error is
//! returned if none does.

use std::io::{Read, Write};

use sealane_age::header::HeaderError;
use sealane_age::secrecy::SecretString;
use sealane_age::threshold::ThresholdRecipient;
use sealane_age::{
    DEFAULT_MAX_WORK_FACTOR, DecryptError, Decryptor, EncryptError, Encryptor, Existing, FileKey, Identity, Recipient,
    RekeyError, Stanza, UnwrapError, WrapError, Wrapped, mlkem768x25519, passphrase_identity, scrypt, x25519,
};

use crate::support::{identity, one_line, seal};

fn passphrase(text: &str) -> SecretString {
    SecretString::from(text.to_owned())
}

fn seal_with_passphrase(text: &str, log_n: u8) -> Vec<u8> {
    let encryptor = Encryptor::with_passphrase_and_work_factor(passphrase(text), log_n).unwrap();
    let mut writer = encryptor.wrap_output(Vec::new()).unwrap();
    writer.write_all(b"secret").unwrap();
    writer.finish().unwrap()
}

/// A recipient that returns the given stanzas and labels.
struct Fixed(Vec<(&'static str, Vec<u8>)>, Vec<&'static str>);

impl Recipient for Fixed {
    fn wrap_file_key(&self, _: &FileKey) -> Result<Wrapped, WrapError> {
        let stanza = |(tag, body): &(&str, Vec<u8>)| Stanza { tag: (*tag).into(), args: vec![], body: body.clone() };
        let labels = self.1.iter().map(|l| (*l).to_owned()).collect();
        Ok(Wrapped::new(self.0.iter().map(stanza).collect(), labels))
    }
}

/// An identity that returns an error.
struct Failing(fn() -> UnwrapError);

impl Identity for Failing {
    fn unwrap_file_key(&self, _: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        Err(self.0())
    }
}

fn encrypt_error(recipients: &[&dyn Recipient]) -> EncryptError {
    let error = Encryptor::with_recipients(recipients.iter().copied()).err().unwrap();
    one_line(&error);
    error
}

#[track_caller]
fn decrypt_error(file: &[u8], identities: &[&dyn Identity]) -> DecryptError {
    let error = Decryptor::new(file).unwrap().decrypt(identities.iter().copied()).err().unwrap();
    one_line(&error);
    error
}

#[test]
fn recipients_that_cannot_be_combined() {
    let x25519 = identity().to_public();
    let scrypt = scrypt::Recipient::new(passphrase("p")).with_work_factor(2).unwrap();
    let labelled = Fixed(vec![("x", vec![])], vec!["postquantum"]);
    let other = Fixed(vec![("x", vec![])], vec!["b", "a"]);

    assert!(matches!(encrypt_error(&[]), EncryptError::NoRecipients));
    assert!(matches!(encrypt_error(&[&x25519, &scrypt]), EncryptError::PassphraseNotAlone));
    assert!(matches!(encrypt_error(&[&scrypt, &x25519]), EncryptError::PassphraseNotAlone));
    assert!(matches!(encrypt_error(&[&scrypt, &scrypt]), EncryptError::PassphraseNotAlone));
    for recipients in [[&x25519 as &dyn Recipient, &labelled], [&labelled, &x25519], [&labelled, &other]] {
        assert!(matches!(encrypt_error(&recipients), EncryptError::IncompatibleRecipients(..)));
    }
    let text = encrypt_error(&[&labelled, &other]).to_string();
    assert!(text.contains(r#""postquantum""#) && text.contains(r#""a", "b""#), "{text}");
    assert!(encrypt_error(&[&labelled, &x25519]).to_string().contains("no label"));
    assert!(matches!(encrypt_error(&[&Fixed(vec![("x", vec![])], vec!["a b"])]), EncryptError::InvalidLabel));
    assert!(matches!(encrypt_error(&[&Fixed(vec![], vec![])]), EncryptError::NoStanza));
    assert!(matches!(encrypt_error(&[&x25519, &Fixed(vec![], vec![])]), EncryptError::NoStanza));
    let two = Fixed(vec![("scrypt", vec![0; 32]), ("x", vec![])], vec![]);
    assert!(matches!(encrypt_error(&[&two]), EncryptError::PassphraseNotAlone));
    for (tag, body) in [("a b", vec![]), ("X25519", vec![0; 32]), ("scrypt", vec![0; 31])] {
        assert!(matches!(encrypt_error(&[&Fixed(vec![(tag, body)], vec![])]), EncryptError::InvalidStanza(_)));
    }
    // The order of labels does not matter, and one recipient may have several stanzas.
    let same = Fixed(vec![("y", vec![1]), ("z", vec![2; 48])], vec!["a", "b"]);
    let encryptor = Encryptor::with_recipients([&other as &dyn Recipient, &same]).unwrap();
    assert_eq!(encryptor.header().stanzas().len(), 3);
}

/// Recipients that are kept have no labels in the file, apart from post-quantum ones.
#[test]
fn labels_of_recipients_that_are_added() {
    let (classic, pq) = (identity(), mlkem768x25519::Identity::generate().unwrap());
    let rekey = |label: &[&'static str], existing| {
        let added = Fixed(vec![("x", vec![])], label.to_vec());
        let sealed = |recipient: &dyn Recipient, identity: &dyn Identity| {
            let file = sealane_age::encrypt([recipient], b"").unwrap();
            Decryptor::new(&file[..]).unwrap().rekey([identity], [&added as &dyn Recipient], existing).map(drop)
        };
        [sealed(&classic.to_public(), classic), sealed(&pq.to_public(), &pq)]
    };
    assert!(matches!(rekey(&[], Existing::Keep), [Ok(()), Err(RekeyError::Mixed)]));
    assert!(matches!(rekey(&["postquantum"], Existing::Keep), [Err(RekeyError::Mixed), Ok(())]));
    for label in [&["b3RoZXJz"][..], &["postquantum", "b3RoZXJz"]] {
        for added in rekey(label, Existing::Keep) {
            let error = added.unwrap_err();
            one_line(&error);
            assert!(matches!(&error, RekeyError::UnknownLabels(labels) if labels.iter().eq(["b3RoZXJz"])), "{error:?}");
        }
        assert!(matches!(rekey(label, Existing::Drop), [Ok(()), Ok(())]));
    }
}

/// A threshold recipient compares the labels of the recipients in it, and an error shows them.
#[test]
fn labels_in_a_threshold_recipient_are_printable() {
    let labelled = |label| Fixed(vec![("x", vec![])], vec![label]);
    let error = |one, other| {
        let (one, other) = (labelled(one), labelled(other));
        let all = ThresholdRecipient::new(2, [&one as &dyn Recipient, &other]).unwrap();
        encrypt_error(&[&all])
    };
    for bad in ["", "a b", "a\u{1b}[2J", "a\nb", "ü"] {
        for error in [error(bad, "b"), error("b", bad), error(bad, bad)] {
            assert!(matches!(error, EncryptError::InvalidLabel), "{error:?}");
        }
    }
    let text = error("a", "b").to_string();
    assert!(text.ends_with(r#": "a" and "b""#), "{text}");
}

#[test]
fn each_of_several_recipients_opens_the_file() {
    let identities: Vec<_> = (0..5).map(|_| x25519::Identity::generate().unwrap()).collect();
    let recipients: Vec<_> = identities.iter().map(|i| i.to_public()).collect();
    let encryptor = Encryptor::with_recipients(recipients.iter().map(|r| r as &dyn Recipient)).unwrap();
    let mut writer = encryptor.wrap_output(Vec::new()).unwrap();
    writer.write_all(b"for all").unwrap();
    let file = writer.finish().unwrap();
    let stranger = x25519::Identity::generate().unwrap();
    for identity in &identities {
        let mut text = String::new();
        let decryptor = Decryptor::new(&file[..]).unwrap();
        decryptor.decrypt([&stranger as &dyn Identity, identity]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "for all");
    }
    assert!(matches!(decrypt_error(&file, &[&stranger]), DecryptError::NoMatch));
    assert!(matches!(decrypt_error(&file, &[]), DecryptError::NoMatch));
}

#[test]
fn passphrases() {
    let file = seal_with_passphrase("right", 3);
    let decryptor = Decryptor::new(&file[..]).unwrap();
    assert!(decryptor.is_scrypt());
    assert_eq!(decryptor.header().scrypt_work_factor(), Some(3));
    let mut text = String::new();
    decryptor.decrypt_with_passphrase(passphrase("right")).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "secret");

    let (wrong, right) = (passphrase_identity(passphrase("wrong")), passphrase_identity(passphrase("right")));
    assert!(matches!(decrypt_error(&file, &[&wrong]), DecryptError::WrongPassphrase));
    Decryptor::new(&file[..]).unwrap().decrypt([&wrong as &dyn Identity, identity(), &right]).unwrap();
    let not_scrypt = seal(b"");
    assert!(!Decryptor::new(&not_scrypt[..]).unwrap().is_scrypt());
    assert!(matches!(decrypt_error(&not_scrypt, &[&right]), DecryptError::NoMatch));
    assert!(matches!(decrypt_error(&file, &[identity()]), DecryptError::NoMatch));
}

#[test]
fn the_work_factor_is_limited_on_both_sides() {
    for log_n in [0, DEFAULT_MAX_WORK_FACTOR + 1, 63, 64, 255] {
        let error = Encryptor::with_passphrase_and_work_factor(passphrase("p"), log_n).err().unwrap();
        assert!(matches!(error, EncryptError::WorkFactor(n) if n == log_n));
    }
    let file = seal_with_passphrase("p", 6);
    let open = |max| {
        let decryptor = Decryptor::new(&file[..]).unwrap().with_max_work_factor(max);
        decryptor.decrypt_with_passphrase(passphrase("p")).map(|_| ())
    };
    open(6).unwrap();
    assert!(matches!(open(5), Err(DecryptError::ExcessiveWork { required: 6 })));
    // An identity with its own, lower limit.
    let low = scrypt::Identity::new(passphrase("p")).with_max_work_factor(5);
    assert!(matches!(decrypt_error(&file, &[&low]), DecryptError::ExcessiveWork { required: 6 }));
}

#[test]
fn what_an_identity_says_is_reported() {
    let file = seal(b"");
    assert!(matches!(
        decrypt_error(&file, &[&Failing(|| UnwrapError::InvalidStanza)]),
        DecryptError::Header(HeaderError::InvalidStanza)
    ));
    assert!(matches!(
        decrypt_error(&file, &[&Failing(|| UnwrapError::ExcessiveWork { required: 30 })]),
        DecryptError::ExcessiveWork { required: 30 }
    ));
    assert!(matches!(decrypt_error(&file, &[&Failing(|| UnwrapError::Authentication)]), DecryptError::UnwrapFailed));
    let failing = Failing(|| UnwrapError::other("the card\n was removed"));
    let error = decrypt_error(&file, &[&failing, identity()]);
    assert!(matches!(&error, DecryptError::Identity(_)));
    assert_eq!(error.to_string(), "the card; was removed");
    // A stanza that its key cannot unwrap does not hide another stanza that can be unwrapped.
    let failing = Failing(|| UnwrapError::Authentication);
    Decryptor::new(&file[..]).unwrap().decrypt([&failing as &dyn Identity, identity()]).unwrap();
}

#[test]
fn a_wrong_file_key_is_found_by_the_mac() {
    struct Wrong;
    impl Identity for Wrong {
        fn unwrap_file_key(&self, _: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
            Ok(Some(FileKey::new(Box::new([0; 16]))))
        }
    }
    assert!(matches!(decrypt_error(&seal(b""), &[&Wrong]), DecryptError::HeaderMac));
}
