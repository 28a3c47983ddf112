//! Files for several holders that an attacker has written or changed.

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use sealane_age::header::{Header, HeaderError};
use sealane_age::threshold::{self, Label, Part, ThresholdError, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{
    DecryptError, Decryptor, EncryptError, Encryptor, Existing, FileKey, Identity, Recipient, RekeyError, Stanza,
    UnwrapError, WrapError, Wrapped,
};

use crate::threshold::{Key, fails, keys, open, seal_labelled};

/// Returns the stanzas of a file's header.
pub(crate) fn stanzas(file: &[u8]) -> Vec<Stanza> {
    Header::parse(file).unwrap().0.into_stanzas()
}

pub(crate) fn encode(stanza: &Stanza) -> String {
    let words = std::iter::once(&stanza.tag).chain(&stanza.args).map(String::as_str).collect::<Vec<_>>().join(" ");
    let body = BASE64_STANDARD_NO_PAD.encode(&stanza.body);
    let mut lines = body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>();
    if body.len().is_multiple_of(64) {
        lines.push("");
    }
    format!("-> {words}\n{}\n", lines.join("\n"))
}

/// Returns a file with these stanzas, a MAC under an unknown key, and some payload.
fn file_of(stanzas: &[Stanza]) -> Vec<u8> {
    let stanzas: String = stanzas.iter().map(encode).collect();
    let mac = BASE64_STANDARD_NO_PAD.encode([7; 32]);
    format!("age-encryption.org/v1\n{stanzas}--- {mac}\n{}", "x".repeat(32)).into_bytes()
}

fn header_of(stanzas: &[Stanza]) -> Header {
    Header::parse(&file_of(stanzas)).unwrap().0
}

/// Returns the result of the holder's program for these stanzas.
#[track_caller]
fn contribution(stanzas: &[Stanza], holder: &Key) -> Result<usize, ThresholdError> {
    match Part::of(&header_of(stanzas), [holder as &dyn Identity]) {
        Ok(parts) => Ok(parts.len()),
        Err(UnwrapError::Threshold(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the inner stanzas of another stanza.
pub(crate) fn inner(stanza: &Stanza) -> Vec<Stanza> {
    let text = [b"age-encryption.org/v1\n", &stanza.body[64..], b"--- ", &[b'A'; 43], b"\n"].concat();
    Header::parse(&text).unwrap().0.into_stanzas()
}

/// Replaces the inner stanzas with `new`.
fn with_inner(stanza: &mut Stanza, new: &[Stanza]) {
    stanza.body.truncate(64);
    stanza.body.extend(new.iter().flat_map(|stanza| encode(stanza).into_bytes()));
}

/// An attacker, who has the keys of all other holders, puts the header of one of the holder's own
/// files into a file for several holders.
#[test]
fn a_foreign_header_inside_gives_nothing() {
    let victim = Key::generate().unwrap();
    let foreign = seal_labelled(2, &keys(2), &[&victim.to_public()], None);
    let (foreign_header, len) = Header::parse(&foreign).unwrap();
    let attackers = [victim.clone(), Key::generate().unwrap()];
    let original = stanzas(&seal_labelled(2, &attackers, &[], Some("party")));
    assert_eq!(contribution(&original, &victim), Ok(1));

    // The body is a complete header, or the 64 bytes before the inner stanzas and a complete
    // header.
    for before in [0, 64] {
        let mut set = stanzas(&seal_labelled(2, &attackers, &[], Some("party")));
        set[0].body.truncate(before);
        set[0].body.extend_from_slice(&foreign[..len]);
        assert_eq!(contribution(&set, &victim), Err(ThresholdError::Malformed));
        assert_eq!(threshold::describe(&header_of(&set)), Err(ThresholdError::Malformed));
        assert_eq!(fails(open(&file_of(&set), &[&attackers[0], &attackers[1]], &[])), ThresholdError::Malformed);
    }
    // The header's stanzas replace those that wrap the one-time key.
    let alone: Vec<_> = foreign_header.into_stanzas().into_iter().filter(|stanza| stanza.tag == "X25519").collect();
    let mut set = stanzas(&seal_labelled(2, &attackers, &[], Some("party")));
    with_inner(&mut set[0], &alone);
    assert_eq!(contribution(&set, &victim), Err(ThresholdError::WrongShare { point: 1 }));
    assert_eq!(
        fails(open(&file_of(&set), &[&attackers[0], &attackers[1]], &[])),
        ThresholdError::WrongShare { point: 1 }
    );
}

/// Inner stanzas are not an age file, even if the attacker puts them into one.
#[test]
fn an_inner_part_is_no_age_file() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], None);
    let set = stanzas(&file);
    let x25519 = Key::generate().unwrap().to_public();
    let rest = [9; 48];
    let body = [&set[0].body[..], &rest].concat();
    assert!(matches!(Decryptor::new(&body[..]), Err(DecryptError::Header(HeaderError::NotAge))));
    // The inner stanzas become a header. Its MAC is invalid, because its key is unknown.
    let file = file_of(&inner(&set[0]));
    let decryptor = || Decryptor::new(&file[..]).unwrap();
    assert!(matches!(decryptor().decrypt([&keys[0] as &dyn Identity]).err(), Some(DecryptError::HeaderMac)));
    for existing in [Existing::Keep, Existing::Drop] {
        let rekeyed = decryptor().rekey([&keys[0] as &dyn Identity], [&x25519 as &dyn Recipient], existing);
        assert!(matches!(rekeyed, Err(RekeyError::Open(DecryptError::HeaderMac))), "{rekeyed:?}");
    }
}

#[test]
fn stanzas_of_two_files_mixed() {
    let keys = keys(3);
    let (one, other) = (stanzas(&seal_labelled(2, &keys, &[], None)), stanzas(&seal_labelled(2, &keys, &[], None)));
    let mixed = |claim_one_set: bool| {
        let mut mixed = stanzas(&file_of(&one));
        mixed[2] = stanzas(&file_of(&other)).remove(2);
        if claim_one_set {
            mixed[2].args[4] = mixed[0].args[4].clone();
        }
        mixed
    };
    // There are two sets, and neither is complete.
    assert_eq!(contribution(&mixed(false), &keys[0]), Err(ThresholdError::Malformed));
    assert_eq!(fails(open(&file_of(&mixed(false)), &[&keys[0], &keys[1]], &[])), ThresholdError::Malformed);
    // The set has one id, and one share that was sealed for another set.
    assert_eq!(contribution(&mixed(true), &keys[2]), Err(ThresholdError::WrongShare { point: 3 }));
    let file = file_of(&mixed(true));
    assert_eq!(fails(open(&file, &[&keys[0], &keys[2]], &[])), ThresholdError::WrongShare { point: 3 });
    // Holders of the other shares get as far as the MAC of the header.
    assert!(matches!(open(&file, &[&keys[0], &keys[1]], &[]), Err(DecryptError::HeaderMac)));
}

/// One header has two complete sets from different files. Each keeps its own file key, and the MAC
/// is right for at most one.
#[test]
fn a_set_of_another_file_beside_the_own() {
    let keys = keys(3);
    let one = seal_labelled(2, &keys, &[], Some("one"));
    let both = [stanzas(&one), stanzas(&seal_labelled(2, &keys, &[], Some("other")))].concat_stanzas();
    let file = file_of(&both);
    let shown = Part::of(&header_of(&both), [&keys[1] as &dyn Identity]).unwrap();
    let labels: Vec<_> = shown.iter().map(|(shown, _)| shown.label.as_ref().map(Label::as_str)).collect();
    assert_eq!(labels, [Some("one"), Some("other")]);
    assert!(matches!(open(&file, &[&keys[0], &keys[1]], &[]), Err(DecryptError::HeaderMac)));
}

trait ConcatStanzas {
    fn concat_stanzas(self) -> Vec<Stanza>;
}

impl<const N: usize> ConcatStanzas for [Vec<Stanza>; N] {
    fn concat_stanzas(self) -> Vec<Stanza> {
        self.into_iter().flatten().collect()
    }
}

#[test]
fn a_set_id_repeated() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], None);
    let set = || stanzas(&file);
    let twice = [set(), set()].concat_stanzas();
    assert_eq!(contribution(&twice, &keys[0]), Err(ThresholdError::Malformed));
    assert_eq!(fails(open(&file_of(&twice), &[&keys[0], &keys[1]], &[])), ThresholdError::Malformed);
}

