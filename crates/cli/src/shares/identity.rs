//! The key in an identity file, and an identity file from a key, for shares that hold only a key.

use std::str::FromStr as _;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use sealane_age::mlkem768x25519;
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// The length of an X25519 key.
pub(crate) const KEY_BYTES: usize = 32;

const PREFIX: Hrp = Hrp::parse_unchecked("age-secret-key-");

/// The only identity in a file.
pub(crate) struct Single {
    /// The part to share if the secret must be short: the 32 bytes of an X25519 key, or the line of
    /// a post-quantum one.
    pub(crate) secret: Zeroizing<Vec<u8>>,
    /// The recipient.
    pub(crate) public: String,
}

/// Returns the identity in `file`, if the file has exactly one and nothing else.
pub(crate) fn single(file: &[u8]) -> Option<Single> {
    let text = std::str::from_utf8(file).ok()?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    if let Ok(identity) = mlkem768x25519::Identity::from_str(line) {
        return Some(Single { secret: line_of(&identity), public: identity.to_public().to_string() });
    }
    let identity = x25519::Identity::from_str(line).ok()?;
    let text = identity.to_string();
    let checked = CheckedHrpstring::new::<Bech32>(text.expose_secret()).ok()?;
    let secret = Zeroizing::new(checked.byte_iter().collect::<Vec<_>>());
    let public = identity.to_public().to_string();
    (checked.hrp() == PREFIX && secret.len() == KEY_BYTES).then_some(Single { secret, public })
}

/// Parses a post-quantum identity in a line.
fn line_of(identity: &mlkem768x25519::Identity) -> Zeroizing<Vec<u8>> {
    let text = identity.to_text();
    let mut line = Zeroizing::new(Vec::with_capacity(text.expose_secret().len() + 1));
    line.extend_from_slice(text.expose_secret().as_bytes());
    line.push(b'\n');
    line
}

/// Returns the recipient of a secret that [`single`] returned, if `secret` can be one.
pub(crate) fn public_of(secret: &[u8]) -> Option<String> {
    if secret.len() == KEY_BYTES {
        return identity_of(secret).map(|(identity, _)| identity.to_public().to_string());
    }
    single(secret).map(|single| single.public)
}

fn identity_of(key: &[u8]) -> Option<(x25519::Identity, Zeroizing<String>)> {
    let text = bech32::encode_upper::<Bech32>(PREFIX, key).map(Zeroizing::new).ok()?;
    let identity = x25519::Identity::from_str(&text).ok()?;
    Some((identity, text))
}

/// Returns an identity file with `key`.
pub(crate) fn file_of(key: &[u8]) -> Result<Zeroizing<String>> {
    let not_a_key = || Error::new(format!("the secret is {} bytes, and the key of an identity 32", key.len()));
    if key.len() != KEY_BYTES {
        return Err(not_a_key().hint("without --identity it is written as it is"));
    }
    let (identity, text) = identity_of(key).ok_or_else(not_a_key)?;
    Ok(Zeroizing::new(format!("# public key: {}\n{}\n", identity.to_public(), *text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_its_line() {
        let identity = x25519::Identity::generate();
        let text = format!("# created: today\n\n{}\n", identity.to_string().expose_secret());
        let Single { secret: key, public } = single(text.as_bytes()).unwrap();
        assert_eq!(public, identity.to_public().to_string());
        assert_eq!(public_of(&key), Some(public));
        let file = file_of(&key).unwrap();
        assert_eq!(
            *file,
            format!("# public key: {}\n{}\n", identity.to_public(), identity.to_string().expose_secret())
        );
        assert_eq!(single(file.as_bytes()).unwrap().secret, key);
        let two = format!("{text}{text}");
        assert!(single(two.as_bytes()).is_none() && single(b"").is_none() && single(b"\xff").is_none());
        assert!(file_of(&[0; 31]).is_err() && public_of(&[0; 31]).is_none());
    }

    #[test]
    fn a_post_quantum_key_is_its_line() {
        let identity = mlkem768x25519::Identity::generate().unwrap();
        let line = line_of(&identity);
        let file = [b"# created: today\n\n", &line[..], b"\n"].concat();
        let Single { secret, public } = single(&file).unwrap();
        assert_eq!(secret, line);
        assert_eq!(public, identity.to_public().to_string());
        assert_eq!(public_of(&secret), Some(public));
    }
}
