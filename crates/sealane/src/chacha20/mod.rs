//! The ChaCha stream ciphers with 20, 12 or 8 rounds, in three layouts: the one of RFC 8439, the
//! original one, and the extended one (XChaCha).
//!
//! | type | nonce | key stream | source |
//! |---|---|---|---|
//! | [`ChaCha20`] (also 12, 8) | 12 bytes | 2^32 blocks, 256 GiB | RFC 8439, section 2.4 |
//! | [`XChaCha20`] (also 12, 8) | 24 bytes | 2^32 blocks, 256 GiB | draft-irtf-cfrg-xchacha-03, section 2.3 |
//! | [`ChaCha20Original`] (also 12, 8) | 8 bytes | 2^64 blocks | Bernstein, "ChaCha, a variant of Salsa20" |
//!
//! A stream cipher alone does not detect a changed message. Use [`crate::ChaCha20Poly1305`] unless
//! you know why you do not need authentication.
//!
//! ```
//! use sealane::chacha20::ChaCha20;
//!
//! let mut data = *b"some data";
//! ChaCha20::new(&[7; 32], &[0; 12]).apply_keystream(&mut data)?;
//! ChaCha20::new(&[7; 32], &[0; 12]).apply_keystream(&mut data)?;
//! assert_eq!(&data, b"some data");
//! # Ok::<(), sealane::CounterOverflow>(())
//! ```
//!
//! All of the types, and a generic function that takes any of them:
//!
//! ```
//! use sealane::chacha20::{ChaCha, ChaCha8, ChaCha8Original, ChaCha12, ChaCha12Original, ChaCha20, ChaCha20Original};
//! use sealane::chacha20::{Extended, Ietf, Layout, Original, XChaCha8, XChaCha12, XChaCha20};
//!
//! /// Encrypts with any number of rounds, in any layout.
//! fn encrypt<const ROUNDS: usize, L: Layout>(mut cipher: ChaCha<ROUNDS, L>) -> [u8; 9] {
//!     let mut data = *b"some data";
//!     cipher.apply_keystream(&mut data).expect("the key stream is longer");
//!     data
//! }
//!
//! let (key, short, nonce, long) = ([7; 32], [0; 8], [0; 12], [0; 24]);
//! encrypt::<20, Ietf>(ChaCha20::new(&key, &nonce));
//! encrypt(ChaCha12::new(&key, &nonce));
//! encrypt(ChaCha8::new(&key, &nonce));
//! encrypt::<20, Original>(ChaCha20Original::new(&key, &short));
//! encrypt(ChaCha12Original::new(&key, &short));
//! encrypt(ChaCha8Original::new(&key, &short));
//! encrypt::<20, Extended>(XChaCha20::new(&key, &long));
//! encrypt(XChaCha12::new(&key, &long));
//! encrypt(XChaCha8::new(&key, &long));
//! # // A counter of 64 bits starts as one of 32 bits does.
//! # assert_eq!(encrypt(ChaCha20::new(&key, &nonce)), encrypt(ChaCha20Original::new(&key, &short)));
//! # assert_ne!(encrypt(ChaCha8::new(&key, &nonce)), encrypt(ChaCha12::new(&key, &nonce)));
//! ```

#[cfg(any(feature = "rustcrypto", feature = "rustcrypto-05"))]
pub(crate) mod blocks;
pub(crate) mod hchacha;
mod horizontal;
pub(crate) mod interleaved_block_0;
pub(crate) mod interleaved_poly1305;
pub(crate) mod kernel;
mod layout;
pub(crate) mod many;
mod pair_rounds;
pub(crate) mod paired;
mod portable;
#[cfg(feature = "rand_core")]
mod rng;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod sets;
mod single;
pub(crate) mod state;
mod vertical;

use core::fmt;
use core::marker::PhantomData;

use sealane_simd::{Level, dispatch, xor_bytes};

pub use hchacha::{hchacha8, hchacha12, hchacha20};
pub(crate) use layout::Sealed;
pub use layout::{Extended, Ietf, Layout, Original};
#[cfg(feature = "rand_core")]
pub use rng::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng, ChaChaRng, Seed, SerializedRngState};

use crate::backend::Backend;
use crate::error::CounterOverflow;
use crate::wipe::wipe;
pub(crate) use state::{CONSTANTS, State};

