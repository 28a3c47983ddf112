//! The key in an identity file, and an identity file from a key: for shares that hold a key and nothing else.

use std::str::FromStr as _;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// The length of an X25519 key.
pub(crate) const KEY_BYTES: usize = 32;

const PREFIX: Hrp = Hrp::parse_unchecked("age-secret-key-");

/// The key of the one X25519 identity that `file` consists of, if that is what it is.
pub(crate) fn key_of(file: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let text = std::str::from_utf8(file).ok()?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    let identity = x25519::Identity::from_str(line).ok()?;
    let text = identity.to_string();
    let checked = CheckedHrpstring::new::<Bech32>(text.expose_secret()).ok()?;
    let key = Zeroizing::new(checked.byte_iter().collect::<Vec<_>>());
    (checked.hrp() == PREFIX && key.len() == KEY_BYTES).then_some(key)
}

/// An identity file with `key`.
pub(crate) fn file_of(key: &[u8]) -> Result<Zeroizing<String>> {
    let not_a_key = || Error::new(format!("the secret is {} bytes, and the key of an identity 32", key.len()));
    if key.len() != KEY_BYTES {
        return Err(not_a_key().hint("without --identity it is written as it is"));
    }
    let text = bech32::encode_upper::<Bech32>(PREFIX, key).map(Zeroizing::new).map_err(|_| not_a_key())?;
    let identity = x25519::Identity::from_str(&text).map_err(|_| not_a_key())?;
    Ok(Zeroizing::new(format!("# public key: {}\n{}\n", identity.to_public(), *text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back() {
        let identity = x25519::Identity::generate();
        let text = format!("# created: today\n\n{}\n", identity.to_string().expose_secret());
        let key = key_of(text.as_bytes()).unwrap();
        let file = file_of(&key).unwrap();
        assert_eq!(
            *file,
            format!("# public key: {}\n{}\n", identity.to_public(), identity.to_string().expose_secret())
        );
        assert_eq!(key_of(file.as_bytes()).unwrap(), key);
        let two = format!("{text}{text}");
        assert!(key_of(two.as_bytes()).is_none() && key_of(b"").is_none() && key_of(b"\xff").is_none());
        assert!(file_of(&[0; 31]).is_err());
    }
}
