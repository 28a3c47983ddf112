//! The recipient on a line of a recipients file.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::{mlkem768x25519, plugin, x25519};

/// A recipient of a kind that a line of a recipients file can hold.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyRecipient {
    /// `age1…`
    X25519(x25519::Recipient),
    /// `age1pq1…`
    PostQuantum(Box<mlkem768x25519::Recipient>),
    /// `age1NAME1…`. A program that starts plugins turns it into a [`Recipient`](crate::Recipient).
    Plugin(plugin::Recipient),
    /// `age1tag1…`
    #[cfg(feature = "age")]
    Tag(age::tag::Recipient),
    /// `age1tagpq1…`
    #[cfg(feature = "age")]
    TagPq(Box<age::tagpq::Recipient>),
    /// `ssh-ed25519 AAAA…` or `ssh-rsa AAAA…`
    #[cfg(feature = "ssh")]
    Ssh(age::ssh::Recipient),
}

#[cfg(feature = "std")]
impl AnyRecipient {
    /// Returns the recipient that wraps file keys.
    ///
    /// # Errors
    /// The plugin's recipient, unchanged: only a program that starts plugins can wrap with it.
    pub fn into_recipient(self) -> Result<Box<dyn crate::recipient::Recipient + Send + Sync>, plugin::Recipient> {
        Ok(match self {
            Self::X25519(recipient) => Box::new(recipient),
            Self::PostQuantum(recipient) => recipient,
            Self::Plugin(recipient) => return Err(recipient),
            #[cfg(feature = "age")]
            Self::Tag(recipient) => Box::new(recipient),
            #[cfg(feature = "age")]
            Self::TagPq(recipient) => recipient,
            #[cfg(feature = "ssh")]
            Self::Ssh(recipient) => Box::new(recipient),
        })
    }
}

/// The reason why a text is not a recipient.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipientFault {
    /// It was not copied completely: its checksum or its length is wrong.
    #[error("malformed recipient")]
    Malformed,
    /// No plugin can have the name in the recipient.
    #[error("not a plugin's name in the recipient")]
    PluginName,
    /// It is a private key, and must not be shown.
    #[error("a private key (identity), where a recipient (public key) is expected")]
    Identity,
    /// It is an address on the network.
    #[error("recipients are not fetched from the network")]
    Address,
    /// It is longer than [`MAX_RECIPIENT_BYTES`](super::MAX_RECIPIENT_BYTES).
    #[error("longer than 8 KiB")]
    TooLong,
    /// It is an ssh public key of an unsupported type or length.
    #[error("{why}")]
    UnsupportedSsh {
        /// The type of the key.
        kind: String,
        /// The reason.
        why: String,
    },
    /// It is a malformed ssh public key.
    #[error("malformed ssh public key")]
    MalformedSsh,
    /// It needs a feature of this crate that is not enabled.
    #[error("the recipient needs the feature `{0}` of sealane-age")]
    Feature(&'static str),
    /// It is of an unknown kind.
    #[error("unknown type of recipient")]
    Unknown,
}

impl FromStr for AnyRecipient {
    type Err = RecipientFault;

    fn from_str(text: &str) -> Result<Self, RecipientFault> {
        let malformed = |_| RecipientFault::Malformed;
        // Bech32 (BIP 173) may be all upper case, as from a QR code.
        if text.starts_with("AGE1") && !text.bytes().any(|b| b.is_ascii_lowercase()) {
            return text.to_ascii_lowercase().parse();
        }
        if text.starts_with("age1tag1") || text.starts_with("age1tagpq1") {
            return tagged(text);
        }
        if text.starts_with("age1pq1") {
            return text.parse().map(|key| Self::PostQuantum(Box::new(key))).map_err(malformed);
        }
        if text.starts_with("age1") && text.bytes().filter(|&b| b == b'1').count() > 1 {
            return text.parse().map(Self::Plugin).map_err(|error| match error {
                plugin::ParseError::Name => RecipientFault::PluginName,
                plugin::ParseError::Malformed => RecipientFault::Malformed,
            });
        }
        if text.starts_with("age1") {
            return text.parse().map(Self::X25519).map_err(malformed);
        }
        if text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("AGE-")) || text.starts_with("-----BEGIN") {
            return Err(RecipientFault::Identity);
        }
        if ["github:", "https:", "http:"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(RecipientFault::Address);
        }
        ssh(text)
    }
}

