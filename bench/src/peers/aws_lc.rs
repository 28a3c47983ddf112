//! ChaCha20 and Poly1305 of AWS-LC, which `aws-lc-rs` does not expose.

use std::mem::MaybeUninit;

use aws_lc_sys::{
    CRYPTO_chacha_20, CRYPTO_poly1305_finish, CRYPTO_poly1305_init, CRYPTO_poly1305_update, poly1305_state,
};

use sealane_measure::Tag;

/// Encrypts in place from block 1 on.
pub fn chacha20(key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
    let bytes = data.as_mut_ptr();
    // SAFETY: input and output are the same bytes, which is allowed; key and nonce are as long as
    // documented.
    unsafe { CRYPTO_chacha_20(bytes, bytes, data.len(), key.as_ptr(), nonce.as_ptr(), 1) };
}

pub fn poly1305(key: &[u8; 32], message: &[u8]) -> Tag {
    let mut state = MaybeUninit::<poly1305_state>::uninit();
    let state = state.as_mut_ptr();
    let mut tag = [0; 16];
    // SAFETY: the first call initialises the state before the others use it. The state, the key (32
    // bytes) and the tag (16 bytes) are as long as documented, and the message has `len` bytes.
    unsafe {
        CRYPTO_poly1305_init(state, key.as_ptr());
        CRYPTO_poly1305_update(state, message.as_ptr(), message.len());
        CRYPTO_poly1305_finish(state, tag.as_mut_ptr());
    }
    tag
}
