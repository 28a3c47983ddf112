//! Makes sure that standard input is read for one purpose only.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};

/// The purpose of standard input. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StdinUse(Arc<Mutex<Option<&'static str>>>);

impl StdinUse {
    /// Claims standard input for `purpose`. Fails if it has been claimed before.
    pub(crate) fn claim(&self, purpose: &'static str) -> Result<()> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = *used {
            let uses =
                if other == purpose { format!(" for {purpose}") } else { format!(": for {other} and for {purpose}") };
            return Err(Error::usage(format!("standard input is used twice{uses}")).hint("give one of them as a file"));
        }
        *used = Some(purpose);
        Ok(())
    }
}
