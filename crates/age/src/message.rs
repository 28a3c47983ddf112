//! Parts of error messages.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use core::fmt::{self, Write as _};

/// Characters that a terminal shows as nothing, or that change how it shows the text around them.
/// These are Default_Ignorable_Code_Point of Unicode 17 (DerivedCoreProperties.txt) without joiners
/// and variation selectors, which scripts and emoji need, and U+2028, U+2029 (line separators),
/// U+2800 (the blank of Braille), U+FFF9 to U+FFFB (annotations).
const INVISIBLE: [(char, char); 19] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e00ff}'),
    ('\u{e01f0}', '\u{e0fff}'),
];

/// Returns whether a terminal could show the text around `c` as another text. This is so for
/// control characters, line separators, direction marks and invisible characters.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control() || INVISIBLE.iter().any(|&(first, last)| (first..=last).contains(&c))
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

    #[test]
    fn invisible_characters_are_deceptive_except_joiners_and_variation_selectors() {
        for (first, last) in INVISIBLE {
            assert!(first <= last && is_deceptive(first) && is_deceptive(last), "{first:?} {last:?}");
        }
        for c in "\u{17b4}\u{17b5}\u{fff8}\u{1bca3}\u{1d17a}\u{e0041}\u{e0080}\u{e00ff}\u{e01f0}\u{e0fff}".chars() {
            assert!(is_deceptive(c), "{c:?}");
        }
        let selectors = "\u{180b}\u{180d}\u{180f}\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}";
        let neighbours = "\u{17b3}\u{17b6}\u{ffef}\u{fffc}\u{1bc9f}\u{1bca4}\u{1d172}\u{1d17b}\u{e1000}";
        for c in ["\u{200c}\u{200d}", selectors, neighbours].concat().chars() {
            assert!(!is_deceptive(c), "{c:?}");
        }
    }
}
