//! Post-quantum recipients and identities: `age1pq1…` and `AGE-SECRET-KEY-PQ-1…`
//! (<https://c2sp.org/age#hybrid-post-quantum-recipient-type>).
//!
//! The file key is sealed with HPKE on X-Wing, which combines ML-KEM-768 and X25519. An attacker
//! must break both.
//!
//! ```
//! use sealane_age::mlkem768x25519::{Identity, Recipient};
//! use sealane_age::{decrypt, encrypt};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = Identity::generate()?;
//! let public: String = identity.to_public().to_string();
//! assert!(public.starts_with("age1pq1"));
//!
//! let recipient: Recipient = public.parse()?;
//! let file = encrypt([&recipient as &dyn sealane_age::Recipient], b"attack at dawn")?;
//! assert_eq!(decrypt([&identity as &dyn sealane_age::Identity], &file)?, b"attack at dawn");
//! # Ok(())
//! # }
//! ```

mod hpke;
mod xwing;

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

#[cfg(feature = "std")]
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use bech32::Hrp;
#[cfg(feature = "std")]
use sealane::RandomError;
use secrecy::SecretString;

use crate::file_key::FileKey;
use crate::identity::{UnwrapError, unwrap_shared};
#[cfg(feature = "std")]
use crate::random;
#[cfg(feature = "std")]
use crate::recipient::{WrapError, Wrapped};
use crate::stanza::Stanza;
use crate::text::{ParseError, decode, encode, encode_secret};
use xwing::{CIPHERTEXT_BYTES, Private, Public};
pub use xwing::{PUBLIC_BYTES, SEED_BYTES};

/// The type of the stanzas.
const TYPE: &str = "mlkem768x25519";
const INFO: &[u8] = b"age-encryption.org/mlkem768x25519";
/// The label of these recipients. It excludes other recipients, because with them the file would
/// not be post-quantum.
#[cfg(feature = "std")]
pub(crate) const LABEL: &str = "postquantum";
const MALFORMED_RECIPIENT: ParseError = ParseError("post-quantum recipient");
const MALFORMED_IDENTITY: ParseError = ParseError("post-quantum identity");
const RECIPIENT_PREFIX: Hrp = Hrp::parse_unchecked("age1pq");
const IDENTITY_PREFIX: Hrp = Hrp::parse_unchecked("AGE-SECRET-KEY-PQ-");
/// The prefix of the same seed as an identity of `age-plugin-pq`.
const PLUGIN_PREFIX: Hrp = Hrp::parse_unchecked("AGE-PLUGIN-PQ-");

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient(Public);

impl Recipient {
    /// Returns the recipient for an X-Wing encapsulation key, which has [`PUBLIC_BYTES`].
    ///
    /// # Errors
    ///
    /// If the length is wrong, or the bytes are not a key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        let bytes: Option<[u8; PUBLIC_BYTES]> = bytes.try_into().ok();
        bytes.and_then(|bytes| Public::from_bytes(&bytes)).map(Self).ok_or(MALFORMED_RECIPIENT)
    }

    /// Returns the X-Wing encapsulation key.
    pub fn to_bytes(&self) -> [u8; PUBLIC_BYTES] {
        self.0.to_bytes()
    }
}

impl Hash for Recipient {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bytes().hash(state);
    }
}

impl FromStr for Recipient {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        decode(text, RECIPIENT_PREFIX).ok_or(MALFORMED_RECIPIENT).and_then(|bytes| Self::from_bytes(&bytes))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(RECIPIENT_PREFIX, &self.to_bytes()))
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "std")]
impl crate::recipient::Recipient for Recipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        let mut randomness = zeroize::Zeroizing::new([0; 64]);
        random::fill(&mut *randomness)?;
        let (enc, shared) = self.0.encapsulate(&randomness).ok_or(WrapError::WeakKey)?;
        let (key, nonce) = hpke::key_schedule(&shared, INFO);
        let args = [BASE64_STANDARD_NO_PAD.encode(enc)].into();
        let stanza = Stanza { tag: TYPE.into(), args, body: file_key.wrap(&key, &nonce) };
        Ok(Wrapped { stanzas: [stanza].into(), labels: [LABEL.into()].into() })
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
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, RandomError> {
        let mut seed = zeroize::Zeroizing::new([0; SEED_BYTES]);
        random::fill(&mut *seed)?;
        Ok(Self(Private::from_seed(&seed)))
    }

    /// Returns the identity for an X-Wing seed, which has [`SEED_BYTES`].
    ///
    /// # Errors
    ///
    /// If the length is wrong.
    pub fn from_seed(seed: &[u8]) -> Result<Self, ParseError> {
        let seed: &[u8; SEED_BYTES] = seed.try_into().map_err(|_| MALFORMED_IDENTITY)?;
        Ok(Self(Private::from_seed(seed)))
    }

    /// Returns the identity of `age-plugin-pq` with this text, if it is one.
    pub(crate) fn of_plugin(text: &str) -> Option<Self> {
        Self::from_seed(&decode(text, PLUGIN_PREFIX)?).ok()
    }

    /// Returns the seed.
    pub fn expose_secret(&self) -> &[u8; SEED_BYTES] {
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
        decode(text, IDENTITY_PREFIX).ok_or(MALFORMED_IDENTITY).and_then(|seed| Self::from_seed(&seed))
    }
}

