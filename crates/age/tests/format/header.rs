//! The parser accepts exactly the headers that the writer writes.

use proptest::prelude::*;
use sealane_age::header::{Header, HeaderError, LineFault, MAX_HEADER_BYTES, StanzaFault};
use sealane_age::{DecryptError, Decryptor, FileKey, Stanza};

use crate::support::one_line;

const SHARE: &str = "CJM36AHmTbdHSuOQL+NESqyVQE75f2e610iRdLPEN20";
const BODY: &str = "C3ZAeY64NXS4QFrksLm3EGz+uPRyI0eQsWw7LWbbYig";
const MAC: &str = "fgMiVLJHMlg9fW7CVG/hPS5EAU4Zeg19LyCP7SoH5nA";

fn with_stanzas(stanzas: &str) -> String {
    format!("age-encryption.org/v1\n{stanzas}--- {MAC}\n")
}

#[track_caller]
fn rejects(text: impl AsRef<[u8]>, error: HeaderError) {
    let text = text.as_ref();
    one_line(&error);
    assert_eq!(Header::parse(text).unwrap_err(), error, "{:?}", String::from_utf8_lossy(text));
    let read = Decryptor::new(text).err().unwrap();
    assert!(matches!(&read, DecryptError::Header(e) if *e == error), "{read:?}");
}

fn line(line: usize, fault: LineFault) -> HeaderError {
    HeaderError::Malformed { line, fault }
}

#[test]
fn a_header_of_every_kind_of_stanza() {
    let full = "A".repeat(64);
    let text = with_stanzas(&format!(
        "-> X25519 {SHARE}\n{BODY}\n-> empty\n\n-> ! ~ \"#$\n{full}\n\n-> two {SHARE} b\n{full}\n{full}\nAAA\n-> -> ---\nAA\n"
    ));
    let (header, len) = Header::parse(format!("{text}rest").as_bytes()).unwrap();
    assert_eq!(len, text.len());
    let stanzas = header.stanzas();
    assert_eq!(stanzas.len(), 5);
    assert_eq!((&*stanzas[0].tag, stanzas[0].args.len(), stanzas[0].body.len()), ("X25519", 1, 32));
    assert_eq!((&*stanzas[1].tag, stanzas[1].args.len(), stanzas[1].body.len()), ("empty", 0, 0));
    assert_eq!((&*stanzas[2].args[1], stanzas[2].body.len()), ("\"#$", 48));
    assert_eq!((&*stanzas[3].args[1], stanzas[3].body.len()), ("b", 98));
    assert_eq!((&*stanzas[4].tag, &*stanzas[4].args[0], stanzas[4].body.len()), ("->", "---", 1));
    assert!(!header.is_scrypt() && header.scrypt_work_factor().is_none());
    assert_eq!(header.encode(), text.as_bytes());
}

#[test]
fn the_first_line() {
    rejects("", HeaderError::Empty);
    rejects("a", HeaderError::Truncated);
    rejects("age-encryption.org/v1", HeaderError::Truncated);
    rejects("age-encryption.org/v1\n", HeaderError::Truncated);
    rejects("age-encryption.org/v1\r\n", line(1, LineFault::CarriageReturn));
    rejects("age-encryption.org/v2\n", HeaderError::UnknownVersion("v2".into()));
    rejects("age-encryption.org/v1 \n", HeaderError::NotAge);
    rejects("age-encryption.org/v1\x1b[2J\n", HeaderError::NotAge);
    rejects("age-encryption.org/\n", HeaderError::NotAge);
    rejects(" age-encryption.org/v1\n", HeaderError::NotAge);
    rejects("\n", HeaderError::NotAge);
    rejects("PK\x03\x04", HeaderError::NotAge);
    rejects([0xff; 5000], HeaderError::NotAge);
    rejects("-----BEGIN AGE ENCRYPTED FILE-----\nYWdl", HeaderError::Armored);
    // The text is longer than the first line of any header.
    rejects(format!("-----BEGIN AGE ENCRYPTED FILE-----{}\n", "A".repeat(200)), HeaderError::Armored);
    rejects(format!("-----BEGIN AGE ENCRYPTED FILE-----{}", "A".repeat(200)), HeaderError::Armored);
}

