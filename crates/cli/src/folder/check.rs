//! Authenticators of complete files, which show whether a file is unchanged.

use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use sealane::Poly1305;
use serde::{Deserialize, Serialize};

/// The authenticator of a file: a Poly1305 key for this file alone, and the tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Check {
    key: [u8; 32],
    tag: [u8; 16],
}

impl Check {
    /// Returns whether the content of `file` is unchanged.
    pub(crate) fn matches(&self, file: &mut impl Read) -> io::Result<bool> {
        let mut mac = Poly1305::new(&self.key);
        let mut buffer = vec![0; 256 << 10];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(mac.verify(&self.tag).is_ok()),
                Ok(n) => mac.update(&buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl From<Check> for String {
    fn from(check: Check) -> Self {
        BASE64_STANDARD_NO_PAD.encode([&check.key[..], &check.tag].concat())
    }
}

impl TryFrom<String> for Check {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let bytes = BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| "not base64")?;
        let (key, tag) = bytes.split_first_chunk().ok_or("too short")?;
        Ok(Self { key: *key, tag: tag.try_into().map_err(|_| "not a key and a tag")? })
    }
}

/// A writer that computes the [`Check`] of what it writes.
pub(crate) struct Checked<W> {
    pub(super) inner: W,
    key: [u8; 32],
    mac: Poly1305,
}

impl<W: Write> Checked<W> {
    pub(super) fn new(inner: W) -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self { inner, key, mac: Poly1305::new(&key) })
    }

    /// Ends the file, and returns its authenticator.
    pub(super) fn finish(self) -> Check {
        Check { key: self.key, tag: self.mac.finalize() }
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(data)?;
        self.mac.update(&data[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authenticator_is_of_one_content() {
        let mut checked = Checked::new(Vec::new()).unwrap();
        checked.write_all(b"hello").unwrap();
        let check = checked.finish();
        let again: Check = serde_json::from_str(&serde_json::to_string(&check).unwrap()).unwrap();
        assert_eq!(again, check);
        assert!(again.matches(&mut &b"hello"[..]).unwrap());
        for other in [&b"hellO"[..], b"hell", b"hello\0", b""] {
            assert!(!again.matches(&mut &other[..]).unwrap());
        }
    }
}
