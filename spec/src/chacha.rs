//! ChaCha: RFC 8439, sections 2.1 to 2.4.
//!
//! The number of rounds is a parameter: 20 in the RFC; 12 and 8 are also in use. The layout of
//! block counter and nonce is a parameter too: a counter of 32 bits as in the RFC, or one of 64
//! bits as in "ChaCha, a variant of Salsa20" (Bernstein, 2008).

use alloc::vec::Vec;

/// The sixteen words of a state.
pub type State = [u32; 16];

/// "expand 32-byte k" as four little-endian words (section 2.3).
pub const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Computes QUARTERROUND(a, b, c, d) on the words of a state with these indices (sections 2.1 and
/// 2.2).
pub fn quarter_round(state: &mut [u32], a: usize, b: usize, c: usize, d: usize) {
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(12);
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(7);
}

/// Computes two rounds: a column round and a diagonal round (section 2.3.1).
pub fn inner_block(state: &mut State) {
    quarter_round(state, 0, 4, 8, 12);
    quarter_round(state, 1, 5, 9, 13);
    quarter_round(state, 2, 6, 10, 14);
    quarter_round(state, 3, 7, 11, 15);
    quarter_round(state, 0, 5, 10, 15);
    quarter_round(state, 1, 6, 11, 12);
    quarter_round(state, 2, 7, 8, 13);
    quarter_round(state, 3, 4, 9, 14);
}

/// Computes `rounds` rounds, an even number, without the final addition.
#[must_use]
pub fn permute(rounds: usize, mut state: State) -> State {
    for _ in 0..rounds / 2 {
        inner_block(&mut state);
    }
    state
}

/// Returns each word as four little-endian bytes.
#[must_use]
pub fn serialize(state: &State) -> [u8; 64] {
    let mut bytes = [0; 64];
    for (i, word) in state.iter().enumerate() {
        bytes[4 * i..4 * i + 4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Returns the bytes as little-endian words.
///
/// # Panics
/// If there are not 4·N bytes.
#[must_use]
pub fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    assert_eq!(bytes.len(), 4 * N);
    core::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}

/// Returns an initial state: the constants, the key, and `last` as the last four words.
#[must_use]
pub fn state(key: &[u8; 32], last: [u32; 4]) -> State {
    let mut state = [0; 16];
    state[..4].copy_from_slice(&CONSTANTS);
    state[4..12].copy_from_slice(&words::<8>(key));
    state[12..].copy_from_slice(&last);
    state
}

/// A nonce, and the layout of words 12 to 15, which hold the block counter and the nonce.
#[derive(Clone, Copy, Debug)]
pub enum Nonce {
    /// RFC 8439: word 12 is the counter; words 13 to 15 are the nonce.
    Ietf([u8; 12]),
    /// Bernstein: words 12 and 13 are the counter, low word first; words 14 and 15 are the nonce.
    Original([u8; 8]),
}

/// Computes chacha20_block(key, counter, nonce) of section 2.3.1, with `rounds` rounds.
///
/// # Panics
/// If `nonce` has the layout of RFC 8439 and `counter` does not fit in 32 bits.
#[must_use]
pub fn chacha_block(rounds: usize, key: &[u8; 32], counter: u64, nonce: &Nonce) -> [u8; 64] {
    let initial_state = match nonce {
        Nonce::Ietf(nonce) => {
            let counter = u32::try_from(counter).expect("the counter of RFC 8439 has 32 bits");
            let [n0, n1, n2] = words(nonce);
            state(key, [counter, n0, n1, n2])
        }
        Nonce::Original(nonce) => {
            let [low, high] = words(&counter.to_le_bytes());
            let [n0, n1] = words(nonce);
            state(key, [low, high, n0, n1])
        }
    };
    let mut state = permute(rounds, initial_state);
    for (word, initial) in state.iter_mut().zip(initial_state) {
        *word = word.wrapping_add(initial);
    }
    serialize(&state)
}

/// Computes chacha20_encrypt(key, counter, nonce, plaintext) of section 2.4.1, with `rounds`
/// rounds.
///
/// # Panics
/// If the counter runs past its last value.
#[must_use]
pub fn chacha_encrypt(rounds: usize, key: &[u8; 32], counter: u64, nonce: &Nonce, plaintext: &[u8]) -> Vec<u8> {
    let mut encrypted_message = Vec::with_capacity(plaintext.len());
    for (j, block) in plaintext.chunks(64).enumerate() {
        let counter = counter.checked_add(j as u64).expect("the original counter has 64 bits");
        let key_stream = chacha_block(rounds, key, counter, nonce);
        encrypted_message.extend(block.iter().zip(key_stream).map(|(byte, key)| byte ^ key));
    }
    encrypted_message
}

/// Computes chacha20_block of section 2.3.
#[must_use]
pub fn chacha20_block(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u8; 64] {
    chacha_block(20, key, counter.into(), &Nonce::Ietf(*nonce))
}

/// Computes chacha20_encrypt of section 2.4.
///
/// # Panics
/// If the counter runs past its last value.
#[must_use]
pub fn chacha20_encrypt(key: &[u8; 32], counter: u32, nonce: &[u8; 12], plaintext: &[u8]) -> Vec<u8> {
    chacha_encrypt(20, key, counter.into(), &Nonce::Ietf(*nonce), plaintext)
}
