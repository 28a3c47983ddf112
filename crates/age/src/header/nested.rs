//! Stanzas whose body contains stanzas: `sealane/threshold`.
//!
//! The body is 64 bytes, which [`crate::threshold`] defines, followed by one or more stanzas in the
//! form of a header. A complete age header is not such a body, because its first and last lines are
//! not stanzas.

use alloc::vec::Vec;

#[cfg(feature = "std")]
use super::encode_stanza;
use super::form::{self, SCRYPT};
use super::parse::Parser;
use super::{HeaderError, MAX_STANZAS};
use crate::stanza::Stanza;

/// The type of these stanzas.
pub(crate) const THRESHOLD: &str = "sealane/threshold";

/// The length of the part before the inner stanzas, in bytes.
pub(crate) const PREFIX_BYTES: usize = 64;

/// The body of a stanza with inner stanzas.
pub(crate) struct Nested {
    /// The part before the inner stanzas.
    pub(crate) prefix: [u8; PREFIX_BYTES],
    /// The inner stanzas, at least one.
    pub(crate) stanzas: Vec<Stanza>,
}

impl Nested {
    /// Returns a body of `prefix` and `stanzas`.
    ///
    /// # Errors
    /// If a stanza would not be valid in a parsed body.
    #[cfg(feature = "std")]
    pub(crate) fn new(prefix: [u8; PREFIX_BYTES], stanzas: Vec<Stanza>) -> Result<Self, HeaderError> {
        check(&stanzas)?;
        if !stanzas.iter().all(Stanza::is_well_formed) {
            return Err(HeaderError::InvalidStanza);
        }
        Ok(Self { prefix, stanzas })
    }

    /// Parses a whole body.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, HeaderError> {
        let (prefix, rest) = body.split_first_chunk().ok_or(HeaderError::Truncated)?;
        let mut parser = Parser::after_first_line();
        for line in rest.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\n").ok_or(HeaderError::Truncated)?;
            if parser.line(line)?.is_some() {
                // A header ends with a MAC; a body does not.
                return Err(HeaderError::InvalidStanza);
            }
        }
        let stanzas = parser.into_whole_stanzas().ok_or(HeaderError::Truncated)?;
        check(&stanzas)?;
        Ok(Self { prefix: *prefix, stanzas })
    }

    /// Returns the bytes of the body.
    #[cfg(feature = "std")]
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = self.prefix.to_vec();
        self.stanzas.iter().for_each(|stanza| encode_stanza(stanza, &mut out));
        out
    }
}

/// Rejects inner passphrase stanzas, because the limit on a header's work factor does not cover
/// them, and inner `sealane/threshold` stanzas.
fn check(stanzas: &[Stanza]) -> Result<(), HeaderError> {
    if stanzas.iter().any(|stanza| stanza.tag == SCRYPT || stanza.tag == THRESHOLD) {
        return Err(HeaderError::InvalidStanza);
    }
    form::check(stanzas)
}

/// Counts the stanzas inside `stanza`, up to [`MAX_STANZAS`] + 1. A malformed one counts as empty.
pub(super) fn count_inner(stanza: &Stanza) -> usize {
    if stanza.tag != THRESHOLD {
        return 0;
    }
    match Nested::parse(&stanza.body) {
        Ok(nested) => nested.stanzas.len(),
        Err(HeaderError::TooManyStanzas) => MAX_STANZAS + 1,
        Err(_) => 0,
    }
}
