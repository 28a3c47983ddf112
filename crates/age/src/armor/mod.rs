//! The text form of an age file: <https://c2sp.org/age#ascii-armor>.
//!
//! ```text
//! -----BEGIN AGE ENCRYPTED FILE-----
//! <padded canonical base64, 64 columns to a line>
//! -----END AGE ENCRYPTED FILE-----
//! ```
//!
//! The reader is strict. All lines but the last have exactly 64 columns, and end with LF or CR LF.
//! The base64 is canonical and padded. Only white space may come before and after.
//!
//! ```
//! use std::io::{Read, Write};
//!
//! use sealane_age::armor::{ArmorError, ArmorFault, ArmoredReader, ArmoredWriter, Format};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut writer = ArmoredWriter::with_format(Vec::new(), Format::Armored);
//! writer.write_all(b"the bytes of a file")?;
//! let mut text = writer.finish()?;
//!
//! let mut bytes = Vec::new();
//! ArmoredReader::new(&text[..]).read_to_end(&mut bytes)?;
//! assert_eq!(bytes, b"the bytes of a file");
//!
//! // The second line has the base64.
//! let at = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
//! text[at] = b'!';
//! let error = ArmoredReader::armored(&text[..]).read_to_end(&mut bytes).unwrap_err();
//! let expected = ArmorError::Line { line: 2, fault: ArmorFault::Base64 };
//! assert_eq!(ArmorError::of(&error), Some(expected));
//! # Ok(())
//! # }
//! ```

mod damaged;
mod error;
mod reader;
mod writer;

pub use self::damaged::decode_damaged;
pub use self::error::{ArmorError, ArmorFault};
pub use self::reader::ArmoredReader;
pub use self::writer::{ArmoredWriter, Format};

const BEGIN: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
const END: &[u8] = b"-----END AGE ENCRYPTED FILE-----";
/// The number of columns of a full line.
const COLUMNS: usize = 64;
/// The number of bytes that a full line encodes.
const BYTES_PER_LINE: usize = 48;
