//! Input that a person may type.

use std::io::{self, Read};

use crate::os::ready::Descriptor;
#[cfg(unix)]
use crate::os::{cleanup, echo};

/// An input that may be a terminal. It ends only once: the user is not asked for another Ctrl-D by
/// a later read.
pub(crate) struct Typed<F> {
    input: F,
    /// Whether a read in the background would stop the process.
    #[cfg(unix)]
    is_controlling: bool,
    has_ended: bool,
}

impl<F: Read + Descriptor> Typed<F> {
    pub(crate) fn new(input: F) -> Self {
        Self {
            #[cfg(unix)]
            is_controlling: echo::is_controlling(&input),
            input,
            has_ended: false,
        }
    }
}

impl<F: Read + Descriptor> Read for Typed<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        #[cfg(unix)]
        if self.is_controlling {
            cleanup::wait_for_input(&self.input)?;
        }
        let n = self.input.read(out)?;
        self.has_ended = n == 0 && !out.is_empty();
        Ok(n)
    }
}
