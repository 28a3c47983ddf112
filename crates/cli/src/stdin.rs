//! Standard input can be read for one purpose only.

use crate::error::{Error, Result};

/// What standard input is used for.
#[derive(Debug, Default)]
pub(crate) struct StdinUse(Option<&'static str>);

impl StdinUse {
    /// Takes standard input for `purpose`.
    pub(crate) fn claim(&mut self, purpose: &'static str) -> Result<()> {
        if let Some(other) = self.0 {
            return Err(Error::usage(format!("standard input is used twice: for {other} and for {purpose}"))
                .hint("give one of them as a file"));
        }
        self.0 = Some(purpose);
        Ok(())
    }
}
