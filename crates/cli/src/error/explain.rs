//! Explains errors of the libraries to the user.

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::io;

use sealane_age::armor::ArmorError;
use sealane_age::folder::ManifestError;
use sealane_age::header::{HeaderError, MAX_HEADER_BYTES, MAX_STANZAS};
use sealane_age::threshold::ThresholdError;
use sealane_age::{CopyError, DecryptError, EncryptError, StreamError};

use crate::error::{Error, describe};

/// Advice for a file that no identity opens.
pub(crate) const NO_MATCH: &str = "give the private key of one of its recipients with -i";

/// Explains why a file cannot be opened.
pub(crate) fn decrypt_error(error: DecryptError) -> Error {
    match error {
        DecryptError::Io(error) => Error::from_io("cannot read the input", error),
        DecryptError::Header(error) => header_error(&error),
        DecryptError::Armor(error) => armor_error(error),
        DecryptError::NoMatch => Error::new("no identity matches any of the file's recipients").hint(NO_MATCH),
        DecryptError::UnwrapFailed => Error::new("an identity matches the file, but cannot unwrap its key")
            .hint("the header was damaged or changed; get another copy of the file"),
        DecryptError::WrongPassphrase => Error::new("incorrect passphrase"),
        DecryptError::HeaderMac => Error::new("the header was changed: its authentication code is wrong")
            .hint("nothing was decrypted; get another copy of the file"),
        DecryptError::Threshold(error) => threshold_error(&error),
        DecryptError::Identity(error) => other("an identity failed", error),
        error => Error::new(error.to_string()),
    }
}

/// Explains an error of a recipient or an identity. An [`Error`] of the command itself stays as it
/// is.
fn other(what: &str, error: Box<dyn StdError + Send + Sync>) -> Error {
    match error.downcast() {
        Ok(own) => *own,
        Err(error) => Error::new(format!("{what}: {error}")),
    }
}

/// Explains what is wrong with the holders or parts of a file.
pub(crate) fn threshold_error(error: &ThresholdError) -> Error {
    let explained = Error::new(error.to_string());
    match error {
        ThresholdError::TooFew { .. } => {
            explained.hint("ask other holders for their parts (sealane contribute), and give them with --part")
        }
        ThresholdError::NotAPart => {
            explained.hint("a part is a line that begins with SEALANE-PART-1, from sealane contribute")
        }
        ThresholdError::OtherFile | ThresholdError::WrongPart { .. } => {
            explained.hint("parts belong to one file: ask its holder for the part of this one")
        }
        ThresholdError::UnknownVersion(_) => explained.hint("a newer program may have made it"),
        ThresholdError::WrongShare { .. } => {
            explained.hint("no part was contributed; ask the person who made the file")
        }
        _ => explained.hint("the header was damaged or changed; get another copy of the file"),
    }
}

/// Explains why the manifest of a folder cannot be read.
pub(crate) fn manifest_error(error: ManifestError) -> Error {
    match error {
        ManifestError::Io(error) => Error::from_io("cannot read the manifest", error),
        ManifestError::UnknownVersion(_) => Error::new(error.to_string()).hint("a newer program may have made it"),
        error => Error::new(error.to_string()),
    }
}

/// Explains why a file cannot be encrypted.
pub(crate) fn encrypt_error(error: EncryptError) -> Error {
    match error {
        EncryptError::Recipient(error) => other("a recipient failed", error),
        EncryptError::NoRecipients => {
            Error::new("no recipients: the file could not be opened by anyone").hint("give one with -r, -R or -p")
        }
        EncryptError::Header(HeaderError::TooLong) => {
            let most = MAX_HEADER_BYTES >> 20;
            Error::new(format!("too many recipients: the header would be longer than {most} MiB"))
        }
        EncryptError::Header(HeaderError::TooManyStanzas) => Error::new(format!(
            "too many recipients: at most {MAX_STANZAS} stanzas can be in a header, and holders (-k) count twice"
        )),
        EncryptError::IncompatibleRecipients(one, other) => {
            let is_post_quantum = |labels: &BTreeSet<String>| labels.contains("postquantum");
            let reason = if is_post_quantum(&one) == is_post_quantum(&other) {
                "these recipients cannot be combined"
            } else {
                "post-quantum recipients cannot be combined with others"
            };
            Error::new(reason).hint("encrypt the file twice, once for each kind of recipient")
        }
        error @ EncryptError::PassphraseNotAlone => {
            Error::new(error.to_string()).hint("encrypt the file twice, once for each kind of recipient")
        }
        error => Error::new(error.to_string()),
    }
}

/// Explains an error of copying. `read` explains errors of the source.
pub(crate) fn copy_error(error: CopyError, read: impl FnOnce(io::Error) -> Error) -> Error {
    match error {
        CopyError::Read(error) => read(error),
        CopyError::Write(error) => Error::from_io("cannot write", error),
        error => Error::new(error.to_string()),
    }
}

/// Explains why an encrypted file cannot be read: it is damaged, or reading it failed. `input` is
/// the quoted name of the file.
pub(crate) fn payload_error(error: io::Error, input: &str) -> Error {
    let inner = error.get_ref();
    if let Some(stream) = StreamError::of(&error) {
        let missing = matches!(stream, StreamError::Truncated | StreamError::CorruptEnd { .. });
        let hint = if missing {
            "the rest of the file is missing or damaged; get another copy"
        } else {
            "the file was damaged or changed; get another copy"
        };
        return Error::new(format!("{input}: {stream}")).hint(hint);
    }
    if let Some(armor) = inner.and_then(|inner| inner.downcast_ref::<ArmorError>()) {
        return armor_error(*armor);
    }
    Error::from_io(format!("cannot read {input}"), error)
}

fn header_error(error: &HeaderError) -> Error {
    let explained = Error::new(error.to_string());
    match error {
        HeaderError::Empty => explained.hint("was the command that made it interrupted?"),
        HeaderError::NotAge => {
            explained.hint("is it the right file? an encrypted file begins with this line, or with -----BEGIN AGE")
        }
        HeaderError::UnknownVersion(_) => explained.hint("a newer program may have made it"),
        HeaderError::Truncated => explained.hint("the rest of the file is missing; get another copy"),
        _ => explained.hint("the file was damaged or changed; get another copy"),
    }
}

fn armor_error(error: ArmorError) -> Error {
    Error::new(error.to_string()).hint(match error {
        ArmorError::Truncated => "copy all of it, with its END line",
        ArmorError::NoBegin => "copy all of it, with its BEGIN line",
        ArmorError::TrailingData => "the input must contain only one encrypted file",
        _ => "the text was changed on its way; copy it again, or send it as a file",
    })
}

/// Explains why a file to encrypt or to split cannot be read.
pub(crate) fn read_error(error: io::Error, input: &str) -> Error {
    let hint = (error.kind() == io::ErrorKind::IsADirectory).then_some("make an archive of it first (tar)");
    let explained = Error::new(format!("cannot read {input}: {}", describe(&error)));
    match hint {
        Some(hint) => explained.hint(hint),
        None => explained,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipients_that_do_not_go_together_are_named_in_plain_words() {
        let labels = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        let message = |one, other| encrypt_error(EncryptError::IncompatibleRecipients(one, other)).to_string();
        let mixed = "post-quantum recipients cannot be combined with others";
        assert_eq!(message(labels(&[]), labels(&["postquantum"])), mixed);
        assert_eq!(message(labels(&["postquantum"]), labels(&["x"])), mixed);
        assert_eq!(message(labels(&["x"]), labels(&["y"])), "these recipients cannot be combined");
    }
}
