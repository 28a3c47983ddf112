//! Any k of n recipients open a file together.

use std::cell::Cell;
use std::io::{Read as _, Write as _};

use sealane_age::armor::ArmoredReader;
use sealane_age::header::Header;
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{self, Label, Part, ThresholdError, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{
    DecryptError, Decryptor, EncryptError, Encryptor, Existing, FileKey, Identity, Recipient, RekeyError, Stanza,
    UnwrapError, x25519,
};

use crate::support::one_line;

pub(crate) type Key = x25519::Identity;

pub(crate) fn keys(count: usize) -> Vec<Key> {
    (0..count).map(|_| Key::generate().unwrap()).collect()
}

fn seal(threshold: usize, keys: &[Key], others: &[&dyn Recipient]) -> Vec<u8> {
    seal_labelled(threshold, keys, others, None)
}

pub(crate) fn seal_labelled(threshold: usize, keys: &[Key], others: &[&dyn Recipient], label: Option<&str>) -> Vec<u8> {
    let recipients: Vec<_> = keys.iter().map(Key::to_public).collect();
    let all = ThresholdRecipient::new(threshold, recipients.iter().map(|r| r as &dyn Recipient)).unwrap();
    let all = all.with_label(label.map(|label| label.parse().unwrap()));
    let everybody = std::iter::once(&all as &dyn Recipient).chain(others.iter().copied());
    let mut writer = Encryptor::with_recipients(everybody).unwrap().wrap_output(Vec::new()).unwrap();
    writer.write_all(b"secret").unwrap();
    writer.finish().unwrap()
}

pub(crate) fn open(file: &[u8], keys: &[&Key], parts: &[Part]) -> Result<Vec<u8>, DecryptError> {
    let together = ThresholdIdentity::new(keys.iter().map(|&key| key as &dyn Identity), parts);
    let mut reader = Decryptor::new(file)?.decrypt([&together as &dyn Identity])?;
    let mut out = Vec::new();
    reader.read_to_end(&mut out).unwrap();
    Ok(out)
}

#[track_caller]
pub(crate) fn fails(result: Result<Vec<u8>, DecryptError>) -> ThresholdError {
    match result {
        Err(DecryptError::Threshold(error)) => {
            one_line(&error);
            error
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
    // The same holder twice counts once.
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
    let (keys, chief) = (keys(3), Key::generate().unwrap());
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
        let text = parts.remove(0).1.to_text();
        assert!(text.expose_secret().starts_with("SEALANE-PART-1"));
        text.expose_secret().parse::<Part>().unwrap()
    };
    let parts = [part(&keys[3]), part(&keys[1])];
    assert_eq!((parts[0].point(), parts[1].point()), (4, 2));
    assert_eq!(open(&file, &[&keys[0]], &parts).unwrap(), b"secret");
    // A share that is already known does not count twice.
    assert_eq!(fails(open(&file, &[&keys[1]], &parts)), ThresholdError::TooFew { needed: 3, count: 4, found: 2 });
    let all = [part(&keys[0]), part(&keys[1]), part(&keys[1]), part(&keys[2])];
    assert_eq!(open(&file, &[], &all).unwrap(), b"secret");
    assert!(Part::of(decryptor.header(), [&Key::generate().unwrap() as &dyn Identity]).unwrap().is_empty());

    let other = seal(3, &keys, &[]);
    assert_eq!(fails(open(&other, &[&keys[0]], &parts)), ThresholdError::OtherFile);
    // It does not matter if the others suffice.
    assert_eq!(open(&other, &[&keys[0], &keys[1], &keys[2]], &parts).unwrap(), b"secret");
    let mut wrong = *part(&keys[2]).to_bytes();
    *wrong.last_mut().unwrap() ^= 1;
    let with_wrong = [Part::try_from(&wrong[..]).unwrap(), part(&keys[3]), part(&keys[1])];
    assert_eq!(open(&file, &[&keys[0]], &with_wrong).unwrap(), b"secret");
    assert_eq!(open(&file, &[&keys[2]], &with_wrong).unwrap(), b"secret");
    assert_eq!(fails(open(&file, &[], &with_wrong)), ThresholdError::WrongPart { point: 3 });
    let text = parts[0].to_text();
    let text = text.expose_secret();
    for bad in ["", "SEALANE-PART-1", &text[..text.len() - 1], &text.replace("SEALANE-PART-1", "AGE-SECRET-KEY-1")] {
        assert_eq!(bad.parse::<Part>().err(), Some(ThresholdError::NotAPart), "{bad}");
    }
}

#[test]
fn all_must_have_the_same_labels() {
    let pq = sealane_age::mlkem768x25519::Identity::generate().unwrap().to_public();
    let x25519 = Key::generate().unwrap().to_public();
    let all = [&pq as &dyn Recipient, &x25519];
    let mixed = ThresholdRecipient::new(2, all).unwrap();
    let error = Encryptor::with_recipients([&mixed as &dyn Recipient]).unwrap_err();
    assert!(matches!(error, EncryptError::IncompatibleRecipients(..)), "{error:?}");
    // The labels are passed on.
    let safe = ThresholdRecipient::new(2, [&pq as &dyn Recipient, &pq]).unwrap();
    assert!(Encryptor::with_recipients([&safe as &dyn Recipient, &pq]).is_ok());
    assert!(Encryptor::with_recipients([&safe as &dyn Recipient, &x25519]).is_err());
}

#[test]
fn what_a_header_says() {
    let keys = keys(3);
    for label in [None, Some("budget 2027")] {
        let file = seal_labelled(2, &keys, &[], label);
        let decryptor = Decryptor::new(&file[..]).unwrap();
        let sets = threshold::describe(decryptor.header()).unwrap();
        assert_eq!(sets.len(), 1);
        assert_eq!((sets[0].threshold, sets[0].count, &sets[0].types), (2, 3, &vec!["X25519".to_owned(); 3]));
        assert_eq!(sets[0].label.as_ref().map(Label::as_str), label);
        // The holder is shown the same description, and it is authentic.
        let parts = Part::of(decryptor.header(), [&keys[1] as &dyn Identity]).unwrap();
        let shown = &parts[0].0;
        assert_eq!((shown.threshold, shown.count, shown.point, shown.set), (2, 3, 2, sets[0].id));
        assert_eq!(shown.label, sets[0].label);
        assert_eq!(parts[0].1.set(), sets[0].id);
    }
    let plain = crate::support::seal(b"x");
    assert_eq!(threshold::describe(Decryptor::new(&plain[..]).unwrap().header()).unwrap(), []);
}

#[test]
fn labels_that_are_possible() {
    for good in ["x", "budget 2027", "Haushalt für 2027", "予算", "a \u{200d} b", &"x".repeat(100)] {
        assert_eq!(good.parse::<Label>().unwrap().as_str(), good);
    }
    let long = "x".repeat(101);
    for bad in ["", " x", "x ", "a\nb", "a\u{1b}[2Jb", "a\u{202e}b", "a\u{2066}b", "a\u{200b}b", "\u{feff}x", &long] {
        assert_eq!(bad.parse::<Label>(), Err(ThresholdError::Label), "{bad:?}");
    }
    // Blanks at the ends, and characters without a shape.
    for bad in ["\u{a0}", "\u{3000}", "x\u{2003}", "\u{3164}", "\u{2800}"] {
        assert_eq!(bad.parse::<Label>(), Err(ThresholdError::Label), "{bad:?}");
    }
    let invisible = "\u{ad}\u{34f}\u{115f}\u{1160}\u{17b4}\u{180e}\u{ffa0}\u{fff0}\u{fffb}\u{1bca0}\u{1d173}\u{e0000}\u{e007f}\u{e0080}";
    for bad in invisible.chars() {
        assert_eq!(format!("a{bad}b").parse::<Label>(), Err(ThresholdError::Label), "{bad:?}");
    }
}

/// `rekey` puts two share sets into one file: each opens it by itself, and no mixture of them does.
#[test]
fn two_sets_in_one_file() {
    let (first, second) = (keys(3), keys(3));
    let file = seal(2, &first, &[]);
    let decryptor = Decryptor::new(&file[..]).unwrap();
    let old_part = Part::of(decryptor.header(), [&first[2] as &dyn Identity]).unwrap().remove(0).1;
    let together = ThresholdIdentity::new([&first[0] as &dyn Identity, &first[1]], &[]);
    let recipients: Vec<_> = second.iter().map(Key::to_public).collect();
    let new = ThresholdRecipient::new(3, recipients.iter().map(|r| r as &dyn Recipient)).unwrap();
    let rekeyed = decryptor.rekey([&together as &dyn Identity], [&new as &dyn Recipient], Existing::Keep).unwrap();
    let file = [&rekeyed.header().encode()[..], &file[decryptor.header().encode().len()..]].concat();

    let header = Decryptor::new(&file[..]).unwrap().into_header();
    let sets = threshold::describe(&header).unwrap();
    assert_eq!(sets.iter().map(|set| set.threshold).collect::<Vec<_>>(), [2, 3]);
    assert_ne!(sets[0].id, sets[1].id);
    assert_eq!(open(&file, &[&first[0], &first[2]], &[]).unwrap(), b"secret");
    assert_eq!(open(&file, &[&second[0], &second[1], &second[2]], &[]).unwrap(), b"secret");
    // Holders of the second set open the file before another identity is asked about the first.
    let failing = Failing(Cell::new(0));
    let together = ThresholdIdentity::new([&second[0] as &dyn Identity, &second[1], &second[2], &failing], &[]);
    Decryptor::new(&file[..]).unwrap().decrypt([&together as &dyn Identity]).unwrap();
    assert_eq!(failing.0.get(), 0);
    // Parts of the first set are still valid, but shares of different sets do not add up.
    let parts = [old_part];
    assert_eq!(open(&file, &[&first[0]], &parts).unwrap(), b"secret");
    let mixed = fails(open(&file, &[&second[0]], &parts));
    assert_eq!(mixed, ThresholdError::TooFew { needed: 2, count: 3, found: 1 });
    let mixed = fails(open(&file, &[&first[0], &second[0], &second[1]], &[]));
    assert_eq!(mixed, ThresholdError::TooFew { needed: 2, count: 3, found: 1 });
    // A holder with shares of both sets contributes one of each.
    let parts = Part::of(&header, [&first[1] as &dyn Identity, &second[2]]).unwrap();
    assert_eq!(
        parts.iter().map(|(shown, part)| (shown.set, part.point())).collect::<Vec<_>>(),
        [(sets[0].id, 2), (sets[1].id, 3)]
    );
}

/// A threshold recipient is as post-quantum as the recipients that it combines.
#[test]
fn others_beside_post_quantum_holders() {
    let pq: Vec<_> = (0..3).map(|_| sealane_age::mlkem768x25519::Identity::generate().unwrap()).collect();
    let recipients: Vec<_> = pq.iter().map(|key| key.to_public()).collect();
    let x25519 = Key::generate().unwrap().to_public();
    let holders = |range: std::ops::Range<usize>| {
        ThresholdRecipient::new(2, recipients[range].iter().map(|r| r as &dyn Recipient)).unwrap()
    };
    let pq_holders = holders(0..2);
    let file = Encryptor::with_recipients([&pq_holders as &dyn Recipient]).unwrap().encrypt_to_vec(b"x").unwrap();
    let decryptor = Decryptor::new(&file[..]).unwrap();
    let together = ThresholdIdentity::new([&pq[0] as &dyn Identity, &pq[1]], &[]);
    let add = |new: &dyn Recipient| decryptor.rekey([&together as &dyn Identity], [new], Existing::Keep);
    assert!(matches!(add(&x25519), Err(RekeyError::Mixed)));
    let weak_holders = ThresholdRecipient::new(2, [&x25519 as &dyn Recipient, &x25519]).unwrap();
    assert!(matches!(add(&weak_holders), Err(RekeyError::Mixed)));
    assert!(add(&recipients[2]).is_ok());
    assert!(add(&holders(1..3)).is_ok());
    // Then the other way round.
    let keys = keys(2);
    let file = seal(2, &keys, &[]);
    let decryptor = Decryptor::new(&file[..]).unwrap();
    let together = ThresholdIdentity::new(keys.iter().map(|key| key as &dyn Identity), &[]);
    let add = |new: &dyn Recipient| decryptor.rekey([&together as &dyn Identity], [new], Existing::Keep);
    assert!(matches!(add(&recipients[0]), Err(RekeyError::Mixed)));
    assert!(matches!(add(&pq_holders), Err(RekeyError::Mixed)));
    assert!(add(&x25519).is_ok());
}

/// An identity that fails, for example because its plugin is missing.
struct Failing(Cell<usize>);

impl Identity for Failing {
    fn unwrap_file_key(&self, _: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        self.0.set(self.0.get() + 1);
        Err(UnwrapError::other("the plugin is missing"))
    }
}

#[test]
fn one_who_fails_does_not_keep_others_from_opening() {
    let keys = keys(3);
    let file = seal(2, &keys, &[]);
    let failing = Failing(Cell::new(0));
    let open = |identities: &[&dyn Identity]| {
        let together = ThresholdIdentity::new(identities.iter().copied(), &[]);
        Decryptor::new(&file[..]).unwrap().decrypt([&together as &dyn Identity]).map(drop)
    };
    open(&[&failing, &keys[0], &keys[1]]).unwrap();
    assert_eq!(failing.0.get(), 1, "it is not asked again");
    let error = open(&[&keys[0], &failing]).unwrap_err();
    assert!(error.to_string().contains("the plugin is missing"), "{error}");
    // Nor from giving a part.
    let header = Decryptor::new(&file[..]).unwrap().into_header();
    let parts = Part::of(&header, [&failing as &dyn Identity, &keys[0]]).unwrap();
    assert_eq!(parts.iter().map(|(_, part)| part.point()).collect::<Vec<_>>(), [1]);
    let Err(error) = Part::of(&header, [&failing as &dyn Identity]) else { panic!("it gave a part") };
    assert!(error.to_string().contains("the plugin is missing"), "{error}");
}

/// A stored file must stay readable.
#[test]
fn a_file_that_is_kept() {
    let mut binary = Vec::new();
    ArmoredReader::new(&include_bytes!("../data/threshold.age")[..]).read_to_end(&mut binary).unwrap();
    let keys: Vec<Key> = include_str!("../data/threshold_identities.txt").lines().map(|l| l.parse().unwrap()).collect();
    let parts =
        || include_str!("../data/threshold_parts.txt").lines().filter(|line| line.starts_with("SEALANE-PART-1"));
    for (one, other) in [(0, 1), (2, 0), (1, 2)] {
        assert_eq!(open(&binary, &[&keys[one], &keys[other]], &[]).unwrap(), b"any two of three");
        let part = parts().nth(other).unwrap().parse().unwrap();
        assert_eq!(open(&binary, &[&keys[one]], &[part]).unwrap(), b"any two of three");
    }
    let header = Header::parse(&binary).unwrap().0;
    assert_eq!(threshold::describe(&header).unwrap()[0].label.as_ref().unwrap().as_str(), "budget 2027");
    for (key, text) in keys.iter().zip(parts()) {
        let (_, part) = Part::of(&header, [key as &dyn Identity]).unwrap().remove(0);
        assert_eq!(part.to_text().expose_secret(), text);
    }
}
