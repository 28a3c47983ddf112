//! Intel's Multi-Buffer Crypto for IPsec, by `ipsec_mb.c`: assembler for AVX-512 with IFMA, one job
//! at a time.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;

use sealane_measure::Tag;

/// A job manager, opaque to Rust.
#[repr(C)]
struct Manager {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn bench_imb_new() -> *mut Manager;
    fn bench_imb_version() -> *const c_char;
    fn bench_imb_chacha20(manager: *mut Manager, key: *const u8, nonce: *const u8, data: *mut u8, length: u64)
    -> c_int;
    fn bench_imb_poly1305(manager: *mut Manager, key: *const u8, data: *const u8, length: u64, tag: *mut u8) -> c_int;
    fn bench_imb_aead(
        manager: *mut Manager,
        seal: c_int,
        key: *const u8,
        nonce: *const u8,
        aad: *const u8,
        aad_length: u64,
        data: *mut u8,
        length: u64,
        tag: *mut u8,
    ) -> c_int;
}

/// Returns the library's version.
pub fn version() -> String {
    // SAFETY: the function returns a static C string.
    let version = unsafe { CStr::from_ptr(bench_imb_version()) };
    version.to_string_lossy().into_owned()
}

/// A manager, which lives as long as the program.
pub struct IpsecMb(NonNull<Manager>);

impl IpsecMb {
    pub fn new() -> Self {
        // SAFETY: may be called at any time.
        Self(NonNull::new(unsafe { bench_imb_new() }).expect("a job manager of ipsec-mb"))
    }

    /// Encrypts with ChaCha20 from block 1 on.
    pub fn chacha20(&mut self, key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
        // SAFETY: only this value uses the manager; all buffers have the documented or given
        // length.
        let done = unsafe {
            bench_imb_chacha20(self.0.as_ptr(), key.as_ptr(), nonce.as_ptr(), data.as_mut_ptr(), data.len() as u64)
        };
        assert!(done != 0, "ipsec-mb ChaCha20");
    }

    pub fn poly1305(&mut self, key: &[u8; 32], data: &[u8]) -> Tag {
        let mut tag = [0; 16];
        // SAFETY: as above; the tag has 16 bytes.
        let done = unsafe {
            bench_imb_poly1305(self.0.as_ptr(), key.as_ptr(), data.as_ptr(), data.len() as u64, tag.as_mut_ptr())
        };
        assert!(done != 0, "ipsec-mb Poly1305");
        tag
    }

    /// Encrypts, or decrypts without checking the tag, in place. Returns the tag.
    pub fn aead(&mut self, seal: bool, key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
        let mut tag = [0; 16];
        // SAFETY: as above.
        let done = unsafe {
            bench_imb_aead(
                self.0.as_ptr(),
                c_int::from(seal),
                key.as_ptr(),
                nonce.as_ptr(),
                aad.as_ptr(),
                aad.len() as u64,
                data.as_mut_ptr(),
                data.len() as u64,
                tag.as_mut_ptr(),
            )
        };
        assert!(done != 0, "ipsec-mb ChaCha20-Poly1305");
        tag
    }
}
