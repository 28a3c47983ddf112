//! A random number generator from the ChaCha key stream.

use core::convert::Infallible;
use core::fmt;

use rand_core::block::{BlockRng, Generator};
use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use subtle::ConstantTimeEq;

use super::{BLOCK_BYTES, ChaCha, Original};
use crate::backend::Backend;
use crate::declassify::declassify;
use crate::wipe::wipe;

/// Words that are generated at once: 16 blocks, one for each lane of the widest backend.
const BUFFER_WORDS: usize = 256;
const BLOCK_WORDS: u128 = BLOCK_BYTES as u128 / 4;
/// Words of a key stream, after which it starts again.
const KEY_STREAM_WORDS: u128 = 1 << 68;

/// A seed: the key of the key stream.
pub type Seed = [u8; 32];
/// A serialised generator: the seed, the stream (8 bytes) and the position in words (9 bytes), all
/// little-endian.
///
/// ```
/// use sealane::chacha20::{ChaCha8Rng, ChaCha20Rng, Seed, SerializedRngState};
/// use sealane::rustcrypto::rand_core::{Rng, SeedableRng};
///
/// let seed: Seed = [7; 32]; // from a secure generator
/// let mut rng = ChaCha20Rng::from_seed(seed);
/// rng.next_u64();
/// let state: SerializedRngState = rng.serialize_state();
/// assert_eq!(ChaCha20Rng::deserialize_state(&state).next_u64(), rng.next_u64());
/// assert_ne!(ChaCha8Rng::from_seed(seed).next_u64(), ChaCha20Rng::from_seed(seed).next_u64());
/// ```
pub type SerializedRngState = [u8; 49];

/// ChaCha20 as a generator.
pub type ChaCha20Rng = ChaChaRng<20>;
/// ChaCha12 as a generator.
pub type ChaCha12Rng = ChaChaRng<12>;
/// ChaCha8 as a generator.
pub type ChaCha8Rng = ChaChaRng<8>;

/// A cryptographically secure generator. It returns the words of the ChaCha key stream in order.
/// The seed is the key, the block counter has 64 bits, and the nonce is 0 unless
/// [`ChaChaRng::set_stream`] changes it. After 2^68 words, the key stream starts again.
/// [`TryRng::try_fill_bytes`] discards the unused bytes of the last word that it takes.
///
/// Two generators are equal if they will return the same words.
///
/// ```
/// use sealane::chacha20::ChaCha12Rng;
/// use sealane::rustcrypto::rand_core::{Rng, SeedableRng};
///
/// let mut rng = ChaCha12Rng::from_seed([7; 32]);
/// rng.set_stream(5); // one of 2^64 streams of the seed
/// let first = rng.next_u32();
/// rng.set_word_pos(0);
/// assert_eq!(rng.next_u32(), first);
/// ```
#[derive(Clone)]
pub struct ChaChaRng<const ROUNDS: usize>(BlockRng<KeyStream<ROUNDS>>);

impl<const ROUNDS: usize> ChaChaRng<ROUNDS> {
    /// Returns the generator of `seed` on the given backend. Backends differ in speed, never in
    /// output.
    #[must_use]
    pub fn with_backend(seed: &[u8; 32], backend: Backend) -> Self {
        Self(BlockRng::new(KeyStream(ChaCha::with_backend(seed, &[0; 8], backend))))
    }

    /// Returns the number of the next word in the key stream, below 2^68.
    #[must_use]
    pub fn get_word_pos(&self) -> u128 {
        let generated = self.0.core.0.position() / 4;
        let unused = match self.0.word_offset() {
            0 => 0,
            offset => (BUFFER_WORDS - offset) as u128,
        };
        generated.wrapping_sub(unused) % KEY_STREAM_WORDS
    }

    /// Moves to a word of the key stream, modulo 2^68.
    pub fn set_word_pos(&mut self, word: u128) {
        let word = word % KEY_STREAM_WORDS;
        self.set_block_pos((word / BLOCK_WORDS) as u64);
        self.0.reset_and_skip((word % BLOCK_WORDS) as usize);
    }

