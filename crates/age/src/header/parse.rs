//! The grammar of a header, line by line: <https://c2sp.org/age#header>.

use alloc::borrow::ToOwned as _;
use alloc::vec::Vec;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

use super::{
    COLUMNS, HeaderError, INTRO, LineFault, MAC_BYTES, MAC_PREFIX, MAC_TEXT_BYTES, MAX_ARGUMENTS, MAX_HEADER_BYTES,
    MAX_STANZAS, STANZA_PREFIX,
};
use crate::stanza::{Stanza, is_printable};

/// The longest first line that is accepted, in bytes, whatever the version.
const MAX_FIRST_LINE: usize = 128;

/// The start of the first line, before the version.
const ANY_VERSION: &[u8] = b"age-encryption.org/";

/// Parses the lines of a header, one after another.
#[derive(Default)]
pub(super) struct Parser {
    line: usize,
    /// The length of the lines so far, each with its line feed.
    len: usize,
    stanzas: Vec<Stanza>,
    /// Whether the body of the last of `stanzas` is incomplete.
    in_body: bool,
}

impl Parser {
    /// Returns a parser for the lines after the first one.
    pub(super) fn after_first_line() -> Self {
        Self { line: 1, ..Self::default() }
    }

    /// Returns the length of the longest line that can come next.
    pub(super) fn max_line(&self) -> usize {
        if self.line == 0 { MAX_FIRST_LINE } else { MAX_HEADER_BYTES.saturating_sub(self.len + 1) }
    }

    /// Parses a line without its line feed. Returns the MAC if this was the last line.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<Option<[u8; MAC_BYTES]>, HeaderError> {
        if line.len() > self.max_line() {
            return Err(self.too_long(line));
        }
        self.line += 1;
        self.len += line.len() + 1;
        if self.line == 1 {
            return first_line(line).map(|()| None);
        }
        if self.stanzas.len() == MAX_STANZAS && !self.in_body && line.starts_with(STANZA_PREFIX) {
            return Err(HeaderError::TooManyStanzas);
        }
        let fault = match self.later_line(line) {
            Ok(mac) => return Ok(mac),
            Err(_) if line.ends_with(b"\r") => LineFault::CarriageReturn,
            Err(fault) => fault,
        };
        Err(HeaderError::Malformed { line: self.line, fault })
    }

    /// Returns the error for an input that ends after `rest`, which has no line feed.
    pub(super) fn eof(&self, rest: &[u8]) -> HeaderError {
        if self.line > 0 {
            HeaderError::Truncated
        } else if rest.is_empty() {
            HeaderError::Empty
        } else if INTRO.starts_with(rest) {
            HeaderError::Truncated
        } else {
            not_age(rest)
        }
    }

    /// Returns the least number of bytes that may complete a header after `rest`, which has no line
    /// feed.
    ///
    /// # Errors
    /// If `rest` cannot begin a header, no matter which bytes follow.
    pub(super) fn least_rest(&self, rest: &[u8]) -> Result<usize, HeaderError> {
        if self.line == 0 && rest.iter().zip(ANY_VERSION).any(|(byte, expected)| byte != expected) {
            return Err(not_age(rest));
        }
        let mac_line = MAC_PREFIX.len() + MAC_TEXT_BYTES;
        let may_be_mac = rest.starts_with(MAC_PREFIX) || MAC_PREFIX.starts_with(rest);
        Ok(if self.line > 0 && !self.in_body && may_be_mac {
            mac_line.saturating_sub(rest.len()).max(1)
        } else {
            1 + mac_line
        })
    }

    /// Returns the error for a line that begins with `start` and is longer than
    /// [`Parser::max_line`].
    pub(super) fn too_long(&self, start: &[u8]) -> HeaderError {
        if self.line == 0 { not_age(start) } else { HeaderError::TooLong }
    }

    pub(super) fn into_stanzas(self) -> Vec<Stanza> {
        self.stanzas
    }

    /// Returns the stanzas, or `None` if the body of the last one is incomplete.
    pub(super) fn into_whole_stanzas(self) -> Option<Vec<Stanza>> {
        (!self.in_body).then_some(self.stanzas)
    }

    fn later_line(&mut self, line: &[u8]) -> Result<Option<[u8; MAC_BYTES]>, LineFault> {
        if self.in_body {
            self.body_line(line)?;
        } else if let Some(rest) = line.strip_prefix(STANZA_PREFIX) {
            self.stanzas.push(stanza_line(rest)?);
            self.in_body = true;
        } else if let Some(rest) = line.strip_prefix(MAC_PREFIX) {
            return mac(rest).map(Some);
        } else {
            return Err(LineFault::Unexpected);
        }
        Ok(None)
    }

    fn body_line(&mut self, line: &[u8]) -> Result<(), LineFault> {
        if line.starts_with(STANZA_PREFIX) || line.starts_with(MAC_PREFIX) {
            return Err(LineFault::NoShortLine);
        }
        if line.len() > COLUMNS {
            return Err(LineFault::BodyLineTooLong);
        }
        // A full line is a whole number of base64 groups, so each line can be decoded by itself.
        let stanza = self.stanzas.last_mut().expect("a body follows the first line of a stanza");
        BASE64_STANDARD_NO_PAD.decode_vec(line, &mut stanza.body).map_err(|_| LineFault::Base64)?;
        self.in_body = line.len() == COLUMNS;
        Ok(())
    }
}

fn first_line(line: &[u8]) -> Result<(), HeaderError> {
    if line == INTRO {
        return Ok(());
    }
    if line.strip_suffix(b"\r") == Some(INTRO) {
        return Err(HeaderError::Malformed { line: 1, fault: LineFault::CarriageReturn });
    }
    let version = line.strip_prefix(ANY_VERSION).and_then(|v| core::str::from_utf8(v).ok());
    match version {
        Some(v) if is_printable(v) => Err(HeaderError::UnknownVersion(v.to_owned())),
        _ => Err(not_age(line)),
    }
}

fn not_age(start: &[u8]) -> HeaderError {
    if start.starts_with(b"-----BEGIN AGE") { HeaderError::Armored } else { HeaderError::NotAge }
}

fn stanza_line(rest: &[u8]) -> Result<Stanza, LineFault> {
    let mut words = rest.split(|&b| b == b' ').map(|word| {
        let word = core::str::from_utf8(word).map_err(|_| LineFault::InvalidCharacter)?;
        match word {
            "" => Err(LineFault::EmptyArgument),
            _ if is_printable(word) => Ok(word.to_owned()),
            _ => Err(LineFault::InvalidCharacter),
        }
    });
    let tag = words.next().expect("a split has at least one piece")?;
    let args = words.by_ref().take(MAX_ARGUMENTS).collect::<Result<_, _>>()?;
    match words.next() {
        None => Ok(Stanza { tag, args, body: Vec::new() }),
        Some(_) => Err(LineFault::TooManyArguments),
    }
}

fn mac(rest: &[u8]) -> Result<[u8; MAC_BYTES], LineFault> {
    let text = rest.strip_prefix(b" ").filter(|t| t.len() == (MAC_BYTES * 4).div_ceil(3)).ok_or(LineFault::Mac)?;
    let bytes = BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| LineFault::Base64)?;
    bytes.try_into().map_err(|_| LineFault::Mac)
}
