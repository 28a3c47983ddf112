//! Errors of sealing and opening files.

use std::collections::HashSet;
use std::fmt;
use std::io;

use crate::armor::ArmorError;
use crate::header::HeaderError;
use crate::stream::StreamError;

/// A file cannot be encrypted to these recipients.
///
/// Errors of the output are [`io::Error`]s of the writer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptError {
    /// There are no recipients.
    #[error("no recipients: nobody could open the file")]
    NoRecipients,
    /// A recipient returned no stanza, so it could not open the file.
    #[error("a recipient did not wrap the file key")]
    NoStanza,
    /// A passphrase is combined with other recipients, or with another passphrase.
    #[error("a passphrase cannot be combined with other recipients")]
    PassphraseNotAlone,
    /// The recipients' labels differ. All recipients of a file must have the same labels. For
    /// example, post-quantum recipients have the label `postquantum`, so that they cannot be
    /// combined with others.
    #[error("recipients with different labels cannot be combined: {} and {}", Labels(.0), Labels(.1))]
    IncompatibleRecipients(HashSet<String>, HashSet<String>),
    /// A label is empty or has characters other than printable ASCII.
    #[error("a recipient has an invalid label")]
    InvalidLabel,
    /// A recipient returned a stanza that a header cannot have.
    #[error("a recipient returned an invalid stanza: {0}")]
    InvalidStanza(HeaderError),
    /// The work factor for a passphrase is not from 1 to 22.
    #[error("the scrypt work factor must be from 1 to 22, not {0}")]
    WorkFactor(u8),
    /// A recipient cannot wrap the file key, for example because its plugin failed.
    #[error("{}", OneLine(.0))]
    Recipient(#[source] age::EncryptError),
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Random(getrandom::Error),
}

impl From<age::EncryptError> for EncryptError {
    fn from(error: age::EncryptError) -> Self {
        Self::Recipient(error)
    }
}

/// A file cannot be opened.
///
/// Errors after the header are [`StreamError`]s. A reader returns them, and so does
/// [`decrypt`](crate::decrypt()), which opens a whole file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecryptError {
    /// Reading failed.
    #[error("reading failed: {0}")]
    Io(#[source] io::Error),
    /// The armor is malformed.
    #[error(transparent)]
    Armor(ArmorError),
    /// The header is malformed.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The file is not encrypted to any of the identities.
    #[error("none of the identities can open the file")]
    NoMatch,
    /// The file is encrypted with another passphrase.
    #[error("the passphrase is wrong")]
    WrongPassphrase,
    /// A stanza names one of the identities, but that identity cannot unwrap it.
    #[error("the file names one of the identities, but the file key cannot be unwrapped with it")]
    UnwrapFailed,
    /// The header has been changed: its MAC is wrong.
    #[error("the header has been changed: its authentication code is wrong")]
    HeaderMac,
    /// The file asks for more scrypt work than is allowed.
    #[error("the file asks for a scrypt work factor of {required}, which is more than is allowed")]
    ExcessiveWork {
        /// The base-2 logarithm of scrypt's N that the file asks for.
        required: u8,
    },
    /// The payload is damaged or incomplete. This error is for whole files that are opened at once.
    #[error(transparent)]
    Payload(#[from] StreamError),
    /// An identity failed, for example because its own passphrase is wrong or its plugin failed.
    #[error("{}", OneLine(.0))]
    Identity(#[source] age::DecryptError),
}

impl From<io::Error> for DecryptError {
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(armor) => Self::Armor(*armor),
            None => Self::Io(error),
        }
    }
}

/// Shows the labels in sorted order, so that equal labels give equal messages.
struct Labels<'a>(&'a HashSet<String>);

impl fmt::Display for Labels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut labels: Vec<&str> = self.0.iter().map(String::as_str).collect();
        labels.sort_unstable();
        match labels[..] {
            [] => f.write_str("no label"),
            _ => write!(f, "\"{}\"", labels.join("\", \"")),
        }
    }
}

/// Joins the lines of messages of the `age` crate.
struct OneLine<'a, E>(&'a E);

impl<E: fmt::Display> fmt::Display for OneLine<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (i, line) in lines.enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            f.write_str(line)?;
        }
        Ok(())
    }
}
