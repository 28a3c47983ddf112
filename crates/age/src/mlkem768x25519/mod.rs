//! Post-quantum recipients and identities: `age1pq1…` and `AGE-SECRET-KEY-PQ-1…`
//! (<https://c2sp.org/age#hybrid-post-quantum-recipient-type>).
//!
//! The file key is sealed with HPKE on X-Wing, which combines ML-KEM-768 and X25519. An attacker
//! must break both.

mod hpke;
mod xwing;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use age::{DecryptError, EncryptError};
use age_core::format::{FILE_KEY_BYTES, FileKey, Stanza};
use age_core::primitives::bech32_encode;
use age_core::secrecy::{ExposeSecret as _, SecretString};
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use bech32::Hrp;
use zeroize::Zeroizing;

use crate::text::{decode, encode_secret};
use xwing::{CIPHERTEXT_LEN, PUBLIC_LEN, Private, Public, SEED_LEN};

/// The type of the stanza.
const TYPE: &str = "mlkem768x25519";
const INFO: &[u8] = b"age-encryption.org/mlkem768x25519";
/// The label of these recipients. It keeps other recipients out of the file, with which it would
/// not be post-quantum.
const LABEL: &str = "postquantum";
const RECIPIENT_PREFIX: Hrp = Hrp::parse_unchecked("age1pq");
const IDENTITY_PREFIX: Hrp = Hrp::parse_unchecked("AGE-SECRET-KEY-PQ-");

/// A text is not a recipient, or not an identity, of this type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed post-quantum {0}")]
pub struct ParseError(&'static str);

/// A public key.
#[derive(Clone, PartialEq)]
pub struct Recipient(Public);

impl Recipient {
    /// Returns the recipient with this encapsulation key of X-Wing, in 1216 bytes.
    ///
    /// # Errors
    ///
    /// If the length is another, or the bytes are not a key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        let bytes: Option<[u8; PUBLIC_LEN]> = bytes.try_into().ok();
        bytes.and_then(|bytes| Public::from_bytes(&bytes)).map(Self).ok_or(ParseError("recipient"))
    }
}

impl FromStr for Recipient {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        decode(text, RECIPIENT_PREFIX).ok_or(ParseError("recipient")).and_then(|bytes| Self::from_bytes(&bytes))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bech32_encode(RECIPIENT_PREFIX, &self.0.to_bytes()))
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl age::Recipient for Recipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let mut randomness = Zeroizing::new([0; 64]);
        getrandom::fill(&mut *randomness).map_err(|error| EncryptError::Io(error.into()))?;
        let (enc, shared) = self.0.encapsulate(&randomness);
        let body = hpke::seal(&shared, INFO, file_key.expose_secret());
        let args = vec![BASE64_STANDARD_NO_PAD.encode(enc)];
        Ok((vec![Stanza { tag: TYPE.to_owned(), args, body }], HashSet::from([LABEL.to_owned()])))
    }
}

/// A private key.
#[derive(Clone)]
pub struct Identity(Private);

impl Identity {
    /// Generates an identity.
    ///
    /// # Errors
    ///
    /// If the system's random number generator fails.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        getrandom::fill(&mut *seed)?;
        Ok(Self(Private::from_seed(&seed)))
    }

    /// Returns the identity with this seed of X-Wing, in 32 bytes.
    ///
    /// # Errors
    ///
    /// If the length is another.
    pub fn from_seed(seed: &[u8]) -> Result<Self, ParseError> {
        let seed: &[u8; SEED_LEN] = seed.try_into().map_err(|_| ParseError("identity"))?;
        Ok(Self(Private::from_seed(seed)))
    }

    /// Returns the seed, which is secret.
    pub fn seed(&self) -> &[u8; SEED_LEN] {
        self.0.seed()
    }

    /// Returns the recipient of this identity.
    pub fn to_public(&self) -> Recipient {
        Recipient(self.0.public().clone())
    }

    /// Returns the text of the identity, which is secret.
    pub fn to_text(&self) -> SecretString {
        encode_secret(IDENTITY_PREFIX, self.0.seed())
    }
}

