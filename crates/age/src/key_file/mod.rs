//! Files with identities, and files with recipients: one key a line, as `age-keygen` writes them
//! and `age -i` and `age -R` read them. No I/O.
//!
//! Empty lines, and lines that start with `#`, are skipped, whatever their encoding. So are a byte
//! order mark at the start of the file, and the white space at the end of each line.
//!
//! An identity file may also be encrypted with a passphrase (feature `std`), or be an ssh private
//! key (feature `ssh`): see [`IdentityFile`].
//!
//! ```
//! use sealane_age::key_file::{
//!     AnyIdentity, AnyRecipient, EncryptedFileError, EncryptedIdentityFile, IdentityFault, IdentityFile, KeyFileError,
//!     RecipientFault, Recipients, parse_identities, parse_recipients,
//! };
//! use sealane_age::scrypt;
//! use sealane_age::secrecy::SecretString;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let keys = b"# created: today\n\
//!     AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33\n";
//! assert_eq!(IdentityFile::of(keys).0, IdentityFile::Lines);
//! let identities: Vec<AnyIdentity> = parse_identities(keys)?;
//! let AnyIdentity::X25519(identity) = &identities[0] else { panic!() };
//!
//! let text = format!("{}\n", identity.to_public());
//! let Recipients { recipients, skipped, .. } = parse_recipients(text.as_bytes())?;
//! assert!(matches!(recipients[..], [AnyRecipient::X25519(_)]) && skipped.is_empty());
//!
//! // An error names the line.
//! let error = parse_recipients(keys).unwrap_err();
//! assert_eq!(error, KeyFileError::Line { line: 2, fault: RecipientFault::Identity });
//! let error = parse_identities(text.as_bytes()).unwrap_err();
//! assert_eq!(error, KeyFileError::Line { line: 1, fault: IdentityFault::Recipient });
//!
//! // An identity file that is encrypted with a passphrase.
//! let passphrase = SecretString::from("correct horse battery staple");
//! let recipient = scrypt::Recipient::new(passphrase.clone()).with_work_factor(4)?;
//! let file = sealane_age::encrypt([&recipient as &dyn sealane_age::Recipient], keys)?;
//! let file = EncryptedIdentityFile::new(&file);
//! assert_eq!(file.decrypt(&scrypt::Identity::new(passphrase))?.len(), 1);
//! let wrong = scrypt::Identity::new(SecretString::from("wrong"));
//! assert!(matches!(file.decrypt(&wrong), Err(EncryptedFileError::Open(_))));
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "std")]
mod encrypted;
mod identity;
mod recipient;
#[cfg(feature = "ssh")]
mod ssh;

use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "std")]
pub use self::encrypted::{EncryptedFileError, EncryptedIdentityFile};
pub use self::identity::{AnyIdentity, IdentityFault};
pub use self::recipient::{AnyRecipient, RecipientFault};
#[cfg(feature = "ssh")]
pub use self::ssh::{MAX_SSH_IDENTITY_BYTES, parse_ssh_identity, read_ssh_identity};
#[cfg(feature = "ssh")]
pub use crate::ssh::SshIdentityFault;

/// The longest key file that age reads, in bytes.
pub const MAX_FILE_BYTES: usize = 16 << 20;

/// The longest line of a recipients file, in bytes. sshd(8) has the same limit for authorized keys.
pub const MAX_RECIPIENT_BYTES: usize = 8 << 10;

/// U+FEFF in UTF-8, which editors on Windows add.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A file is not a file of keys. `F` is the fault of a line: [`IdentityFault`] or
/// [`RecipientFault`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError<F: fmt::Display> {
    /// A line that is not a comment is not UTF-8. A file in UTF-16 has such lines.
    #[error("line {line}: not UTF-8 text")]
    NotText {
        /// The number of the line, from 1.
        line: usize,
    },
    /// There is no key.
    #[error("there are no keys in the file")]
    NoKeys,
    /// It is longer than [`MAX_FILE_BYTES`].
    #[error("the file is longer than 16 MiB")]
    TooLong,
    /// A line is not a key. The line itself may be secret, so it is not part of the error.
    #[error("line {line}: {fault}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The fault.
        fault: F,
    },
}

/// The kind of an identity file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentityFile {
    /// One identity a line: see [`parse_identities`].
    Lines,
    /// An age file, binary or armored, whose plaintext is such lines: see `EncryptedIdentityFile`,
    /// which needs the feature `std`.
    Encrypted,
    /// A private key in PEM, such as an ssh key: see `parse_ssh_identity`, which needs the feature
    /// `ssh`.
    Pem,
}