    /// Returns the number of the block that has the next word.
    #[must_use]
    pub fn get_block_pos(&self) -> u64 {
        (self.get_word_pos() / BLOCK_WORDS) as u64
    }

    /// Moves to the start of a block of 16 words.
    pub fn set_block_pos(&mut self, block: u64) {
        self.0.core.0.seek(u128::from(block) * BLOCK_BYTES as u128).expect("the key stream has 2^64 blocks");
        self.0.reset_and_skip(0);
    }

    /// Returns the number of the stream: the nonce.
    #[must_use]
    pub fn get_stream(&self) -> u64 {
        let state = self.0.core.0.state();
        u64::from(state[14]) | u64::from(state[15]) << 32
    }

    /// Moves to the start of another key stream of the same seed: one with this nonce.
    pub fn set_stream(&mut self, stream: u64) {
        self.0.core.0.state_mut()[14..].copy_from_slice(&[stream as u32, (stream >> 32) as u32]);
        self.set_block_pos(0);
    }

    /// Returns the seed. It is as secret as all that the generator has returned and will return.
    #[must_use]
    pub fn get_seed(&self) -> Seed {
        let mut seed = [0; 32];
        self.write_seed(&mut seed);
        seed
    }

    /// Writes the seed to `place`, so that there is no other copy.
    fn write_seed(&self, place: &mut Seed) {
        for (bytes, word) in place.as_chunks_mut::<4>().0.iter_mut().zip(self.key()) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Returns the words of the seed: the key.
    fn key(&self) -> &[u32] {
        &self.0.core.0.state()[4..12]
    }

    /// Returns seed, stream and position. They are as secret as the seed.
    #[must_use]
    pub fn serialize_state(&self) -> SerializedRngState {
        let mut state = [0; 49];
        self.write_seed(state.first_chunk_mut().expect("32 of 49 bytes"));
        state[32..40].copy_from_slice(&self.get_stream().to_le_bytes());
        state[40..].copy_from_slice(&self.get_word_pos().to_le_bytes()[..9]);
        state
    }

    /// Restores the generator that [`ChaChaRng::serialize_state`] saved. It uses the backend that
    /// [`Backend::detect`] returns.
    #[must_use]
    pub fn deserialize_state(state: &SerializedRngState) -> Self {
        let (seed, rest) = state.split_first_chunk().expect("32 of 49 bytes");
        let (stream, position) = rest.split_first_chunk().expect("8 of 17 bytes");
        let mut word = [0; 16];
        word[..9].copy_from_slice(position);
        let mut rng = Self::with_backend(seed, Backend::detect());
        rng.set_stream(u64::from_le_bytes(*stream));
        rng.set_word_pos(u128::from_le_bytes(word));
        rng
    }
}

impl<const ROUNDS: usize> PartialEq for ChaChaRng<ROUNDS> {
    /// Compares seeds in constant time.
    fn eq(&self, other: &Self) -> bool {
        let seeds_equal = self.key().ct_eq(other.key());
        let positions_equal = (self.get_stream(), self.get_word_pos()) == (other.get_stream(), other.get_word_pos());
        declassify(seeds_equal.into()) && positions_equal
    }
}

impl<const ROUNDS: usize> Eq for ChaChaRng<ROUNDS> {}

impl<const ROUNDS: usize> SeedableRng for ChaChaRng<ROUNDS> {
    type Seed = Seed;

    fn from_seed(mut seed: Self::Seed) -> Self {
        let rng = Self::with_backend(&seed, Backend::detect());
        wipe(&mut seed);
        rng
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
        // After the last block, the words of the first block follow.
        let before_end = self.0.remaining().min(bytes.len() as u128) as usize;
        let (head, rest) = bytes.split_at_mut(before_end);
        self.0.apply_keystream(head).expect("no more than remains");
        if !rest.is_empty() {
            self.0.seek(0).expect("the start of the key stream");
            self.0.apply_keystream(rest).expect("no more than remains");
        }
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        wipe(&mut bytes);
    }

    fn drop(&mut self, words: &mut Self::Output) {
        wipe(words);
    }
}
