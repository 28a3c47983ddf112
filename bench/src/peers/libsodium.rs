//! The C functions of libsodium.

use std::ffi::CStr;
use std::ptr;
use std::sync::Once;

use libsodium_sys as sodium;

use sealane_measure::Tag;

/// Selects its implementations for this CPU. Must be called once before all other functions.
pub fn init() {
    static INIT: Once = Once::new();
    INIT.call_once(|| {
        // SAFETY: may be called at any time.
        let result = unsafe { sodium::sodium_init() };
        assert!(result >= 0, "libsodium does not initialise");
    });
}

pub fn version() -> String {
    // SAFETY: the function returns a static C string.
    let version = unsafe { CStr::from_ptr(sodium::sodium_version_string()) };
    version.to_string_lossy().into_owned()
}

/// Encrypts in place from block 1 on.
pub fn chacha20(key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
    let bytes = data.as_mut_ptr();
    let length = data.len() as u64;
    // SAFETY: input and output are the same `length` bytes, which is allowed; key and nonce are as
    // long as documented.
    unsafe { sodium::crypto_stream_chacha20_ietf_xor_ic(bytes, bytes, length, nonce.as_ptr(), 1, key.as_ptr()) };
}

pub fn poly1305(key: &[u8; 32], message: &[u8]) -> Tag {
    let mut tag = [0; 16];
    // SAFETY: the tag has 16 bytes, the key 32, the message its length.
    unsafe {
        sodium::crypto_onetimeauth(tag.as_mut_ptr(), message.as_ptr(), message.len() as u64, key.as_ptr());
    }
    tag
}

pub fn seal(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
    let mut tag = [0; 16];
    let bytes = data.as_mut_ptr();
    // SAFETY: input and output are the same bytes, which is allowed; each other buffer has the
    // documented length, or its length is an argument.
    unsafe {
        sodium::crypto_aead_chacha20poly1305_ietf_encrypt_detached(
            bytes,
            tag.as_mut_ptr(),
            ptr::null_mut(),
            bytes,
            data.len() as u64,
            aad.as_ptr(),
            aad.len() as u64,
            ptr::null(),
            nonce.as_ptr(),
            key.as_ptr(),
        );
    }
    tag
}

pub fn open(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag) -> bool {
    let bytes = data.as_mut_ptr();
    // SAFETY: as in `seal`.
    let result = unsafe {
        sodium::crypto_aead_chacha20poly1305_ietf_decrypt_detached(
            bytes,
            ptr::null_mut(),
            bytes,
            data.len() as u64,
            tag.as_ptr(),
            aad.as_ptr(),
            aad.len() as u64,
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    result == 0
}