/// Every value that the holder is shown is authenticated.
#[test]
fn a_replaced_label_and_every_other_value_is_noticed() {
    let keys = keys(3);
    let base64 = |label: &str| BASE64_STANDARD_NO_PAD.encode(label);
    type Change<'a> = (&'a str, &'a dyn Fn(&mut Vec<String>));
    let changes: &[Change<'_>] = &[
        ("label", &|args| args[5] = base64("party")),
        ("label removed", &|args| drop(args.pop())),
        ("threshold", &|args| args[1] = "3".into()),
        ("count", &|args| args[2] = "2".into()),
        ("set id", &|args| args[4] = "0".repeat(32)),
    ];
    for (what, change) in changes {
        let file = seal_labelled(2, &keys, &[], Some("budget 2027"));
        let part = Part::of(&Header::parse(&file).unwrap().0, [&keys[2] as &dyn Identity]).unwrap().remove(0).1;
        let mut set: Vec<_> = stanzas(&file).into_iter().take(if *what == "count" { 2 } else { 3 }).collect();
        set.iter_mut().for_each(|stanza| change(&mut stanza.args));
        assert_eq!(contribution(&set, &keys[1]), Err(ThresholdError::WrongShare { point: 2 }), "{what}");
        let changed = file_of(&set);
        let wrong = fails(open(&changed, &[&keys[0], &keys[1]], &[]));
        assert_eq!(wrong, ThresholdError::WrongShare { point: 1 }, "{what}");
        // A part of the true file is not accepted either.
        let wrong = fails(open(&changed, &[], &[part]));
        let expected =
            if *what == "set id" { ThresholdError::OtherFile } else { ThresholdError::WrongPart { point: 3 } };
        assert_eq!(wrong, expected, "{what}");
    }
    // A label is added where there was none, and points are exchanged.
    let mut set = stanzas(&seal_labelled(2, &keys, &[], None));
    set.iter_mut().for_each(|stanza| stanza.args.push(base64("party")));
    assert_eq!(contribution(&set, &keys[1]), Err(ThresholdError::WrongShare { point: 2 }));
    let mut set = stanzas(&seal_labelled(2, &keys, &[], None));
    set[0].args[3] = "2".into();
    set[1].args[3] = "1".into();
    assert_eq!(contribution(&set, &keys[1]), Err(ThresholdError::WrongShare { point: 1 }));
}

