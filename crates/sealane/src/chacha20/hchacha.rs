//! HChaCha: derives a key from a key and 128 bits of a nonce (draft-irtf-cfrg-xchacha-03, section
//! 2.2).

use sealane_simd::{Level, dispatch};

use super::state::{State, fill, half};
use super::{KEY_BYTES, kernel};
use crate::backend::Backend;
use crate::wipe::wipe;

/// Computes HChaCha20: derives a key from `key` and the first 16 bytes of an extended nonce.
#[must_use]
pub fn hchacha20(key: &[u8; KEY_BYTES], nonce: &[u8; 16]) -> [u8; KEY_BYTES] {
    detected::<20>(key, nonce)
}

/// Computes HChaCha12: [`hchacha20`] with 12 rounds.
#[must_use]
pub fn hchacha12(key: &[u8; KEY_BYTES], nonce: &[u8; 16]) -> [u8; KEY_BYTES] {
    detected::<12>(key, nonce)
}

/// Computes HChaCha8: [`hchacha20`] with 8 rounds.
#[must_use]
pub fn hchacha8(key: &[u8; KEY_BYTES], nonce: &[u8; 16]) -> [u8; KEY_BYTES] {
    detected::<8>(key, nonce)
}

/// Returns the key that is derived from `key` and `nonce`, on the backend of [`Backend::detect`].
pub(crate) fn detected<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 16]) -> [u8; KEY_BYTES] {
    let mut subkey = [0; KEY_BYTES];
    hchacha::<ROUNDS>(key, nonce, Backend::detect().level(), &mut subkey);
    subkey
}

/// Writes the key that is derived from `key` and `nonce` to `subkey`.
pub(crate) fn hchacha<const ROUNDS: usize>(
    key: &[u8; KEY_BYTES],
    nonce: &[u8; 16],
    level: Level,
    subkey: &mut [u8; KEY_BYTES],
) {
    // A constant, so that a program contains only the numbers of rounds that it uses.
    let permute: Permute = const {
        match ROUNDS {
            8 => permute_8,
            12 => permute_12,
            20 => permute_20,
            _ => panic!("HChaCha has 8, 12 or 20 rounds"),
        }
    };
    derive(permute, key, nonce, level, subkey);
}

// The code below is not generic: it is compiled once, with this crate and its optimisation.

type Permute = fn(Level, &mut State);

fn derive(permute: Permute, key: &[u8; KEY_BYTES], nonce: &[u8; 16], level: Level, subkey: &mut [u8; KEY_BYTES]) {
    let mut state = [0; 16];
    fill(&mut state, key, half(nonce), half(&nonce[8..]));
    permute(level, &mut state);
    let words = state[..4].iter().chain(&state[12..]);
    for (bytes, word) in subkey.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    wipe(&mut state);
}

fn permute_20(level: Level, state: &mut State) {
    dispatch!(level, token => kernel::permute::<_, 20>(token, state));
}

fn permute_12(level: Level, state: &mut State) {
    dispatch!(level, token => kernel::permute::<_, 12>(token, state));
}

fn permute_8(level: Level, state: &mut State) {
    dispatch!(level, token => kernel::permute::<_, 8>(token, state));
}
