//! Output to a terminal.

use std::io::{self, Write};

use sealane_shares::WipedVec;

use super::failure::{keep_retry, stdout_error};
use crate::error::{Error, Result};

/// The number of bytes that are held back, and checked before any of them is shown.
const HELD_BACK: usize = 1 << 20;

/// The data that may be shown. Binary data would act on the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepted {
    Anything,
    Text,
    /// Text that may begin and end within a character. The parts of characters are left out.
    PartOfText,
}

/// A terminal.
pub(super) struct Terminal {
    writer: Box<dyn Write + Send>,
    accepted: Accepted,
    /// The most bytes at the start that may be the end of a character.
    cut_at_start: usize,
    /// Whether the user types the input. In that case nothing is shown before the end of the input.
    typed: bool,
    held: WipedVec,
    /// The number of bytes at the start of `held` that may be shown. If the output must be text,
    /// they are whole characters.
    checked: usize,
}

impl Terminal {
    pub(super) fn new(writer: Box<dyn Write + Send>, accepted: Accepted, typed: bool) -> Self {
        let cut_at_start = if accepted == Accepted::PartOfText { 3 } else { 0 };
        Self { writer, accepted, cut_at_start, typed, held: WipedVec::default(), checked: 0 }
    }

    pub(super) fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let must_be_text = self.accepted != Accepted::Anything;
        if !must_be_text && !self.typed {
            return self.writer.write(data).map_err(|error| keep_retry(error, stdout_error));
        }
        let whole = self.without_cut_start(data);
        self.held.write_all(whole)?;
        let new = &self.held.as_ref()[self.checked..];
        let Some(checked) = (if must_be_text { text_len(new) } else { Some(new.len()) }) else {
            // Also discard the text that was held back: it is the beginning of binary data.
            self.held = WipedVec::default();
            self.checked = 0;
            return Err(binary_plaintext().into_io());
        };
        self.checked += checked;
        if self.held.as_ref().len() > HELD_BACK && !self.typed {
            self.show().map_err(Error::into_io)?;
        }
        Ok(data.len())
    }

    /// Returns `data` without the end of a character that began before the output.
    fn without_cut_start<'a>(&mut self, data: &'a [u8]) -> &'a [u8] {
        let cut = data.iter().take(self.cut_at_start).take_while(|&byte| byte & 0xc0 == 0x80).count();
        self.cut_at_start = if cut == data.len() { self.cut_at_start - cut } else { 0 };
        &data[cut..]
    }

    /// Shows the end of a complete output.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.checked < self.held.as_ref().len() && self.accepted != Accepted::PartOfText {
            return Err(binary_plaintext());
        }
        self.show()
    }

    /// Shows the text that was held back. The caller reports an earlier failure, so others are
    /// ignored.
    pub(super) fn abandon(mut self) {
        let _ = self.show();
    }

    /// Shows what was checked. The beginning of a character that is cut stays held back.
    fn show(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        let (text, cut) = held.as_ref().split_at(std::mem::take(&mut self.checked));
        let shown = self.writer.write_all(text).and_then(|()| self.writer.flush());
        shown.and_then(|()| self.held.write_all(cut)).map_err(stdout_error)
    }
}

/// Returns the length of the whole characters in `data` if it is text by age's rule: valid UTF-8
/// without control characters, except tabs and line ends. The last character may be cut.
fn text_len(data: &[u8]) -> Option<usize> {
    let text = match std::str::from_utf8(data) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&data[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    let is_shown = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t');
    text.chars().all(is_shown).then_some(text.len())
}

pub(super) fn refused() -> Error {
    Error::new("refusing to write binary data to the terminal")
}

fn binary_plaintext() -> Error {
    refused().hint("write to a file (-o FILE) or to a pipe; -o - writes to the terminal anyway")
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn text_that_may_be_shown() {
        for text in ["tab\t, line\r\n, ünïcödé, 漢字\n", ""] {
            assert_eq!(text_len(text.as_bytes()), Some(text.len()));
        }
        assert_eq!(text_len("aé".as_bytes().split_last().unwrap().1), Some(1));
        for bad in [
            &b"\x1b[2J"[..],
            b"\0",
            b"\x7f",
            b"\x07",
            "\u{9b}2J".as_bytes(),
            // C1 controls of terminals with 8 bits, and other bytes that are not UTF-8.
            b"\x9b2J",
            b"\xff",
            b"\xc3(",
        ] {
            assert_eq!(text_len(bad), None, "{bad:?}");
        }
    }

    /// A terminal that keeps what it shows.
    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(data)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Screen {
        fn terminal(&self) -> Terminal {
            self.accepting(Accepted::Text)
        }

        fn accepting(&self, accepted: Accepted) -> Terminal {
            Terminal::new(Box::new(self.clone()), accepted, false)
        }
    }

    #[test]
    fn characters_may_be_split_between_writes() {
        let text = format!("{}漢é", "x".repeat(HELD_BACK - 1)).into_bytes();
        let screen = Screen::default();
        let mut terminal = screen.terminal();
        for piece in [&text[..HELD_BACK + 1], &text[HELD_BACK + 1..HELD_BACK + 3], &text[HELD_BACK + 3..]] {
            assert_eq!(terminal.write(piece).unwrap(), piece.len());
            // No part of a character is shown.
            assert!(std::str::from_utf8(&screen.0.lock().unwrap()).is_ok());
        }
        terminal.finish().unwrap();
        assert!(*screen.0.lock().unwrap() == text);
    }

    #[test]
    fn a_range_may_begin_and_end_within_a_character() {
        let text = "漢 é 漢".as_bytes();
        for (start, end, shown) in
            [(1, 9, " é "), (2, 8, " é "), (3, 10, " é 漢"), (1, 3, ""), (0, 5, "漢 "), (4, 6, "é")]
        {
            for piece in [1, 2, text.len()] {
                let screen = Screen::default();
                let mut terminal = screen.accepting(Accepted::PartOfText);
                for piece in text[start..end].chunks(piece) {
                    terminal.write(piece).unwrap();
                }
                terminal.finish().unwrap();
                assert_eq!(*screen.0.lock().unwrap(), shown.as_bytes(), "{start} to {end}, {piece}");
            }
        }
        for bad in [&b"\x9b\x9b\x9b\x9b"[..], b"a\x9b", b"\x9b\xff"] {
            Screen::default().accepting(Accepted::PartOfText).write(bad).unwrap_err();
        }
    }

    #[test]
    fn a_character_that_is_cut_at_the_end_is_binary_data() {
        let text = "text, é".as_bytes();
        let screen = Screen::default();
        let mut terminal = screen.terminal();
        terminal.write(&text[..text.len() - 1]).unwrap();
        terminal.finish().unwrap_err();
        assert_eq!(*screen.0.lock().unwrap(), b"");
        // After a failure, the text before it is shown.
        let mut terminal = screen.terminal();
        terminal.write(&text[..text.len() - 1]).unwrap();
        terminal.abandon();
        assert_eq!(*screen.0.lock().unwrap(), b"text, ");
        // A control character that is split between two writes.
        let mut terminal = screen.terminal();
        terminal.write(b"\xc2").unwrap();
        terminal.write(b"\x9b").unwrap_err();
    }
}
