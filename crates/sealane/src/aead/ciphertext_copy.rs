//! A copy of a ciphertext that is decrypted before it is authenticated.

use core::mem::MaybeUninit;

use sealane_simd::Output;

/// Memory for a copy. It is aligned to a cache line, so that no vector of the copy lies in two
/// lines.
#[repr(align(64))]
pub(super) struct CiphertextCopy<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> CiphertextCopy<BYTES> {
    /// Returns memory without contents.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        Self([MaybeUninit::uninit(); BYTES])
    }

    /// Copies `ciphertext`, up to `BYTES` bytes, into this memory. Returns the copy.
    #[inline(always)]
    pub(super) fn of(&mut self, ciphertext: &[u8]) -> &[u8] {
        let mut copy = Output::new(&mut self.0[..ciphertext.len()]);
        copy.append(ciphertext);
        copy.finish()
    }
}
