//! Makes sure that standard input is read for one purpose only.

use std::io::{self, Read, StdinLock};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::os::ready::Ready;

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

    /// Claims standard input, and returns it.
    pub(crate) fn read(&self, purpose: &'static str) -> Result<Ready<StdinLock<'static>>> {
        self.claim(purpose)?;
        Ok(Ready(io::stdin().lock()))
    }

    /// Returns whether standard input has been claimed.
    pub(crate) fn is_claimed(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// A terminal as an input. It ends only once: the user is not asked for another Ctrl-D by a later
/// read.
pub(crate) struct Typed<R> {
    terminal: R,
    has_ended: bool,
}

impl<R: Read> Typed<R> {
    pub(crate) fn new(terminal: R) -> Self {
        Self { terminal, has_ended: false }
    }
}

impl<R: Read> Read for Typed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let n = self.terminal.read(out)?;
        self.has_ended = n == 0 && !out.is_empty();
        Ok(n)
    }
}
