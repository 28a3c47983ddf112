//! The text of files that people have edited.

use zeroize::Zeroizing;

/// Decodes the text of a file: UTF-8, or UTF-16 with a byte order mark, as Windows writes it.
/// Returns `None` if the file is binary. Bytes that are not UTF-8 become replacement characters.
pub(crate) fn decode(bytes: &[u8]) -> Option<Zeroizing<String>> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        let mut text = Zeroizing::new(String::with_capacity(rest.len() * 2));
        text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        text
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] if rest.contains(&0) => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] if rest.contains(&0) => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes),
    };
    (!text.contains('\0')).then_some(text)
}

fn utf8(bytes: &[u8]) -> Zeroizing<String> {
    const WRONG: &str = "\u{fffd}";
    let pieces =
        || bytes.utf8_chunks().flat_map(|chunk| [chunk.valid(), if chunk.invalid().is_empty() { "" } else { WRONG }]);
    // Allocated at once, because growing leaves a copy behind that is not wiped.
    let mut text = Zeroizing::new(String::with_capacity(pieces().map(str::len).sum()));
    text.extend(pieces());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16() {
        let units: Vec<u16> = "\u{feff}share é".encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(*decode(&little).unwrap(), "share é");
        assert_eq!(*decode(&big).unwrap(), "share é");
        assert_eq!(*decode("share é".as_bytes()).unwrap(), "share é");
        assert!(decode(b"bin\0ary").is_none());
        let wrong = b"a\xff\xfeb\xe2\x82c\xf0\x9f";
        assert_eq!(*decode(wrong).unwrap(), String::from_utf8_lossy(wrong));
    }
}
