//! Where counter and nonce stand in the state, and how long they are.

use sealane_simd::Level;

use super::KEY_BYTES;
use super::hchacha::hchacha;
use super::kernel::State;
use crate::wipe::wipe;

/// "expand 32-byte k" (RFC 8439, section 2.3).
pub(super) const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

mod sealed {
    pub trait Sealed {}
}

/// A way to place block counter and nonce in the state. Implemented by [`Ietf`], [`Original`] and [`Extended`] only.
pub trait Layout: sealed::Sealed + Copy {
    /// The nonce, an array of bytes.
    type Nonce: Copy;
    /// Whether the block counter has 64 bits, not 32.
    const WIDE_COUNTER: bool;

    /// The state with a block counter of 0.
    #[doc(hidden)]
    fn state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &Self::Nonce, level: Level) -> State;
}

/// A 32-bit block counter and a 96-bit nonce (RFC 8439, section 2.3).
#[derive(Clone, Copy, Debug)]
pub enum Ietf {}
impl sealed::Sealed for Ietf {}
impl Layout for Ietf {
    type Nonce = [u8; 12];
    const WIDE_COUNTER: bool = false;

    #[inline]
    fn state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 12], _: Level) -> State {
        let mut last_row = [0; 16];
        last_row[4..].copy_from_slice(nonce);
        state(key, &last_row)
    }
}

/// A 64-bit block counter and a 64-bit nonce (the original ChaCha).
#[derive(Clone, Copy, Debug)]
pub enum Original {}
impl sealed::Sealed for Original {}
impl Layout for Original {
    type Nonce = [u8; 8];
    const WIDE_COUNTER: bool = true;

    #[inline]
    fn state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 8], _: Level) -> State {
        let mut last_row = [0; 16];
        last_row[8..].copy_from_slice(nonce);
        state(key, &last_row)
    }
}

/// A 192-bit nonce: its first 128 bits derive a key by HChaCha, the rest is the nonce under it
/// (draft-irtf-cfrg-xchacha-03, section 2.3).
#[derive(Clone, Copy, Debug)]
pub enum Extended {}
impl sealed::Sealed for Extended {}
impl Layout for Extended {
    type Nonce = [u8; 24];
    const WIDE_COUNTER: bool = false;

    #[inline]
    fn state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 24], level: Level) -> State {
        let (prefix, rest) = nonce.split_at(16);
        let prefix = prefix.first_chunk().expect("the first 16 of 24 bytes");
        let mut subkey = hchacha::<ROUNDS>(key, prefix, level);
        let mut last_row = [0; 16];
        last_row[8..].copy_from_slice(rest);
        let state = state(&subkey, &last_row);
        wipe(&mut subkey);
        state
    }
}

/// Constants, key and last row, as little-endian words.
#[inline]
pub(super) fn state(key: &[u8; KEY_BYTES], last_row: &[u8; 16]) -> State {
    let mut state = [0; 16];
    state[..4].copy_from_slice(&CONSTANTS);
    for (word, bytes) in state[4..12].iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    for (word, bytes) in state[12..].iter_mut().zip(last_row.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    state
}
