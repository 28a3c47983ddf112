//! New identities, and their recipients.

use core::ffi::c_char;

use sealane_age::key_file::{AnyIdentity, parse_identities};
use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use sealane_age::{mlkem768x25519, x25519};

use super::failure::{Failure, guard_file, sealane_age_error};
use crate::boundary::{Caller, Region, check_disjoint};
use crate::status::sealane_status::{self, *};

/// X25519: `age1...`, which every implementation of age supports.
pub const SEALANE_AGE_X25519: u32 = 1;
/// ML-KEM-768 with X25519: `age1pq1...`, which is post-quantum, and which age supports since
/// version 1.3.
pub const SEALANE_AGE_MLKEM768X25519: u32 = 2;
/// The length of a buffer that holds any text which `sealane_age_keygen` or `sealane_age_recipient`
/// writes, with the zero byte at its end.
pub const SEALANE_AGE_KEY_TEXT_BYTES: usize = 2048;

/// The longest text encodes a public key of 1216 bytes in base 32, with its prefix and checksum.
const _: () = assert!("age1pq1".len() + (1216 * 8usize).div_ceil(5) + 6 < SEALANE_AGE_KEY_TEXT_BYTES);

/// Writes the text of a new identity, with a zero byte at its end. It is secret: wipe the buffer
/// after use.
///
/// Returns SEALANE_UNKNOWN_ALGORITHM if `kind` is not SEALANE_AGE_X25519 or
/// SEALANE_AGE_MLKEM768X25519, SEALANE_WRONG_LENGTH if `size` is too small, and SEALANE_RANDOM if
/// the operating system's generator fails.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_keygen(
    kind: u32,
    identity: *mut c_char,
    size: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let text: SecretString = match kind {
            SEALANE_AGE_X25519 => x25519::Identity::generate()?.to_text(),
            SEALANE_AGE_MLKEM768X25519 => mlkem768x25519::Identity::generate()?.to_text(),
            _ => return Err(SEALANE_UNKNOWN_ALGORITHM.into()),
        };
        Ok(caller.text(identity, size, text.expose_secret())?)
    })
}

/// Writes the text of an identity's recipient, with a zero byte at its end.
///
/// Returns SEALANE_INVALID_TEXT if `identity` is not exactly one identity or is one of a plugin,
/// and SEALANE_WRONG_LENGTH if `size` is too small.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_recipient(
    identity: *const c_char,
    identity_len: usize,
    recipient: *mut c_char,
    size: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        check_disjoint(&[Region::new(recipient, size)], &[Region::new(identity, identity_len)])?;
        let invalid = |error: &dyn ToString| Failure::new(SEALANE_INVALID_TEXT, error.to_string());
        let found = parse_identities(caller.input(identity.cast(), identity_len)?);
        let text = match &found.map_err(|error| invalid(&error))?[..] {
            [AnyIdentity::X25519(identity)] => identity.to_public().to_string(),
            [AnyIdentity::PostQuantum(identity)] => identity.to_public().to_string(),
            [_] => return Err(invalid(&"an identity of a plugin, which this library does not start")),
            _ => return Err(invalid(&"there is more than one identity")),
        };
        Ok(caller.text(recipient, size, &text)?)
    })
}
