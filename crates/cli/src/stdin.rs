//! Standard input can be read for one purpose only.

use std::cell::Cell;
use std::rc::Rc;

use crate::error::{Error, Result};

/// What standard input is used for. Clones are of one mind.
#[derive(Clone, Debug, Default)]
pub(crate) struct StdinUse(Rc<Cell<Option<&'static str>>>);

impl StdinUse {
    /// Takes standard input for `purpose`.
    pub(crate) fn claim(&self, purpose: &'static str) -> Result<()> {
        if let Some(other) = self.0.get() {
            return Err(Error::usage(format!("standard input is used twice: for {other} and for {purpose}"))
                .hint("give one of them as a file"));
        }
        self.0.set(Some(purpose));
        Ok(())
    }
}
