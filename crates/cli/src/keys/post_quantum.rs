//! Whether files are safe from a quantum computer.

use sealane_age::header::{Header, is_padding};
use sealane_age::threshold::{self, ShareSetDescription};
use serde::Serialize;

/// Whether the file key is safe from a quantum computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PostQuantum {
    Yes,
    No,
    /// The type of some recipient is unknown.
    Unknown,
}

impl PostQuantum {
    /// Classifies a header, without its padding. `sets` are its share sets.
    pub(crate) fn of_header(header: &Header, sets: &[ShareSetDescription]) -> Self {
        let recipients = header.stanzas().iter().filter(|stanza| !is_padding(stanza)).map(|stanza| &stanza.tag);
        let inner = sets.iter().flat_map(|set| &set.types);
        Self::of(recipients.filter(|name| *name != threshold::TYPE).chain(inner))
    }

    /// Classifies stanza types. One unsafe recipient is enough for `No`.
    pub(crate) fn of<'a>(types: impl IntoIterator<Item = &'a String>) -> Self {
        types.into_iter().fold(Self::Yes, |so_far, name| match (so_far, name.as_str()) {
            (Self::No, _) | (_, "X25519" | "ssh-rsa" | "ssh-ed25519" | "p256tag" | "piv-p256") => Self::No,
            (so_far, "mlkem768x25519" | "mlkem768p256tag" | "scrypt") => so_far,
            _ => Self::Unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_weak_recipient_is_enough() {
        let classified =
            |types: &[&str]| PostQuantum::of(&types.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(classified(&["X25519"]), PostQuantum::No);
        assert_eq!(classified(&["mlkem768x25519"]), PostQuantum::Yes);
        assert_eq!(classified(&["scrypt"]), PostQuantum::Yes);
        assert_eq!(classified(&["new"]), PostQuantum::Unknown);
        assert_eq!(classified(&["mlkem768x25519", "new"]), PostQuantum::Unknown);
        assert_eq!(classified(&["new", "mlkem768x25519"]), PostQuantum::Unknown);
        assert_eq!(classified(&["new", "ssh-rsa", "mlkem768x25519"]), PostQuantum::No);
    }
}
