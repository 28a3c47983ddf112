//! The proof that a result is right.

use crate::error::{Error, Result};

/// The proof that a result was compared and is right.
#[must_use]
pub(super) struct Verified(());

impl Verified {
    /// Returns the error for a wrong result. `what` names the result.
    pub(super) fn by(what: impl AsRef<str>, is_right: bool) -> Result<Self> {
        if is_right { Ok(Self(())) } else { Err(wrong(what.as_ref())) }
    }
}

/// Returns the error for a row with a wrong result.
fn wrong(what: &str) -> Error {
    Error::new(format!("{what}: wrong result"))
        .hint("the machine, its emulator or this build computes wrong results; please report it with `sealane cpu`")
}
