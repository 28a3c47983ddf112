//! The text form of a share: one line, similar to Bech32m (BIP-350).
//!
//! Encoding has no branch or address that depends on the digits. Decoding is not constant time, as
//! in age's Bech32.

use zeroize::Zeroizing;

use super::error::{ShareError, TextError};
use super::layout::MAGIC;

/// The beginning of a share in text form, in upper or lower case.
pub const TEXT_PREFIX: &str = "SEALANE-SHARE-1";

/// The longest payload of a share in text form, in bytes. The line then has at most 4,095
/// characters, as many as a terminal accepts.
pub const MAX_TEXT_PAYLOAD_BYTES: usize = 2048;

/// The longest line of a share, in characters. Longer input is rejected at once.
const MAX_TEXT_CHARACTERS: usize = 4095;

/// BIP-350's constant.
const BECH32M: u32 = 0x2bc8_30a3;
const CHECKSUM_DIGITS: usize = 6;
/// The period of the code: within this many digits, a single wrong one can be located.
const PERIOD: usize = 1023;

/// Encodes a share in binary form as text. The text leaves out the magic.
pub(crate) fn encode(binary: &[u8]) -> Zeroizing<String> {
    let payload = &binary[MAGIC.len()..];
    let mut digits = Zeroizing::new(Vec::with_capacity(payload.len() * 8 / 5 + 1 + CHECKSUM_DIGITS));
    let (mut bits, mut count) = (0u32, 0);
    for &byte in payload {
        bits = (bits & 0xff) << 8 | u32::from(byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            digits.push((bits >> count) as u8 & 31);
        }
    }
    if count > 0 {
        digits.push((bits << (5 - count)) as u8 & 31);
    }
    let check = polymod(digits.iter().copied().chain([0; CHECKSUM_DIGITS])) ^ BECH32M;
    digits.extend((0..CHECKSUM_DIGITS).rev().map(|at| (check >> (5 * at)) as u8 & 31));
    let mut text = Zeroizing::new(String::with_capacity(TEXT_PREFIX.len() + digits.len()));
    text.push_str(TEXT_PREFIX);
    text.extend(digits.iter().map(|&digit| char::from(character(digit))));
    text
}

/// Decodes a share in text form to its binary form.
pub(crate) fn decode(text: &str) -> Result<Zeroizing<Vec<u8>>, ShareError> {
    let text = text.trim();
    if text.len() > MAX_TEXT_CHARACTERS {
        return Err(TextError::TooLong.into());
    }
    if !has_prefix(text) {
        return Err(TextError::Prefix.into());
    }
    // The prefix has letters, which show the case.
    let upper = text.as_bytes()[0].is_ascii_uppercase();
    let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
    for (at, letter) in text.chars().enumerate() {
        let position = at + 1;
        let mixed = if upper { letter.is_ascii_lowercase() } else { letter.is_ascii_uppercase() };
        if mixed {
            return Err(TextError::MixedCase { position }.into());
        }
        if position > TEXT_PREFIX.len() {
            let digit = CHARSET.iter().position(|&c| letter.to_ascii_lowercase() == char::from(c));
            digits.push(digit.ok_or(TextError::Character { position })? as u8);
        }
    }
    if digits.len() < CHECKSUM_DIGITS {
        return Err(TextError::TooShort.into());
    }
    let residue = polymod(digits.iter().copied()) ^ BECH32M;
    if residue != 0 {
        let suspect = locate(residue, digits.len()).map(|at| TEXT_PREFIX.len() + at + 1);
        return Err(TextError::Checksum { suspect }.into());
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAGIC.len() + digits.len() * 5 / 8));
    bytes.extend_from_slice(&MAGIC);
    let (mut bits, mut count) = (0u32, 0);
    for &digit in &digits[..digits.len() - CHECKSUM_DIGITS] {
        bits = (bits & 0xff) << 5 | u32::from(digit);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    if count >= 5 || bits & ((1 << count) - 1) != 0 {
        return Err(TextError::Padding.into());
    }
    Ok(bytes)
}

/// Returns whether the text begins as a share in text form does.
#[must_use]
pub fn has_prefix(text: &str) -> bool {
    text.get(..TEXT_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(TEXT_PREFIX))
}

/// The characters of BIP-173, by digit.
const CHARSET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// Returns the upper-case character of a secret digit. Looks at all characters, so that no address
/// depends on the digit.
fn character(digit: u8) -> u8 {
    let pick = |found: u8, (candidate, &character): (u8, &u8)| {
        // All ones if the two digits are equal.
        let mask = (u16::from(candidate ^ digit).wrapping_sub(1) >> 8) as u8;
        found | character.to_ascii_uppercase() & mask
    };
    (0u8..).zip(CHARSET).fold(0, pick)
}

/// Computes BIP-173's checksum. The human-readable part comes before the digits.
fn polymod(digits: impl Iterator<Item = u8>) -> u32 {
    let prefix = TEXT_PREFIX[..TEXT_PREFIX.len() - 1].to_ascii_lowercase();
    let high = prefix.bytes().map(|byte| byte >> 5);
    let low = prefix.bytes().map(|byte| byte & 31);
    high.chain([0]).chain(low).chain(digits).fold(1, step)
}

fn step(state: u32, digit: u8) -> u32 {
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    let top = state >> 25;
    let next = (state & 0x01ff_ffff) << 5 ^ u32::from(digit);
    (0..5).fold(next, |next, bit| next ^ GENERATOR[bit] & 0u32.wrapping_sub((top >> bit) & 1))
}

/// Returns the position of the one wrong digit that explains the residue, if there is exactly one
/// such position.
fn locate(residue: u32, digits: usize) -> Option<usize> {
    // Beyond the period of the code, two positions give the same residue.
    if digits > PERIOD {
        return None;
    }
    for error in 1..32u32 {
        let mut effect = error;
        for at in (0..digits).rev() {
            if effect == residue {
                return Some(at);
            }
            effect = step(effect, 0);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight digits are five bytes. The bits of a ninth would begin a byte that does not end.
    #[test]
    fn a_digit_too_many_and_bits_after_the_last_byte_have_one_error() {
        let text = |digits: &[u8]| {
            let check = polymod(digits.iter().copied().chain([0; CHECKSUM_DIGITS])) ^ BECH32M;
            let check = (0..CHECKSUM_DIGITS).rev().map(|at| (check >> (5 * at)) as u8 & 31);
            let digits = digits.iter().copied().chain(check);
            TEXT_PREFIX.chars().chain(digits.map(|digit| char::from(character(digit)))).collect::<String>()
        };
        assert_eq!(decode(&text(&[0; 8])).unwrap().len(), MAGIC.len() + 5);
        for digits in [&[0; 9][..], &[0, 1]] {
            let error = decode(&text(digits)).unwrap_err();
            assert!(matches!(error, ShareError::Text(TextError::Padding)));
            let message = "malformed share: the character before its checksum is wrong, or one too many";
            assert_eq!(error.to_string(), message);
        }
    }
}
