//! The text form of an age file: <https://c2sp.org/age#ascii-armor>.
//!
//! ```text
//! -----BEGIN AGE ENCRYPTED FILE-----
//! <padded canonical base64, 64 columns to a line>
//! -----END AGE ENCRYPTED FILE-----
//! ```
//!
//! The reader is strict: lines of exactly 64 columns but for the last one, canonical base64 with padding, LF or CR LF at
//! the end of a line, and nothing but white space before and after.

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
/// Columns of a full line, and the bytes that they stand for.
const COLUMNS: usize = 64;
const BYTES_PER_LINE: usize = 48;