/// A whole set is put before another payload. The label protects the holder, because it stays with
/// the set.
#[test]
fn a_whole_set_in_another_file_keeps_its_label() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], Some("budget 2027"));
    let (chief, bait) = (Key::generate().unwrap(), stanzas(&crate::support::seal(b"party")));
    let stolen = [bait, stanzas(&file)].concat_stanzas();
    let (shown, part) = Part::of(&header_of(&stolen), [&keys[0] as &dyn Identity]).unwrap().remove(0);
    assert_eq!(shown.label.unwrap().as_str(), "budget 2027");
    // It is a part of the true file. Holders must therefore read the label.
    assert_eq!(open(&file, &[&keys[1]], &[part]).unwrap(), b"secret");
    assert_eq!(contribution(&stolen, &chief), Ok(0));
}

/// Someone without a key changes lines of the header.
#[test]
fn malformed_stanzas() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], Some("x"));
    let text = encode(&stanzas(&file)[0]);
    let first_line = text.lines().next().unwrap();
    let id = first_line.split(' ').nth(6).unwrap();
    let changed = |line: &str| {
        let whole = String::from_utf8_lossy(&file);
        assert!(whole.contains(first_line));
        let header = whole.split_once("\n--- ").unwrap().0.replacen(first_line, line, 1);
        let mac = BASE64_STANDARD_NO_PAD.encode([7; 32]);
        let header = Header::parse(format!("{header}\n--- {mac}\n").as_bytes()).unwrap().0;
        threshold::describe(&header).map(|_| ())
    };
    assert_eq!(changed(first_line), Ok(()));
    let upper = id.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A");
    for (line, what) in [
        (format!("-> sealane/threshold v1 2 3 2 {id} eA"), "a point twice"),
        (format!("-> sealane/threshold v1 3 3 1 {id} eA"), "another threshold"),
        (format!("-> sealane/threshold v1 2 4 1 {id} eA"), "another count"),
        (format!("-> sealane/threshold v1 2 3 4 {id} eA"), "a point beyond the count"),
        (format!("-> sealane/threshold v1 2 3 0 {id} eA"), "the point of the secret"),
        (format!("-> sealane/threshold v1 2 3 01 {id} eA"), "a leading zero"),
        (format!("-> sealane/threshold v1 2 3 +1 {id} eA"), "a sign"),
        (format!("-> sealane/threshold v1 4 3 1 {id} eA"), "more than there are"),
        (format!("-> sealane/threshold v1 1 3 1 {id} eA"), "one alone"),
        (format!("-> sealane/threshold v1 2 3 1 {} eA", &id[1..]), "an id too short"),
        (format!("-> sealane/threshold v1 2 3 1 {upper} eA"), "an id in capitals"),
        (format!("-> sealane/threshold v1 2 3 1 {id} eB"), "base64 that is not canonical"),
        (format!("-> sealane/threshold v1 2 3 1 {id} CQ"), "a label with a control character"),
        (format!("-> sealane/threshold v1 2 3 1 {id} /w"), "a label that is not UTF-8"),
        (format!("-> sealane/threshold v1 2 3 1 {id} eQ"), "another label"),
        (format!("-> sealane/threshold v1 2 3 1 {id} eA eA"), "two labels"),
        (format!("-> sealane/threshold v1 2 3 1 {id}"), "no label"),
        ("-> sealane/threshold v1 2 3 1".to_owned(), "no id"),
        ("-> sealane/threshold 2 3 1".to_owned(), "no version"),
        ("-> sealane/threshold".to_owned(), "nothing"),
        (format!("-> sealane/threshold v01 2 3 1 {id} eA"), "a version with a zero"),
        (format!("-> sealane/threshold V1 2 3 1 {id} eA"), "no version's form"),
        (format!("-> sealane/threshold v2 2 3 1 {id} eA"), "a share of another version, so that one is missing"),
        (format!("-> sealane/other v1 2 3 1 {id} eA"), "a share missing"),
    ] {
        assert_eq!(changed(&line), Err(ThresholdError::Malformed), "{what}");
    }
}

