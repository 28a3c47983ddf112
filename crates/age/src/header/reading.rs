//! Reads a header from an input, line by line.

use std::mem;

use super::parse::Parser;
use super::{Header, HeaderError};
use crate::input::{Input, LineEnd};

/// A header that is being read.
#[derive(Default)]
pub(crate) struct Reading {
    parser: Parser,
    line: Vec<u8>,
}

impl Reading {
    /// Parses the bytes that `input` has read ahead. Returns the header if they complete it;
    /// otherwise more input is needed.
    pub(crate) fn advance<R>(&mut self, input: &mut Input<R>) -> Result<Option<Header>, HeaderError> {
        loop {
            match input.take_line(&mut self.line, self.parser.max_line()) {
                LineEnd::LineFeed => {
                    if let Some(mac) = self.parser.line(&self.line)? {
                        return Header::parsed(mem::take(&mut self.parser), mac).map(Some);
                    }
                    self.line.clear();
                }
                LineEnd::Ahead => return Ok(None),
                LineEnd::TooLong => return Err(self.parser.too_long(&self.line)),
            }
        }
    }

    /// Returns the error for an input that ends here.
    pub(crate) fn eof(&self) -> HeaderError {
        self.parser.eof(&self.line)
    }
}
