//! Passphrases: <https://c2sp.org/age#scrypt-recipient-type>.
//!
//! The file key is wrapped with a key that scrypt (RFC 7914) derives from the passphrase. Such a
//! file has no other recipient. A person who opens it with the passphrase therefore knows that the
//! sender knew the passphrase too.
//!
//! ```
//! use sealane_age::scrypt::{Identity, InvalidWorkFactor, NotEnoughMemory, Recipient};
//! use sealane_age::secrecy::SecretString;
//! use sealane_age::{EncryptError, decrypt, encrypt};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let passphrase = SecretString::from("correct horse battery staple");
//! // A low work factor, so that the example is quick.
//! let recipient = Recipient::new(passphrase.clone()).with_work_factor(4)?;
//! let file = match encrypt([&recipient as &dyn sealane_age::Recipient], b"attack at dawn") {
//!     // scrypt takes a mebibyte for a work factor of 10, and a gibibyte for 20.
//!     Err(EncryptError::Recipient(error)) if error.is::<NotEnoughMemory>() => panic!("add memory"),
//!     encrypted => encrypted?,
//! };
//!
//! let identity = Identity::new(passphrase.clone()).with_max_work_factor(18);
//! assert_eq!(decrypt([&identity as &dyn sealane_age::Identity], &file)?, b"attack at dawn");
//!
//! let InvalidWorkFactor(refused) = Recipient::new(passphrase).with_work_factor(0).unwrap_err();
//! assert_eq!(refused, 0);
//! # Ok(())
//! # }
//! ```

use alloc::vec::Vec;
use core::fmt;

use ::scrypt::Params;
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use crate::file_key::{FileKey, WRAPPED_BYTES};
use crate::header::{SCRYPT as TYPE, work_factor};
use crate::identity::UnwrapError;
#[cfg(feature = "std")]
use crate::random;
#[cfg(feature = "std")]
use crate::recipient::{WrapError, Wrapped};
use crate::stanza::Stanza;

/// The work factor for new files: N = 2^18, which takes 256 MiB of memory and about a second.
pub const DEFAULT_WORK_FACTOR: u8 = 18;

/// The largest work factor that is accepted unless the caller allows more.
///
/// N = 2^22 takes 4 GiB of memory. The factor comes from the file. Without a limit, anyone could
/// make a file that keeps the reader's machine busy.
pub const DEFAULT_MAX_WORK_FACTOR: u8 = 22;

/// The largest work factor of a recipient: N = 2^30 takes a TiB of memory.
pub const MAX_WORK_FACTOR: u8 = 30;

const SALT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
const SALT_BYTES: usize = 16;
/// scrypt's block size.
const R: u32 = 8;
/// scrypt's parallelization.
const P: u32 = 1;

/// The nonce of the wrapped file key. Each key wraps only one file key, so the nonce can be
/// constant.
const NONCE: [u8; 12] = [0; 12];

/// A work factor is not from 1 to [`MAX_WORK_FACTOR`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scrypt work factor must be from 1 to {MAX_WORK_FACTOR}, not {0}")]
pub struct InvalidWorkFactor(pub u8);

/// There is not enough memory for a work factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scrypt work factor is {0}, and there is not enough memory for it")]
pub struct NotEnoughMemory(pub u8);

/// The passphrase to encrypt with is empty, so anyone could open the file.
///
/// ```
/// use sealane_age::scrypt::{EmptyPassphrase, Recipient};
/// use sealane_age::{EncryptError, encrypt};
///
/// let nobody = Recipient::new("".into());
/// let result = encrypt([&nobody as &dyn sealane_age::Recipient], b"a file");
/// let Err(EncryptError::Recipient(reason)) = result else { panic!("an error") };
/// assert!(reason.is::<EmptyPassphrase>());
/// ```
#[cfg(feature = "std")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the passphrase is empty")]
pub struct EmptyPassphrase;

/// A passphrase to encrypt with. An empty one is refused when a file is encrypted
/// ([`EmptyPassphrase`]).
///
/// It has a random label, so that it cannot be combined with other recipients.
#[cfg(feature = "std")]
pub struct Recipient {
    passphrase: SecretString,
    log_n: u8,
}

#[cfg(feature = "std")]
impl Recipient {
    /// Returns the recipient for a passphrase, with [`DEFAULT_WORK_FACTOR`].
    pub fn new(passphrase: SecretString) -> Self {
        Self { passphrase, log_n: DEFAULT_WORK_FACTOR }
    }

