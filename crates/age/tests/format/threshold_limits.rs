//! The work for large share sets, and their largest number of stanzas.

use std::cell::RefCell;
use std::collections::HashMap;

use sealane_age::header::{Header, HeaderError};
use sealane_age::threshold::{self, Part, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{
    Decryptor, EncryptError, Encryptor, FileKey, Identity, Recipient, Stanza, UnwrapError, WrapError, Wrapped, x25519,
};

use crate::threshold::Key;

/// Counts how often it is asked about each stanza.
struct Counting<'a>(&'a Key, RefCell<HashMap<(String, Vec<u8>), usize>>);

impl Identity for Counting<'_> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        for stanza in stanzas {
            *self.1.borrow_mut().entry((stanza.args.join(" "), stanza.body.clone())).or_default() += 1;
        }
        self.0.unwrap_file_key(stanzas)
    }
}

/// A holder whose share is wrapped after stanzas that match no identity.
struct Crowded(x25519::Recipient, usize);

impl Recipient for Crowded {
    fn wrap_file_key(&self, key: &FileKey) -> Result<Wrapped, WrapError> {
        let stranger = Key::generate().unwrap().to_public();
        let mut stanzas = Vec::new();
        for _ in 0..self.1 {
            stanzas.extend(stranger.wrap_file_key(key)?.stanzas);
        }
        let own = self.0.wrap_file_key(key)?;
        stanzas.extend(own.stanzas);
        Ok(Wrapped::new(stanzas, own.labels))
    }
}

/// The largest number of shares, all for one identity: it is asked about each stanza only once.
#[test]
fn work_grows_with_the_stanzas_and_no_faster() {
    let key = Key::generate().unwrap();
    let recipients: Vec<_> = (0..255).map(|_| Crowded(key.to_public(), 2)).collect();
    let all = ThresholdRecipient::new(255, recipients.iter().map(|r| r as &dyn Recipient)).unwrap();
    let file = Encryptor::with_recipients([&all as &dyn Recipient]).unwrap().encrypt_to_vec(b"x").unwrap();
    let counting = Counting(&key, RefCell::default());
    let together = ThresholdIdentity::new([&counting as &dyn Identity], &[]);
    Decryptor::new(&file[..]).unwrap().decrypt([&together as &dyn Identity]).unwrap();
    let counts = counting.1.take();
    assert_eq!(counts.len(), 255 * 3);
    assert!(counts.values().all(|&count| count == 1));
    // The same holds for a holder who contributes, and for a stranger.
    let header = Decryptor::new(&file[..]).unwrap().into_header();
    assert_eq!(Part::of(&header, [&counting as &dyn Identity]).unwrap().len(), 255);
    assert!(counting.1.take().values().all(|&count| count == 1));
    let stranger = Key::generate().unwrap();
    let counting = Counting(&stranger, RefCell::default());
    assert!(Part::of(&header, [&counting as &dyn Identity]).unwrap().is_empty());
    let counts = counting.1.take();
    assert_eq!((counts.len(), counts.values().max()), (255 * 3, Some(&1)));
}

/// Inner stanzas count towards the limit.
#[test]
fn as_many_stanzas_as_a_header_may_have() {
    let key = Key::generate().unwrap();
    let encryptor = |holders: usize, inner: usize, more: usize| {
        let recipients: Vec<_> = (0..holders).map(|_| Crowded(key.to_public(), inner - 1)).collect();
        let all = ThresholdRecipient::new(2, recipients.iter().map(|r| r as &dyn Recipient)).unwrap();
        let others = vec![key.to_public(); more];
        let everybody = std::iter::once(&all as &dyn Recipient).chain(others.iter().map(|r| r as &dyn Recipient));
        Encryptor::with_recipients(everybody)
    };
    // 204 stanzas with 4 inner ones each, and 4 alone, are 1024.
    let file = encryptor(204, 4, 4).unwrap().encrypt_to_vec(b"x").unwrap();
    let header = Decryptor::new(&file[..]).unwrap().into_header();
    assert_eq!(header.stanzas().len(), 208);
    assert_eq!(threshold::describe(&header).unwrap()[0].types.len(), 816);
    let error = encryptor(204, 4, 5).unwrap_err();
    assert!(matches!(error, EncryptError::Header(HeaderError::TooManyStanzas)), "{error:?}");
    // A header with one more stanza is not read either.
    let text = String::from_utf8(header.encode()).unwrap();
    let (stanzas, mac) = text.split_once("\n--- ").unwrap();
    let more = format!("{stanzas}\n-> other\n\n--- {mac}");
    assert_eq!(Header::parse(more.as_bytes()).unwrap_err(), HeaderError::TooManyStanzas);
}
