//! Errors of headers.

use alloc::string::String;

/// The header is not one of an age v1 file.
///
/// Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The input is empty.
    #[error("the file is empty")]
    Empty,
    /// The input does not begin with `age-encryption.org/` and a printable version on a line of at
    /// most 128 bytes.
    #[error("not an age file: it does not begin with \"age-encryption.org/v1\"")]
    NotAge,
    /// The input begins as an armored file does, but was read as a binary one.
    #[error("the file is armored, but was read as a binary age file")]
    Armored,
    /// The file has another version of the format.
    #[error("unknown version of the age format: \"{0}\" (only \"v1\" is known)")]
    UnknownVersion(String),
    /// The input ends inside the header, or inside the 16-byte nonce after it.
    #[error("the file is cut short: it ends inside the header")]
    Truncated,
    /// A line breaks the grammar of the header.
    #[error("malformed header: line {line}: {fault}")]
    Malformed {
        /// The number of the line, from 1.
        line: usize,
        /// The fault.
        fault: LineFault,
    },
    /// A stanza whose type is from the age specification has the wrong form.
    #[error("malformed header: {stanza_type} stanza: {fault}")]
    Stanza {
        /// The type of the stanza.
        stanza_type: &'static str,
        /// The fault.
        fault: StanzaFault,
    },
    /// There is no recipient stanza.
    #[error("malformed header: there is no recipient stanza")]
    NoStanza,
    /// A scrypt stanza is not the only stanza.
    #[error("malformed header: a scrypt stanza must be the only one")]
    ScryptNotAlone,
    /// The header is longer than [`MAX_HEADER_BYTES`](super::MAX_HEADER_BYTES).
    #[error("the header is longer than 2 MiB")]
    TooLong,
    /// There are more recipient stanzas than [`MAX_STANZAS`](super::MAX_STANZAS), including those
    /// inside others.
    #[error("the header has more than 1024 recipient stanzas")]
    TooManyStanzas,
    /// A stanza is invalid: an identity of its type rejected it, for example because an X25519
    /// share has low order; or a header cannot be written with it; or it must not be inside a
    /// `sealane/threshold` stanza.
    #[error("malformed header: a recipient stanza is invalid")]
    InvalidStanza,
}

/// A fault in a line of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// The line ends in a carriage return and a line feed.
    #[error("ends in CR LF (was the file converted as if it were text?)")]
    CarriageReturn,
    /// The line is neither the start of a stanza nor the end of the header.
    #[error("neither a recipient stanza nor the end of the header")]
    Unexpected,
    /// The type or an argument of a stanza is empty: there are two spaces in a row, or one at the
    /// end of the line.
    #[error("a stanza has an empty argument")]
    EmptyArgument,
    /// The type or an argument of a stanza has a character that is not one of ASCII 33 to 126.
    #[error("a stanza argument has a character that is not printable ASCII")]
    InvalidCharacter,
    /// A stanza has more than [`MAX_ARGUMENTS`](super::MAX_ARGUMENTS) arguments.
    #[error("a stanza has more than 128 arguments")]
    TooManyArguments,
    /// A line of a stanza's body has more than 64 columns.
    #[error("a body line is longer than 64 columns")]
    BodyLineTooLong,
    /// The body of a stanza does not end with a line of fewer than 64 columns.
    #[error("a stanza body must end with a line shorter than 64 columns, empty if need be")]
    NoShortLine,
    /// A line of a stanza's body, or the MAC, is not canonical base64 without padding.
    #[error("not canonical unpadded base64")]
    Base64,
    /// The last line is not `--- ` and 43 characters.
    #[error("the header must end with \"--- \" and a MAC of 43 characters")]
    Mac,
}

/// A fault in a stanza whose type is from the age specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StanzaFault {
    /// There are too few or too many arguments.
    #[error("wrong number of arguments")]
    ArgumentCount,
    /// An argument is not the canonical base64 of the required number of bytes.
    #[error("an argument is not the canonical base64 of the right number of bytes")]
    Argument,
    /// The work factor is not a decimal number without sign or leading zero, or is 64 or more.
    #[error("the work factor is not a decimal number from 1 to 63")]
    WorkFactor,
    /// The body does not have 32 bytes.
    #[error("the body is not 32 bytes long")]
    BodyLength,
}
