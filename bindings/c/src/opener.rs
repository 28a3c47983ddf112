//! Messages that are opened in pieces.

use primitives::{Opener, Tag, Verified};

use crate::aead::Start;
use crate::boundary::{Caller, guard, new_context};
use crate::status::sealane_status::{self, *};
use crate::wiped::take;

/// A message that is opened in pieces, in one of two ways:
///
/// - Twice over the ciphertext: init, authenticate for each piece, verify, then decrypt for each
///   piece. No plaintext exists before it is authentic.
/// - Once over the ciphertext: init, decrypt_unauthenticated for each piece, verify. The plaintext
///   may be an attacker's until verify has returned SEALANE_OK.
///
/// After that, init starts the next message. Free it at the end.
#[derive(Clone)]
pub struct sealane_opener {
    message: State,
}

#[derive(Clone)]
enum State {
    None,
    /// The tag has not been verified yet.
    Locked(Opener),
    /// A piece made the message too long, so no tag can verify.
    TooLong,
    Verified(Verified),
}

impl sealane_opener {
    fn locked(&mut self) -> Result<&mut Opener, sealane_status> {
        match &mut self.message {
            State::Locked(opener) => Ok(opener),
            State::TooLong => Err(SEALANE_NOT_AUTHENTIC),
            State::None | State::Verified(_) => Err(SEALANE_WRONG_STATE),
        }
    }

    /// Returns the opener for the next piece. After a piece that makes the message too long, no tag
    /// of this message is right.
    fn for_piece(&mut self, len: usize) -> Result<&mut Opener, sealane_status> {
        if self.locked().is_ok_and(|opener| len as u64 > opener.remaining()) {
            self.message = State::TooLong;
        }
        self.locked()
    }
}

/// Returns a new context, or NULL after an error in the library itself. Free it with
/// `sealane_opener_free`.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_opener_new() -> *mut sealane_opener {
    new_context(|| sealane_opener { message: State::None })
}

/// Starts a message. A message that was not finished is abandoned, also if this fails.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_init(
    opener: *mut sealane_opener,
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
        let opener = caller.context(opener)?;
        opener.message = State::None;
        let start = Start::new(&caller, (aead, key), (nonce, nonce_len), (aad, aad_len))?;
        opener.message = State::Locked(start.opener());
        Ok(())
    })
}

/// Returns a copy of a context in its state, or NULL if the context is NULL or after an error in
/// the library itself. Free both contexts.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_dup(opener: *const sealane_opener) -> *mut sealane_opener {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.duplicate(opener)
}

/// Adds the next piece of ciphertext without decrypting it.
///
/// Returns SEALANE_NOT_AUTHENTIC if the message is longer than SEALANE_MESSAGE_BYTES_MAX. Then
/// `sealane_opener_verify` fails too.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_authenticate(
    opener: *mut sealane_opener,
    ciphertext: *const u8,
    ciphertext_len: usize,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let opener = caller.context(opener)?.for_piece(ciphertext_len)?;
        Ok(opener.update(caller.input(ciphertext, ciphertext_len)?)?)
    })
}

/// Adds the next piece of ciphertext and decrypts it **before it is known to be authentic**.
/// `plaintext` has as many bytes as `ciphertext`, and may be `ciphertext`.
///
/// The plaintext must not be used until `sealane_opener_verify` has returned SEALANE_OK. If that
/// returns anything else, discard all of it.
///
/// Fails as `sealane_opener_authenticate` does.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_decrypt_unauthenticated(
    opener: *mut sealane_opener,
    ciphertext: *const u8,
    ciphertext_len: usize,
    plaintext: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let opener = caller.context(opener)?.for_piece(ciphertext_len)?;
        let buffers = caller.buffers(ciphertext, plaintext, ciphertext_len)?;
        buffers.transform(|piece| opener.decrypt_unauthenticated(piece))
    })
}

/// Compares the tag of the message with `tag`, which has SEALANE_TAG_BYTES bytes, in constant time.
///
/// Returns SEALANE_NOT_AUTHENTIC if the tags differ or the message was too long. The message is
/// then abandoned.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_verify(opener: *mut sealane_opener, tag: *const u8) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let tag: Tag = caller.array(tag)?;
        let opener = caller.context(opener)?;
        match &opener.message {
            State::Locked(_) | State::TooLong => {}
            State::None | State::Verified(_) => return Err(SEALANE_WRONG_STATE),
        }
        let State::Locked(locked) = take(&mut opener.message, State::None) else {
            return Err(SEALANE_NOT_AUTHENTIC);
        };
        opener.message = State::Verified(locked.verify(&tag)?);
        Ok(())
    })
}

/// Decrypts the next piece of a message whose tag has been verified, from the first piece on.
/// `plaintext` has as many bytes as `ciphertext`, and may be `ciphertext`. The pieces must be the
/// bytes that were authenticated, but may be cut elsewhere.
///
/// Returns SEALANE_WRONG_STATE before `sealane_opener_verify`, and SEALANE_NOT_AUTHENTIC past the
/// end of the message.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_decrypt(
    opener: *mut sealane_opener,
    ciphertext: *const u8,
    ciphertext_len: usize,
    plaintext: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let State::Verified(message) = &mut caller.context(opener)?.message else {
            return Err(SEALANE_WRONG_STATE);
        };
        let buffers = caller.buffers(ciphertext, plaintext, ciphertext_len)?;
        if ciphertext_len as u64 > message.remaining() {
            return Err(SEALANE_NOT_AUTHENTIC);
        }
        buffers.transform(|piece| message.decrypt(piece))
    })
}

/// Wipes and frees a context. NULL is allowed.
///
/// # Safety
/// The rules of the header. The context must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_opener_free(opener: *mut sealane_opener) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(opener);
}
