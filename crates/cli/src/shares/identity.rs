//! Extracts the key from an identity file, and creates an identity file from a key, for shares that
//! hold only a key.

use std::str::FromStr as _;

use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::{mlkem768x25519, x25519};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

pub(crate) use sealane_age::x25519::KEY_BYTES;

/// The only identity in a file.
pub(crate) struct Single {
    /// The part to share if the secret must be short: the 32 bytes of an X25519 key, or the line of
    /// a post-quantum identity.
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
    let secret = Zeroizing::new(identity.expose_secret().to_vec());
    Some(Single { secret, public: identity.to_public().to_string() })
}

/// Returns the line of a post-quantum identity.
fn line_of(identity: &mlkem768x25519::Identity) -> Zeroizing<Vec<u8>> {
    let text = identity.to_text();
    let mut line = Zeroizing::new(Vec::with_capacity(text.expose_secret().len() + 1));
    line.extend_from_slice(text.expose_secret().as_bytes());
    line.push(b'\n');
    line
}

/// Returns the recipient of a secret that [`single`] returned, if `secret` can be one.
pub(crate) fn public_of(secret: &[u8]) -> Option<String> {
    match secret.try_into() {
        Ok(key) => Some(x25519::Identity::from_bytes(key).to_public().to_string()),
        Err(_) => single(secret).map(|single| single.public),
    }
}

/// Returns an identity file with `key`.
pub(crate) fn file_of(key: &[u8]) -> Result<Zeroizing<String>> {
    let key = key.try_into().map_err(|_| {
        Error::new(format!("the secret has {} bytes, but the key of an identity has 32", key.len()))
            .hint("without --identity, it is written unchanged")
    })?;
    let identity = x25519::Identity::from_bytes(key);
    let text = identity.to_text();
    Ok(Zeroizing::new(format!("# public key: {}\n{}\n", identity.to_public(), text.expose_secret())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_its_line() {
        let identity = x25519::Identity::generate().unwrap();
        let text = format!("# created: today\n\n{}\n", identity.to_text().expose_secret());
        let Single { secret: key, public } = single(text.as_bytes()).unwrap();
        assert_eq!(public, identity.to_public().to_string());
        assert_eq!(public_of(&key), Some(public));
        let file = file_of(&key).unwrap();
        assert_eq!(*file, format!("# public key: {}\n{}\n", identity.to_public(), identity.to_text().expose_secret()));
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
