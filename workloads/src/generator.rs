//! Generators of random numbers.

use std::convert::Infallible;

use rand_core::{TryCryptoRng, TryRng};

/// A generator that fills bytes with a function.
pub(crate) struct Generator<F>(pub(crate) F);

impl<F: FnMut(&mut [u8])> TryRng for Generator<F> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes).map(|()| u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        (self.0)(bytes);
        Ok(())
    }
}

impl<F: FnMut(&mut [u8])> TryCryptoRng for Generator<F> {}
