//! Errors of the functions for age files, with their details.

use core::error::Error;
use core::ffi::c_char;
use std::io;

use primitives::RandomError;
use sealane_age::armor::ArmorError;
use sealane_age::scrypt::NotEnoughMemory;
use sealane_age::threshold::ThresholdError;
use sealane_age::{CopyError, DecryptError, EncryptError, StreamError, UnwrapError};

use super::callbacks::CallbackError;
use crate::boundary::{Caller, guard};
use crate::status::sealane_status::{self, *};

/// The length of an error message in bytes, with the zero byte at its end.
pub const SEALANE_AGE_MESSAGE_BYTES: usize = 256;
/// The chunk number of errors that are not about a chunk.
pub const SEALANE_AGE_NO_CHUNK: u64 = u64::MAX;

/// The details of an error. Functions write them only when they fail.
#[repr(C)]
pub struct sealane_age_error {
    /// A description in English without a full stop. It holds no secrets.
    pub message: [c_char; SEALANE_AGE_MESSAGE_BYTES],
    /// The number of the damaged chunk, or SEALANE_AGE_NO_CHUNK. Chunk n holds the 64 KiB of
    /// plaintext from byte n * 65536 on.
    pub chunk: u64,
    /// For SEALANE_IO: the result of the callback that failed, or the system's error number. 0 if
    /// there is none.
    pub io: i64,
}

/// An error and its details.
pub(super) struct Failure {
    status: sealane_status,
    message: String,
    chunk: Option<u64>,
    io: i64,
}

impl Failure {
    pub(super) fn new(status: sealane_status, error: impl ToString) -> Self {
        Self { status, message: error.to_string(), chunk: None, io: 0 }
    }

    fn to_c(&self) -> sealane_age_error {
        let mut message = [0; SEALANE_AGE_MESSAGE_BYTES];
        let mut len = self.message.len().min(SEALANE_AGE_MESSAGE_BYTES - 1);
        while !self.message.is_char_boundary(len) {
            len -= 1;
        }
        for (to, from) in message.iter_mut().zip(self.message[..len].bytes()) {
            *to = from.cast_signed() as c_char;
        }
        sealane_age_error { message, chunk: self.chunk.unwrap_or(SEALANE_AGE_NO_CHUNK), io: self.io }
    }
}

/// Runs the body of a function that reports details. `error` may be null.
pub(super) fn guard_file(
    caller: &Caller,
    error: *mut sealane_age_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> sealane_status {
    let mut failure = None;
    let status = guard(|| {
        body().map_err(|found| {
            let status = found.status;
            failure = Some(found);
            status
        })
    });
    if status != SEALANE_OK && !error.is_null() {
        let failure = failure.unwrap_or_else(|| status.into());
        // It is not null, so this cannot fail.
        let _ = caller.store(error, failure.to_c());
    }
    status
}

impl From<sealane_status> for Failure {
    fn from(status: sealane_status) -> Self {
        Self::new(status, status.message().to_string_lossy())
    }
}

impl From<RandomError> for Failure {
    fn from(error: RandomError) -> Self {
        Self::new(SEALANE_RANDOM, error)
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        let chunk = match error {
            StreamError::CorruptChunk { number } | StreamError::CorruptEnd { number } => Some(number),
            _ => None,
        };
        Self { chunk, ..Self::new(SEALANE_NOT_AUTHENTIC, error) }
    }
}

impl From<ThresholdError> for Failure {
    fn from(error: ThresholdError) -> Self {
        let status = match error {
            ThresholdError::TooFew { .. } => SEALANE_TOO_FEW_SHARES,
            ThresholdError::WrongShare { .. } => SEALANE_NOT_AUTHENTIC,
            ThresholdError::NotAPart | ThresholdError::Label => SEALANE_INVALID_TEXT,
            ThresholdError::Malformed | ThresholdError::UnknownVersion(_) => SEALANE_MALFORMED,
            _ => SEALANE_INVALID_SHARES,
        };
        Self::new(status, error)
    }
}

/// Returns the status of an error from a recipient or identity, which can have any type:
/// `otherwise`, unless scrypt lacks memory.
fn status_of(error: &(dyn Error + 'static), otherwise: sealane_status) -> sealane_status {
    if error.is::<NotEnoughMemory>() { SEALANE_NO_MEMORY } else { otherwise }
}

impl From<EncryptError> for Failure {
    fn from(error: EncryptError) -> Self {
        let status = match &error {
            EncryptError::Random(_) => SEALANE_RANDOM,
            EncryptError::Recipient(error) => status_of(&**error, SEALANE_INVALID_RECIPIENTS),
            _ => SEALANE_INVALID_RECIPIENTS,
        };
        Self::new(status, error)
    }
}

impl From<UnwrapError> for Failure {
    fn from(error: UnwrapError) -> Self {
        DecryptError::from(error).into()
    }
}

impl From<DecryptError> for Failure {
    fn from(error: DecryptError) -> Self {
        let status = match error {
            DecryptError::Io(error) => return error.into(),
            DecryptError::Payload(error) => return error.into(),
            DecryptError::Threshold(error) => return error.into(),
            DecryptError::Header(_) | DecryptError::Armor(_) => SEALANE_MALFORMED,
            DecryptError::HeaderMac | DecryptError::UnwrapFailed => SEALANE_NOT_AUTHENTIC,
            DecryptError::ExcessiveWork { .. } => SEALANE_EXCESSIVE_WORK,
            DecryptError::Identity(ref error) => status_of(&**error, SEALANE_NO_MATCH),
            _ => SEALANE_NO_MATCH,
        };
        Self::new(status, error)
    }
}

impl From<CopyError> for Failure {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Read(error) | CopyError::Write(error) => error.into(),
            error => Self::new(SEALANE_IO, error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if let Some(error) = StreamError::of(&error) {
            return error.into();
        }
        let inner = error.get_ref();
        if let Some(error) = inner.and_then(|inner| inner.downcast_ref::<ArmorError>()) {
            return Self::new(SEALANE_MALFORMED, error);
        }
        if let Some(error) = inner.and_then(|inner| inner.downcast_ref::<RandomError>()) {
            return Self::new(SEALANE_RANDOM, error);
        }
        if let Some(&CallbackError(result)) = inner.and_then(|inner| inner.downcast_ref()) {
            return Self { io: result, ..Self::new(SEALANE_IO, error) };
        }
        let status = if error.kind() == io::ErrorKind::OutOfMemory { SEALANE_NO_MEMORY } else { SEALANE_IO };
        Self { io: error.raw_os_error().unwrap_or(0).into(), ..Self::new(status, error) }
    }
}
