//! Any k of n recipients together.

use std::io::{Read as _, Write as _};

use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{self, Part, ThresholdError, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{DecryptError, Decryptor, Encryptor, Identity, Recipient, age};

use crate::support::one_line;

type Key = age::x25519::Identity;

fn keys(count: usize) -> Vec<Key> {
    (0..count).map(|_| Key::generate()).collect()
}

fn seal(threshold: usize, keys: &[Key], others: &[&dyn Recipient]) -> Vec<u8> {
    let recipients: Vec<_> = keys.iter().map(Key::to_public).collect();
    let all = ThresholdRecipient::new(threshold, recipients.iter().map(|r| r as &dyn Recipient)).unwrap();
    let everybody = std::iter::once(&all as &dyn Recipient).chain(others.iter().copied());
    let mut writer = Encryptor::with_recipients(everybody).unwrap().wrap_output(Vec::new()).unwrap();
    writer.write_all(b"secret").unwrap();
    writer.finish().unwrap()
}

fn open(file: &[u8], keys: &[&Key], parts: &[Part]) -> Result<Vec<u8>, DecryptError> {
    let together = ThresholdIdentity::new(keys.iter().map(|&key| key as &dyn Identity), parts);
    let mut reader = Decryptor::new(file)?.decrypt([&together as &dyn Identity])?;
    let mut out = Vec::new();
    reader.read_to_end(&mut out).unwrap();
    Ok(out)
}

#[track_caller]
fn fails(result: Result<Vec<u8>, DecryptError>) -> ThresholdError {
    match result {
        Err(DecryptError::Identity(error)) => {
            one_line(&error);
            ThresholdError::of(&error).unwrap_or_else(|| panic!("{error}")).clone()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_choice_of_holders() {
    let keys = keys(5);
    let file = seal(3, &keys, &[]);
    for chosen in 0u32..32 {
        let holders: Vec<_> =
            keys.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, key)| key).collect();
        let result = open(&file, &holders, &[]);
        match holders.len() {
            0 => assert!(matches!(result, Err(DecryptError::NoMatch))),
            found @ (1 | 2) => assert_eq!(fails(result), ThresholdError::TooFew { needed: 3, count: 5, found }),
            _ => assert_eq!(result.unwrap(), b"secret"),
        }
    }
    // The same one twice is one.
    assert_eq!(
        fails(open(&file, &[&keys[0], &keys[0], &keys[0]], &[])),
        ThresholdError::TooFew { needed: 3, count: 5, found: 1 }
    );
}

#[test]
fn one_who_holds_several_shares() {
    let mut keys = keys(3);
    keys.push(keys[0].clone());
    let file = seal(3, &keys, &[]);
    assert_eq!(open(&file, &[&keys[0], &keys[1]], &[]).unwrap(), b"secret");
    assert!(open(&file, &[&keys[0]], &[]).is_err());
}

#[test]
fn numbers_that_are_possible() {
    let keys = keys(255);
    let recipients: Vec<_> = keys.iter().map(Key::to_public).collect();
    let new = |threshold: usize, count: usize| {
        let chosen = (0..count).map(|i| &recipients[i % 255] as &dyn Recipient);
        ThresholdRecipient::new(threshold, chosen).is_ok()
    };
    for (threshold, count, possible) in [
        (0, 3, false),
        (1, 3, false),
        (2, 2, true),
        (3, 3, true),
        (4, 3, false),
        (2, 0, false),
        (255, 255, true),
        (2, 256, false),
        (300, 255, false),
    ] {
        assert_eq!(new(threshold, count), possible, "{threshold} of {count}");
    }
    let file = seal(255, &keys, &[]);
    let all: Vec<_> = keys.iter().collect();
    assert_eq!(open(&file, &all, &[]).unwrap(), b"secret");
    assert!(open(&file, &all[1..], &[]).is_err());
}

#[test]
fn beside_others_who_open_it_alone() {
    let (keys, chief) = (keys(3), Key::generate());
    let file = seal(2, &keys, &[&chief.to_public()]);
    let mut out = Vec::new();
    Decryptor::new(&file[..]).unwrap().decrypt([&chief as &dyn Identity]).unwrap().read_to_end(&mut out).unwrap();
    assert_eq!(out, b"secret");
    assert_eq!(open(&file, &[&keys[2], &keys[0]], &[]).unwrap(), b"secret");
}

#[test]
fn parts_from_holders_who_are_not_here() {
    let keys = keys(4);
    let file = seal(3, &keys, &[]);
    let decryptor = Decryptor::new(&file[..]).unwrap();
    let part = |key: &Key| {
        let mut parts = Part::of(decryptor.header(), [key as &dyn Identity]).unwrap();
        assert_eq!(parts.len(), 1);
        let text = parts.remove(0).to_text();
        assert!(text.expose_secret().starts_with("SEALANE-PART-1"));
        text.expose_secret().parse::<Part>().unwrap()
    };
    let parts = [part(&keys[3]), part(&keys[1])];
    assert_eq!(parts[0].numbers(), (4, 3, 4));
    assert_eq!(open(&file, &[&keys[0]], &parts).unwrap(), b"secret");
    // One that is there already does not count twice.
    assert_eq!(fails(open(&file, &[&keys[1]], &parts)), ThresholdError::TooFew { needed: 3, count: 4, found: 2 });
    let all = [part(&keys[0]), part(&keys[1]), part(&keys[1]), part(&keys[2])];
    assert_eq!(open(&file, &[], &all).unwrap(), b"secret");
    assert!(Part::of(decryptor.header(), [&Key::generate() as &dyn Identity]).unwrap().is_empty());

    let other = seal(3, &keys, &[]);
    assert_eq!(fails(open(&other, &[&keys[0]], &parts)), ThresholdError::OtherFile);
    let text = parts[0].to_text();
    let text = text.expose_secret();
    for bad in ["", "SEALANE-PART-1", &text[..text.len() - 1], &text.replace("SEALANE-PART-1", "AGE-SECRET-KEY-1")] {
        assert_eq!(bad.parse::<Part>().err(), Some(ThresholdError::NotAPart), "{bad}");
    }
}

#[test]
fn all_must_have_the_same_labels() {
    let pq = sealane_age::mlkem768x25519::Identity::generate().unwrap().to_public();
    let x25519 = Key::generate().to_public();
    let all = [&pq as &dyn Recipient, &x25519];
    let mixed = ThresholdRecipient::new(2, all).unwrap();
    assert!(Encryptor::with_recipients([&mixed as &dyn Recipient]).is_err());
    // And they are passed on.
    let safe = ThresholdRecipient::new(2, [&pq as &dyn Recipient, &pq]).unwrap();
    assert!(Encryptor::with_recipients([&safe as &dyn Recipient, &pq]).is_ok());
    assert!(Encryptor::with_recipients([&safe as &dyn Recipient, &x25519]).is_err());
}

#[test]
fn what_a_header_says() {
    let keys = keys(3);
    let file = seal(2, &keys, &[]);
    let decryptor = Decryptor::new(&file[..]).unwrap();
    let (threshold, count, types) = threshold::describe(decryptor.header()).unwrap().unwrap();
    assert_eq!((threshold, count, types), (2, 3, vec!["X25519".to_owned(); 3]));
    let plain = crate::support::seal(b"x");
    assert_eq!(threshold::describe(Decryptor::new(&plain[..]).unwrap().header()).unwrap(), None);
}

/// Lines of the header changed by somebody who has no key.
#[test]
fn stanzas_that_do_not_belong_together() {
    let keys = keys(3);
    let file = seal(2, &keys, &[]);
    let len = crate::support::payload_start(&file) - 16;
    let text = std::str::from_utf8(&file[..len]).unwrap();
    let holders = [&keys[0], &keys[1]];
    let with = |from: &str, to: &str| {
        assert!(text.contains(from));
        let header = text.replacen(from, to, 1);
        open(&[header.as_bytes(), &file[len..]].concat(), &holders, &[])
    };
    for (from, to) in [
        ("threshold 2 3 1\n", "threshold 2 3 2\n"),
        ("threshold 2 3 1\n", "threshold 3 3 1\n"),
        ("threshold 2 3 1\n", "threshold 2 4 1\n"),
        ("threshold 2 3 1\n", "threshold 2 3 4\n"),
        ("threshold 2 3 1\n", "threshold 2 3 0\n"),
        ("threshold 2 3 1\n", "threshold 2 3 01\n"),
        ("threshold 2 3 1\n", "threshold 2 3\n"),
        ("threshold 2 3 1\n", "threshold 2 3 1 1\n"),
        ("sealane/threshold 2 3 1\n", "sealane/other 2 3 1\n"),
    ] {
        assert_eq!(fails(with(from, to)), ThresholdError::Malformed, "{to}");
    }
    // Shares at each other's points: what comes out is not the key, and the MAC of the header says so.
    let swapped = text.replacen("threshold 2 3 1\n", "threshold 2 3 x\n", 1).replacen(
        "threshold 2 3 2\n",
        "threshold 2 3 1\n",
        1,
    );
    let swapped = swapped.replacen("threshold 2 3 x\n", "threshold 2 3 2\n", 1);
    let result = open(&[swapped.as_bytes(), &file[len..]].concat(), &holders, &[]);
    assert!(matches!(result, Err(DecryptError::HeaderMac)), "{result:?}");
}
