//! Recipients of files.

use core::ffi::c_char;

use sealane_age::key_file::{AnyRecipient, Recipients, parse_recipients};
use sealane_age::secrecy::SecretString;
use sealane_age::threshold::{Label, ThresholdRecipient};
use sealane_age::{Encryptor, Recipient, scrypt};

use super::arguments::{self, utf8};
use super::failure::{Failure, guard_file, sealane_age_error};
use crate::boundary::{Caller, new_context};
use crate::status::sealane_status::{self, *};

/// A list of recipients of files: new, add for each text, use for any number of files, free.
/// Several threads may use the list at once while none of them adds to it.
pub struct sealane_age_recipients {
    recipients: Vec<Box<dyn Recipient + Send + Sync>>,
    /// The texts of the recipients other than passphrases.
    texts: Vec<String>,
    threshold: Option<(usize, Option<Label>)>,
}

impl sealane_age_recipients {
    /// Prepares the encryption of a file.
    pub(super) fn encryptor(&self) -> Result<Encryptor, Failure> {
        let recipients = self.recipients.iter().map(|recipient| &**recipient as &dyn Recipient);
        let Some((threshold, label)) = &self.threshold else { return Ok(Encryptor::with_recipients(recipients)?) };
        for (i, text) in self.texts.iter().enumerate() {
            if self.texts[..i].contains(text) {
                let message = format!("a recipient would hold two shares: {text}");
                return Err(Failure::new(SEALANE_INVALID_RECIPIENTS, message));
            }
        }
        let together = ThresholdRecipient::new(*threshold, recipients)?.with_label(label.clone());
        Ok(Encryptor::with_recipients([&together as &dyn Recipient])?)
    }

    fn add(&mut self, contents: &[u8]) -> Result<(), Failure> {
        let invalid = |error: &dyn ToString| Failure::new(SEALANE_INVALID_TEXT, error.to_string());
        let found = parse_recipients(contents).and_then(Recipients::all).map_err(|error| invalid(&error))?;
        let mut added = Vec::with_capacity(found.len());
        for recipient in found {
            added.push((recipient.to_string(), native(recipient)?));
        }
        for (text, recipient) in added {
            self.texts.push(text);
            self.recipients.push(recipient);
        }
        Ok(())
    }
}

fn native(recipient: AnyRecipient) -> Result<Box<dyn Recipient + Send + Sync>, Failure> {
    recipient
        .into_recipient()
        .map_err(|_| Failure::new(SEALANE_INVALID_TEXT, "a recipient of a plugin, which this library does not start"))
}

/// Returns a new list without recipients, or NULL after an error in the library itself. Free it
/// with `sealane_age_recipients_free`.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_age_recipients_new() -> *mut sealane_age_recipients {
    new_context(|| sealane_age_recipients { recipients: Vec::new(), texts: Vec::new(), threshold: None })
}

/// Adds recipients: a text or a file with one on each line, `age1...`, `age1pq1...`, `age1tag1...`,
/// `age1tagpq1...`, or an ssh public key, `ssh-ed25519 ...` or `ssh-rsa ...`. Empty lines and lines
/// that begin with # are skipped. Plugin recipients are refused.
///
/// Returns SEALANE_INVALID_TEXT if a line is not a recipient, or there is none. No recipient is
/// added then.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_recipients_add(
    recipients: *mut sealane_age_recipients,
    text: *const c_char,
    text_len: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let recipients = caller.context(recipients)?;
        recipients.add(caller.input(text.cast(), text_len)?)
    })
}

/// Adds a passphrase, which must be the only recipient. Each file then takes scrypt with
/// N = 2^`work_factor`, and 2^(`work_factor` + 10) bytes of memory. A `work_factor` of 0 means 18:
/// about a second and 256 MiB.
///
/// Returns SEALANE_INVALID_TEXT if the passphrase is empty or not UTF-8, and SEALANE_OUT_OF_RANGE
/// for a work factor above 22, which the default limit of readers refuses.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_recipients_add_passphrase(
    recipients: *mut sealane_age_recipients,
    passphrase: *const c_char,
    passphrase_len: usize,
    work_factor: u32,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let recipients = caller.context(recipients)?;
        let passphrase = SecretString::from(utf8(caller.input(passphrase.cast(), passphrase_len)?)?);
        if passphrase_len == 0 {
            return Err(Failure::new(SEALANE_INVALID_TEXT, scrypt::EmptyPassphrase));
        }
        let work_factor = arguments::work_factor(work_factor, scrypt::DEFAULT_WORK_FACTOR)?;
        let recipient = scrypt::Recipient::new(passphrase).with_work_factor(work_factor);
        let recipient = recipient.map_err(|error| Failure::new(SEALANE_OUT_OF_RANGE, error))?;
        recipients.recipients.push(Box::new(recipient));
        Ok(())
    })
}

/// Requires any `threshold` of all recipients together to open files, instead of any one. Only
/// Sealane opens such files. `label` is a note that holders see before they contribute: up to 100
/// bytes of UTF-8, or NULL with length 0.
///
/// Encryption returns SEALANE_INVALID_SHARES if there are fewer recipients than `threshold`, and
/// SEALANE_INVALID_RECIPIENTS if a recipient occurs twice. This function returns
/// SEALANE_INVALID_SHARES if `threshold` is below 2 or above 255, and SEALANE_INVALID_TEXT if the
/// label is not allowed.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_recipients_require(
    recipients: *mut sealane_age_recipients,
    threshold: usize,
    label: *const c_char,
    label_len: usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let recipients = caller.context(recipients)?;
        let label = utf8(caller.input(label.cast(), label_len)?)?;
        if !(2..=255).contains(&threshold) {
            return Err(Failure::new(SEALANE_INVALID_SHARES, "the threshold must be from 2 to 255"));
        }
        let label = if label.is_empty() { None } else { Some(label.parse()?) };
        recipients.threshold = Some((threshold, label));
        Ok(())
    })
}

/// Wipes and frees the recipients. NULL is allowed.
///
/// # Safety
/// The rules of the header. The recipients must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_recipients_free(recipients: *mut sealane_age_recipients) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(recipients);
}
