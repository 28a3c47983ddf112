//! Keys as text: Bech32 (BIP 173) without its limit on the length.

use alloc::string::String;
use alloc::vec::Vec;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Checksum, Hrp};
use secrecy::SecretString;
use zeroize::Zeroizing;

/// The checksum of Bech32 for texts of any length.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = u32;
    const CODE_LENGTH: usize = usize::MAX;
    const CHECKSUM_LENGTH: usize = Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [u32; 5] = Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: u32 = Bech32::TARGET_RESIDUE;
}

/// A text is not a recipient or identity of the expected type.
///
/// ```
/// use sealane_age::{ParseError, x25519};
///
/// let error: ParseError = "age1…".parse::<x25519::Recipient>().unwrap_err();
/// assert!(!error.to_string().contains("age1…"), "the text may be secret");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed {0}")]
pub struct ParseError(pub(crate) &'static str);

/// Encodes bytes, in lower case.
pub(crate) fn encode(prefix: Hrp, bytes: &[u8]) -> String {
    // The text is allocated once: growing would leave a copy of a secret behind.
    let separator_and_checksum = 1 + LongBech32::CHECKSUM_LENGTH;
    let mut text =
        String::with_capacity(prefix.as_str().len() + separator_and_checksum + (bytes.len() * 8).div_ceil(5));
    bech32::encode_lower_to_fmt::<LongBech32, _>(&mut text, prefix, bytes).expect("a text of any length is possible");
    text
}

/// Encodes a secret, in upper case as age does.
pub(crate) fn encode_secret(prefix: Hrp, bytes: &[u8]) -> SecretString {
    let mut text = encode(prefix, bytes);
    text.make_ascii_uppercase();
    SecretString::from(text)
}

/// Decodes the bytes of a text with this prefix, in lower or in upper case.
pub(crate) fn decode(text: &str, prefix: Hrp) -> Option<Zeroizing<Vec<u8>>> {
    let (found, bytes) = decode_any(text)?;
    found.eq_ignore_ascii_case(prefix.as_str()).then_some(bytes)
}

/// Decodes the prefix, in lower case, and the bytes of a text.
pub(crate) fn decode_any(text: &str) -> Option<(String, Zeroizing<Vec<u8>>)> {
    let checked = CheckedHrpstring::new::<LongBech32>(text).ok()?;
    // The vector is allocated once, too.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    bytes.extend(checked.byte_iter());
    // The last character may have up to four bits beyond the last byte. They must be zero, so that
    // each key has only one text.
    let again = Zeroizing::new(encode(checked.hrp(), &bytes));
    again.eq_ignore_ascii_case(text).then(|| (checked.hrp().to_lowercase(), bytes))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    const PREFIX: Hrp = Hrp::parse_unchecked("age");

    #[test]
    fn texts_come_back() {
        for len in [0, 1, 2, 3, 4, 5, 32, 1216] {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let text = encode(PREFIX, &bytes);
            assert_eq!(text.len(), text.capacity());
            assert_eq!(decode(&text, PREFIX).as_deref(), Some(&bytes));
            assert_eq!(decode(encode_secret(PREFIX, &bytes).expose_secret(), PREFIX).as_deref(), Some(&bytes));
            assert!(decode(&text, Hrp::parse_unchecked("agf")).is_none());
        }
    }

    #[test]
    fn a_key_has_one_text() {
        use bech32::primitives::iter::{ByteIterExt as _, Fe32IterExt as _};
        // One byte is two characters, and two bits of the second one are left.
        let text_of = |left: u8| -> String {
            let mut characters: Vec<_> = [0xff_u8].into_iter().bytes_to_fes().collect();
            let last = characters[1].to_u8() | left;
            characters[1] = last.try_into().unwrap();
            characters.into_iter().with_checksum::<LongBech32>(&PREFIX).chars().collect()
        };
        assert_eq!(decode(&text_of(0), PREFIX).as_deref(), Some(&Vec::from([0xff])));
        for left in 1..4 {
            assert_eq!(decode(&text_of(left), PREFIX), None);
        }
    }
}