impl IdentityFile {
    /// Returns the kind of a file, judging by its first bytes, and the contents without a byte
    /// order mark.
    pub fn of(contents: &[u8]) -> (Self, &[u8]) {
        let contents = without_mark(contents);
        let start = contents.trim_ascii_start();
        let kind =
            if contents.starts_with(b"age-encryption.org/") || start.starts_with(b"-----BEGIN AGE ENCRYPTED FILE") {
                Self::Encrypted
            } else if start.starts_with(b"-----BEGIN") {
                Self::Pem
            } else {
                Self::Lines
            };
        (kind, contents)
    }
}

/// Parses a file with one identity a line.
///
/// ```
/// use sealane_age::key_file::{AnyIdentity, parse_identities};
///
/// let file = b"# created: today\n\
///     AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33\n";
/// let identities = parse_identities(file).unwrap();
/// assert!(matches!(identities[..], [AnyIdentity::X25519(_)]));
/// ```
///
/// # Errors
/// [`KeyFileError`].
pub fn parse_identities(contents: &[u8]) -> Result<Vec<AnyIdentity>, KeyFileError<IdentityFault>> {
    let mut identities = Vec::new();
    for line in lines(contents)? {
        let (line, text) = line?;
        identities.push(text.parse().map_err(|fault| KeyFileError::Line { line, fault })?);
    }
    if identities.is_empty() { Err(KeyFileError::NoKeys) } else { Ok(identities) }
}

/// The contents of a recipients file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recipients {
    /// The recipients, in order. There are none if all lines were skipped.
    pub recipients: Vec<AnyRecipient>,
    /// The numbers of the lines with ssh keys of unsupported types or lengths, and the fault of
    /// each line. Files such as `authorized_keys` and `github.com/USER.keys` may have keys of any
    /// type.
    pub skipped: Vec<(usize, RecipientFault)>,
}

impl Recipients {
    /// Returns the recipients, if no line was skipped: the owner of a key that is left out could
    /// not open the file.
    ///
    /// # Errors
    /// [`KeyFileError::Line`] for the first line that was skipped.
    pub fn all(self) -> Result<Vec<AnyRecipient>, KeyFileError<RecipientFault>> {
        match self.skipped.into_iter().next() {
            Some((line, fault)) => Err(KeyFileError::Line { line, fault }),
            None => Ok(self.recipients),
        }
    }
}

/// Parses a file with one recipient a line.
///
/// # Errors
/// [`KeyFileError`].
pub fn parse_recipients(contents: &[u8]) -> Result<Recipients, KeyFileError<RecipientFault>> {
    let mut found = Recipients { recipients: Vec::new(), skipped: Vec::new() };
    for line in lines(contents)? {
        let (line, text) = line?;
        let parsed = if text.len() > MAX_RECIPIENT_BYTES { Err(RecipientFault::TooLong) } else { text.parse() };
        match parsed {
            Ok(recipient) => found.recipients.push(recipient),
            Err(fault @ RecipientFault::UnsupportedSsh { .. }) => found.skipped.push((line, fault)),
            Err(fault) => return Err(KeyFileError::Line { line, fault }),
        }
    }
    if found.recipients.is_empty() && found.skipped.is_empty() { Err(KeyFileError::NoKeys) } else { Ok(found) }
}

/// A line and its number, unless it is not text.
type Line<'a, F> = Result<(usize, &'a str), KeyFileError<F>>;

/// Returns the lines that should be keys, with their numbers. Comments are left out before the
/// others are read as text, because a comment may have any encoding.
fn lines<F: fmt::Display>(contents: &[u8]) -> Result<impl Iterator<Item = Line<'_, F>>, KeyFileError<F>> {
    if contents.len() > MAX_FILE_BYTES {
        return Err(KeyFileError::TooLong);
    }
    let lines = (1..).zip(without_mark(contents).split(|&byte| byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.starts_with(b"#"));
    let texts = lines.map(|(line, text)| match core::str::from_utf8(text) {
        Ok(text) => Ok((line, text.trim_end())),
        Err(_) => Err(KeyFileError::NotText { line }),
    });
    Ok(texts.filter(|line| !matches!(line, Ok((_, "")))))
}

fn without_mark(contents: &[u8]) -> &[u8] {
    contents.strip_prefix(BYTE_ORDER_MARK).unwrap_or(contents)
}

#[cfg(test)]
mod tests;
