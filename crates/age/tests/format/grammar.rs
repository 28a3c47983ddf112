//! Checks the parser against a second implementation of the grammar
//! (<https://c2sp.org/age#header>): for all headers made of a few pieces, and for every change of a
//! byte.

use sealane_age::header::{Header, HeaderError, HeaderPrefix};

const INTRO: &str = "age-encryption.org/v1\n";
const LAST_LINE: &str = "--- fgMiVLJHMlg9fW7CVG/hPS5EAU4Zeg19LyCP7SoH5nA\n";

/// Returns the length of the header at the start of `text`, if there is one. The stanzas must have
/// types that are not in the specification.
fn header(text: &[u8]) -> Option<usize> {
    let mut rest = text.strip_prefix(INTRO.as_bytes())?;
    let mut stanzas = 0;
    loop {
        let line = take_line(&mut rest)?;
        if let Some(arguments) = line.strip_prefix(b"-> ") {
            let is_argument = |word: &[u8]| !word.is_empty() && word.iter().all(|byte| matches!(byte, 0x21..=0x7e));
            if !arguments.split(|&byte| byte == b' ').all(is_argument) {
                return None;
            }
            // A body has full lines of 64 characters, and a shorter last one.
            loop {
                let line = take_line(&mut rest)?;
                if line.len() > 64 || !is_base64(line) {
                    return None;
                }
                if line.len() < 64 {
                    break;
                }
            }
            stanzas += 1;
        } else {
            let mac = line.strip_prefix(b"--- ")?;
            return (stanzas > 0 && mac.len() == 43 && is_base64(mac)).then_some(text.len() - rest.len());
        }
    }
}

fn take_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Some(line)
}

/// Returns whether the text is canonical base64 without padding (RFC 4648, section 4): the unused
/// bits of the last character are zero.
fn is_base64(text: &[u8]) -> bool {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let unused_bits = match text.len() % 4 {
        0 => 0,
        2 => 4,
        3 => 2,
        _ => return false,
    };
    text.iter().all(|&byte| value(byte).is_some())
        && text.last().is_none_or(|&byte| value(byte).is_some_and(|value| value.trailing_zeros() >= unused_bits))
}

/// Checks that both implementations agree on `text`, that a header in it is written unchanged, and
/// that it is incomplete if it is cut after `first_cut` bytes or more. Returns whether `text`
/// begins with a header.
fn check(text: &[u8], first_cut: usize) -> bool {
    let expected = header(text);
    let parsed = Header::parse(text);
    assert_eq!(parsed.as_ref().ok().map(|(_, length)| *length), expected, "{:?}", String::from_utf8_lossy(text));
    match (Header::parse_prefix(text), parsed) {
        (Ok(HeaderPrefix::Complete { header, len }), Ok((parsed, length))) => {
            assert!(header == parsed && len == length);
            assert!(header.encode() == text[..length], "{:?}", String::from_utf8_lossy(text));
            assert_eq!(header.encoded_len(), length);
            let mut before = 0;
            for cut in first_cut..length {
                let shorter = Header::parse_prefix(&text[..cut]);
                let Ok(HeaderPrefix::Incomplete { at_least }) = shorter else {
                    panic!("{cut} of {length}: {shorter:?}")
                };
                assert!(cut < at_least && at_least <= length, "{cut} of {length}: {at_least}");
                assert!(before <= at_least, "{cut} of {length}: {at_least} after {before}");
                before = at_least;
            }
        }
        (Ok(HeaderPrefix::Incomplete { at_least }), Err(_)) => assert!(at_least > text.len()),
        (Err(error), Err(expected)) => assert_eq!(error, expected),
        (prefix, parsed) => panic!("{prefix:?}, {parsed:?}"),
    }
    expected.is_some()
}

/// Tries all sequences of up to `left` pieces after the text. Counts those that are not headers in
/// `counts[0]`, and those that are in `counts[1]`.
fn check_all(text: &mut Vec<u8>, pieces: &[&str], left: usize, counts: &mut [usize; 2]) {
    counts[usize::from(check(text, 0))] += 1;
    if left > 0 {
        for piece in pieces {
            let length = text.len();
            text.extend_from_slice(piece.as_bytes());
            check_all(text, pieces, left - 1, counts);
            text.truncate(length);
        }
    }
}

#[test]
fn all_headers_of_a_few_pieces() {
    let full = "AbC/".repeat(16);
    // The pieces come in the first line of a stanza, in its body, and after it.
    let pieces = ["-> ", "x", " ", "\n", "AA", &full, LAST_LINE, "---"];
    let mut counts = [0; 2];
    check_all(&mut INTRO.as_bytes().to_vec(), &pieces, 6, &mut counts);
    assert_eq!(counts.iter().sum::<usize>(), (0..=6).map(|n| 8_usize.pow(n)).sum::<usize>());
    let pieces = ["-> x y\n", "\n", "A", "B", "=", "\r", "\x7f", &full, LAST_LINE];
    check_all(&mut INTRO.as_bytes().to_vec(), &pieces, 6, &mut counts);
    assert!(counts[1] > 500, "almost none is a header: {counts:?}");
}

#[test]
fn every_change_of_a_byte_and_every_truncation() {
    let text = format!("{INTRO}-> a b\n{0}\nAAA\n-> ~ ! -\n\n-> c\n{0}\n{0}\n\n{LAST_LINE}", "AbC/".repeat(16));
    let text = text.as_bytes();
    assert!(check(text, 0));
    for at in 0..text.len() {
        assert!(!check(&text[..at], 0), "{at} bytes are no header");
        let error = Header::parse(&text[..at]).unwrap_err();
        assert_eq!(error, if at == 0 { HeaderError::Empty } else { HeaderError::Truncated }, "{at} bytes");
        // Earlier cuts leave bytes of the unchanged text, and ask for no more than this one does.
        let first_cut = at.saturating_sub(1);
        for byte in 0..=u8::MAX {
            let mut changed = text.to_vec();
            changed[at] = byte;
            check(&changed, first_cut);
            // One more byte is inserted.
            changed[at] = text[at];
            changed.insert(at, byte);
            check(&changed, first_cut);
        }
    }
}
