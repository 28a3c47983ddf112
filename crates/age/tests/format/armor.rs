//! The text form: strictness and round trips.

use std::io::{Read, Write};

use proptest::prelude::*;
use sealane_age::armor::{ArmorError, ArmorFault, ArmoredReader, ArmoredWriter};
use sealane_age::{DecryptError, Decryptor};

use crate::support::{one_line, plaintext};

const BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
const END: &str = "-----END AGE ENCRYPTED FILE-----";

fn encode(bytes: &[u8]) -> String {
    let mut writer = ArmoredWriter::new(Vec::new());
    writer.write_all(bytes).unwrap();
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

/// Returns the bytes before an error, and the error. Both kinds of reader must agree, and so must
/// long and short reads.
#[track_caller]
fn decode(text: &[u8]) -> (Vec<u8>, Option<ArmorError>) {
    let mut results = Vec::new();
    for mut reader in [ArmoredReader::armored(text), ArmoredReader::new(text)] {
        let mut bytes = Vec::new();
        let error = reader.read_to_end(&mut bytes).err();
        results.push((bytes, error.map(|e| armor_error(&e))));
        if let Some(error) = results[results.len() - 1].1 {
            let again = reader.read(&mut [0]).unwrap_err();
            assert_eq!(armor_error(&again), error, "the error stays");
        }
    }
    let mut reader = ArmoredReader::armored(text);
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    let error = loop {
        match reader.read(&mut byte) {
            Ok(0) => break None,
            Ok(_) => bytes.push(byte[0]),
            Err(e) => break Some(armor_error(&e)),
        }
    };
    results.push((bytes, error));
    assert!(results.iter().all(|r| *r == results[0]), "{results:?}");
    results.swap_remove(0)
}

#[track_caller]
fn armor_error(error: &std::io::Error) -> ArmorError {
    one_line(error);
    ArmorError::of(error).unwrap()
}

#[track_caller]
fn fails(text: &str, error: ArmorError) {
    assert_eq!(decode(text.as_bytes()).1, Some(error), "{text:?}");
}

fn fault(line: u64, fault: ArmorFault) -> ArmorError {
    ArmorError::Line { line, fault }
}

/// Returns a full line: 64 columns, which are 48 bytes.
fn full() -> String {
    "QUJD".repeat(16)
}

#[test]
fn lines_have_64_columns_and_a_short_one_ends() {
    for (len, lines, last) in [(0, 0, 0), (1, 1, 4), (3, 1, 4), (47, 1, 64), (48, 1, 64), (49, 2, 4), (96, 2, 64)] {
        let text = encode(&plaintext(len));
        let all: Vec<&str> = text.strip_suffix('\n').unwrap().split('\n').collect();
        assert_eq!((all[0], all[all.len() - 1]), (BEGIN, END));
        let body = &all[1..all.len() - 1];
        assert_eq!(body.len(), lines, "{len}");
        assert_eq!(body.last().map_or(0, |l| l.len()), last, "{len}");
        assert!(body.iter().rev().skip(1).all(|l| l.len() == 64));
    }
}

#[test]
fn lf_and_crlf_and_white_space_outside_are_accepted() {
    let bytes = plaintext(100);
    let text = encode(&bytes);
    for variant in [
        text.clone(),
        text.replace('\n', "\r\n"),
        text.trim_end().to_owned(),
        format!("\n \t\r\n\x0b\x0c\n{text}\r\n  \t \n"),
        format!("{text}{}", " ".repeat(100_000)),
        format!("{}{text}", "\n".repeat(1000)),
        // Line ends may differ.
        text.replacen('\n', "\r\n", 2),
    ] {
        assert_eq!(decode(variant.as_bytes()), (bytes.clone(), None), "{variant:?}");
    }
}

#[test]
fn what_is_not_exactly_armor_is_rejected() {
    use ArmorFault::{AfterShortLine, Base64, Begin, Empty, End, TooLong};
    let f = full();
    for (body, error) in [
        ("\n".to_owned(), fault(2, Empty)),
        (format!("{f}\n\n"), fault(3, Empty)),
        (format!("{f}\n\n{f}\n"), fault(3, Empty)),
        (format!("{f}A\n"), fault(2, TooLong)),
        (format!("{f}QUJD\n"), fault(2, TooLong)),
        (format!("{f}{}\n", "QUJD".repeat(5000)), fault(2, TooLong)),
        (format!("QUJD\n{f}\n"), fault(3, AfterShortLine)),
        ("QUJD\nQUJD\n".to_owned(), fault(3, AfterShortLine)),
        ("QQ==\nQUJD\n".to_owned(), fault(3, AfterShortLine)),
        (format!("{}Q===\n", &f[..60]), fault(2, Base64)),
        (format!("{}QQ==\n{f}\n", &f[..60]), fault(3, AfterShortLine)),
        ("QQ\n".to_owned(), fault(2, Base64)),
        ("QQ=\n".to_owned(), fault(2, Base64)),
        ("QR==\n".to_owned(), fault(2, Base64)),
        ("QUJ=\n".to_owned(), fault(2, Base64)),
        ("QUI=QUI=\n".to_owned(), fault(2, Base64)),
        ("=\n".to_owned(), fault(2, Base64)),
        ("QUJDRA=\n=\n".to_owned(), fault(2, Base64)),
        (format!("{}-{}\n", &f[..30], &f[31..]), fault(2, Base64)),
        (format!("{}_{}\n", &f[..30], &f[31..]), fault(2, Base64)),
        (format!("{} {}\n", &f[..30], &f[31..]), fault(2, Base64)),
        (format!("{}\r{}\n", &f[..30], &f[31..]), fault(2, Base64)),
        (format!("{}é{}\n", &f[..30], &f[32..]), fault(2, Base64)),
        (format!("{f} \n"), fault(2, TooLong)),
        (format!(" {f}\n"), fault(2, TooLong)),
        ("QUJD \n".to_owned(), fault(2, Base64)),
        (" QUJD\n".to_owned(), fault(2, Base64)),
        ("QUJD\r\r\n".to_owned(), fault(2, Base64)),
        ("Header: no\n\nQUJD\n".to_owned(), fault(2, Base64)),
        ("QUJD\n=njUN\n".to_owned(), fault(3, AfterShortLine)),
        (format!("{BEGIN}\n"), fault(2, End)),
        (format!("QUJD\n{}\n", END.replace("AGE", "PGP")), fault(3, End)),
        (format!("QUJD\n{END} \n"), fault(3, End)),
        (format!("QUJD\n{END}-\n"), fault(3, End)),
    ] {
        fails(&format!("{BEGIN}\n{body}{END}\n"), error);
    }
    for begin in [
        format!(" {BEGIN}"),
        format!("{BEGIN} "),
        format!("{BEGIN}-"),
        format!("-{BEGIN}"),
        BEGIN.replace("AGE", "age"),
        BEGIN.replace("FILE", "MESSAGE"),
        BEGIN.replacen('-', "", 1),
    ] {
        fails(&format!("{begin}\nQUJD\n{END}\n"), fault(1, Begin));
        fails(&format!("\n\n{begin}\nQUJD\n{END}\n"), fault(3, Begin));
    }
    for trailer in ["x", "\nx\n", "\n\n\n-----BEGIN AGE ENCRYPTED FILE-----\n", "\n\0", "\n\u{a0}"] {
        let text = format!("{BEGIN}\nQUJD\n{END}{trailer}");
        // If the input ends inside a line, it is not known how the line goes on.
        let error = if trailer == "x" { ArmorError::Truncated } else { ArmorError::TrailingData };
        fails(&text, error);
    }
}

/// A reader that returns at most `.1` bytes at a time.
struct Short<'a>(&'a [u8], usize);

