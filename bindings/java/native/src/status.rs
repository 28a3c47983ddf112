//! Results, as numbers that the class `sealane.jca.Native` understands.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The reason for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Failure {
    /// The tag does not match the message.
    NotAuthentic = 1,
    /// The message is longer than the key stream.
    TooLong = 2,
    /// There is not enough memory.
    OutOfMemory = 3,
    /// An error in this library or in the class `Native`: a panic, an unknown number, buffers that
    /// overlap partly, a context in the wrong state, too much input for one call.
    Internal = 4,
}

/// The result for success.
const OK: i32 = 0;

/// Runs the body of a function and returns its result as a number.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    // After a panic the context is not used again, and nothing else is shared.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => OK,
        Ok(Err(failure)) => failure as i32,
        Err(_) => Failure::Internal as i32,
    }
}

impl From<sealane::OpenError> for Failure {
    fn from(_: sealane::OpenError) -> Self {
        Self::NotAuthentic
    }
}

impl From<sealane::CounterOverflow> for Failure {
    fn from(_: sealane::CounterOverflow) -> Self {
        Self::TooLong
    }
}
