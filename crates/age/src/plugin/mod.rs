//! The names of plugins, and their keys as texts: `age1NAME1…` and `AGE-PLUGIN-NAME-1…`
//! (<https://c2sp.org/age-plugin>).
//!
//! The keys in this module are only texts. `Client` starts a plugin, which wraps and unwraps file
//! keys with them. It needs the feature `plugin`.
//!
//! ```
//! use sealane_age::plugin::{Identity, ParseError, Recipient};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = Identity::without_data("yubikey")?;
//! assert_eq!(identity.plugin(), "yubikey");
//! assert!(identity.expose_secret().starts_with("AGE-PLUGIN-YUBIKEY-1"));
//!
//! assert_eq!(Identity::without_data("../sh").unwrap_err(), ParseError::Name);
//! assert_eq!("age1yubikey1".parse::<Recipient>(), Err(ParseError::Malformed));
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "plugin")]
mod callbacks;
#[cfg(feature = "plugin")]
mod client;
#[cfg(feature = "plugin")]
mod connection;
#[cfg(feature = "plugin")]
mod conversation;
#[cfg(feature = "plugin")]
mod failure;
#[cfg(feature = "plugin")]
mod patience;
#[cfg(feature = "plugin")]
mod process;

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use bech32::Hrp;
use zeroize::Zeroizing;

#[cfg(feature = "plugin")]
pub use self::callbacks::{Callbacks, NoCallbacks};
#[cfg(feature = "plugin")]
pub use self::client::{Client, FindError};
#[cfg(feature = "plugin")]
pub use self::failure::{Failure, PluginError};
#[cfg(feature = "plugin")]
pub use self::process::Process;
use crate::text::{decode_any, encode};

const RECIPIENT_PREFIX: &str = "age1";
const IDENTITY_PREFIX: &str = "age-plugin-";

/// The length of the longest name, in bytes. The human-readable part `AGE-PLUGIN-NAME-` has at most
/// 83 characters (BIP 173).
pub const MAX_NAME_BYTES: usize = 83 - IDENTITY_PREFIX.len() - "-".len();

/// A text is not a plugin's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// It is not Bech32, or is a key of another kind.
    #[error("malformed key of a plugin")]
    Malformed,
    /// The plugin's name is empty or too long, ends with a hyphen, or has characters other than
    /// ASCII letters, digits and `+-._`.
    #[error("invalid name of a plugin")]
    Name,
}

/// Returns whether plugins can have this name. The name becomes part of a program's file name, so
/// it must not contain a path separator.
pub fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_allowed) && !name.ends_with('-')
}

/// A plugin's recipient.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipient {
    name: String,
    text: String,
}

impl Recipient {
    /// Returns the plugin's name, in lower case.
    pub fn plugin(&self) -> &str {
        &self.name
    }
}

impl FromStr for Recipient {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        // Plugins expect lower case. Text in mixed case is not Bech32.
        let (prefix, _) = decode_any(text).ok_or(ParseError::Malformed)?;
        let name = prefix.strip_prefix(RECIPIENT_PREFIX).ok_or(ParseError::Malformed)?;
        if !is_name(name) {
            return Err(ParseError::Name);
        }
        Ok(Self { name: name.to_owned(), text: text.to_ascii_lowercase() })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A plugin's identity. Its text may be secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    name: String,
    text: Zeroizing<String>,
}

impl Identity {
    /// Returns the default identity of a plugin, which has no data.
    ///
    /// # Errors
    /// [`ParseError::Name`].
    pub fn without_data(name: &str) -> Result<Self, ParseError> {
        let name = name.to_ascii_lowercase();
        if !is_name(&name) {
            return Err(ParseError::Name);
        }
        let prefix = Hrp::parse(&alloc::format!("{IDENTITY_PREFIX}{name}-")).map_err(|_| ParseError::Name)?;
        let mut text = Zeroizing::new(encode(prefix, &[]));
        text.make_ascii_uppercase();
        Ok(Self { name, text })
    }

    /// Returns the plugin's name, in lower case.
    pub fn plugin(&self) -> &str {
        &self.name
    }

    /// Returns the text, which may be secret.
    pub fn expose_secret(&self) -> &str {
        &self.text
    }
}

impl FromStr for Identity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (prefix, _) = decode_any(text).ok_or(ParseError::Malformed)?;
        let name = prefix.strip_prefix(IDENTITY_PREFIX).and_then(|rest| rest.strip_suffix('-'));
        let name = name.ok_or(ParseError::Malformed)?;
        if !is_name(name) {
            return Err(ParseError::Name);
        }
        // Plugins expect upper case, and equal identities have equal texts.
        Ok(Self { name: name.to_owned(), text: Zeroizing::new(text.to_ascii_uppercase()) })
    }
}

impl fmt::Debug for Identity {
    /// Shows the plugin's name only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("plugin", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn keys_come_back() {
        let text = encode(Hrp::parse("age1yubikey").unwrap(), &[7; 33]);
        for text in [&text, &text.to_ascii_uppercase()] {
            let recipient: Recipient = text.parse().unwrap();
            assert_eq!(recipient.plugin(), "yubikey");
            assert_eq!(recipient.to_string(), text.to_ascii_lowercase());
        }
        let identity = Identity::without_data("YubiKey").unwrap();
        assert_eq!(identity.plugin(), "yubikey");
        assert!(identity.expose_secret().starts_with("AGE-PLUGIN-YUBIKEY-1"));
        let text = identity.expose_secret();
        for text in [text, &text.to_ascii_lowercase()] {
            let again: Identity = text.parse().unwrap();
            assert!(again == identity);
            assert_eq!(again.expose_secret(), identity.expose_secret());
        }
    }

    #[test]
    fn names_are_no_paths() {
        for name in ["", "a/b", "a\\b", "../a", "a b", "é", "-", "a-", &"a".repeat(MAX_NAME_BYTES + 1)] {
            assert!(!is_name(name), "{name}");
            assert_eq!(Identity::without_data(name).err(), Some(ParseError::Name), "{name}");
        }
        for name in ["a", "a-b", "x.y_z+1", &"a".repeat(MAX_NAME_BYTES)] {
            let identity = Identity::without_data(name).unwrap();
            assert_eq!(identity.expose_secret().parse::<Identity>().map(|key| key.name), Ok(name.to_owned()));
        }
        for (prefix, fault) in [
            ("age1a/b", ParseError::Name),
            ("age1", ParseError::Name),
            ("age", ParseError::Malformed),
            ("agf1a", ParseError::Malformed),
        ] {
            let text = encode(Hrp::parse(prefix).unwrap(), &[]);
            assert_eq!(text.parse::<Recipient>(), Err(fault), "{text}");
        }
        for (prefix, fault) in [
            ("age-plugin-a/b-", ParseError::Name),
            ("age-plugin--", ParseError::Name),
            ("age-plugin-a--", ParseError::Name),
            ("age-plugin-a", ParseError::Malformed),
            ("age-secret-key-", ParseError::Malformed),
        ] {
            let text = encode(Hrp::parse(prefix).unwrap(), &[]).to_ascii_uppercase();
            assert_eq!(text.parse::<Identity>().err(), Some(fault), "{text}");
        }
        let text = Identity::without_data("a").unwrap().expose_secret().replace('A', "B");
        assert_eq!(text.parse::<Identity>().err(), Some(ParseError::Malformed));
    }
}
