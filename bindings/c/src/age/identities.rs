//! Identities, which open files.

use core::ffi::c_char;

use sealane_age::key_file::{IdentityFile, SshIdentityFault, parse_identities, parse_ssh_identity};
use sealane_age::secrecy::SecretString;
use sealane_age::threshold::{Part, ThresholdIdentity};
use sealane_age::{DEFAULT_MAX_WORK_FACTOR, Identity, scrypt};

use super::arguments::{self, utf8};
use super::failure::{Failure, guard_file, sealane_age_error};
use crate::boundary::{Caller, new_context};
use crate::status::sealane_status::{self, *};

/// A list of identities that open files: new, add for each text, use for any number of files, free.
/// Several threads may use the list at once while none of them adds to it.
pub struct sealane_age_identities {
    identities: Vec<Box<dyn Identity + Send + Sync>>,
    parts: Vec<Part>,
}

impl sealane_age_identities {
    fn each(&self) -> impl Iterator<Item = &dyn Identity> {
        self.identities.iter().map(|identity| &**identity as &dyn Identity)
    }

    /// Calls `open` with a list: the identities, and after them one that opens files for several
    /// holders with the identities and the parts together.
    pub(super) fn with<T>(&self, open: impl FnOnce(&[&dyn Identity]) -> T) -> T {
        let together = ThresholdIdentity::new(self.each(), &self.parts);
        let all: Vec<&dyn Identity> = self.each().chain([&together as &dyn Identity]).collect();
        open(&all)
    }

    /// Calls `open` with the identities, without the parts.
    pub(super) fn holders<T>(&self, open: impl FnOnce(&[&dyn Identity]) -> T) -> T {
        open(&self.each().collect::<Vec<_>>())
    }

    fn add(&mut self, contents: &[u8]) -> Result<(), Failure> {
        if IdentityFile::of(contents).0 == IdentityFile::Pem {
            return self.add_ssh(contents, None);
        }
        let found = parse_identities(contents).map_err(|error| Failure::new(SEALANE_INVALID_TEXT, error))?;
        let mut added = Vec::with_capacity(found.len());
        for identity in found {
            added.push(identity.into_identity().map_err(|_| {
                Failure::new(SEALANE_INVALID_TEXT, "an identity of a plugin, which this library does not start")
            })?);
        }
        self.identities.append(&mut added);
        Ok(())
    }

    fn add_ssh(&mut self, file: &[u8], passphrase: Option<SecretString>) -> Result<(), Failure> {
        let identity = parse_ssh_identity(file, passphrase).map_err(|fault| {
            let wrong = fault == SshIdentityFault::WrongPassphrase;
            Failure::new(if wrong { SEALANE_NO_MATCH } else { SEALANE_INVALID_TEXT }, fault)
        })?;
        self.identities.push(Box::new(identity));
        Ok(())
    }
}

/// Returns a new list without identities, or NULL after an error in the library itself. Free it
/// with `sealane_age_identities_free`.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_age_identities_new() -> *mut sealane_age_identities {
    new_context(|| sealane_age_identities { identities: Vec::new(), parts: Vec::new() })
}

/// Adds identities: a text or a file with one on each line, `AGE-SECRET-KEY-1...` or
/// `AGE-SECRET-KEY-PQ-1...`, or the file of an ssh private key that is not encrypted. Empty lines
/// and lines that begin with # are skipped. Plugin identities are refused.
///
/// Returns SEALANE_INVALID_TEXT if a line is not an identity or is one of a plugin, if an ssh key
/// is encrypted or of another type, or if there is no identity. No identity is added then.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_identities_add(
    identities: *mut sealane_age_identities,
    text: *const c_char,
    text_len: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.context(identities)?;
        identities.add(caller.input(text.cast(), text_len)?)
    })
}

/// Adds a passphrase. Files that ask for more scrypt work than `max_work_factor` are refused with
/// SEALANE_EXCESSIVE_WORK. 0 means 22, the largest, which takes 4 GiB of memory and half a minute.
///
/// Returns SEALANE_INVALID_TEXT if the passphrase is not UTF-8, and SEALANE_OUT_OF_RANGE for a
/// work factor above 22.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_identities_add_passphrase(
    identities: *mut sealane_age_identities,
    passphrase: *const c_char,
    passphrase_len: usize,
    max_work_factor: u32,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.context(identities)?;
        let passphrase = SecretString::from(utf8(caller.input(passphrase.cast(), passphrase_len)?)?);
        let max_work_factor = arguments::work_factor(max_work_factor, DEFAULT_MAX_WORK_FACTOR)?;
        let identity = scrypt::Identity::new(passphrase).with_max_work_factor(max_work_factor);
        identities.identities.push(Box::new(identity));
        Ok(())
    })
}

/// Adds an ssh private key: the file that ssh-keygen writes, of type ssh-ed25519 or ssh-rsa. Pass
/// NULL and length 0 as the passphrase of a key that is not encrypted.
///
/// Returns SEALANE_NO_MATCH if the passphrase does not decrypt the key, and SEALANE_INVALID_TEXT if
/// the text is not such a key, if a key is encrypted and there is no passphrase, or if the
/// passphrase is not UTF-8.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_identities_add_ssh(
    identities: *mut sealane_age_identities,
    text: *const c_char,
    text_len: usize,
    passphrase: *const c_char,
    passphrase_len: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.context(identities)?;
        let text = caller.input(text.cast(), text_len)?;
        let passphrase = utf8(caller.input(passphrase.cast(), passphrase_len)?)?;
        identities.add_ssh(text, (!passphrase.is_empty()).then(|| SecretString::from(passphrase)))
    })
}

/// Adds a part that a holder has contributed: see `sealane_age_contribute`. A part opens only the
/// file that it was created for. Functions that decrypt return SEALANE_INVALID_SHARES if a part is
/// wrong or of another file, and the other parts and the identities do not suffice.
///
/// Returns SEALANE_INVALID_TEXT if the text is not a part.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_identities_add_part(
    identities: *mut sealane_age_identities,
    part: *const c_char,
    part_len: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.context(identities)?;
        identities.parts.push(utf8(caller.input(part.cast(), part_len)?)?.trim().parse()?);
        Ok(())
    })
}

/// Wipes and frees the identities. NULL is allowed.
///
/// # Safety
/// The rules of the header. The identities must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_identities_free(identities: *mut sealane_age_identities) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(identities);
}
