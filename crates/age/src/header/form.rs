//! The form of the stanzas from the age specification.
//!
//! Every stanza of these types is checked before any identity sees it, so that a file means the
//! same to everyone who opens it.

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

use super::error::{HeaderError, StanzaFault};
use crate::file_key::WRAPPED_BYTES;
use crate::stanza::Stanza;

/// The type of a stanza that wraps the file key with a passphrase.
pub(crate) const SCRYPT: &str = "scrypt";

/// An argument of a stanza.
enum Argument {
    /// The base64 of this number of bytes.
    Bytes(usize),
    /// The base-2 logarithm of scrypt's N.
    WorkFactor,
}

/// The types and their arguments: <https://c2sp.org/age#native-recipient-types>.
const NATIVE: &[(&str, &[Argument])] = &[
    ("X25519", &[Argument::Bytes(32)]),
    (SCRYPT, &[Argument::Bytes(16), Argument::WorkFactor]),
    ("mlkem768x25519", &[Argument::Bytes(1120)]),
    ("p256tag", &[Argument::Bytes(4), Argument::Bytes(65)]),
    ("mlkem768p256tag", &[Argument::Bytes(4), Argument::Bytes(1153)]),
];

/// Checks that there are stanzas, and that stanzas of known types have the right form.
pub(super) fn check(stanzas: &[Stanza]) -> Result<(), HeaderError> {
    if stanzas.is_empty() {
        return Err(HeaderError::NoStanza);
    }
    for stanza in stanzas {
        if let Some((stanza_type, arguments)) = NATIVE.iter().find(|(t, _)| *t == stanza.tag) {
            check_stanza(stanza, arguments).map_err(|fault| HeaderError::Stanza { stanza_type, fault })?;
        }
    }
    Ok(())
}

fn check_stanza(stanza: &Stanza, arguments: &[Argument]) -> Result<(), StanzaFault> {
    if stanza.body.len() != WRAPPED_BYTES {
        return Err(StanzaFault::BodyLength);
    }
    if stanza.args.len() != arguments.len() {
        return Err(StanzaFault::ArgumentCount);
    }
    for (text, argument) in stanza.args.iter().zip(arguments) {
        match argument {
            Argument::Bytes(len) => match BASE64_STANDARD_NO_PAD.decode(text) {
                Ok(bytes) if bytes.len() == *len => {}
                _ => return Err(StanzaFault::Argument),
            },
            Argument::WorkFactor => {
                work_factor(text).ok_or(StanzaFault::WorkFactor)?;
            }
        }
    }
    Ok(())
}

/// Parses a log N that matches `^[1-9][0-9]*$` and is below 64.
pub(crate) fn work_factor(text: &str) -> Option<u8> {
    let canonical = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|log_n| canonical && (1..64).contains(log_n))
}

#[cfg(test)]
mod tests {
    use super::work_factor;

    #[test]
    fn only_canonical_work_factors_are_numbers() {
        for (text, log_n) in [("1", 1), ("9", 9), ("18", 18), ("63", 63)] {
            assert_eq!(work_factor(text), Some(log_n));
        }
        for text in ["", "0", "00", "01", "+1", "-1", " 1", "1 ", "0x1", "64", "255", "256", "1e1", "99999999999", "1٣"]
        {
            assert_eq!(work_factor(text), None, "{text:?}");
        }
    }
}
