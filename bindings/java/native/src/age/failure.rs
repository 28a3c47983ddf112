//! Errors, which become exceptions of the class `sealane.age.AgeException`.

use core::error::Error;
use std::io;

use sealane::RandomError;
use sealane_age::armor::ArmorError;
use sealane_age::header::HeaderError;
use sealane_age::scrypt::NotEnoughMemory;
use sealane_age::threshold::ThresholdError;
use sealane_age::{DecryptError, EncryptError, StreamError, UnwrapError};

/// The ordinals of `sealane.age.AgeException.Reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Reason {
    NotAuthentic = 0,
    Malformed = 1,
    NoMatch = 2,
    TooFewShares = 3,
    InvalidKey = 4,
    InvalidRecipients = 5,
    ExcessiveWork = 6,
    System = 7,
    Internal = 8,
}

/// An error with its details.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) reason: Reason,
    pub(super) message: String,
    /// The number of the damaged or missing chunk, if the error is about a chunk.
    pub(super) chunk: Option<u64>,
}

impl Failure {
    pub(super) fn new(reason: Reason, error: impl ToString) -> Self {
        Self { reason, message: error.to_string(), chunk: None }
    }
}

impl From<RandomError> for Failure {
    fn from(error: RandomError) -> Self {
        Self::new(Reason::System, error)
    }
}

impl From<HeaderError> for Failure {
    fn from(error: HeaderError) -> Self {
        Self::new(Reason::Malformed, error)
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        let chunk = match error {
            StreamError::CorruptChunk { number } | StreamError::CorruptEnd { number } => Some(number),
            _ => None,
        };
        Self { chunk, ..Self::new(Reason::NotAuthentic, error) }
    }
}

impl From<ThresholdError> for Failure {
    fn from(error: ThresholdError) -> Self {
        let reason = match error {
            // Such parts are ignored, so this error means that the others do not suffice.
            ThresholdError::TooFew { .. } | ThresholdError::OtherFile | ThresholdError::WrongPart { .. } => {
                Reason::TooFewShares
            }
            ThresholdError::WrongShare { .. } => Reason::NotAuthentic,
            ThresholdError::Malformed | ThresholdError::UnknownVersion(_) => Reason::Malformed,
            ThresholdError::Numbers { .. } => Reason::InvalidRecipients,
            _ => Reason::InvalidKey,
        };
        Self::new(reason, error)
    }
}

/// Returns the reason of an error from a recipient or identity. The error can have any type. The
/// reason is `System` if scrypt lacks memory, and `otherwise` for any other error.
fn reason_of(error: &(dyn Error + 'static), otherwise: Reason) -> Reason {
    if error.is::<NotEnoughMemory>() { Reason::System } else { otherwise }
}

impl From<EncryptError> for Failure {
    fn from(error: EncryptError) -> Self {
        let reason = match &error {
            EncryptError::Random(_) => Reason::System,
            EncryptError::Recipient(error) => reason_of(&**error, Reason::InvalidRecipients),
            _ => Reason::InvalidRecipients,
        };
        Self::new(reason, error)
    }
}

impl From<UnwrapError> for Failure {
    fn from(error: UnwrapError) -> Self {
        DecryptError::from(error).into()
    }
}

impl From<DecryptError> for Failure {
    fn from(error: DecryptError) -> Self {
        let reason = match error {
            DecryptError::Io(error) => return error.into(),
            DecryptError::Payload(error) => return error.into(),
            DecryptError::Threshold(error) => return error.into(),
            DecryptError::Header(_) | DecryptError::Armor(_) => Reason::Malformed,
            DecryptError::HeaderMac | DecryptError::UnwrapFailed => Reason::NotAuthentic,
            DecryptError::ExcessiveWork { .. } => Reason::ExcessiveWork,
            DecryptError::Identity(ref error) => reason_of(&**error, Reason::NoMatch),
            _ => Reason::NoMatch,
        };
        Self::new(reason, error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let is_armor = error.get_ref().is_some_and(|inner| inner.is::<ArmorError>());
        Self::new(if is_armor { Reason::Malformed } else { Reason::Internal }, error)
    }
}
