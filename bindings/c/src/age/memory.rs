//! Whole files in memory.

use sealane_age::armor::Format;
use zeroize::Zeroizing;

use super::failure::{Failure, guard_file, sealane_age_error};
use super::format;
use super::identities::sealane_age_identities;
use super::recipients::sealane_age_recipients;
use crate::boundary::{Caller, Region, check_disjoint, new_context};
use crate::status::sealane_status::{self, *};

/// Bytes that the library has allocated. They are wiped when they are freed.
pub struct sealane_bytes {
    bytes: Zeroizing<Vec<u8>>,
}

/// Stores a new `sealane_bytes` in `*to`, or leaves it unchanged if that fails.
fn store(caller: &Caller, to: *mut *mut sealane_bytes, bytes: Vec<u8>) -> Result<(), Failure> {
    let bytes = new_context(|| sealane_bytes { bytes: Zeroizing::new(bytes) });
    if bytes.is_null() {
        return Err(SEALANE_INTERNAL.into());
    }
    Ok(caller.store(to, bytes)?)
}

/// Returns the first byte, which is valid until `sealane_bytes_free`. It is not NULL, unless
/// `bytes` is.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_bytes_data(bytes: *const sealane_bytes) -> *const u8 {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    caller.shared(bytes).map_or(core::ptr::null(), |bytes| bytes.bytes.as_ptr())
}

/// Returns the number of bytes, or 0 if `bytes` is NULL.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_bytes_len(bytes: *const sealane_bytes) -> usize {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    caller.shared(bytes).map_or(0, |bytes| bytes.bytes.len())
}

/// Wipes and frees bytes. NULL is allowed.
///
/// # Safety
/// The rules of the header. The bytes must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_bytes_free(bytes: *mut sealane_bytes) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(bytes);
}

/// Encrypts a file in memory, on one thread. `format` is SEALANE_AGE_BINARY or SEALANE_AGE_ARMOR.
/// `*file` becomes the file: free it with `sealane_bytes_free`. After an error, it is unchanged.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_encrypt(
    recipients: *const sealane_age_recipients,
    format: u32,
    plaintext: *const u8,
    plaintext_len: usize,
    file: *mut *mut sealane_bytes,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let recipients = caller.shared(recipients)?;
        check_disjoint(&[Region::new(file, 1)], &[Region::new(plaintext, plaintext_len)])?;
        let plaintext = caller.input(plaintext, plaintext_len)?;
        caller.room(file, 1)?;
        let is_armored = self::format(format)? == Format::Armored;
        let encryptor = recipients.encryptor()?;
        let encrypted = match is_armored {
            true => encryptor.encrypt_to_armor(plaintext)?.into_bytes(),
            false => encryptor.encrypt_to_vec(plaintext)?,
        };
        store(&caller, file, encrypted)
    })
}

/// Decrypts a file in memory, binary or armored, on one thread. `*plaintext` becomes all of the
/// plaintext: free it with `sealane_bytes_free`. After an error, it is unchanged.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_decrypt(
    identities: *const sealane_age_identities,
    file: *const u8,
    file_len: usize,
    plaintext: *mut *mut sealane_bytes,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.shared(identities)?;
        check_disjoint(&[Region::new(plaintext, 1)], &[Region::new(file, file_len)])?;
        let file = caller.input(file, file_len)?;
        caller.room(plaintext, 1)?;
        store(&caller, plaintext, identities.with(|all| sealane_age::decrypt(all.iter().copied(), file))?)
    })
}
