//! Messages that are sealed in pieces.

use primitives::Sealer;

use crate::aead::Start;
use crate::boundary::{Caller, Region, check_disjoint, guard, new_context};
use crate::status::sealane_status::{self, *};
use crate::wiped::take;

/// A message that is encrypted in pieces: new, then for each message init, update for each piece,
/// final. Free it at the end.
#[derive(Clone)]
pub struct sealane_sealer {
    message: Option<Sealer>,
}

/// Returns a new context, or NULL after an error in the library itself. Free it with
/// `sealane_sealer_free`.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_sealer_new() -> *mut sealane_sealer {
    new_context(|| sealane_sealer { message: None })
}

/// Starts a message. A message that was not finished is abandoned, also if this fails.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_sealer_init(
    sealer: *mut sealane_sealer,
    aead: u32,
    key: *const u8,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let sealer = caller.context(sealer)?;
        sealer.message = None;
        sealer.message = Some(Start::new(&caller, (aead, key), (nonce, nonce_len), (aad, aad_len))?.sealer());
        Ok(())
    })
}

/// Returns a copy of a context in its state, or NULL if the context is NULL or after an error in
/// the library itself. Free both contexts.
///
/// Both contexts continue the same message with the same nonce. If they encrypt different text,
/// anyone who sees both ciphertexts learns about both texts, so send only one.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_sealer_dup(sealer: *const sealane_sealer) -> *mut sealane_sealer {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.duplicate(sealer)
}

/// Encrypts the next piece. `ciphertext` has as many bytes as `plaintext`, and may be `plaintext`.
///
/// Returns SEALANE_TOO_LONG if the message would be longer than SEALANE_MESSAGE_BYTES_MAX. The
/// piece is then not part of the message.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_sealer_update(
    sealer: *mut sealane_sealer,
    plaintext: *const u8,
    plaintext_len: usize,
    ciphertext: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let message = caller.context(sealer)?.message.as_mut().ok_or(SEALANE_WRONG_STATE)?;
        if plaintext_len as u64 > message.remaining() {
            return Err(SEALANE_TOO_LONG);
        }
        caller.buffers(plaintext, ciphertext, plaintext_len)?.transform(|piece| message.seal(piece))
    })
}

/// Ends the message and writes its tag of SEALANE_TAG_BYTES bytes.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_sealer_final(sealer: *mut sealane_sealer, tag: *mut u8) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        check_disjoint(&[Region::new(tag, 16)], &[Region::new(sealer, 1)])?;
        let sealer = caller.context(sealer)?;
        caller.output(tag, 16)?;
        let message = take(&mut sealer.message, None).ok_or(SEALANE_WRONG_STATE)?;
        caller.write(tag, &message.finish())
    })
}

/// Wipes and frees a context. NULL is allowed.
///
/// # Safety
/// The rules of the header. The context must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_sealer_free(sealer: *mut sealane_sealer) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(sealer);
}
