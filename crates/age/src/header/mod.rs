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
//!
//! ```
//! use sealane_age::header::{Header, HeaderError, HeaderPrefix, LineFault, StanzaFault};
//! use sealane_age::{Recipient, encrypt, x25519};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let identity = x25519::Identity::generate()?;
//! # let file = encrypt([&identity.to_public() as &dyn Recipient], b"attack at dawn")?;
//! // The first bytes of a file may not be enough.
//! let prefix = Header::parse_prefix(&file[..50])?;
//! let HeaderPrefix::Incomplete { at_least } = prefix else { panic!() };
//! assert!(at_least > 50);
//! let HeaderPrefix::Complete { header, len } = Header::parse_prefix(&file)? else { panic!() };
//! assert_eq!(header.stanzas()[0].tag, "X25519");
//! assert_eq!(header.encode(), file[..len]);
//!
//! // Each fault has its type.
//! let parse = |text: &[u8]| Header::parse(text).unwrap_err();
//! let error = parse(b"age-encryption.org/v1\n-> X25519 share\r\n");
//! assert_eq!(error, HeaderError::Malformed { line: 2, fault: LineFault::CarriageReturn });
//! let zeros = "A".repeat(43);
//! let error = parse(format!("age-encryption.org/v1\n-> X25519\n{zeros}\n--- {zeros}\n").as_bytes());
//! let HeaderError::Stanza { stanza_type: "X25519", fault } = error else { panic!() };
//! assert_eq!(fault, StanzaFault::ArgumentCount);
//! # Ok(())
//! # }
//! ```

mod error;
mod form;
pub(crate) mod nested;
mod parse;
#[cfg(feature = "std")]
mod reading;

use alloc::string::String;
use alloc::vec::Vec;
use core::{fmt, mem};

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

pub use self::error::{HeaderError, LineFault, StanzaFault};
pub(crate) use self::form::{SCRYPT, work_factor};
use self::parse::Parser;
#[cfg(feature = "std")]
pub(crate) use self::reading::Reading;
use crate::file_key::FileKey;
use crate::keys;
pub use crate::lengths::{MAC_BYTES, MAX_ARGUMENTS};
use crate::stanza::Stanza;

/// The longest header that is read or written, in bytes. 2 MiB is enough for [`MAX_STANZAS`]
/// post-quantum recipients.
///
/// The format itself has no limit, but age 1.3.2 has the same one. Together with [`MAX_STANZAS`]
/// and [`MAX_ARGUMENTS`], it bounds the memory of a parsed header.
pub const MAX_HEADER_BYTES: usize = 2 << 20;

/// The largest number of recipient stanzas that are read or written, including those inside
/// `sealane/threshold` stanzas.
///
/// age 1.3.2 has the same limit. Identities may have to try each stanza, so the limit bounds their
/// work.
pub const MAX_STANZAS: usize = 1024;

const INTRO: &[u8] = b"age-encryption.org/v1";
const STANZA_PREFIX: &[u8] = b"-> ";
const MAC_PREFIX: &[u8] = b"---";
const COLUMNS: usize = 64;
/// The length of the text after the dashes: a space, the MAC, and a line feed.
const MAC_TEXT_BYTES: usize = " \n".len() + (MAC_BYTES * 4).div_ceil(3);

/// The header of an age file: recipient stanzas and a MAC over them.
///
/// Its syntax is right, and so is the form of the stanzas from the specification. Checking the MAC
/// needs the file key: [`Decryptor::decrypt`](crate::Decryptor::decrypt) does it, and so does
/// [`Header::verify`].
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    stanzas: Vec<Stanza>,
    mac: [u8; MAC_BYTES],
}

