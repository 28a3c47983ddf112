//! Places of shares: files, lines of files, standard input, and lines that the user typed.

use std::fmt;

use crate::error::{Error, quoted};

/// The place where a share was found.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The number of the file, or of the typed line. All names of one file have the same number.
    pub(crate) file: usize,
    /// The name of the file, [`STANDARD_INPUT`] or [`TERMINAL`].
    pub(crate) name: String,
    /// The line, if the file has several shares, or other lines. For a typed share that was
    /// accepted, its number in the order of typing.
    pub(crate) line: Option<usize>,
}

impl Place {
    /// Returns the place of a line.
    pub(super) fn at(&self, line: Option<usize>) -> Self {
        Self { line, ..self.clone() }
    }

    /// Returns whether the share was typed.
    pub(super) fn is_typed(&self) -> bool {
        self.name == TERMINAL
    }
}

/// Formats the place for messages, in quotes.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (TERMINAL, Some(number)) = (self.name.as_str(), self.line) {
            return write!(f, "typed share {number}");
        }
        if [STANDARD_INPUT, TERMINAL].contains(&self.name.as_str()) {
            f.write_str(&self.name)?
        } else {
            f.write_str(&quoted(&self.name))?
        }
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

/// The name of a typed share in messages.
pub(super) const TERMINAL: &str = "this line";
/// The name of standard input in messages.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// An input that cannot be read, is not a share, or is too damaged to identify.
pub(crate) struct Unreadable {
    pub(crate) place: Place,
    /// Whether the text also has shares, so that this may be the rest of a mail.
    pub(crate) beside: bool,
    /// Whether it is a share with errors, and not another text.
    pub(crate) is_share: bool,
    /// The error, which names the place.
    pub(crate) error: Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_a_name() {
        for (name, line, expected) in [
            ("a", None, "\"a\""),
            ("a", Some(2), "\"a\", line 2"),
            (STANDARD_INPUT, Some(2), "standard input, line 2"),
            (TERMINAL, None, "this line"),
            (TERMINAL, Some(2), "typed share 2"),
        ] {
            assert_eq!(Place { file: 1, name: name.to_owned(), line }.to_string(), expected);
        }
    }
}
