//! Intel's Multi-Buffer Crypto for IPsec, called through `ipsec_mb.c`. The library chooses its
//! assembly for the CPU, at best AVX-512 with IFMA. Messages are submitted as jobs, one at a time
//! or in bursts, or passed to the direct functions.

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
    fn bench_imb_aead(manager: *mut Manager, request: *const Request, message: *const Message) -> c_int;
    fn bench_imb_aead_burst(
        manager: *mut Manager,
        request: *const Request,
        messages: *const Message,
        count: u32,
    ) -> c_int;
    fn bench_imb_aead_direct(manager: *mut Manager, request: *const Request, message: *const Message);
}

/// A message of an AEAD: `struct bench_imb_message`.
#[repr(C)]
struct Message {
    nonce: [u8; 12],
    data: *mut u8,
    tag: *mut u8,
}

/// The parameters that all messages of one call share: `struct bench_imb_request`.
#[repr(C)]
struct Request {
    seal: c_int,
    key: *const u8,
    aad: *const u8,
    aad_length: u64,
    length: u64,
}

impl Request {
    fn new(seal: bool, key: &[u8; 32], aad: &[u8], length: usize) -> Self {
        let (aad_length, length) = (aad.len() as u64, length as u64);
        Self { seal: c_int::from(seal), key: key.as_ptr(), aad: aad.as_ptr(), aad_length, length }
    }
}

/// Returns the library's version.
pub fn version() -> String {
    // SAFETY: the function returns a static C string.
    let version = unsafe { CStr::from_ptr(bench_imb_version()) };
    version.to_string_lossy().into_owned()
}

/// A job manager. It is never freed.
pub struct IpsecMb(NonNull<Manager>);

impl IpsecMb {
    pub fn new() -> Self {
        // SAFETY: the function has no preconditions.
        Self(NonNull::new(unsafe { bench_imb_new() }).expect("a job manager of ipsec-mb"))
    }

    /// Encrypts with ChaCha20 from block 1 on.
    pub fn chacha20(&mut self, key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
        // SAFETY: only this value uses the manager; key and nonce have the documented lengths, and
        // the data has the given one.
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
        let request = Request::new(seal, key, aad, data.len());
        let message = Message { nonce: *nonce, data: data.as_mut_ptr(), tag: tag.as_mut_ptr() };
        // SAFETY: as above; request and message describe buffers that live until the call returns.
        let done = unsafe { bench_imb_aead(self.0.as_ptr(), &raw const request, &raw const message) };
        assert!(done != 0, "ipsec-mb ChaCha20-Poly1305");
        tag
    }

    /// Does the same as [`aead`](Self::aead), through the direct functions.
    pub fn aead_direct(&mut self, seal: bool, key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
        let mut tag = [0; 16];
        let request = Request::new(seal, key, aad, data.len());
        let message = Message { nonce: *nonce, data: data.as_mut_ptr(), tag: tag.as_mut_ptr() };
        // SAFETY: as above.
        unsafe { bench_imb_aead_direct(self.0.as_ptr(), &raw const request, &raw const message) };
        tag
    }

    /// Does the same as [`aead`](Self::aead) for `N` messages of equal length, in one burst.
    /// Returns their tags.
    pub fn aead_burst<const N: usize>(
        &mut self,
        seal: bool,
        key: &[u8; 32],
        aad: &[u8],
        messages: [([u8; 12], &mut [u8]); N],
    ) -> [Tag; N] {
        // 128 is `IMB_MAX_BURST_SIZE`.
        const { assert!(N > 0 && N <= 128) };
        let length = messages[0].1.len();
        assert!(messages.iter().all(|(_, data)| data.len() == length), "the messages have different lengths");
        let mut tags = [[0; 16]; N];
        let mut tag = tags.iter_mut();
        let messages = messages.map(|(nonce, data)| {
            let tag = tag.next().expect("a tag for each message");
            Message { nonce, data: data.as_mut_ptr(), tag: tag.as_mut_ptr() }
        });
        let request = Request::new(seal, key, aad, length);
        // SAFETY: as above, for each of the messages.
        let done = unsafe { bench_imb_aead_burst(self.0.as_ptr(), &raw const request, messages.as_ptr(), N as u32) };
        assert!(done != 0, "a burst of ipsec-mb");
        tags
    }
}