impl fmt::Debug for Identity {
    /// Shows the public key only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("public", &self.to_public()).finish_non_exhaustive()
    }
}

impl crate::identity::Identity for Identity {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        unwrap_shared(stanzas, TYPE, |enc: Box<[u8; CIPHERTEXT_BYTES]>, wrapped| {
            let shared = self.0.decapsulate(&enc).ok_or(UnwrapError::InvalidStanza)?;
            let (key, nonce) = hpke::key_schedule(&shared, INFO);
            Ok(FileKey::unwrap(&key, &nonce, wrapped))
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use core::slice;

    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::file_key::FILE_KEY_BYTES;
    use crate::identity::Identity as _;
    use crate::recipient::Recipient as _;

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
    fn recipients_can_be_kept_in_a_set() {
        let recipient = Identity::generate().unwrap().to_public();
        let again = Recipient::from_bytes(&recipient.to_bytes()).unwrap();
        let other = Identity::generate().unwrap().to_public();
        let all = std::collections::HashSet::from([recipient, again, other]);
        assert_eq!(all.len(), 2);
    }

    /// Anyone can compute the X25519 secret of such a key.
    #[test]
    fn nothing_is_wrapped_for_a_weak_key() {
        let mut key = Identity::generate().unwrap().to_public().to_bytes();
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let share = PUBLIC_BYTES - 32;
        key[share..].fill(0);
        for first in [0, 1] {
            key[share] = first;
            let recipient = Recipient::from_bytes(&key).unwrap();
            assert!(matches!(recipient.wrap_file_key(&file_key), Err(WrapError::WeakKey)));
        }
    }

    #[test]
    fn what_is_not_one() {
        let identity = Identity::generate().unwrap();
        let secret = identity.to_text();
        let public = identity.to_public().to_string();
        for text in
            ["", "age1pq1", &public[..public.len() - 1], &public.replace("age1pq1", "age1"), secret.expose_secret()]
        {
            assert_eq!(text.parse::<Recipient>(), Err(MALFORMED_RECIPIENT), "{text}");
        }
        let x25519 = crate::x25519::Identity::generate().unwrap().to_text();
        for text in ["", "AGE-SECRET-KEY-PQ-1HUNTER2", &public, x25519.expose_secret()] {
            assert!(text.parse::<Identity>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_stanza_is_opened_by_its_identity_alone() {
        let (identity, other) = (Identity::generate().unwrap(), Identity::generate().unwrap());
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let wrapped = identity.to_public().wrap_file_key(&file_key).unwrap();
        assert!(wrapped.labels.iter().eq(["postquantum"]));
        let [stanza] = wrapped.stanzas.as_slice() else { panic!("one stanza") };
        let unwrap = |identity: &Identity, stanza: &Stanza| identity.unwrap_file_key(slice::from_ref(stanza));
        let opened = unwrap(&identity, stanza).unwrap().unwrap();
        assert_eq!(opened.expose_secret(), file_key.expose_secret());
        assert!(unwrap(&other, stanza).unwrap().is_none());

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
            assert!(matches!(unwrap(&identity, &malformed), Err(UnwrapError::InvalidStanza)));
        }
        let x25519 = Stanza { tag: "X25519".to_owned(), ..with(&[enc], &stanza.body) };
        assert!(unwrap(&identity, &x25519).unwrap().is_none());
    }
}
