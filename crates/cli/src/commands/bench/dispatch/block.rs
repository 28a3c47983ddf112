//! A block of the ChaCha20 key stream: what a short message needs of a cipher.

use sealane::internals;
use sealane::internals::leaf::{Rows, chacha_round};
use sealane_simd::{Simd, dispatch};

use super::{Operation, detected};

/// Bytes in a block.
const BLOCK_BYTES: usize = 64;

/// `block` ^= the next block of the key stream.
pub(super) struct Block;

#[derive(Clone, PartialEq)]
pub(super) struct Stream {
    state: [u32; 16],
    counter: u32,
    block: [u8; BLOCK_BYTES],
}

/// The input of the block function with a key and a nonce of small numbers (RFC 8439, section 2.3).
pub(super) fn state() -> [u32; 16] {
    let mut state = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11];
    // The compiler must not know it.
    std::hint::black_box(&mut state);
    state
}

impl Operation for Block {
    type Data = Stream;

    const NAME: &'static str = "ChaCha20 block";
    const DESCRIPTION: &'static str = "one block of the key stream, combined with data; leaf: each of its 20 rounds";

    fn data() -> Stream {
        Stream { state: state(), counter: 0, block: [0; BLOCK_BYTES] }
    }

    #[inline(always)]
    fn call<S: Simd>(token: S, stream: &mut Stream) {
        internals::chacha20(token, &stream.state, stream.counter, &mut stream.block);
        stream.counter = stream.counter.wrapping_add(1);
    }

    fn call_leaf(stream: &mut Stream) {
        let mut initial = stream.state;
        initial[12] = stream.counter;
        let mut rows = Rows::default();
        rows.as_flattened_mut().copy_from_slice(&initial);
        for _ in 0..10 {
            dispatch!(detected(), token => chacha_round::<_, false>(token, &mut rows));
            dispatch!(detected(), token => chacha_round::<_, true>(token, &mut rows));
        }
        let words = rows.as_flattened().iter().zip(&initial);
        for (bytes, (word, initial)) in stream.block.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = (u32::from_le_bytes(*bytes) ^ word.wrapping_add(*initial)).to_le_bytes();
        }
        stream.counter = stream.counter.wrapping_add(1);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn check(stream: &Stream, calls: u64) {
        let mut expected = [0; BLOCK_BYTES];
        for counter in 0..calls as u32 {
            let mut state = state();
            state[12] = counter;
            let rounds = sealane_spec::chacha::permute(20, state);
            for (i, (bytes, word)) in expected.as_chunks_mut::<4>().0.iter_mut().zip(rounds).enumerate() {
                *bytes = (u32::from_le_bytes(*bytes) ^ word.wrapping_add(state[i])).to_le_bytes();
            }
        }
        assert_eq!(stream.block, expected);
        assert_eq!(u64::from(stream.counter), calls);
    }
}
