//! Errors, as OpenSSL shows them.

use std::ffi::{CStr, c_uint};
use std::ptr;

use sealane::{CounterOverflow, OpenError};

use crate::abi::OSSL_ITEM;

macro_rules! reasons {
    ($($name:ident = $id:literal, $text:literal;)*) => {
        /// The reason of an error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason {
            $(#[doc = $text] $name = $id,)*
        }

        /// The texts of all reasons.
        pub(crate) static REASON_STRINGS: [OSSL_ITEM; [$($id),*].len() + 1] = [
            $(OSSL_ITEM { id: $id, ptr: nul_terminated(concat!($text, "\0")) },)*
            OSSL_ITEM { id: 0, ptr: ptr::null() },
        ];
    };
}

reasons! {
    Configuration = 1, "bad configuration of the provider sealane";
    Internal = 2, "internal error";
    NullPointer = 3, "a null pointer where data is needed";
    KeyLength = 4, "the key has a wrong length";
    NonceLength = 5, "the nonce (IV) has a wrong length";
    TagLength = 6, "a tag has 1 to 16 bytes";
    NoKey = 7, "no key has been set";
    NoNonce = 8, "no nonce (IV) has been set since the last message";
    NoTag = 9, "the tag must be set before the message is finished";
    TagWhileEncrypting = 10, "a tag cannot be set while encrypting";
    TagNotReady = 11, "there is a tag only after a message was encrypted and finished";
    OutputTooSmall = 12, "the output buffer is too small";
    LateAssociatedData = 13, "associated data must come before the message";
    TooLong = 14, "the message is too long";
    NotAuthentic = 15, "the message is not authentic";
    TlsRecord = 16, "a TLS record has a wrong length";
    RecordEnded = 17, "more data than the header of the TLS record announces";
    ParameterType = 18, "a parameter has a wrong type or size";
    KeyUsed = 19, "no key has been set since the last message";
    RecordExpected = 20, "the next piece must be a whole TLS record";
    NotForRecords = 21, "this cipher is not for TLS records";
}

const fn nul_terminated(text: &'static str) -> *const std::ffi::c_char {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text.as_ptr(),
        Err(_) => panic!("no zero byte inside a text"),
    }
}

impl Reason {
    pub(crate) fn id(self) -> c_uint {
        self as c_uint
    }
}

impl From<OpenError> for Reason {
    fn from(_: OpenError) -> Self {
        Self::NotAuthentic
    }
}

impl From<CounterOverflow> for Reason {
    fn from(_: CounterOverflow) -> Self {
        Self::TooLong
    }
}
