//! Results.

use core::ffi::{CStr, c_char};

/// The result of a function.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum sealane_status {
    /// Success.
    SEALANE_OK = 0,
    /// The message, its associated data, its nonce or its tag is not authentic.
    SEALANE_NOT_AUTHENTIC = 1,
    /// A pointer is NULL although its length is not 0.
    SEALANE_NULL_POINTER = 2,
    /// A length is not the required one, or is larger than an object can be.
    SEALANE_WRONG_LENGTH = 3,
    /// The message is longer than the key stream.
    SEALANE_TOO_LONG = 4,
    /// Buffers overlap that must not.
    SEALANE_OVERLAP = 5,
    /// There is no algorithm with this number.
    SEALANE_UNKNOWN_ALGORITHM = 6,
    /// The context has not been initialised, or has been finished.
    SEALANE_WRONG_STATE = 7,
    /// The operating system's generator of random numbers failed.
    SEALANE_RANDOM = 8,
    /// The header of this program and the library have different binary interfaces.
    SEALANE_WRONG_ABI = 9,
    /// A threshold, or the number or position of shares, is not valid.
    SEALANE_INVALID_SHARES = 10,
    /// An error in the library itself. Outputs and contexts must not be used further.
    SEALANE_INTERNAL = 255,
}

use sealane_status::*;

impl sealane_status {
    const ALL: [Self; 12] = [
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
        SEALANE_INTERNAL,
    ];

    const fn message(self) -> &'static CStr {
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
            SEALANE_INVALID_SHARES => c"a threshold, or the number or position of shares, is not valid",
            SEALANE_INTERNAL => c"an error in the library itself",
        }
    }
}

/// Returns a description of a result, in English and without a full stop. It is valid for ever.
/// A number that is not a `sealane_status` gives "unknown status".
#[unsafe(no_mangle)]
pub extern "C" fn sealane_status_message(status: i32) -> *const c_char {
    let known = sealane_status::ALL.into_iter().find(|known| *known as i32 == status);
    known.map_or(c"unknown status", sealane_status::message).as_ptr()
}
