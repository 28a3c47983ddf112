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
/// The columns of a full line, and the number of bytes that they encode.
const COLUMNS: usize = 64;
const BYTES_PER_LINE: usize = 48;