    /// Sets scrypt's N to 2^`log_n`. This takes 2^(`log_n` + 10) bytes of memory. Other programs,
    /// and this crate's [`Decryptor`](crate::Decryptor) by default, refuse files with more than
    /// [`DEFAULT_MAX_WORK_FACTOR`].
    ///
    /// # Errors
    /// [`InvalidWorkFactor`].
    pub fn with_work_factor(mut self, log_n: u8) -> Result<Self, InvalidWorkFactor> {
        if !(1..=MAX_WORK_FACTOR).contains(&log_n) {
            return Err(InvalidWorkFactor(log_n));
        }
        self.log_n = log_n;
        Ok(self)
    }
}

#[cfg(feature = "std")]
impl fmt::Debug for Recipient {
    /// Shows the work factor only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recipient").field("log_n", &self.log_n).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl crate::recipient::Recipient for Recipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        if self.passphrase.expose_secret().is_empty() {
            return Err(WrapError::other(EmptyPassphrase));
        }
        let (mut salt, mut label) = ([0; SALT_BYTES], [0; 16]);
        random::fill(&mut salt)?;
        random::fill(&mut label)?;
        let key = derive(&self.passphrase, &salt, self.log_n).map_err(WrapError::other)?;
        let args = [BASE64_STANDARD_NO_PAD.encode(salt), self.log_n.to_string()].into();
        let stanza = Stanza { tag: TYPE.into(), args, body: file_key.wrap(&key, &NONCE) };
        Ok(Wrapped { stanzas: [stanza].into(), labels: [BASE64_STANDARD_NO_PAD.encode(label)].into() })
    }
}

/// A passphrase to open a file with.
pub struct Identity {
    passphrase: SecretString,
    max_log_n: u8,
}

impl Identity {
    /// Returns the identity for a passphrase. It accepts work factors up to
    /// [`DEFAULT_MAX_WORK_FACTOR`].
    pub fn new(passphrase: SecretString) -> Self {
        Self { passphrase, max_log_n: DEFAULT_MAX_WORK_FACTOR }
    }

    /// Accepts work factors up to `log_n` instead. A factor takes 2^(`log_n` + 10) bytes of memory.
    #[must_use]
    pub fn with_max_work_factor(mut self, log_n: u8) -> Self {
        self.max_log_n = log_n;
        self
    }
}

impl fmt::Debug for Identity {
    /// Shows the limit of the work factor only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("max_log_n", &self.max_log_n).finish_non_exhaustive()
    }
}

impl crate::identity::Identity for Identity {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let Some(stanza) = stanzas.iter().find(|stanza| stanza.tag == TYPE) else { return Ok(None) };
        // Another stanza would be another way to open the file.
        if stanzas.len() > 1 || stanza.body.len() != WRAPPED_BYTES {
            return Err(UnwrapError::InvalidStanza);
        }
        let [salt, log_n] = stanza.args.as_slice() else { return Err(UnwrapError::InvalidStanza) };
        let salt = BASE64_STANDARD_NO_PAD.decode(salt).map_err(|_| UnwrapError::InvalidStanza)?;
        let salt: [u8; SALT_BYTES] = salt.try_into().map_err(|_| UnwrapError::InvalidStanza)?;
        let log_n = work_factor(log_n).ok_or(UnwrapError::InvalidStanza)?;
        if log_n > self.max_log_n {
            return Err(UnwrapError::ExcessiveWork { required: log_n });
        }
        let key = derive(&self.passphrase, &salt, log_n).map_err(UnwrapError::other)?;
        FileKey::unwrap(&key, &NONCE, &stanza.body).map(Some).ok_or(UnwrapError::Authentication)
    }
}