impl Header {
    /// Parses the header at the start of `bytes`. Returns its length too.
    ///
    /// # Errors
    ///
    /// The fault of the header; [`HeaderError::Truncated`] if `bytes` ends inside it.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), HeaderError> {
        let mut parser = Parser::default();
        match Self::parse_lines(&mut parser, bytes)? {
            (Some(header), rest) => Ok((header, bytes.len() - rest.len())),
            (None, rest) => Err(parser.eof(rest)),
        }
    }

    /// Parses the header at the start of `prefix`, which may end inside it.
    ///
    /// # Errors
    ///
    /// The fault of the header, as soon as `prefix` shows it.
    pub fn parse_prefix(prefix: &[u8]) -> Result<HeaderPrefix, HeaderError> {
        let mut parser = Parser::default();
        Ok(match Self::parse_lines(&mut parser, prefix)? {
            (Some(header), rest) => HeaderPrefix::Complete { header, len: prefix.len() - rest.len() },
            (None, rest) => HeaderPrefix::Incomplete { at_least: prefix.len() + parser.least_rest(rest)? },
        })
    }

    /// Parses whole lines. Returns the header if they complete it, and the rest of `bytes`, which
    /// has no line feed if they do not.
    fn parse_lines<'a>(parser: &mut Parser, bytes: &'a [u8]) -> Result<(Option<Self>, &'a [u8]), HeaderError> {
        let mut rest = bytes;
        while let Some(n) = rest.iter().position(|&b| b == b'\n') {
            let mac = parser.line(&rest[..n])?;
            rest = &rest[n + 1..];
            if let Some(mac) = mac {
                return Ok((Some(Self::parsed(mem::take(parser), mac)?), rest));
            }
        }
        if rest.len() > parser.max_line() { Err(parser.too_long(rest)) } else { Ok((None, rest)) }
    }

    fn parsed(parser: Parser, mac: [u8; MAC_BYTES]) -> Result<Self, HeaderError> {
        let stanzas = parser.into_stanzas();
        check(&stanzas)?;
        Ok(Self { stanzas, mac })
    }

    /// Returns a header with `stanzas`, which wrap `file_key`.
    ///
    /// # Errors
    ///
    /// The stanzas are checked like a parsed header's, so that every file that is written can be
    /// opened.
    pub fn new(stanzas: Vec<Stanza>, file_key: &FileKey) -> Result<Self, HeaderError> {
        check(&stanzas)?;
        if !stanzas.iter().all(Stanza::is_well_formed) {
            return Err(HeaderError::InvalidStanza);
        }
        let mut header = Self { stanzas, mac: [0; MAC_BYTES] };
        let authenticated = header.encode_authenticated();
        if authenticated.len() + MAC_TEXT_BYTES > MAX_HEADER_BYTES {
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
    pub fn mac(&self) -> &[u8; MAC_BYTES] {
        &self.mac
    }

    /// Returns whether the file key is wrapped with a passphrase. Then that is the only stanza.
    pub fn is_scrypt(&self) -> bool {
        self.stanzas.iter().any(|s| s.tag == SCRYPT)
    }

    /// Returns the base-2 logarithm of scrypt's N, if the file key is wrapped with a passphrase.
    pub fn scrypt_work_factor(&self) -> Option<u8> {
        let stanza = self.stanzas.iter().find(|s| s.tag == SCRYPT)?;
        work_factor(stanza.args.get(1)?)
    }

    /// Returns the bytes of the header, up to the line feed after the MAC.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.encode_authenticated();
        out.push(b' ');
        out.extend_from_slice(BASE64_STANDARD_NO_PAD.encode(self.mac).as_bytes());
        out.push(b'\n');
        out
    }

    /// Returns the length of [`Header::encode`].
    pub fn encoded_len(&self) -> usize {
        let stanza = |stanza: &Stanza| {
            let words = core::iter::once(&stanza.tag).chain(&stanza.args).map(|word| 1 + word.len());
            let body = (stanza.body.len() * 4).div_ceil(3);
            "->\n".len() + words.sum::<usize>() + body + body / COLUMNS + 1
        };
        let stanzas = self.stanzas.iter().map(stanza).sum::<usize>();
        INTRO.len() + 1 + stanzas + MAC_PREFIX.len() + MAC_TEXT_BYTES
    }

    /// Returns the same header with exactly `len` bytes, if there is one. A shorter header is
    /// padded with a stanza that matches no identity. A passphrase must be the only stanza, so its
    /// header cannot be padded.
    #[cfg(feature = "std")]
    pub(crate) fn padded(&self, len: usize, file_key: &FileKey) -> Option<Self> {
        let missing = len.min(MAX_HEADER_BYTES + 1).checked_sub(self.encoded_len())?;
        let mut stanzas = self.stanzas.clone();
        if missing > 0 {
            stanzas.push(padding(missing)?);
        }
        Self::new(stanzas, file_key).ok().filter(|header| header.encoded_len() == len)
    }

    /// Returns whether the MAC is right, in constant time. If it is not, the header was changed, or
    /// `file_key` is of another file.
    ///
    /// Code that unwraps a file key with an [`Identity`](crate::Identity) must check the MAC before
    /// it uses the key. [`Decryptor`](crate::Decryptor) and [`Preamble`](crate::Preamble) do it.
    ///
    /// ```
    /// use sealane_age::header::Header;
    /// use sealane_age::{FileKey, Identity, Recipient, encrypt, x25519};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let [one, other] = [x25519::Identity::generate()?, x25519::Identity::generate()?];
    /// let recipients = [one.to_public(), other.to_public()];
    /// let file = encrypt(recipients.iter().map(|one| one as &dyn Recipient), b"attack at dawn")?;
    /// let (header, _) = Header::parse(&file)?;
    /// let file_key: FileKey = one.unwrap_file_key(header.stanzas())?.expect("it is a recipient");
    /// assert!(header.verify(&file_key));
    ///
    /// // Someone removes the first recipient.
    /// let text = String::from_utf8(header.encode())?;
    /// let mut stanzas: Vec<_> = text.split("-> ").collect();
    /// stanzas.remove(1);
    /// let (changed, _) = Header::parse(stanzas.join("-> ").as_bytes())?;
    /// let file_key = other.unwrap_file_key(changed.stanzas())?.expect("it is a recipient");
    /// assert!(!changed.verify(&file_key));
    /// # Ok(())
    /// # }
    /// ```
    pub fn verify(&self, file_key: &FileKey) -> bool {
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

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.encode()))
    }
}