#[test]
fn bodies_that_are_malformed() {
    let keys = keys(2);
    let file = seal_labelled(2, &keys, &[], None);
    let good = || stanzas(&file);
    let chief = good();
    let scrypt = Stanza {
        tag: "scrypt".into(),
        args: vec![BASE64_STANDARD_NO_PAD.encode([1; 16]), "18".into()],
        body: vec![2; 32],
    };
    let contribution_after = |change: &dyn Fn(&mut Stanza)| {
        let mut set = good();
        change(&mut set[0]);
        contribution(&set, &keys[0])
    };
    assert_eq!(contribution_after(&|_| ()), Ok(1));
    type Change<'a> = (&'a str, &'a dyn Fn(&mut Stanza));
    let changes: &[Change<'_>] = &[
        ("empty", &|stanza| stanza.body.clear()),
        ("cut before the inner stanzas", &|stanza| stanza.body.truncate(63)),
        ("without inner stanzas", &|stanza| stanza.body.truncate(64)),
        ("cut in the last line", &|stanza| stanza.body.truncate(stanza.body.len() - 1)),
        ("something after it", &|stanza| stanza.body.push(b'\n')),
        ("a MAC after it", &|stanza| stanza.body.extend(format!("--- {}\n", "A".repeat(43)).bytes())),
        ("a first line before it", &|stanza| drop(stanza.body.splice(64..64, *b"age-encryption.org/v1\n"))),
        ("a passphrase inside", &|stanza| with_inner(stanza, std::slice::from_ref(&scrypt))),
        ("shares of shares", &|stanza| with_inner(stanza, &chief)),
    ];
    for (what, change) in changes {
        assert_eq!(contribution_after(change), Err(ThresholdError::Malformed), "{what}");
    }
    // Bytes of the sealed share or the commitment are changed.
    for place in [0, 15, 16, 31, 32, 63] {
        let wrong = Err(ThresholdError::WrongShare { point: 1 });
        assert_eq!(contribution_after(&|stanza| stanza.body[place] ^= 1), wrong, "{place}");
    }
}