/// Derives the key that wraps the file key.
fn derive(
    passphrase: &SecretString,
    salt: &[u8; SALT_BYTES],
    log_n: u8,
) -> Result<Zeroizing<[u8; 32]>, NotEnoughMemory> {
    let not_enough = || NotEnoughMemory(log_n);
    let params = Params::new(log_n, R, P).map_err(|_| not_enough())?;
    // An allocation that fails inside scrypt would abort the process. scrypt takes 128 r N bytes.
    let len = 1_usize.checked_shl(u32::from(log_n) + 10).ok_or_else(not_enough)?;
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(len).map_err(|_| not_enough())?;
    // Without this, the compiler may remove the allocation.
    core::hint::black_box(&probe);
    drop(probe);
    let mut key = Zeroizing::new([0; 32]);
    let salt = [SALT_LABEL, salt].concat();
    ::scrypt::scrypt(passphrase.expose_secret().as_bytes(), &salt, &params, &mut *key).map_err(|_| not_enough())?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::string::ToString as _;

    use super::*;
    use crate::file_key::FILE_KEY_BYTES;
    use crate::identity::Identity as _;
    use crate::recipient::Recipient as _;

    fn recipient(passphrase: &str) -> Recipient {
        Recipient::new(passphrase.into()).with_work_factor(2).unwrap()
    }

    #[test]
    fn a_stanza_is_opened_by_its_passphrase_alone() {
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let wrapped = recipient("one").wrap_file_key(&file_key).unwrap();
        let opened = Identity::new("one".into()).unwrap_file_key(&wrapped.stanzas).unwrap().unwrap();
        assert_eq!(opened.expose_secret(), file_key.expose_secret());
        let refused = Identity::new("two".into()).unwrap_file_key(&wrapped.stanzas);
        assert!(matches!(refused, Err(UnwrapError::Authentication)));
        assert!(Identity::new("one".into()).unwrap_file_key(&[]).unwrap().is_none());
        // The label is new each time, even for the same passphrase.
        assert_ne!(wrapped.labels, recipient("one").wrap_file_key(&file_key).unwrap().labels);
        assert_eq!(wrapped.labels.len(), 1);
    }

    #[test]
    fn an_empty_passphrase_is_no_recipient() {
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let Err(WrapError::Other(error)) = recipient("").wrap_file_key(&file_key) else { panic!("an error") };
        assert!(error.is::<EmptyPassphrase>());
        assert_eq!(error.to_string(), "the passphrase is empty");
    }

    #[test]
    fn a_malformed_stanza_or_one_with_company() {
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let [stanza] = recipient("one").wrap_file_key(&file_key).unwrap().stanzas.try_into().unwrap();
        let salt = stanza.args[0].clone();
        let with = |args: &[&str]| Stanza { args: args.iter().map(|arg| arg.to_string()).collect(), ..stanza.clone() };
        let other = Stanza { tag: "other".to_owned(), args: Vec::new(), body: Vec::new() };
        for stanzas in [
            Vec::from([stanza.clone(), other.clone()]),
            Vec::from([other, stanza.clone()]),
            Vec::from([stanza.clone(), stanza.clone()]),
            Vec::from([with(&[&salt])]),
            Vec::from([with(&[&salt, "2", "2"])]),
            Vec::from([with(&[&salt[1..], "2"])]),
            Vec::from([with(&[&salt, "02"])]),
            Vec::from([with(&[&salt, "64"])]),
            Vec::from([Stanza { body: stanza.body[1..].to_vec(), ..stanza.clone() }]),
        ] {
            let result = Identity::new("one".into()).unwrap_file_key(&stanzas);
            assert!(matches!(result, Err(UnwrapError::InvalidStanza)), "{stanzas:?}");
        }
    }

    #[test]
    fn work_has_a_limit() {
        for log_n in [0, 31, 255] {
            let refused = Recipient::new("one".into()).with_work_factor(log_n);
            assert_eq!(refused.err(), Some(InvalidWorkFactor(log_n)));
        }
        let file_key = FileKey::new(Box::new([7; FILE_KEY_BYTES]));
        let stanzas = recipient("one").wrap_file_key(&file_key).unwrap().stanzas;
        let refused = Identity::new("one".into()).with_max_work_factor(1).unwrap_file_key(&stanzas);
        assert!(matches!(refused, Err(UnwrapError::ExcessiveWork { required: 2 })));
        let allowed = Identity::new("one".into()).with_max_work_factor(2).unwrap_file_key(&stanzas);
        assert!(allowed.unwrap().is_some());
        // No machine has memory for these, even if the limit allows them.
        let [mut stanza] = <[Stanza; 1]>::try_from(stanzas).unwrap();
        for log_n in [53, 54, 63] {
            stanza.args[1] = log_n.to_string();
            let identity = Identity::new("one".into()).with_max_work_factor(u8::MAX);
            let refused = identity.unwrap_file_key(core::slice::from_ref(&stanza));
            let Err(UnwrapError::Other(error)) = refused else { panic!("{log_n}") };
            assert_eq!(error.downcast_ref(), Some(&NotEnoughMemory(log_n)));
        }
    }
}
