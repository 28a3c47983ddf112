//! Output to a terminal.

use std::io::{self, Write};

use sealane_shares::WipedVec;

use super::failure::{keep_retry, stdout_error};
use crate::error::{Error, Result};

/// The number of bytes that are held back, and checked before any of them is shown.
const HELD_BACK: usize = 1 << 20;

/// A terminal.
pub(super) struct Terminal {
    writer: Box<dyn Write + Send>,
    /// Whether binary data is refused, because it would act on the terminal.
    must_be_text: bool,
    /// Whether the user types the input. In that case nothing is shown before the end of the input.
    typed: bool,
    held: WipedVec,
    /// The last byte written, because a character may be split between two writes.
    last: u8,
}

impl Terminal {
    pub(super) fn new(writer: Box<dyn Write + Send>, must_be_text: bool, typed: bool) -> Self {
        Self { writer, must_be_text, typed, held: WipedVec::default(), last: 0 }
    }

    pub(super) fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if !self.must_be_text && !self.typed {
            return self.writer.write(data).map_err(|error| keep_retry(error, stdout_error));
        }
        let cut = data.first().is_some_and(|&first| self.last == 0xc2 && (0x80..0xa0).contains(&first));
        if self.must_be_text && (cut || !is_text(data)) {
            // Also discard the text that was held back: it is the beginning of binary data.
            self.held = WipedVec::default();
            return Err(binary_plaintext().into_io());
        }
        self.last = data.last().copied().unwrap_or(self.last);
        self.held.write_all(data)?;
        if self.held.as_ref().len() > HELD_BACK && !self.typed {
            self.show().map_err(Error::into_io)?;
        }
        Ok(data.len())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.show()
    }

    fn show(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        self.writer.write_all(held.as_ref()).and_then(|()| self.writer.flush()).map_err(stdout_error)
    }
}

/// Returns whether `data` is text by age's rule: no control characters except tabs and line ends.
/// Bytes from 0x80 on are taken for UTF-8, whose C1 controls are 0xC2 followed by a byte below
/// 0xA0.
fn is_text(data: &[u8]) -> bool {
    let c0 = |&b: &u8| (b < 0x20 && !matches!(b, b'\n' | b'\r' | b'\t')) || b == 0x7f;
    let c1 = data.windows(2).any(|pair| pair[0] == 0xc2 && (0x80..0xa0).contains(&pair[1]));
    !data.iter().any(c0) && !c1
}

pub(super) fn refused() -> Error {
    Error::new("refusing to write binary data to the terminal")
}

fn binary_plaintext() -> Error {
    refused().hint("write to a file (-o FILE) or to a pipe; -o - writes to the terminal anyway")
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn text_that_may_be_shown() {
        assert!(is_text("tab\t, line\r\n, ünïcödé, 漢字\n".as_bytes()));
        assert!(is_text(b""));
        for bad in [&b"\x1b[2J"[..], b"\0", b"\x7f", b"\x07", "\u{9b}2J".as_bytes()] {
            assert!(!is_text(bad), "{bad:?}");
        }
    }
}