impl Read for Short<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(self.1);
        self.0.read(&mut out[..n])
    }
}

#[test]
fn armor_is_recognised_after_up_to_1024_bytes_of_white_space() {
    let text = encode(b"attack at dawn");
    for (before, is_armored) in [(1000, true), (1024, true), (1025, false), (2000, false)] {
        let text = format!("{}{text}", "\n".repeat(before));
        for step in [1, 1000, 65536] {
            let mut reader = ArmoredReader::new(Short(text.as_bytes(), step));
            assert_eq!(reader.is_armored().unwrap(), is_armored, "{before} {step}");
            let mut reader = ArmoredReader::armored(Short(text.as_bytes(), step));
            assert_eq!(reader.is_armored().is_ok(), is_armored, "{before} {step}");
        }
    }
}

#[test]
fn a_reader_that_failed_does_not_say_that_the_input_is_armored() {
    let text = encode(b"attack at dawn");
    let cut = &text[..text.len() - END.len() - 1];
    for (text, error) in [("-foo", ArmorError::NoBegin), (cut, ArmorError::Truncated)] {
        let mut reader = ArmoredReader::new(text.as_bytes());
        assert_eq!(armor_error(&reader.read_to_end(&mut Vec::new()).unwrap_err()), error);
        for _ in 0..2 {
            assert_eq!(armor_error(&reader.is_armored().unwrap_err()), error);
        }
    }
}

