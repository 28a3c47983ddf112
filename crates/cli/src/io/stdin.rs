//! Makes sure that standard input is read for one purpose only.

#[cfg(unix)]
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::os::ready::Ready;
use crate::os::typed::Typed;

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
    pub(crate) fn read(&self, purpose: &'static str) -> Result<Typed<Ready<Stdin>>> {
        self.claim(purpose)?;
        let stdin = open().map_err(|error| Error::io("cannot read standard input", &error))?;
        Ok(Typed::new(Ready(stdin)))
    }

    /// Returns whether standard input has been claimed.
    pub(crate) fn is_claimed(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Standard input without std's buffer, which could hold input while a terminal has none.
#[cfg(unix)]
pub(crate) type Stdin = File;
#[cfg(not(unix))]
pub(crate) type Stdin = io::Stdin;

#[cfg(unix)]
pub(crate) fn open() -> io::Result<Stdin> {
    use std::os::fd::AsFd as _;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
pub(crate) fn open() -> io::Result<Stdin> {
    Ok(io::stdin())
}
