//! Results.

use core::ffi::{CStr, c_char};

/// The result of a function.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum sealane_status {
    /// Success.
    SEALANE_OK = 0,
    /// The message, its associated data, its nonce or its tag is not authentic, or an age file or a
    /// share of its key is damaged.
    SEALANE_NOT_AUTHENTIC = 1,
    /// A pointer is NULL where NULL is not allowed.
    SEALANE_NULL_POINTER = 2,
    /// A length is not the required one, is larger than an object can be, or is too small for the
    /// result.
    SEALANE_WRONG_LENGTH = 3,
    /// The message is longer than the key stream.
    SEALANE_TOO_LONG = 4,
    /// Buffers that must be separate overlap.
    SEALANE_OVERLAP = 5,
    /// There is no algorithm with this number.
    SEALANE_UNKNOWN_ALGORITHM = 6,
    /// The context has not been initialised, or has been finished.
    SEALANE_WRONG_STATE = 7,
    /// The operating system's generator of random numbers failed.
    SEALANE_RANDOM = 8,
    /// The header that the program was compiled with and the library have different binary
    /// interfaces.
    SEALANE_WRONG_ABI = 9,
    /// A threshold, or the number or position of shares, is not valid, or a part is wrong or of
    /// another file.
    SEALANE_INVALID_SHARES = 10,
    /// Reading or writing failed.
    SEALANE_IO = 11,
    /// A text is not a valid recipient, identity, part or label, or is not UTF-8.
    SEALANE_INVALID_TEXT = 12,
    /// A number is outside its range.
    SEALANE_OUT_OF_RANGE = 13,
    /// There are no recipients, or they cannot be combined, or one of them fails.
    SEALANE_INVALID_RECIPIENTS = 14,
    /// No identity opens the file, or the passphrase is wrong.
    SEALANE_NO_MATCH = 15,
    /// The file is not in the age v1 format, or its header or its armor is malformed.
    SEALANE_MALFORMED = 16,
    /// The file needs the shares of several holders, and too few are available.
    SEALANE_TOO_FEW_SHARES = 17,
    /// The file asks for more scrypt work than is allowed.
    SEALANE_EXCESSIVE_WORK = 18,
    /// There is not enough memory for scrypt, or for the chunks of a range.
    SEALANE_NO_MEMORY = 19,
    /// An error in the library itself. Outputs and contexts must not be used further.
    SEALANE_INTERNAL = 255,
}

use sealane_status::*;

impl sealane_status {
    const ALL: [Self; 21] = [
        SEALANE_OK,
        SEALANE_NOT_AUTHENTIC,
        SEALANE_NULL_POINTER,
        SEALANE_WRONG_LENGTH,
        SEALANE_TOO_LONG,
        SEALANE_OVERLAP,
        SEALANE_UNKNOWN_ALGORITHM,
        SEALANE_WRONG_STATE,
        SEALANE_RANDOM,
        SEALANE_WRONG_ABI,
        SEALANE_INVALID_SHARES,
        SEALANE_IO,
        SEALANE_INVALID_TEXT,
        SEALANE_OUT_OF_RANGE,
        SEALANE_INVALID_RECIPIENTS,
        SEALANE_NO_MATCH,
        SEALANE_MALFORMED,
        SEALANE_TOO_FEW_SHARES,
        SEALANE_EXCESSIVE_WORK,
        SEALANE_NO_MEMORY,
        SEALANE_INTERNAL,
    ];

    pub(crate) const fn message(self) -> &'static CStr {
        match self {
            SEALANE_OK => c"success",
            SEALANE_NOT_AUTHENTIC => c"the message is not authentic",
            SEALANE_NULL_POINTER => c"a pointer is NULL although its length is not 0",
            SEALANE_WRONG_LENGTH => c"a length is not the required one",
            SEALANE_TOO_LONG => c"the message is longer than the key stream",
            SEALANE_OVERLAP => c"buffers overlap that must not",
            SEALANE_UNKNOWN_ALGORITHM => c"there is no algorithm with this number",
            SEALANE_WRONG_STATE => c"the context has not been initialised, or has been finished",
            SEALANE_RANDOM => c"the operating system's generator of random numbers failed",
            SEALANE_WRONG_ABI => c"the header and the library have different binary interfaces",
            SEALANE_INVALID_SHARES => {
                c"a threshold, or the number or position of shares, is not valid, or a part is wrong or of another file"
            }
            SEALANE_IO => c"reading or writing failed",
            SEALANE_INVALID_TEXT => {
                c"a text is not a recipient, an identity, a part, a label or UTF-8, whichever is expected"
            }
            SEALANE_OUT_OF_RANGE => c"a number is outside its range",
            SEALANE_INVALID_RECIPIENTS => c"there are no recipients, or they cannot be combined",
            SEALANE_NO_MATCH => c"no identity opens the file, or the passphrase is wrong",
            SEALANE_MALFORMED => c"the file is not in the age v1 format",
            SEALANE_TOO_FEW_SHARES => c"the file takes more holders together than are here",
            SEALANE_EXCESSIVE_WORK => c"the file asks for more scrypt work than is allowed",
            SEALANE_NO_MEMORY => c"there is not enough memory for scrypt or for the chunks of a range",
            SEALANE_INTERNAL => c"an error in the library itself",
        }
    }
}

/// Returns a description of a result, in English and without a full stop. The pointer stays valid.
/// A number that is not a `sealane_status` gives "unknown status".
#[unsafe(no_mangle)]
pub extern "C" fn sealane_status_message(status: i32) -> *const c_char {
    let known = sealane_status::ALL.into_iter().find(|known| *known as i32 == status);
    known.map_or(c"unknown status", sealane_status::message).as_ptr()
}
