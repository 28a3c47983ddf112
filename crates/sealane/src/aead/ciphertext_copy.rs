//! A copy of a ciphertext that is decrypted before it is authenticated.

use core::mem::MaybeUninit;

use sealane_simd::Output;

/// The place of a copy. It begins with a cache line, so that no vector of the copy is in two of
/// them.
#[repr(align(64))]
pub(super) struct CiphertextCopy<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> CiphertextCopy<BYTES> {
    /// Returns a place without contents.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        Self([MaybeUninit::uninit(); BYTES])
    }

    /// Returns a copy of up to `BYTES` bytes.
    #[inline(always)]
    pub(super) fn of(&mut self, ciphertext: &[u8]) -> &[u8] {
        let mut copy = Output::new(&mut self.0[..ciphertext.len()]);
        copy.append(ciphertext);
        copy.finish()
    }
}