impl fmt::Display for AnyRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X25519(key) => key.fmt(f),
            Self::PostQuantum(key) => fmt::Display::fmt(key, f),
            Self::Plugin(key) => fmt::Display::fmt(key, f),
            #[cfg(feature = "age")]
            Self::Tag(key) => key.fmt(f),
            #[cfg(feature = "age")]
            Self::TagPq(key) => key.fmt(f),
            #[cfg(feature = "ssh")]
            Self::Ssh(key) => fmt::Display::fmt(key, f),
        }
    }
}

#[cfg(feature = "age")]
fn tagged(text: &str) -> Result<AnyRecipient, RecipientFault> {
    if text.starts_with("age1tagpq1") {
        return text.parse().map(|key| AnyRecipient::TagPq(Box::new(key))).map_err(|_| RecipientFault::Malformed);
    }
    text.parse().map(AnyRecipient::Tag).map_err(|_| RecipientFault::Malformed)
}

#[cfg(not(feature = "age"))]
fn tagged(_: &str) -> Result<AnyRecipient, RecipientFault> {
    Err(RecipientFault::Feature("age"))
}

#[cfg(feature = "ssh")]
fn ssh(text: &str) -> Result<AnyRecipient, RecipientFault> {
    use age::ssh::ParseRecipientKeyError as Error;
    let unsupported = |why: &str| match ssh_type(text) {
        Some(kind) => RecipientFault::UnsupportedSsh { kind: kind.into(), why: why.into() },
        None => RecipientFault::MalformedSsh,
    };
    // The crate `age` must see no other key of these types.
    if (text.starts_with("ssh-ed25519 ") || text.starts_with("ssh-rsa ")) && !crate::ssh::is_public_key(text) {
        return Err(RecipientFault::MalformedSsh);
    }
    text.parse().map(AnyRecipient::Ssh).map_err(|error| match error {
        Error::RsaModulusTooLarge => unsupported("an RSA key of more than 4096 bits"),
        Error::RsaModulusTooSmall => unsupported("an RSA key of less than 2048 bits is too weak"),
        // Not a point.
        Error::Unsupported(kind) if kind == "ssh-ed25519" => RecipientFault::MalformedSsh,
        Error::Unsupported(kind) => unsupported(&alloc::format!("keys of type {kind} are not supported")),
        Error::Ignore => unsupported("its type is not supported"),
        Error::Invalid(_) if text.starts_with("ssh-") => RecipientFault::MalformedSsh,
        _ if ssh_type(text).is_some() => unsupported("unknown type of recipient"),
        _ => RecipientFault::Unknown,
    })
}

#[cfg(not(feature = "ssh"))]
fn ssh(text: &str) -> Result<AnyRecipient, RecipientFault> {
    Err(if text.starts_with("ssh-") { RecipientFault::Feature("ssh") } else { RecipientFault::Unknown })
}

/// Returns the type of a well-formed ssh public key. The line has it before the key, and the key
/// repeats it (RFC 4253, section 6.6).
#[cfg(feature = "ssh")]
fn ssh_type(line: &str) -> Option<&str> {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    let mut fields = line.split(' ');
    let (kind, key) = (fields.next()?, BASE64_STANDARD.decode(fields.next()?).ok()?);
    let (len, rest) = key.split_first_chunk::<4>()?;
    let inner = rest.get(..usize::try_from(u32::from_be_bytes(*len)).ok()?)?;
    // An error shows the type, so it must not control a terminal.
    (inner == kind.as_bytes() && kind.bytes().all(|b| b.is_ascii_graphic())).then_some(kind)
}
