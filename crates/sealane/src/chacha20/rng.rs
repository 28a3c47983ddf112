//! A generator of random numbers on the ChaCha key stream.

use core::convert::Infallible;
use core::fmt;

use rand_core::block::{BlockRng, Generator};
use rand_core::{SeedableRng, TryCryptoRng, TryRng};

use super::{ChaCha, Original};
use crate::backend::Backend;
use crate::wipe::wipe;

/// Words made at once: a vertical group of the widest backend.
const BUFFER_WORDS: usize = 256;

/// ChaCha20 as a generator.
pub type ChaCha20Rng = ChaChaRng<20>;
/// ChaCha12 as a generator.
pub type ChaCha12Rng = ChaChaRng<12>;
/// ChaCha8 as a generator.
pub type ChaCha8Rng = ChaChaRng<8>;

/// A cryptographically secure generator: the words of the key stream of the seed, with a 64-bit
/// block counter and a nonce of 0, in their order. [`TryRng::try_fill_bytes`] takes whole words.
#[derive(Clone)]
pub struct ChaChaRng<const ROUNDS: usize>(BlockRng<KeyStream<ROUNDS>>);

impl<const ROUNDS: usize> ChaChaRng<ROUNDS> {
    /// Returns the generator of `seed` on the given backend. Backends differ in speed, never in
    /// output.
    #[must_use]
    pub fn with_backend(seed: &[u8; 32], backend: Backend) -> Self {
        Self(BlockRng::new(KeyStream(ChaCha::with_backend(seed, &[0; 8], backend))))
    }
}

impl<const ROUNDS: usize> SeedableRng for ChaChaRng<ROUNDS> {
    type Seed = [u8; 32];

    fn from_seed(seed: Self::Seed) -> Self {
        Self::with_backend(&seed, Backend::detect())
    }
}

impl<const ROUNDS: usize> TryRng for ChaChaRng<ROUNDS> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_word())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64_from_u32())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

impl<const ROUNDS: usize> TryCryptoRng for ChaChaRng<ROUNDS> {}

impl<const ROUNDS: usize> zeroize::ZeroizeOnDrop for ChaChaRng<ROUNDS> {}

impl<const ROUNDS: usize> fmt::Debug for ChaChaRng<ROUNDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaRng").field("rounds", &ROUNDS).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct KeyStream<const ROUNDS: usize>(ChaCha<ROUNDS, Original>);

impl<const ROUNDS: usize> Generator for KeyStream<ROUNDS> {
    type Output = [u32; BUFFER_WORDS];

    fn generate(&mut self, words: &mut Self::Output) {
        let mut bytes = [0; 4 * BUFFER_WORDS];
        self.0.apply_keystream(&mut bytes).expect("2^70 bytes are never used up");
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        wipe(&mut bytes);
    }

    fn drop(&mut self, words: &mut Self::Output) {
        wipe(words);
    }
}
