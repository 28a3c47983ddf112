//! A buffer for secrets that grows.

use std::io::{self, Write};

use zeroize::Zeroizing;

/// Bytes that are written to it, wiped when it is dropped, and where they were before it grew.
#[derive(Default)]
pub struct WipedVec(pub(crate) Zeroizing<Vec<u8>>);

impl WipedVec {
    /// An empty buffer with room for so many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(bytes)))
    }

    /// The bytes.
    #[must_use]
    pub fn into_inner(self) -> Zeroizing<Vec<u8>> {
        self.0
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
