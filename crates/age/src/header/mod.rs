//! The header of an age file: <https://c2sp.org/age#header>.
//!
//! ```text
//! age-encryption.org/v1
//! -> X25519 <share>
//! <wrapped file key>
//! --- <MAC>
//! ```
//!
//! The parser accepts exactly the headers that the writer can write: for all bytes that parse,
//! `Header::parse(bytes)?.0.encode() == bytes`.

mod error;
mod native;
pub(crate) mod nested;
mod parse;

use std::fmt;
use std::io::Read;
use std::mem;

use age_core::format::{FileKey, Stanza, is_arbitrary_string};
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

pub use self::error::{HeaderError, LineFault, StanzaFault};
use self::parse::Parser;
use crate::DecryptError;
use crate::input::{Input, LineEnd};
use crate::keys;

/// The longest header that is read or written, in bytes. 1 MiB is enough for 500 post-quantum
/// recipients, or for [`MAX_STANZAS`] shorter ones.
///
/// The format has no limit. Without one, a file that is all stanzas would fill the memory: parsed,
/// a header takes up to 30 times its length.
pub const MAX_HEADER_LEN: usize = 1 << 20;

/// The largest number of recipient stanzas that are read or written, including those inside
/// `sealane/threshold` stanzas.
///
/// age 1.3.2 has the same limit. Identities may have to try each stanza, so the limit bounds their
/// work.
pub const MAX_STANZAS: usize = 1024;

/// The length of the header MAC, HMAC-SHA-256, in bytes.
pub const MAC_LEN: usize = 32;

const INTRO: &[u8] = b"age-encryption.org/v1";
const STANZA_PREFIX: &[u8] = b"-> ";
const MAC_PREFIX: &[u8] = b"---";
const COLUMNS: usize = 64;

/// The header of an age file: recipient stanzas and a MAC over them.
///
/// Its syntax is right, and so is the form of the stanzas from the specification. Checking the MAC
/// needs the file key: [`Decryptor::decrypt`](crate::Decryptor::decrypt) does it.
#[derive(PartialEq, Eq)]
pub struct Header {
    stanzas: Vec<Stanza>,
    mac: [u8; MAC_LEN],
}

impl Header {
    /// Parses the header at the start of `bytes`. Returns its length too.
    ///
    /// # Errors
    ///
    /// The fault of the header; [`HeaderError::Truncated`] if `bytes` ends inside it.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), HeaderError> {
        let mut parser = Parser::default();
        let mut rest = bytes;
        while let Some(n) = rest.iter().position(|&b| b == b'\n') {
            let mac = parser.line(&rest[..n])?;
            rest = &rest[n + 1..];
            if let Some(mac) = mac {
                return Ok((Self::parsed(parser, mac)?, bytes.len() - rest.len()));
            }
        }
        if rest.len() > parser.max_line() { Err(parser.too_long(rest)) } else { Err(parser.eof(rest)) }
    }

    pub(crate) fn read<R: Read>(input: &mut Input<R>) -> Result<Self, DecryptError> {
        let mut reading = Reading::default();
        loop {
            if let Some(header) = reading.advance(input)? {
                return Ok(header);
            }
            if !input.refill()? {
                return Err(reading.eof().into());
            }
        }
    }

    fn parsed(parser: Parser, mac: [u8; MAC_LEN]) -> Result<Self, HeaderError> {
        let stanzas = parser.into_stanzas();
        native::check(&stanzas)?;
        Ok(Self { stanzas, mac })
    }

    /// Makes a header from the `stanzas` that wrap `file_key`.
    ///
    /// # Errors
    ///
    /// The stanzas are checked like a parsed header's, so that every file that is written can be
    /// opened.
    pub fn new(stanzas: Vec<Stanza>, file_key: &FileKey) -> Result<Self, HeaderError> {
        native::check(&stanzas)?;
        for stanza in &stanzas {
            if !is_arbitrary_string(&stanza.tag) || !stanza.args.iter().all(is_arbitrary_string) {
                return Err(HeaderError::InvalidStanza);
            }
        }
        let mut header = Self { stanzas, mac: [0; MAC_LEN] };
        let authenticated = header.encode_authenticated();
        if authenticated.len() + " \n".len() + (MAC_LEN * 4).div_ceil(3) > MAX_HEADER_LEN {
            return Err(HeaderError::TooLong);
        }
        header.mac = keys::header_mac(file_key, &authenticated);
        Ok(header)
    }

    /// Returns the recipient stanzas, at least one.
    pub fn stanzas(&self) -> &[Stanza] {
        &self.stanzas
    }

    /// Returns the recipient stanzas, for another header.
    pub fn into_stanzas(self) -> Vec<Stanza> {
        self.stanzas
    }

    /// Returns the MAC in the header.
    pub fn mac(&self) -> &[u8; MAC_LEN] {
        &self.mac
    }

    /// Returns whether the file key is wrapped with a passphrase. Then that is the only stanza.
    pub fn is_scrypt(&self) -> bool {
        self.stanzas.iter().any(|s| s.tag == native::SCRYPT)
    }

    /// Returns the base-2 logarithm of scrypt's N, if the file key is wrapped with a passphrase.
    pub fn scrypt_work_factor(&self) -> Option<u8> {
        let stanza = self.stanzas.iter().find(|s| s.tag == native::SCRYPT)?;
        native::work_factor(stanza.args.get(1)?)
    }

    /// Returns the bytes of the header, up to the line feed after the MAC.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.encode_authenticated();
        out.push(b' ');
        out.extend_from_slice(BASE64_STANDARD_NO_PAD.encode(self.mac).as_bytes());
        out.push(b'\n');
        out
    }

    /// Returns whether the MAC is right, in constant time.
    pub(crate) fn verify(&self, file_key: &FileKey) -> bool {
        keys::verify_header_mac(file_key, &self.encode_authenticated(), &self.mac)
    }

    /// Returns the bytes that the MAC covers: up to and including the three dashes.
    fn encode_authenticated(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256 * (1 + self.stanzas.len()));
        out.extend_from_slice(INTRO);
        out.push(b'\n');
        for stanza in &self.stanzas {
            encode_stanza(stanza, &mut out);
        }
        out.extend_from_slice(MAC_PREFIX);
        out
    }
}

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

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.encode()))
    }
}

/// Clones stanzas: the type of `age` has no `Clone`.
pub(crate) fn clone_stanzas(stanzas: &[Stanza]) -> Vec<Stanza> {
    let clone = |s: &Stanza| Stanza { tag: s.tag.clone(), args: s.args.clone(), body: s.body.clone() };
    stanzas.iter().map(clone).collect()
}

fn encode_stanza(stanza: &Stanza, out: &mut Vec<u8>) {
    out.extend_from_slice(b"->");
    for word in std::iter::once(&stanza.tag).chain(&stanza.args) {
        out.push(b' ');
        out.extend_from_slice(word.as_bytes());
    }
    out.push(b'\n');
    let body = BASE64_STANDARD_NO_PAD.encode(&stanza.body);
    let lines = body.as_bytes().chunks_exact(COLUMNS);
    let short = lines.remainder();
    for line in lines {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.extend_from_slice(short);
    out.push(b'\n');
}
