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

/// Reads pairs of hexadecimal digits.
pub(crate) fn read_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    for pair in text.as_bytes().chunks_exact(2) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        bytes.push((digit(0)? << 4 | digit(1)?) as u8);
    }
    Some(bytes)
}
