//! Stanzas: <https://c2sp.org/age#recipient-stanza>.

use alloc::string::String;
use alloc::vec::Vec;

use crate::lengths::MAX_ARGUMENTS;

/// A section of a header that wraps the file key for a recipient.
///
/// ```text
/// -> <tag> <args>...
/// <body, in base64>
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stanza {
    /// The type of the stanza: one or more printable ASCII characters, without spaces.
    pub tag: String,
    /// The arguments, each of one or more such characters. There are at most [`MAX_ARGUMENTS`].
    pub args: Vec<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Stanza {
    /// Returns whether a header can have this stanza: it has at most [`MAX_ARGUMENTS`] arguments,
    /// and its type and each of its arguments consist of one or more printable ASCII characters.
    pub fn is_well_formed(&self) -> bool {
        self.args.len() <= MAX_ARGUMENTS && is_printable(&self.tag) && self.args.iter().all(|arg| is_printable(arg))
    }
}

/// Returns whether `text` consists of one or more characters from 33 to 126: `1*VCHAR` of RFC 5234.
pub(crate) fn is_printable(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_characters() {
        assert!(is_printable("!") && is_printable("~") && is_printable("X25519"));
        for text in ["", " ", "a b", "\x7f", "a\n", "é"] {
            assert!(!is_printable(text), "{text:?}");
        }
    }
}