#[test]
fn the_lines_of_stanzas() {
    let full = "A".repeat(64);
    for (stanzas, error) in [
        ("", HeaderError::NoStanza),
        ("\n", line(2, LineFault::Unexpected)),
        ("X25519\n", line(2, LineFault::Unexpected)),
        ("->X\n\n", line(2, LineFault::Unexpected)),
        ("-> \n\n", line(2, LineFault::EmptyArgument)),
        ("->\n\n", line(2, LineFault::Unexpected)),
        ("->  X\n\n", line(2, LineFault::EmptyArgument)),
        ("-> X \n\n", line(2, LineFault::EmptyArgument)),
        ("-> X  y\n\n", line(2, LineFault::EmptyArgument)),
        ("-> X\ty\n\n", line(2, LineFault::InvalidCharacter)),
        ("-> X\x7f\n\n", line(2, LineFault::InvalidCharacter)),
        ("-> X é\n\n", line(2, LineFault::InvalidCharacter)),
        ("-> X\r\n\n", line(2, LineFault::CarriageReturn)),
        ("-> X\n\r\n", line(3, LineFault::CarriageReturn)),
        ("-> X\nAA\r\n", line(3, LineFault::CarriageReturn)),
        ("-> X\n", line(3, LineFault::NoShortLine)),
        ("-> X\n-> Y\n\n", line(3, LineFault::NoShortLine)),
        ("-> X\nA\n", line(3, LineFault::Base64)),
        ("-> X\nAB\n", line(3, LineFault::Base64)),
        ("-> X\nAAB\n", line(3, LineFault::Base64)),
        ("-> X\nAA==\n", line(3, LineFault::Base64)),
        ("-> X\nA A\n", line(3, LineFault::Base64)),
        ("-> X\nAA_-\n", line(3, LineFault::Base64)),
        ("-> X\nAA\nAA\n", line(4, LineFault::Unexpected)),
        ("-> X\nAA\n\n", line(4, LineFault::Unexpected)),
        ("-> X\n\n\n", line(4, LineFault::Unexpected)),
    ] {
        rejects(with_stanzas(stanzas), error);
    }
    rejects(with_stanzas(&format!("-> X\n{full}\n")), line(4, LineFault::NoShortLine));
    rejects(with_stanzas(&format!("-> X\n{full}A\n")), line(3, LineFault::BodyLineTooLong));
    rejects(with_stanzas(&format!("-> X\n{full}=\n")), line(3, LineFault::BodyLineTooLong));
    rejects(with_stanzas(&format!("-> X\n{}=\n\n", &full[1..])), line(3, LineFault::Base64));
}

#[test]
fn the_last_line() {
    let start = "age-encryption.org/v1\n-> X\n\n";
    for (end, error) in [
        ("---\n".to_owned(), line(4, LineFault::Mac)),
        ("--- \n".to_owned(), line(4, LineFault::Mac)),
        (format!("---{MAC}\n"), line(4, LineFault::Mac)),
        (format!("---  {MAC}\n"), line(4, LineFault::Mac)),
        (format!("--- {MAC} \n"), line(4, LineFault::Mac)),
        (format!("--- {MAC}=\n"), line(4, LineFault::Mac)),
        (format!("--- {MAC}A\n"), line(4, LineFault::Mac)),
        (format!("--- {}\n", &MAC[1..]), line(4, LineFault::Mac)),
        (format!("--- {}B\n", &MAC[..42]), line(4, LineFault::Base64)),
        (format!("--- {}=\n", &MAC[..42]), line(4, LineFault::Base64)),
        (format!("---- {MAC}\n"), line(4, LineFault::Mac)),
        (format!("-- {MAC}\n"), line(4, LineFault::Unexpected)),
        (format!("--- {MAC}\r\n"), line(4, LineFault::CarriageReturn)),
        (format!("--- {MAC}"), HeaderError::Truncated),
    ] {
        rejects(format!("{start}{end}"), error);
    }
}

#[test]
fn the_stanzas_of_the_specification() {
    let salt = "bBjlhJVYZeE4aqUdmtRHfw";
    let fault = |stanza_type, fault| HeaderError::Stanza { stanza_type, fault };
    let (count, argument) = (StanzaFault::ArgumentCount, StanzaFault::Argument);
    for (first, body, error) in [
        ("X25519".to_owned(), BODY, fault("X25519", count)),
        (format!("X25519 {SHARE} {SHARE}"), BODY, fault("X25519", count)),
        (format!("X25519 {}", &SHARE[1..]), BODY, fault("X25519", argument)),
        (format!("X25519 {SHARE}="), BODY, fault("X25519", argument)),
        (format!("X25519 {}1", &SHARE[..42]), BODY, fault("X25519", argument)),
        (format!("X25519 {SHARE}A"), BODY, fault("X25519", argument)),
        (format!("X25519 {SHARE}"), "", fault("X25519", StanzaFault::BodyLength)),
        (format!("X25519 {SHARE}"), &BODY[..40], fault("X25519", StanzaFault::BodyLength)),
        (format!("scrypt {salt}"), BODY, fault("scrypt", count)),
        (format!("scrypt {salt} 10 x"), BODY, fault("scrypt", count)),
        (format!("scrypt {salt} 010"), BODY, fault("scrypt", StanzaFault::WorkFactor)),
        (format!("scrypt {salt} 64"), BODY, fault("scrypt", StanzaFault::WorkFactor)),
        (format!("scrypt {} 10", &salt[..20]), BODY, fault("scrypt", argument)),
        (format!("p256tag AAAA {SHARE}"), BODY, fault("p256tag", argument)),
    ] {
        rejects(with_stanzas(&format!("-> {first}\n{body}\n")), error);
    }
    let scrypt = format!("-> scrypt {salt} 10\n{BODY}\n");
    let (header, _) = Header::parse(with_stanzas(&scrypt).as_bytes()).unwrap();
    assert_eq!((header.is_scrypt(), header.scrypt_work_factor()), (true, Some(10)));
    for stanzas in [format!("{scrypt}{scrypt}"), format!("{scrypt}-> X\n\n"), format!("-> X\n\n{scrypt}")] {
        rejects(with_stanzas(&stanzas), HeaderError::ScryptNotAlone);
    }
    // SSH stanzas and other types that are not in the specification may have any form.
    Header::parse(with_stanzas(&format!("-> x25519\n{BODY}\n-> ssh-rsa\nAA\n-> Scrypt\n\n")).as_bytes()).unwrap();
}