impl FromStr for Identity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        decode(text, IDENTITY_PREFIX).ok_or(ParseError("identity")).and_then(|seed| Self::from_seed(&seed))
    }
}

impl age::Identity for Identity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        if stanza.tag != TYPE {
            return None;
        }
        Some(self.unwrap(stanza)?.ok_or(DecryptError::InvalidHeader))
    }
}

impl Identity {
    /// Returns `None` for a stanza of another recipient, and `Some(None)` for a malformed one.
    fn unwrap(&self, stanza: &Stanza) -> Option<Option<FileKey>> {
        let [enc] = stanza.args.as_slice() else { return Some(None) };
        let enc = BASE64_STANDARD_NO_PAD.decode(enc).ok();
        let enc: Option<[u8; CIPHERTEXT_LEN]> = enc.and_then(|enc| enc.try_into().ok());
        // The length is checked before the body is opened, because ChaCha20-Poly1305 does not
        // commit to its key.
        if stanza.body.len() != FILE_KEY_BYTES + 16 {
            return Some(None);
        }
        let Some(shared) = enc.and_then(|enc| self.0.decapsulate(&enc)) else { return Some(None) };
        let file_key = hpke::open(&shared, INFO, &stanza.body)?;
        Some(Some(FileKey::init_with_mut(|key| key.copy_from_slice(&file_key))))
    }
}

#[cfg(test)]
mod tests {
    use age::{Identity as _, Recipient as _};

    use super::*;

    #[test]
    fn texts_come_back() {
        let identity = Identity::generate().unwrap();
        let text = identity.to_text();
        assert!(text.expose_secret().starts_with("AGE-SECRET-KEY-PQ-1"));
        let again: Identity = text.expose_secret().parse().unwrap();
        let recipient = again.to_public();
        assert!(recipient == identity.to_public());
        assert!(recipient.to_string().starts_with("age1pq1"));
        assert!(recipient.to_string().parse() == Ok(recipient));
    }

    #[test]
    fn what_is_not_one() {
        let identity = Identity::generate().unwrap();
        let secret = identity.to_text();
        let public = identity.to_public().to_string();
        for text in
            ["", "age1pq1", &public[..public.len() - 1], &public.replace("age1pq1", "age1"), secret.expose_secret()]
        {
            assert_eq!(text.parse::<Recipient>(), Err(ParseError("recipient")), "{text}");
        }
        let x25519 = age::x25519::Identity::generate().to_string();
        for text in ["", "AGE-SECRET-KEY-PQ-1HUNTER2", &public, x25519.expose_secret()] {
            assert!(text.parse::<Identity>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_stanza_is_opened_by_its_identity_alone() {
        let (identity, other) = (Identity::generate().unwrap(), Identity::generate().unwrap());
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let (stanzas, labels) = identity.to_public().wrap_file_key(&file_key).unwrap();
        assert_eq!(labels, HashSet::from(["postquantum".to_owned()]));
        let [stanza] = stanzas.as_slice() else { panic!("one stanza") };
        let opened = identity.unwrap_stanza(stanza).unwrap().unwrap();
        assert_eq!(opened.expose_secret(), file_key.expose_secret());
        assert!(other.unwrap_stanza(stanza).is_none());

        let with = |args: &[&str], body: &[u8]| Stanza {
            tag: TYPE.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            body: body.to_vec(),
        };
        let enc = stanza.args[0].as_str();
        for malformed in [
            with(&[], &stanza.body),
            with(&[enc, enc], &stanza.body),
            with(&[&enc[1..]], &stanza.body),
            with(&[enc], &stanza.body[1..]),
        ] {
            assert!(matches!(identity.unwrap_stanza(&malformed), Some(Err(DecryptError::InvalidHeader))));
        }
        let x25519 = Stanza { tag: "X25519".to_owned(), ..with(&[enc], &stanza.body) };
        assert!(identity.unwrap_stanza(&x25519).is_none());
    }
}
