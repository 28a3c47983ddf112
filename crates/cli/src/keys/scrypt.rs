//! Passphrase encryption with scrypt, and its work factor.

use std::env;
use std::slice;

use sealane_age::scrypt::{self, DEFAULT_MAX_WORK_FACTOR, DEFAULT_WORK_FACTOR};
use sealane_age::secrecy::SecretString;
use sealane_age::{FileKey, Identity, Stanza, UnwrapError};

use crate::error::{Error, Result};
use crate::keys::passphrase::{Given, Passphrases};

/// Returns a recipient that encrypts with `passphrase`.
pub(crate) fn recipient(passphrase: SecretString) -> Result<scrypt::Recipient> {
    let factor = factor_from_env("AGE_PASSPHRASE_WORK_FACTOR")?.unwrap_or(DEFAULT_WORK_FACTOR);
    check_memory(factor)?;
    let recipient = scrypt::Recipient::new(passphrase).with_work_factor(factor);
    recipient.map_err(|error| Error::usage(error.to_string()))
}

/// An identity that asks for the passphrase when a file needs it.
pub(crate) struct PassphraseIdentity {
    what: String,
    passphrases: Passphrases,
}

impl PassphraseIdentity {
    /// Returns an identity. `what` names the file in the question.
    pub(crate) fn new(what: impl Into<String>, passphrases: Passphrases) -> Self {
        Self { what: what.into(), passphrases }
    }

    fn unwrap(&self, stanza: &Stanza) -> Result<Result<Option<FileKey>, UnwrapError>> {
        let max = factor_from_env("AGE_PASSPHRASE_MAX_WORK_FACTOR")?.unwrap_or(DEFAULT_MAX_WORK_FACTOR);
        // Checked before the question, because no passphrase would help.
        if let Some(factor) = stanza.args.get(1).and_then(|arg| arg.parse().ok()) {
            if factor > max {
                return Err(too_much_work(factor, max));
            }
            check_memory(factor)?;
        }
        let passphrase = self.passphrases.to_open(&self.what)?;
        let from = if matches!(passphrase, Given::Environment(_)) { " (from the environment)" } else { "" };
        let identity = scrypt::Identity::new(passphrase.secret()).with_max_work_factor(max);
        match identity.unwrap_file_key(slice::from_ref(stanza)) {
            Err(UnwrapError::Authentication) => {
                Err(Error::new(format!("incorrect passphrase for {}{from}", self.what)))
            }
            other => Ok(other),
        }
    }
}

impl Identity for PassphraseIdentity {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        // The stanza of a passphrase is the only one of its file.
        let [stanza] = stanzas else { return Ok(None) };
        if stanza.tag != "scrypt" {
            return Ok(None);
        }
        self.unwrap(stanza).unwrap_or_else(|error| Err(UnwrapError::other(error)))
    }
}

/// Checks that there is enough memory: scrypt (RFC 7914) with r = 8 takes 128 r N bytes, and an
/// allocation that fails inside it aborts the process.
fn check_memory(factor: u8) -> Result<()> {
    let log_bytes = u32::from(factor) + 10;
    let mut probe = Vec::<u8>::new();
    let reserved = 1usize.checked_shl(log_bytes).is_some_and(|bytes| probe.try_reserve_exact(bytes).is_ok());
    // Without this, the compiler may remove the allocation.
    std::hint::black_box(&probe);
    if reserved {
        return Ok(());
    }
    let size = match log_bytes {
        30.. => format!("{} GiB", 1u64 << (log_bytes - 30).min(63)),
        20.. => format!("{} MiB", 1u64 << (log_bytes - 20)),
        _ => format!("{} KiB", 1u64 << (log_bytes - 10)),
    };
    Err(Error::new(format!(
        "the passphrase's work factor is {factor}, which needs {size} of memory; there is not enough"
    ))
    .hint("a limit of the shell (ulimit -v) or of the container may be in force"))
}

fn too_much_work(factor: u8, max: u8) -> Error {
    let times = 1u64 << (factor - max).min(40);
    Error::new(format!("the passphrase's work factor is {factor}, which is more than the limit of {max}")).hint(
        format!("opening the file would take {times} times the time and memory; AGE_PASSPHRASE_MAX_WORK_FACTOR sets the limit"),
    )
}

/// Reads a work factor from the environment, as age-plugin-batchpass does.
fn factor_from_env(name: &str) -> Result<Option<u8>> {
    let Some(value) = env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let factor = value.to_str().and_then(|value| value.parse::<u8>().ok()).filter(|factor| (1..=30).contains(factor));
    factor.map(Some).ok_or_else(|| {
        Error::usage(format!("{name} must be a number from 1 to 30, and is {value:?}")).hint("18 is usual")
    })
}
