//! OpenSSL's ChaCha20, and its Poly1305 through EVP_MAC, for which the crate `openssl` has no safe
//! interface yet.

use std::ptr;

use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;
use sealane_workloads::benchmarks::messages::KEY;

/// A context that is kept between messages, and gets a new key for each.
pub struct Poly1305Context(*mut openssl_sys::EVP_MAC_CTX);

impl Poly1305Context {
    pub fn new() -> Self {
        openssl_sys::init();
        // SAFETY: the name is a C string; null pointers select the default library context and no
        // properties.
        let mac = unsafe { openssl_sys::EVP_MAC_fetch(ptr::null_mut(), c"POLY1305".as_ptr(), ptr::null()) };
        assert!(!mac.is_null(), "OpenSSL has no Poly1305");
        // SAFETY: `mac` is a MAC that was fetched above.
        let context = unsafe { openssl_sys::EVP_MAC_CTX_new(mac) };
        // SAFETY: the context holds its own reference to the MAC; this releases ours.
        unsafe { openssl_sys::EVP_MAC_free(mac) };
        assert!(!context.is_null(), "OpenSSL has no memory");
        Self(context)
    }

    pub fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        let mut written = 0;
        // SAFETY: the context is valid until `drop`; the key is valid for its length; there are no
        // parameters.
        let init = unsafe { openssl_sys::EVP_MAC_init(self.0, key.as_ptr(), key.len(), ptr::null()) };
        // SAFETY: the message is valid for its length.
        let update = unsafe { openssl_sys::EVP_MAC_update(self.0, message.as_ptr(), message.len()) };
        // SAFETY: the tag is valid for writing its length.
        let last = unsafe { openssl_sys::EVP_MAC_final(self.0, tag.as_mut_ptr(), &mut written, tag.len()) };
        assert!(init == 1 && update == 1 && last == 1 && written == 16, "OpenSSL's Poly1305 failed");
        tag
    }
}

impl Drop for Poly1305Context {
    fn drop(&mut self) {
        // SAFETY: the context was created by `new` and is not used again.
        unsafe { openssl_sys::EVP_MAC_CTX_free(self.0) };
    }
}

/// A context of ChaCha20 that keeps its key and takes a nonce for each message.
pub struct ChaCha20Context(CipherCtx);

impl ChaCha20Context {
    pub fn new() -> Self {
        let mut context = CipherCtx::new().expect("OpenSSL context");
        context.encrypt_init(Some(Cipher::chacha20()), Some(&KEY), Some(&[0; 16])).expect("OpenSSL ChaCha20");
        Self(context)
    }

    /// Encrypts in place from block 1 on.
    pub fn apply(&mut self, nonce: &[u8; 12], data: &mut [u8]) {
        // OpenSSL's IV is the whole last row of the state: counter, then nonce.
        let mut iv = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        iv[4..].copy_from_slice(nonce);
        self.0.encrypt_init(None, None, Some(&iv)).expect("OpenSSL IV");
        let length = data.len();
        self.0.cipher_update_inplace(data, length).expect("OpenSSL update");
    }
}
