//! Versions.

use core::ffi::{CStr, c_char};

use crate::status::sealane_status::{self, *};

/// The version of the binary interface that this header describes. It is also the number in the
/// library's file name (`libsealane.so.0`), and changes when programs must be recompiled.
pub const SEALANE_ABI: u32 = 0;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version with a zero byte"),
};

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn sealane_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Returns the version of the library's binary interface.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_abi() -> u32 {
    SEALANE_ABI
}

/// Checks that the library has the binary interface of the program's header. Call
/// `sealane_check_abi(SEALANE_ABI)` after loading the library at run time.
///
/// Returns SEALANE_WRONG_ABI if it has another one.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_check_abi(abi: u32) -> sealane_status {
    if abi == SEALANE_ABI { SEALANE_OK } else { SEALANE_WRONG_ABI }
}
