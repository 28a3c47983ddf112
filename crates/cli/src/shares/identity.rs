//! Extracts the key from an identity file, and creates an identity file from a key, for shares that
//! hold only a key.

use std::str::FromStr as _;

use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::{mlkem768x25519, x25519};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

pub(crate) use sealane_age::x25519::KEY_BYTES;

/// The longest file in which an identity is looked for, in bytes. A post-quantum identity with its
/// public key beside it has about 2 KB.
pub(crate) const MAX_FILE_BYTES: usize = 4096;

/// The only identity in a file.
pub(crate) struct Single {
    /// The part to share if the secret must be short: the 32 bytes of an X25519 key, or the line of
    /// a post-quantum identity.
    pub(crate) secret: Zeroizing<Vec<u8>>,
    /// The line of the identity.
    pub(crate) line: Zeroizing<String>,
    /// The recipient.
    pub(crate) public: String,
}

/// Returns the identity in `file`, if the file has exactly one and nothing else.
pub(crate) fn single(file: &[u8]) -> Option<Single> {
    let text = std::str::from_utf8(file).ok()?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    if let Ok(identity) = mlkem768x25519::Identity::from_str(line) {
        let line = line_of(identity.to_text().expose_secret());
        let secret = Zeroizing::new(line.as_bytes().to_vec());
        return Some(Single { secret, line, public: identity.to_public().to_string() });
    }
    Some(of_x25519(&x25519::Identity::from_str(line).ok()?))
}

fn of_x25519(identity: &x25519::Identity) -> Single {
    Single {
        secret: Zeroizing::new(identity.expose_secret().to_vec()),
        line: line_of(identity.to_text().expose_secret()),
        public: identity.to_public().to_string(),
    }
}

fn line_of(identity: &str) -> Zeroizing<String> {
    let mut line = Zeroizing::new(String::with_capacity(identity.len() + 1));
    line.extend([identity, "\n"]);
    line
}

/// Returns the identity of a restored secret, if it can be one: the 32 bytes of an X25519 key, or
/// an identity file.
fn of_secret(secret: &[u8]) -> Option<Single> {
    match secret.try_into() {
        Ok(key) => Some(of_x25519(&x25519::Identity::from_bytes(key))),
        Err(_) => single(secret),
    }
}

/// Returns the recipient of a restored secret, if it can be an identity.
pub(crate) fn public_of(secret: &[u8]) -> Option<String> {
    of_secret(secret).map(|identity| identity.public)
}

/// Returns an identity file with a restored secret.
pub(crate) fn file_of(secret: &[u8]) -> Result<Zeroizing<String>> {
    let Single { line, public, .. } = of_secret(secret).ok_or_else(|| {
        Error::new(format!(
            "the secret has {} bytes and is not an identity, nor the key of one, which has {KEY_BYTES} bytes",
            secret.len()
        ))
        .hint("without --identity, it is written unchanged")
    })?;
    let mut file = Zeroizing::new(String::with_capacity(public.len() + line.len() + 32));
    file.extend(["# public key: ", &public, "\n", &line]);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_its_line() {
        let identity = x25519::Identity::generate().unwrap();
        let text = format!("# created: today\n\n{}\n", identity.to_text().expose_secret());
        let Single { secret: key, public, .. } = single(text.as_bytes()).unwrap();
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
        let line = line_of(identity.to_text().expose_secret());
        let file = format!("# created: today\n\n{}\n", *line);
        let found = single(file.as_bytes()).unwrap();
        assert_eq!(*found.secret, line.as_bytes());
        assert_eq!(found.line, line);
        assert_eq!(found.public, identity.to_public().to_string());
        assert_eq!(*file_of(&found.secret).unwrap(), format!("# public key: {}\n{}", found.public, *line));
        assert_eq!(public_of(&found.secret), Some(found.public));
    }
}