#[test]
fn text_cut_at_every_byte_is_truncated() {
    let text = encode(&plaintext(150));
    let last = text.trim_end().len();
    for len in 1..last {
        let (bytes, error) = decode(&text.as_bytes()[..len]);
        assert!(plaintext(150).starts_with(&bytes));
        let error = error.unwrap();
        // If the cut is inside the first line, that line is wrong. Elsewhere, the end of the text
        // is missing.
        let inside = matches!(error, ArmorError::Line { line, fault: ArmorFault::Begin } if line == 1)
            || matches!(error, ArmorError::NoBegin);
        assert!(error == ArmorError::Truncated || (len < BEGIN.len() && inside), "{len} {error:?}");
    }
    assert_eq!(decode(&text.as_bytes()[..last]), (plaintext(150), None));
}

#[test]
fn input_that_is_not_armored_is_passed_on_or_refused() {
    for text in [&b""[..], b"garbage\n-----BEGIN AGE ENCRYPTED FILE-----\n", b" \n a", &b"\n".repeat(1025), b"age-"] {
        let mut passed = Vec::new();
        let mut reader = ArmoredReader::new(text);
        assert!(!reader.is_armored().unwrap());
        reader.read_to_end(&mut passed).unwrap();
        assert_eq!(passed, text);
        let error = ArmoredReader::armored(text).read(&mut [0; 10]).unwrap_err();
        assert_eq!(armor_error(&error), ArmorError::NoBegin);
    }
}

#[test]
fn a_decryptor_says_that_the_armor_is_wrong_and_not_the_header() {
    let text = format!("{BEGIN}\nYWdl*\n{END}\n");
    let error = Decryptor::new(ArmoredReader::new(text.as_bytes())).err().unwrap();
    assert!(matches!(error, DecryptError::Armor(e) if e == fault(2, ArmorFault::Base64)), "{error:?}");
    // If a binary file is expected, the error for an armored one says what to do.
    let error = Decryptor::new(text.as_bytes()).err().unwrap();
    assert!(error.to_string().contains("armored"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_back(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        piece in 1usize..100,
        crlf in any::<bool>(),
    ) {
        let mut writer = ArmoredWriter::new(Vec::new());
        for part in bytes.chunks(piece) {
            writer.write_all(part).unwrap();
            writer.flush().unwrap();
        }
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        prop_assert_eq!(&text, &encode(&bytes));
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        prop_assert_eq!(decode(text.as_bytes()), (bytes, None));
    }

    /// Decoded text, written again, is the same text, except for line ends and white space around
    /// it.
    #[test]
    fn there_is_one_text_for_each_file(
        len in 0usize..150,
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![
            any::<u8>(), prop::sample::select(&b"-=\n\r AZaz09+/"[..]),
        ], 0..3u8), 0..3),
    ) {
        let mut text = encode(&plaintext(len)).into_bytes();
        for (index, byte, kind) in changes {
            let at = index.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => { text.remove(at); }
            }
        }
        let mut bytes = Vec::new();
        if ArmoredReader::armored(&text[..]).read_to_end(&mut bytes).is_ok() {
            let text = String::from_utf8(text).unwrap().replace("\r\n", "\n");
            let again = encode(&bytes);
            prop_assert_eq!(text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b'), again.trim());
        }
    }
}
