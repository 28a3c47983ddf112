//! Random bytes.

use zeroize::Zeroizing;

use crate::boundary::{Caller, guard};
use crate::status::sealane_status::{self, *};

/// Fills a buffer with random bytes from the operating system, which are suitable for keys and
/// nonces.
///
/// Returns SEALANE_RANDOM if the operating system's generator fails. The buffer must not be used
/// then.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_random(bytes: *mut u8, len: usize) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let bytes = caller.output(bytes, len)?;
        getrandom::fill_uninit(bytes).map_err(|_| SEALANE_RANDOM)?;
        Ok(())
    })
}

/// Writes a random key of SEALANE_KEY_BYTES bytes, for an AEAD, ChaCha20 or Poly1305.
///
/// Returns SEALANE_RANDOM if the operating system's generator fails.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_keygen(key: *mut u8) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let mut random = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *random).map_err(|_| SEALANE_RANDOM)?;
        caller.write(key, &random)
    })
}
