//! Poly1305, the one-time authenticator.

use primitives::{Poly1305, Tag};

use crate::boundary::{Caller, Region, check_disjoint, guard, new_context};
use crate::status::sealane_status::{self, *};
use crate::wiped::take;

/// A message that is authenticated in pieces: new, then for each message init, update for each
/// piece, and final or final_verify. Free it at the end.
#[derive(Clone)]
pub struct sealane_poly1305 {
    message: Option<Poly1305>,
}

/// Computes the tag of a message with Poly1305 (RFC 8439, section 2.5). The key has
/// SEALANE_KEY_BYTES bytes and must not be used for a second message. The tag has
/// SEALANE_TAG_BYTES bytes.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_mac(
    key: *const u8,
    message: *const u8,
    message_len: usize,
    tag: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let key = caller.key(key)?;
        check_disjoint(&[Region::new(tag, 16)], &[Region::new(message, message_len)])?;
        let computed = Poly1305::mac(&key, caller.input(message, message_len)?);
        caller.write(tag, &computed)
    })
}

/// Computes the tag of a message and compares it with `tag`, in constant time.
///
/// Returns SEALANE_NOT_AUTHENTIC if they differ.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_verify(
    key: *const u8,
    message: *const u8,
    message_len: usize,
    tag: *const u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let tag: Tag = caller.array(tag)?;
        let mut poly1305 = Poly1305::new(&*caller.key(key)?);
        poly1305.update(caller.input(message, message_len)?);
        Ok(poly1305.verify(&tag)?)
    })
}

/// Returns a new context, or NULL after an error in the library itself. Free it with
/// `sealane_poly1305_free`.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_poly1305_new() -> *mut sealane_poly1305 {
    new_context(|| sealane_poly1305 { message: None })
}

/// Starts a message with a key of SEALANE_KEY_BYTES bytes.
/// A message in progress is abandoned, also if this fails.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_init(poly1305: *mut sealane_poly1305, key: *const u8) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let poly1305 = caller.context(poly1305)?;
        poly1305.message = None;
        poly1305.message = Some(Poly1305::new(&*caller.key(key)?));
        Ok(())
    })
}

/// Returns a copy of a context in its state, or NULL if the context is NULL or after an error in
/// the library itself. Free both contexts.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_dup(poly1305: *const sealane_poly1305) -> *mut sealane_poly1305 {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.duplicate(poly1305)
}

/// Adds the next piece of the message, of any length.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_update(
    poly1305: *mut sealane_poly1305,
    piece: *const u8,
    piece_len: usize,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let message = caller.context(poly1305)?.message.as_mut().ok_or(SEALANE_WRONG_STATE)?;
        message.update(caller.input(piece, piece_len)?);
        Ok(())
    })
}

/// Ends the message and writes its tag of SEALANE_TAG_BYTES bytes.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_final(poly1305: *mut sealane_poly1305, tag: *mut u8) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        caller.output(tag, 16)?;
        let message = take(&mut caller.context(poly1305)?.message, None).ok_or(SEALANE_WRONG_STATE)?;
        caller.write(tag, &message.finalize())
    })
}

/// Ends the message and compares its tag with `tag`, in constant time.
///
/// Returns SEALANE_NOT_AUTHENTIC if they differ.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_final_verify(
    poly1305: *mut sealane_poly1305,
    tag: *const u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let tag: Tag = caller.array(tag)?;
        let message = take(&mut caller.context(poly1305)?.message, None).ok_or(SEALANE_WRONG_STATE)?;
        Ok(message.verify(&tag)?)
    })
}

/// Wipes and frees a context. NULL is allowed.
///
/// # Safety
/// The rules of the header. The context must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_poly1305_free(poly1305: *mut sealane_poly1305) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(poly1305);
}
