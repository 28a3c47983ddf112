//! Hexadecimal digits of secrets.

use zeroize::Zeroizing;

/// Appends the hexadecimal digits of a secret. Neither branches nor addresses depend on the secret.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            // The code of a letter is '0' + digit + 39. The sign of 9 - digit gives the mask for
            // the 39.
            let letter = (9i8.wrapping_sub(digit as i8) >> 7) as u8;
            text.push(char::from(b'0' + digit + (letter & 39)));
        }
    }
}

/// Reads pairs of hexadecimal digits. Neither branches nor addresses depend on the digits. Only the
/// result reveals whether all of them are valid.
pub(crate) fn read_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    let mut seen = 0;
    for pair in text.as_bytes().chunks_exact(2) {
        let [high, low] = [digit(pair[0]), digit(pair[1])];
        seen |= high | low;
        bytes.push((high << 4 | low) as u8);
    }
    (seen >= 0).then_some(bytes)
}

/// Returns the value of a hexadecimal digit, or a negative number for any other character.
fn digit(character: u8) -> i16 {
    let character = i16::from(character);
    // Each range adds its value plus 1 if the character is in it: only then are both differences
    // negative, and the shift gives a mask of ones.
    [(b'0', b'9', 0), (b'A', b'F', 10), (b'a', b'f', 10)].iter().fold(-1, |value, &(first, last, start)| {
        let [first, last] = [first, last].map(i16::from);
        let mask = ((first - 1 - character) & (character - last - 1)) >> 8;
        value + (mask & (character - first + start + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::{push_hex, read_hex};

    #[test]
    fn every_character_is_read_as_the_standard_library_reads_it() {
        for character in (0..=char::MAX as u32).filter_map(char::from_u32).take(0x300) {
            let value = character.to_digit(16).map(|digit| digit as u8);
            let read = |text: String| read_hex(&text).map(|bytes| bytes.to_vec());
            if character.is_ascii() {
                assert_eq!(read(format!("{character}3")), value.map(|digit| vec![digit << 4 | 3]), "{character:?}");
                assert_eq!(read(format!("3{character}")), value.map(|digit| vec![3 << 4 | digit]), "{character:?}");
                assert_eq!(read(format!("00{character}fe1")), value.map(|digit| vec![0, digit << 4 | 15, 0xe1]));
            } else {
                assert_eq!(read(character.to_string()), None, "{character:?}");
            }
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        push_hex(&mut text, &bytes);
        assert_eq!(read_hex(&text).unwrap()[..], bytes);
        assert_eq!(read_hex(&text.to_uppercase()).unwrap()[..], bytes);
        assert!(read_hex(&text[1..]).is_none() && read_hex("").unwrap().is_empty());
    }
}
