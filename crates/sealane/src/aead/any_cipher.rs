//! The AEAD construction of RFC 8439, section 2.8, with a number of rounds and a layout that the
//! caller chooses for each message.
//!
//! Messages with 20 rounds and a 32-bit counter use the kernels of [`super::plan`]. Other
//! ciphers are rare, so they have no kernels of their own: the cipher and the authenticator, each
//! on vectors, process the message one after the other.

use core::fmt;

use sealane_simd::Level;
use sealane_simd::tuning::OTHER_VARIANTS_PIECE_BYTES as PIECE_BYTES;

use super::cipher::{AeadLayout, ChaChaPoly1305, KEY_BYTES, MAX_MESSAGE_BYTES};
use super::construction::{KEY_BLOCK, lengths, message_block, one_time_key};
use super::entry;
use crate::backend::Backend;
use crate::chacha20::{BLOCK_BYTES, ChaCha, Layout, State};
use crate::error::{CounterOverflow, OpenError};
use crate::poly1305::{Poly1305, Tag, tags_equal};
use crate::wipe::wipe;

/// A key and the backend that works with it.
#[derive(Clone)]
pub struct KeyOfAnyCipher {
    key: [u8; KEY_BYTES],
    level: Level,
}

impl fmt::Debug for KeyOfAnyCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyOfAnyCipher").field("backend", &self.level).finish_non_exhaustive()
    }
}

impl KeyOfAnyCipher {
    pub(crate) fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self {
        Self { key: *key, level: backend.level() }
    }

    /// Encrypts `buffer` in place. Returns the tag.
    ///
    /// # Errors
    /// [`CounterOverflow`] if `buffer` is longer than [`MAX_MESSAGE_BYTES`]; nothing is written
    /// then.
    pub(crate) fn seal<const ROUNDS: usize, L: Layout>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        buffer: &mut [u8],
    ) -> Result<Tag, CounterOverflow> {
        self.with_state::<ROUNDS, L, _>(nonce, buffer.len(), |state| {
            if const { has_kernels::<L>(ROUNDS) } {
                return entry::seal_in_place(self.level, state, aad, buffer);
            }
            let mut mac = begin_mac::<ROUNDS, L>(self.level, state, aad);
            for (offset, piece) in (0..).step_by(PIECE_BYTES).zip(buffer.chunks_mut(PIECE_BYTES)) {
                ChaCha::<ROUNDS, L>::apply_blocks(self.level, state, message_block(offset).into(), piece);
                mac.update(piece);
            }
            finish_mac(&mut mac, aad.len(), buffer.len())
        })
    }

    /// Decrypts `buffer` in place if `tag` is the tag of `buffer`, `aad` and `nonce`.
    ///
    /// # Errors
    /// [`OpenError`] if they are not, or if `buffer` is longer than [`MAX_MESSAGE_BYTES`]; `buffer`
    /// then holds the ciphertext as before.
    pub(crate) fn open<const ROUNDS: usize, L: Layout>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        buffer: &mut [u8],
        tag: &Tag,
    ) -> Result<(), OpenError> {
        self.with_state::<ROUNDS, L, _>(nonce, buffer.len(), |state| {
            if const { has_kernels::<L>(ROUNDS) } {
                return entry::open_in_place(self.level, state, aad, buffer, tag);
            }
            let mut mac = begin_mac::<ROUNDS, L>(self.level, state, aad);
            mac.update(buffer);
            tags_equal(&finish_mac(&mut mac, aad.len(), buffer.len()), tag)?;
            ChaCha::<ROUNDS, L>::apply_blocks(self.level, state, message_block(0).into(), buffer);
            Ok(())
        })?
    }

    /// Calls `work` with the cipher's state for a message of `length` bytes.
    fn with_state<const ROUNDS: usize, L: Layout, T>(
        &self,
        nonce: &L::Nonce,
        length: usize,
        work: impl FnOnce(&mut State) -> T,
    ) -> Result<T, CounterOverflow> {
        if length as u64 > MAX_MESSAGE_BYTES {
            return Err(CounterOverflow);
        }
        let mut state = [0; 16];
        L::fill_state::<ROUNDS>(&self.key, nonce, self.level, &mut state);
        let result = work(&mut state);
        wipe(&mut state);
        Ok(result)
    }
}

/// Returns whether [`super::plan`] has kernels for the cipher.
const fn has_kernels<L: Layout>(rounds: usize) -> bool {
    rounds == super::construction::ROUNDS && !L::COUNTER_64
}

/// Returns the authenticator, once the associated data and its padding are in it.
fn begin_mac<const ROUNDS: usize, L: Layout>(level: Level, state: &mut State, aad: &[u8]) -> Poly1305 {
    let mut block_0 = [0; BLOCK_BYTES];
    ChaCha::<ROUNDS, L>::apply_blocks(level, state, KEY_BLOCK.into(), &mut block_0);
    let mut mac = Poly1305::with_backend(one_time_key(&block_0), Backend::of(level));
    wipe(&mut block_0);
    mac.update(aad);
    mac.pad();
    mac
}

/// Returns the tag, once all of the ciphertext is in `mac`.
fn finish_mac(mac: &mut Poly1305, aad_bytes: usize, ciphertext_bytes: usize) -> Tag {
    mac.pad();
    mac.update(&lengths(aad_bytes, ciphertext_bytes));
    mac.tag()
}

impl<L: AeadLayout> From<&ChaChaPoly1305<L>> for KeyOfAnyCipher {
    /// Returns the same key, on the same backend.
    fn from(cipher: &ChaChaPoly1305<L>) -> Self {
        Self { key: cipher.key, level: cipher.level }
    }
}

impl Drop for KeyOfAnyCipher {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}
