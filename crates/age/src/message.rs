//! Parts of error messages.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use core::fmt::{self, Write as _};

/// Returns whether a terminal could show the text around `c` as another text. This is so for
/// control characters, line separators, direction marks, and some invisible characters.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        // The soft hyphen, the grapheme joiner, fillers, the blank of Braille, and others without
        // a shape. Joiners and variation selectors are allowed, because scripts and emoji need
        // them.
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Writes `text` with U+FFFD in place of characters that could deceive the reader.
fn write_printable(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let shown = |c| if is_deceptive(c) { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().try_for_each(|c| f.write_char(shown(c)))
}

/// Displays the labels of a recipient, without deceptive characters.
pub(crate) struct Labels<'a>(pub(crate) &'a BTreeSet<String>);

impl fmt::Display for Labels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no label");
        }
        for (i, label) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { ", \"" } else { "\"" })?;
            write_printable(f, label)?;
            f.write_char('"')?;
        }
        Ok(())
    }
}

/// Displays an error of another crate, with all lines of its message joined into one, and without
/// deceptive characters.
pub(crate) struct OneLine<'a, E>(pub(crate) &'a E);

impl<E: fmt::Display> fmt::Display for OneLine<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (i, line) in lines.enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            write_printable(f, line)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_printable_line() {
        let message = OneLine(&"\n  boom\u{1b}[31m\rx \r\n\n\u{9b}1mü\n").to_string();
        assert_eq!(message, "boom\u{fffd}[31m\u{fffd}x; \u{fffd}1mü");
        for c in "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}".chars() {
            assert_eq!(OneLine(&format!("a{c}b")).to_string(), "a\u{fffd}b", "{c:?}");
        }
        let labels = |labels: &[&str]| Labels(&labels.iter().map(|label| (*label).into()).collect()).to_string();
        assert_eq!(labels(&[]), "no label");
        assert_eq!(labels(&["a\u{1b}[2J", "b\nfake"]), "\"a\u{fffd}[2J\", \"b\u{fffd}fake\"");
    }
}