/// Length of a key in bytes.
pub const KEY_BYTES: usize = 32;
/// Length of a block of key stream in bytes.
pub const BLOCK_BYTES: usize = 64;

/// ChaCha20 with a 96-bit nonce and a 32-bit block counter (RFC 8439).
pub type ChaCha20 = ChaCha<20, Ietf>;
/// ChaCha12 in the layout of RFC 8439.
pub type ChaCha12 = ChaCha<12, Ietf>;
/// ChaCha8 in the layout of RFC 8439.
pub type ChaCha8 = ChaCha<8, Ietf>;
/// ChaCha20 with a 64-bit nonce and a 64-bit block counter, as first published.
pub type ChaCha20Original = ChaCha<20, Original>;
/// ChaCha12 in the original layout.
pub type ChaCha12Original = ChaCha<12, Original>;
/// ChaCha8 in the original layout.
pub type ChaCha8Original = ChaCha<8, Original>;
/// XChaCha20: a 192-bit nonce, which is long enough for random nonces (draft-irtf-cfrg-xchacha-03).
pub type XChaCha20 = ChaCha<20, Extended>;
/// XChaCha with 12 rounds, also in HChaCha.
pub type XChaCha12 = ChaCha<12, Extended>;
/// XChaCha with 8 rounds, also in HChaCha.
pub type XChaCha8 = ChaCha<8, Extended>;

/// A ChaCha key stream with `ROUNDS` rounds, and a position in it.
///
/// `ROUNDS` is 8, 12 or 20; other numbers do not compile.
#[derive(Clone)]
pub struct ChaCha<const ROUNDS: usize, L: Layout> {
    state: State,
    /// Offset of the next byte in the key stream.
    position: u128,
    /// The block at `position`, if `partial_is_current`.
    partial: [u8; BLOCK_BYTES],
    partial_is_current: bool,
    level: Level,
    layout: PhantomData<L>,
}

impl<const ROUNDS: usize, L: Layout> ChaCha<ROUNDS, L> {
    /// Length of the key stream in bytes.
    pub const KEY_STREAM_BYTES: u128 = if L::COUNTER_64 { 1 << 70 } else { 1 << 38 };

    /// Does not compile with another number of rounds.
    const HAS_ROUNDS: () = assert!(matches!(ROUNDS, 8 | 12 | 20), "ChaCha has 8, 12 or 20 rounds");

    /// Returns the key stream of `key` and `nonce` from its first byte, on the backend of
    /// [`Backend::detect`].
    #[must_use]
    pub fn new(key: &[u8; KEY_BYTES], nonce: &L::Nonce) -> Self {
        Self::with_backend(key, nonce, Backend::detect())
    }

