//! Outputs that can be started over.

use std::fs::File;
use std::io::{self, Seek};

use zeroize::Zeroize;

use crate::format::WipedVec;

/// An output that can be started over.
///
/// Pass an empty output. `restart` empties files and vectors, including older content. Without a
/// restart, a longer old file keeps its tail.
pub trait Restart {
    /// Discards what was written.
    ///
    /// # Errors
    /// If the output cannot be started over.
    fn restart(&mut self) -> io::Result<()>;
}

impl Restart for File {
    fn restart(&mut self) -> io::Result<()> {
        self.set_len(0)?;
        self.rewind()
    }
}

impl Restart for &File {
    fn restart(&mut self) -> io::Result<()> {
        self.set_len(0)?;
        self.rewind()
    }
}

impl Restart for Vec<u8> {
    fn restart(&mut self) -> io::Result<()> {
        self.zeroize();
        Ok(())
    }
}

impl Restart for WipedVec {
    fn restart(&mut self) -> io::Result<()> {
        self.0.restart()
    }
}

impl<T: Restart + ?Sized> Restart for &mut T {
    fn restart(&mut self) -> io::Result<()> {
        (**self).restart()
    }
}
