//! The generator of the operating system.

use rand_core::{TryCryptoRng, TryRng};

/// The generator of the operating system.
pub(crate) struct System;

impl TryRng for System {
    type Error = getrandom::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        getrandom::u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        getrandom::u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        getrandom::fill(bytes)
    }
}

impl TryCryptoRng for System {}