    /// Does the same as [`ChaCha::new`], on the given backend.
    #[must_use]
    pub fn with_backend(key: &[u8; KEY_BYTES], nonce: &L::Nonce, backend: Backend) -> Self {
        let () = Self::HAS_ROUNDS;
        let mut cipher = Self::empty(backend.level());
        L::fill_state::<ROUNDS>(key, nonce, backend.level(), &mut cipher.state);
        cipher
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// Returns the position in the key stream, in bytes from its start.
    #[must_use]
    pub fn position(&self) -> u128 {
        self.position
    }

    /// Returns the number of bytes left in the key stream.
    #[must_use]
    pub fn remaining(&self) -> u128 {
        Self::KEY_STREAM_BYTES - self.position
    }

    /// Moves to `position`, in bytes from the start of the key stream: block n starts at 64 n. The
    /// end of the key stream is a valid position.
    ///
    /// # Errors
    /// [`CounterOverflow`] if `position` is past the end; the position is then unchanged.
    pub fn seek(&mut self, position: u128) -> Result<(), CounterOverflow> {
        if position > Self::KEY_STREAM_BYTES {
            return Err(CounterOverflow);
        }
        let block = |position: u128| position / BLOCK_BYTES as u128;
        self.partial_is_current &= block(position) == block(self.position);
        self.position = position;
        Ok(())
    }

    /// Combines `data` with the key stream at the current position by XOR. The position
    /// moves on by `data.len()`.
    ///
    /// # Errors
    /// [`CounterOverflow`] if the key stream has fewer bytes left than `data`; nothing is written
    /// then, and the position is unchanged.
    pub fn apply_keystream(&mut self, data: &mut [u8]) -> Result<(), CounterOverflow> {
        let len = data.len() as u128;
        if len > self.remaining() {
            return Err(CounterOverflow);
        }
        let offset = (self.position % BLOCK_BYTES as u128) as usize;
        let head = if offset == 0 { 0 } else { data.len().min(BLOCK_BYTES - offset) };
        let (head, blocks) = data.split_at_mut(head);
        if !head.is_empty() {
            if !self.partial_is_current {
                self.partial = [0; BLOCK_BYTES];
                let counter = self.counter();
                Self::apply_blocks(self.level, &mut self.state, counter, &mut self.partial);
                self.partial_is_current = true;
            }
            xor_bytes(head, &self.partial[offset..]);
            self.position += head.len() as u128;
            // A block that is used up is no longer the block at `position`.
            self.partial_is_current = offset + head.len() < BLOCK_BYTES;
        }
        if !blocks.is_empty() {
            let counter = self.counter();
            Self::apply_blocks(self.level, &mut self.state, counter, blocks);
            self.position += blocks.len() as u128;
            self.partial_is_current = false;
        }
        Ok(())
    }

    /// Returns a key stream whose state must still be filled.
    pub(crate) fn empty(level: Level) -> Self {
        Self {
            state: [0; 16],
            position: 0,
            partial: [0; BLOCK_BYTES],
            partial_is_current: false,
            level,
            layout: PhantomData,
        }
    }

    #[cfg(feature = "rand_core")]
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    fn counter(&self) -> u64 {
        (self.position / BLOCK_BYTES as u128) as u64
    }

    /// Combines `data` with the key stream from block `counter` on. The caller has checked that the
    /// counter does not overflow before `data` ends.
    pub(crate) fn apply_blocks(level: Level, state: &mut State, counter: u64, data: &mut [u8]) {
        let () = Self::HAS_ROUNDS;
        let apply = |state: &_, counter, data: &mut _| match ROUNDS {
            8 => apply_chacha8(level, state, counter, data),
            12 => apply_chacha12(level, state, counter, data),
            _ => apply_chacha20(level, state, counter, data),
        };
        if L::COUNTER_64 {
            kernel::with_word_13(state, counter, data, apply);
        } else {
            apply(state, counter as u32, data);
        }
    }
}

/// Combines `data` with ChaCha20's key stream from block `counter` on. This function and the ones
/// for fewer rounds are not generic: they are compiled once, with this crate and its optimisation.
pub(crate) fn xor_chacha20(level: Level, state: &State, counter: u32, data: &mut [u8]) {
    dispatch!(level.for_cipher(), token => kernel::apply_inlined::<_, 20>(token, state, counter, data));
}

/// Does the same as [`xor_chacha20`], and injects a fault in builds that test the tests (see
/// [`crate::fault`]).
pub(crate) fn apply_chacha20(level: Level, state: &State, counter: u32, data: &mut [u8]) {
    xor_chacha20(level, state, counter, data);
    crate::fault::flip("chacha20", level, data);
}

/// Does the same as [`apply_chacha20`] with 12 rounds.
fn apply_chacha12(level: Level, state: &State, counter: u32, data: &mut [u8]) {
    dispatch!(level.for_cipher(), token => kernel::apply_inlined::<_, 12>(token, state, counter, data));
    crate::fault::flip("chacha20", level, data);
}

/// Does the same as [`apply_chacha20`] with 8 rounds.
fn apply_chacha8(level: Level, state: &State, counter: u32, data: &mut [u8]) {
    dispatch!(level.for_cipher(), token => kernel::apply_inlined::<_, 8>(token, state, counter, data));
    crate::fault::flip("chacha20", level, data);
}

impl<const ROUNDS: usize, L: Layout> Drop for ChaCha<ROUNDS, L> {
    fn drop(&mut self) {
        wipe(&mut self.state);
        wipe(&mut self.partial);
    }
}

impl<const ROUNDS: usize, L: Layout> zeroize::ZeroizeOnDrop for ChaCha<ROUNDS, L> {}

impl<const ROUNDS: usize, L: Layout> fmt::Debug for ChaCha<ROUNDS, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaCha").field("rounds", &ROUNDS).field("backend", &self.level).finish_non_exhaustive()
    }
}
