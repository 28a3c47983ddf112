//! A growing buffer for secrets.

use std::fmt;
use std::io::{self, Write};

use zeroize::Zeroizing;

/// A buffer that is wiped when it is dropped. When it grows, it wipes the old memory.
#[derive(Default)]
pub struct WipedVec(pub(crate) Zeroizing<Vec<u8>>);

impl WipedVec {
    /// Returns an empty buffer with room for this many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(bytes)))
    }

    /// Returns the bytes.
    #[must_use]
    pub fn into_inner(self) -> Zeroizing<Vec<u8>> {
        self.0
    }
}

impl AsRef<[u8]> for WipedVec {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Write for WipedVec {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let vec = &mut self.0;
        if vec.capacity() - vec.len() < bytes.len() {
            // Growing in place could leave the old bytes in freed memory.
            let mut larger = Zeroizing::new(Vec::with_capacity((vec.len() + bytes.len()).next_power_of_two()));
            larger.extend_from_slice(vec);
            *vec = larger;
        }
        vec.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for WipedVec {
    /// Shows the length only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WipedVec").field("len", &self.0.len()).finish_non_exhaustive()
    }
}
