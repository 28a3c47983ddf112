//! Encryption with a passphrase: scrypt, and how hard it works.

use std::env;

use age::secrecy::SecretString;
use age::{DecryptError, Identity, scrypt};
use age_core::format::{FileKey, Stanza};

use crate::error::{Error, Result};
use crate::passphrase::{Given, Passphrases};

/// The base-2 logarithm of scrypt's N that age uses: about a second, and 256 MiB.
const WORK_FACTOR: u8 = 18;
/// The greatest one that age accepts: 16 times as long, and 4 GiB.
const MAX_WORK_FACTOR: u8 = 22;

/// What encrypts with `passphrase`.
pub(crate) fn recipient(passphrase: SecretString) -> Result<scrypt::Recipient> {
    let mut recipient = scrypt::Recipient::new(passphrase);
    recipient.set_work_factor(factor_from_env("AGE_PASSPHRASE_WORK_FACTOR")?.unwrap_or(WORK_FACTOR));
    Ok(recipient)
}

/// An identity that finds out the passphrase when it meets a file that needs it.
pub(crate) struct PassphraseIdentity {
    what: String,
    passphrases: Passphrases,
}

impl PassphraseIdentity {
    /// `what` is what the passphrase opens, as a person knows it.
    pub(crate) fn new(what: impl Into<String>, passphrases: Passphrases) -> Self {
        Self { what: what.into(), passphrases }
    }

    fn unwrap(&self, stanza: &Stanza) -> Result<Option<Result<FileKey, DecryptError>>> {
        let max = factor_from_env("AGE_PASSPHRASE_MAX_WORK_FACTOR")?.unwrap_or(MAX_WORK_FACTOR);
        // Before the question: no passphrase will help.
        if let Some(factor) = stanza.args.get(1).and_then(|arg| arg.parse::<u8>().ok()).filter(|&f| f > max) {
            return Err(too_much_work(factor, max));
        }
        let given = self.passphrases.to_open(&self.what)?;
        let from = if matches!(given, Given::Environment(_)) { " (from the environment)" } else { "" };
        let mut identity = scrypt::Identity::new(given.secret());
        identity.set_max_work_factor(max);
        match identity.unwrap_stanza(stanza) {
            None | Some(Err(DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed)) => {
                Err(Error::new(format!("incorrect passphrase for {}{from}", self.what)))
            }
            other => Ok(other),
        }
    }
}

impl Identity for PassphraseIdentity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        if stanza.tag != "scrypt" {
            return None;
        }
        self.unwrap(stanza).unwrap_or_else(|error| Some(Err(DecryptError::Io(error.into_io()))))
    }
}

fn too_much_work(factor: u8, max: u8) -> Error {
    let times = 1u64 << (factor - max).min(40);
    Error::new(format!("the passphrase's work factor is {factor}, which is more than the {max} that is allowed")).hint(
        format!("opening it would take {times} times the time and memory; AGE_PASSPHRASE_MAX_WORK_FACTOR allows more"),
    )
}

/// A work factor as age-plugin-batchpass reads it.
fn factor_from_env(name: &str) -> Result<Option<u8>> {
    let Some(value) = env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let factor = value.to_str().and_then(|value| value.parse::<u8>().ok()).filter(|factor| (1..=30).contains(factor));
    factor.map(Some).ok_or_else(|| {
        Error::usage(format!("{name} must be a number from 1 to 30, and is {value:?}")).hint("18 is usual")
    })
}
