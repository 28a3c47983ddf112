//! Recipients and identities with an X25519 key: `age1…` and `AGE-SECRET-KEY-1…`
//! (<https://c2sp.org/age#x25519-recipient-type>).
//!
//! ```
//! use sealane_age::secrecy::ExposeSecret as _;
//! use sealane_age::x25519::{Identity, Recipient};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = Identity::generate()?;
//! let public: String = identity.to_public().to_string();
//! assert!(public.starts_with("age1"));
//! let recipient: Recipient = public.parse()?;
//! assert_eq!(recipient, identity.to_public());
//!
//! // The text of an identity is secret.
//! let kept = identity.to_text();
//! let again: Identity = kept.expose_secret().parse()?;
//! assert_eq!(again.to_public(), recipient);
//! # Ok(())
//! # }
//! ```

use core::fmt;
use core::str::FromStr;

#[cfg(feature = "std")]
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use bech32::Hrp;
#[cfg(feature = "std")]
use sealane::RandomError;
use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::file_key::FileKey;
use crate::identity::{UnwrapError, unwrap_shared};
use crate::keys::{hkdf, is_zero};
#[cfg(feature = "std")]
use crate::random;
#[cfg(feature = "std")]
use crate::recipient::{WrapError, Wrapped};
use crate::stanza::Stanza;
use crate::text::{ParseError, decode, encode, encode_secret};

mod multiplication;
#[cfg(test)]
mod tests;

pub(crate) use multiplication::{public_key, shared_secret};

/// The type of the stanzas.
pub(crate) const TYPE: &str = "X25519";
const INFO: &[u8] = b"age-encryption.org/v1/X25519";
const RECIPIENT_PREFIX: Hrp = Hrp::parse_unchecked("age");
const IDENTITY_PREFIX: Hrp = Hrp::parse_unchecked("AGE-SECRET-KEY-");

/// The length of a public key, a private key and a share, in bytes (RFC 7748).
pub const KEY_BYTES: usize = 32;

/// The nonce of the wrapped file key. Each key wraps only one file key, so the nonce can be
/// constant.
const NONCE: [u8; 12] = [0; 12];

/// A public key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipient([u8; KEY_BYTES]);

impl Recipient {
    /// Returns the recipient with this public key.
    pub fn from_bytes(key: [u8; KEY_BYTES]) -> Self {
        Self(key)
    }

    /// Returns the public key.
    pub fn as_bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

impl FromStr for Recipient {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let key = decode(text, RECIPIENT_PREFIX).and_then(|bytes| bytes.as_slice().try_into().ok());
        key.map(Self).ok_or(ParseError("recipient"))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(RECIPIENT_PREFIX, &self.0))
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
        let mut ephemeral = Zeroizing::new([0; KEY_BYTES]);
        random::fill(&mut *ephemeral)?;
        let share = public_key(&ephemeral);
        let shared = shared_secret(&ephemeral, &self.0);
        // Everyone would know the secret shared with a key of low order (RFC 7748, section 6.1).
        if is_zero(&shared) {
            return Err(WrapError::WeakKey);
        }
        let body = file_key.wrap(&wrapping_key(&shared, &share, &self.0), &NONCE);
        let args = [BASE64_STANDARD_NO_PAD.encode(share)].into();
        Ok(Stanza { tag: TYPE.into(), args, body }.into())
    }
}

/// Returns whether the secret shared with a public key is 0, whatever the private key (RFC 7748,
/// section 6.1).
#[cfg(feature = "ssh")]
pub(crate) fn has_low_order(public: &[u8; KEY_BYTES]) -> bool {
    is_zero(&shared_secret(&[1; KEY_BYTES], public))
}

/// A private key.
#[derive(Clone)]
pub struct Identity {
    secret: Zeroizing<[u8; KEY_BYTES]>,
    public: Recipient,
}

impl Identity {
    /// Generates an identity.
    ///
    /// # Errors
    ///
    /// If the system's random number generator fails.
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, RandomError> {
        let mut secret = Zeroizing::new([0; KEY_BYTES]);
        random::fill(&mut *secret)?;
        Ok(Self::from_bytes(&secret))
    }

    /// Returns the identity with this private key.
    pub fn from_bytes(secret: &[u8; KEY_BYTES]) -> Self {
        let public = Recipient(public_key(secret));
        Self { secret: Zeroizing::new(*secret), public }
    }

    /// Returns the private key.
    pub fn expose_secret(&self) -> &[u8; KEY_BYTES] {
        &self.secret
    }

    /// Returns the recipient of this identity.
    pub fn to_public(&self) -> Recipient {
        self.public.clone()
    }

    /// Returns the text of the identity, which is secret.
    pub fn to_text(&self) -> SecretString {
        encode_secret(IDENTITY_PREFIX, &*self.secret)
    }

    /// Unwraps the file key from a stanza. Returns `None` if the stanza is for another recipient.
    fn open(&self, share: [u8; KEY_BYTES], wrapped: &[u8]) -> Result<Option<FileKey>, UnwrapError> {
        let shared = shared_secret(&self.secret, &share);
        if is_zero(&shared) {
            return Err(UnwrapError::InvalidStanza);
        }
        Ok(FileKey::unwrap(&wrapping_key(&shared, &share, &self.public.0), &NONCE, wrapped))
    }
}

impl FromStr for Identity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let bytes = decode(text, IDENTITY_PREFIX).ok_or(ParseError("identity"))?;
        let secret: &[u8; KEY_BYTES] = bytes.as_slice().try_into().map_err(|_| ParseError("identity"))?;
        Ok(Self::from_bytes(secret))
    }
}

impl fmt::Debug for Identity {
    /// Shows the public key only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("public", &self.public).finish_non_exhaustive()
    }
}

impl crate::identity::Identity for Identity {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        unwrap_shared(stanzas, TYPE, |share, wrapped| self.open(share, wrapped))
    }
}

/// Derives the key that wraps the file key.
fn wrapping_key(shared: &[u8; 32], share: &[u8; KEY_BYTES], public: &[u8; KEY_BYTES]) -> Zeroizing<[u8; 32]> {
    hkdf(shared, &[&share[..], public].concat(), INFO)
}
