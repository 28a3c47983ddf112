//! Sources of random bytes: the operating system, and generators of `rand_core`.

use crate::error::RandomError;

/// A source of uniformly random, secret bytes.
pub(crate) trait Random {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomError>;
}

/// The generator of the operating system.
#[cfg(feature = "getrandom")]
pub(crate) struct System;

#[cfg(feature = "getrandom")]
impl Random for System {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomError> {
        getrandom::fill(bytes).map_err(|_| RandomError)
    }
}

/// A generator that the caller chose.
#[cfg(feature = "rand_core")]
pub(crate) struct Given<'r, R>(pub(crate) &'r mut R);

#[cfg(feature = "rand_core")]
impl<R: rand_core::TryCryptoRng> Random for Given<'_, R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomError> {
        self.0.try_fill_bytes(bytes).map_err(|_| RandomError)
    }
}