#[test]
fn a_version_that_is_not_known() {
    let keys = keys(2);
    let file = seal_labelled(2, &keys, &[], None);
    let newer = || {
        let mut set = stanzas(&file);
        set.iter_mut().for_each(|stanza| stanza.args[0] = "v2".into());
        set
    };
    let unknown = ThresholdError::UnknownVersion("v2".into());
    assert_eq!(contribution(&newer(), &keys[0]), Err(unknown.clone()));
    assert_eq!(fails(open(&file_of(&newer()), &[&keys[0], &keys[1]], &[])), unknown);
    // Beside a known set, it is treated like a stanza for another recipient.
    let mut both = stanzas(&seal_labelled(2, &keys, &[], None));
    both.extend(newer());
    assert_eq!(contribution(&both, &keys[0]), Ok(1));
}

/// A bad recipient: without stanzas, or with one that a header cannot have.
struct Bad(Option<&'static str>);

impl Recipient for Bad {
    fn wrap_file_key(&self, _: &FileKey) -> Result<Wrapped, WrapError> {
        let stanza = |tag: &str| Stanza { tag: tag.to_owned(), args: vec![], body: vec![1; 10] };
        Ok(Wrapped::new(self.0.map(stanza).into_iter().collect(), Default::default()))
    }
}

/// The result of a plugin is checked before it is written.
#[test]
fn a_holders_plugin_that_returns_what_nobody_could_read() {
    let good = Key::generate().unwrap().to_public();
    for tag in [None, Some(""), Some("a b"), Some("X25519")] {
        let bad = Bad(tag);
        let all = ThresholdRecipient::new(2, [&good as &dyn Recipient, &bad]).unwrap();
        let error = Encryptor::with_recipients([&all as &dyn Recipient]).unwrap_err();
        assert!(matches!(error, EncryptError::InvalidStanza(_)), "{tag:?}: {error:?}");
        crate::support::one_line(&error);
    }
    for tag in ["scrypt", threshold::TYPE] {
        let bad = Bad(Some(tag));
        let all = ThresholdRecipient::new(2, [&bad as &dyn Recipient, &good]).unwrap();
        let error = Encryptor::with_recipients([&all as &dyn Recipient]).unwrap_err();
        assert!(matches!(error, EncryptError::NotAHolder), "{tag}: {error:?}");
    }
    let fine = Bad(Some("fine"));
    let all = ThresholdRecipient::new(2, [&good as &dyn Recipient, &fine]).unwrap();
    assert!(Encryptor::with_recipients([&all as &dyn Recipient]).is_ok());
}

/// A holder whose stanza has the right form, but a share of low order.
struct LowOrder;

impl Recipient for LowOrder {
    fn wrap_file_key(&self, _: &FileKey) -> Result<Wrapped, WrapError> {
        Ok(Stanza { tag: "X25519".into(), args: vec!["A".repeat(43)], body: vec![1; 32] }.into())
    }
}

#[test]
fn a_stanza_that_nobody_can_open_does_not_hide_other_shares() {
    let keys = keys(2);
    let [one, two] = [keys[0].to_public(), keys[1].to_public()];
    let all = ThresholdRecipient::new(2, [&LowOrder as &dyn Recipient, &one, &two]).unwrap();
    let file = sealane_age::encrypt([&all as &dyn Recipient], b"secret").unwrap();
    let together = ThresholdIdentity::new([&keys[0] as &dyn Identity, &keys[1]], &[]);
    assert_eq!(sealane_age::decrypt([&together as &dyn Identity], &file).unwrap(), b"secret");
    let header = Header::parse(&file).unwrap().0;
    let parts = Part::of(&header, [&keys[1] as &dyn Identity]).unwrap();
    assert_eq!(parts.iter().map(|(_, part)| part.point()).collect::<Vec<_>>(), [3]);
}

/// An identity that returns a key for everything.
struct Liar;

impl Identity for Liar {
    fn unwrap_file_key(&self, _: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        Ok(Some(FileKey::new(Box::new([7; 16]))))
    }
}

/// A holder's plugin can withhold a share, but cannot replace it.
#[test]
fn an_identity_that_returns_wrong_keys() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], None);
    let header = Header::parse(&file).unwrap().0;
    let Err(error) = Part::of(&header, [&Liar as &dyn Identity]) else { panic!("it gave a part") };
    assert!(matches!(error, UnwrapError::Threshold(ThresholdError::WrongShare { point: 1 })));
    let together = ThresholdIdentity::new([&Liar as &dyn Identity, &keys[0], &keys[2]], &[]);
    assert!(Decryptor::new(&file[..]).unwrap().decrypt([&together as &dyn Identity]).is_ok());
}