/// The result of [`Header::parse_prefix`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderPrefix {
    /// The prefix contains the whole header.
    Complete {
        /// The header.
        header: Header,
        /// Its length in bytes.
        len: usize,
    },
    /// The prefix ends inside the header.
    Incomplete {
        /// The least length of a prefix that may contain the whole header. More may be needed: make
        /// the prefix at least twice as long each time.
        at_least: usize,
    },
}

/// Checks the stanzas of a whole header.
fn check(stanzas: &[Stanza]) -> Result<(), HeaderError> {
    if stanzas.len() > 1 && stanzas.iter().any(|s| s.tag == SCRYPT) {
        return Err(HeaderError::ScryptNotAlone);
    }
    if stanzas.iter().map(|stanza| 1 + nested::count_inner(stanza)).sum::<usize>() > MAX_STANZAS {
        return Err(HeaderError::TooManyStanzas);
    }
    form::check(stanzas)
}

/// Returns a stanza of `len` bytes whose type matches no identity: `-> `, the type, a line feed,
/// and an empty body.
#[cfg(feature = "std")]
fn padding(len: usize) -> Option<Stanza> {
    let tag_len = len.checked_sub("-> \n\n".len()).filter(|&len| len > 0)?;
    let tag = PADDING.chars().chain(core::iter::repeat('-')).take(tag_len).collect();
    Some(Stanza { tag, args: Vec::new(), body: Vec::new() })
}

/// The start of a padding stanza's type. A longer type continues with hyphens; a shorter type is a
/// part of this one.
#[cfg(feature = "std")]
const PADDING: &str = "padding-";

/// Returns whether a stanza only pads the header, and is for no recipient. A header that
/// [`Rekeyed::header_of_len`](crate::Rekeyed::header_of_len) makes longer has such a stanza.
#[cfg(feature = "std")]
pub fn is_padding(stanza: &Stanza) -> bool {
    let is_type = match stanza.tag.strip_prefix(PADDING) {
        Some(more) => more.bytes().all(|byte| byte == b'-'),
        None => PADDING.starts_with(&stanza.tag),
    };
    is_type && stanza.args.is_empty() && stanza.body.is_empty()
}

fn encode_stanza(stanza: &Stanza, out: &mut Vec<u8>) {
    out.extend_from_slice(b"->");
    for word in core::iter::once(&stanza.tag).chain(&stanza.args) {
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
