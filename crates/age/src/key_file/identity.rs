//! The identity on a line of an identity file.

use alloc::boxed::Box;
use core::str::FromStr;

use crate::identity::Identity;
use crate::{mlkem768x25519, plugin, x25519};

/// An identity of a kind that a line of an identity file can hold.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyIdentity {
    /// `AGE-SECRET-KEY-1…`
    X25519(x25519::Identity),
    /// `AGE-SECRET-KEY-PQ-1…`, or the same key as an identity of a plugin, `AGE-PLUGIN-PQ-1…`
    PostQuantum(Box<mlkem768x25519::Identity>),
    /// `AGE-PLUGIN-NAME-1…`
    Plugin(plugin::Identity),
}

impl AnyIdentity {
    /// Returns the identity that unwraps file keys.
    ///
    /// # Errors
    /// The plugin's identity, unchanged: only a program that starts plugins can unwrap with it.
    pub fn into_identity(self) -> Result<Box<dyn Identity + Send + Sync>, plugin::Identity> {
        match self {
            Self::X25519(identity) => Ok(Box::new(identity)),
            Self::PostQuantum(identity) => Ok(identity),
            Self::Plugin(identity) => Err(identity),
        }
    }
}

/// The reason why a text is not an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityFault {
    /// A secret key was not copied completely: its checksum or its length is wrong.
    #[error("malformed secret key")]
    MalformedKey,
    /// A plugin's identity was not copied completely.
    #[error("malformed plugin identity")]
    MalformedPlugin,
    /// No plugin can have the name in the identity.
    #[error("not a plugin's name")]
    PluginName,
    /// The text is a public key.
    #[error("a recipient (public key), where an identity (private key) is expected")]
    Recipient,
    /// The text is of an unknown kind.
    #[error("not an identity")]
    Unknown,
}

impl FromStr for AnyIdentity {
    type Err = IdentityFault;

    fn from_str(text: &str) -> Result<Self, IdentityFault> {
        let malformed = |_| IdentityFault::MalformedKey;
        // Bech32 (BIP 173) may be in lower case, too.
        let starts_with =
            |prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        if let Some(key) = mlkem768x25519::Identity::of_plugin(text) {
            return Ok(Self::PostQuantum(Box::new(key)));
        }
        if starts_with("AGE-PLUGIN-") {
            return text.parse().map(Self::Plugin).map_err(|error| match error {
                plugin::ParseError::Name => IdentityFault::PluginName,
                plugin::ParseError::Malformed => IdentityFault::MalformedPlugin,
            });
        }
        if starts_with("AGE-SECRET-KEY-PQ-1") {
            return text.parse().map(|key| Self::PostQuantum(Box::new(key))).map_err(malformed);
        }
        if starts_with("AGE-SECRET-KEY-1") {
            return text.parse().map(Self::X25519).map_err(malformed);
        }
        if starts_with("age1") || text.starts_with("ssh-") {
            return Err(IdentityFault::Recipient);
        }
        Err(IdentityFault::Unknown)
    }
}