fn file_key() -> FileKey {
    FileKey::new(Box::new([7; 16]))
}

#[test]
fn stanzas_that_cannot_be_written_are_refused() {
    for (tag, args) in [("", vec![]), ("a b", vec![]), ("a\n", vec![]), ("a", vec!["".into()]), ("a", vec!["é".into()])]
    {
        let stanza = Stanza { tag: tag.into(), args, body: vec![] };
        assert_eq!(Header::new(vec![stanza], &file_key()).unwrap_err(), HeaderError::InvalidStanza);
    }
    assert_eq!(Header::new(vec![], &file_key()).unwrap_err(), HeaderError::NoStanza);
    // The longest argument fills the header: the intro, "-> a ", two line feeds and the line of the
    // MAC surround it.
    let longest = MAX_HEADER_BYTES - "age-encryption.org/v1\n-> a \n\n--- \n".len() - MAC.len();
    let with_argument =
        |len| Header::new(vec![Stanza { tag: "a".into(), args: vec!["x".repeat(len)], body: vec![] }], &file_key());
    assert_eq!(with_argument(longest + 1).unwrap_err(), HeaderError::TooLong);
    let encoded = with_argument(longest).unwrap().encode();
    assert_eq!(encoded.len(), MAX_HEADER_BYTES);
    Header::parse(&encoded).unwrap();
}

#[test]
fn a_thousand_recipients_fit() {
    let stanza = || Stanza { tag: "X25519".into(), args: vec![SHARE.into()], body: vec![7; 32] };
    let with_stanzas = |count| Header::new((0..count).map(|_| stanza()).collect(), &file_key());
    assert_eq!(Header::parse(&with_stanzas(1024).unwrap().encode()).unwrap().0.stanzas().len(), 1024);
    assert_eq!(with_stanzas(1025).unwrap_err(), HeaderError::TooManyStanzas);
}

fn word() -> impl Strategy<Value = String> {
    "[!-~]{1,80}"
}

fn stanza() -> impl Strategy<Value = Stanza> {
    (word(), prop::collection::vec(word(), 0..4), prop::collection::vec(any::<u8>(), 0..200))
        .prop_map(|(tag, args, body)| Stanza { tag, args, body })
        .prop_filter("native stanzas have a form of their own", |s| s.tag != "X25519" && s.tag != "scrypt")
}

/// Generates valid headers, as bytes.
fn header() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(stanza(), 1..4).prop_map(|stanzas| Header::new(stanzas, &file_key()).unwrap().encode())
}

/// Compares the result of [`Header::parse`] with that of the reader, and writes the header again.
fn check(bytes: &[u8]) {
    let read = Decryptor::new(bytes);
    match Header::parse(bytes) {
        Ok((header, len)) => {
            assert_eq!(header.encode(), bytes[..len]);
            match read {
                Ok(decryptor) => assert_eq!(*decryptor.header(), header),
                Err(error) => {
                    assert!(bytes.len() < len + 16);
                    assert!(matches!(error, DecryptError::Header(HeaderError::Truncated)));
                }
            }
        }
        Err(error) => {
            one_line(&error);
            assert!(matches!(read.err().unwrap(), DecryptError::Header(e) if e == error));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_parses_to_the_same(stanzas in prop::collection::vec(stanza(), 1..5), rest in any::<[u8; 20]>()) {
        let header = Header::new(stanzas, &file_key()).unwrap();
        let mut bytes = header.encode();
        let len = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(Header::parse(&bytes).unwrap(), (header, len));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes);
    }

    #[test]
    fn any_bytes_after_the_first_line(
        bytes in prop::collection::vec(prop_oneof![
            Just(b"-> ".to_vec()), Just(b"\n".to_vec()), Just(b"--- ".to_vec()), Just(b"\r".to_vec()), Just(b" ".to_vec()),
            Just(b"A".repeat(64)), Just(b"AA".to_vec()), Just(MAC.as_bytes().to_vec()), Just(b"X25519".to_vec()),
            Just(b"scrypt".to_vec()), prop::collection::vec(any::<u8>(), 1..3),
        ], 0..20),
    ) {
        check(&[b"age-encryption.org/v1\n", &bytes.concat()[..]].concat());
    }

    #[test]
    fn a_header_with_changes(
        mut bytes in header(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..5u8), 0..4),
    ) {
        for (index, byte, kind) in changes {
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => { bytes.remove(at); }
                3 => bytes[at] = b'\n',
                _ => bytes.insert(at, b'\n'),
            }
            if bytes.is_empty() { break; }
        }
        check(&bytes);
    }
}
