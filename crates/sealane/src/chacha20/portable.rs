//! ChaCha in plain Rust, written so that the compiler vectorises it with the vector instructions
//! that every CPU of the target has.
//!
//! A vector type over arrays does not work: the compiler splits the arrays into scalars and spills
//! them. The compiler does vectorise a loop over lanes, unless it has unrolled the loop first. The
//! loop in `double_round` computes a whole double round, which is too long to be unrolled. After
//! vectorisation, no loop over lanes is left, and the state is in registers.

use sealane_simd::tuning::PORTABLE_MAX_SINGLE_BLOCKS;
use sealane_simd::xor_bytes;

use super::rows::PORTABLE_GROUP_BYTES;
use super::state::State;
use super::{BLOCK_BYTES, single};
use crate::wipe::wipe;

/// Number of blocks that are computed at once: one in each lane of 128-bit vectors.
const LANES: usize = PORTABLE_GROUP_BYTES / BLOCK_BYTES;

/// Computes two independent quarter rounds (RFC 8439, section 2.1), step by step.
macro_rules! two_quarter_rounds {
    ($v:ident, [$a:literal $b:literal $c:literal $d:literal] [$e:literal $f:literal $g:literal $h:literal]) => {
        $v[$a] = $v[$a].wrapping_add($v[$b]);
        $v[$e] = $v[$e].wrapping_add($v[$f]);
        $v[$d] = ($v[$d] ^ $v[$a]).rotate_left(16);
        $v[$h] = ($v[$h] ^ $v[$e]).rotate_left(16);
        $v[$c] = $v[$c].wrapping_add($v[$d]);
        $v[$g] = $v[$g].wrapping_add($v[$h]);
        $v[$b] = ($v[$b] ^ $v[$c]).rotate_left(12);
        $v[$f] = ($v[$f] ^ $v[$g]).rotate_left(12);
        $v[$a] = $v[$a].wrapping_add($v[$b]);
        $v[$e] = $v[$e].wrapping_add($v[$f]);
        $v[$d] = ($v[$d] ^ $v[$a]).rotate_left(8);
        $v[$h] = ($v[$h] ^ $v[$e]).rotate_left(8);
        $v[$c] = $v[$c].wrapping_add($v[$d]);
        $v[$g] = $v[$g].wrapping_add($v[$h]);
        $v[$b] = ($v[$b] ^ $v[$c]).rotate_left(7);
        $v[$f] = ($v[$f] ^ $v[$g]).rotate_left(7);
    };
}

type Lanes = [u32; LANES];

/// Combines up to [`PORTABLE_GROUP_BYTES`] of data with the key stream from block `counter` on.
#[inline(always)]
pub(super) fn apply<const ROUNDS: usize>(state: &State, mut counter: u32, data: &mut [u8]) {
    if data.len() > PORTABLE_MAX_SINGLE_BLOCKS * BLOCK_BYTES {
        return group::<ROUNDS>(state, counter, data);
    }
    for block in data.chunks_mut(BLOCK_BYTES) {
        single::xor::<ROUNDS>(state, counter, block);
        counter = counter.wrapping_add(1);
    }
}

#[inline(never)]
fn group<const ROUNDS: usize>(state: &State, counter: u32, data: &mut [u8]) {
    let mut initial = [[0; LANES]; 16];
    for (lanes, &word) in initial.iter_mut().zip(state) {
        *lanes = [word; LANES];
    }
    initial[12] = core::array::from_fn(|lane| counter.wrapping_add(lane as u32));

    let mut v = initial;
    for _ in 0..ROUNDS / 2 {
        double_round(&mut v);
    }

    for (lanes, initial) in v.iter_mut().zip(&initial) {
        for (word, initial) in lanes.iter_mut().zip(initial) {
            *word = word.wrapping_add(*initial);
        }
    }
    let mut key_stream = [[0; BLOCK_BYTES]; LANES];
    store::<0>(&v, &mut key_stream);
    store::<1>(&v, &mut key_stream);
    store::<2>(&v, &mut key_stream);
    store::<3>(&v, &mut key_stream);
    xor_bytes(data, key_stream.as_flattened());
    wipe(key_stream.as_flattened_mut());
    // `initial` holds the key. It is in memory, because the registers hold the state.
    wipe(initial.as_flattened_mut());
}

/// Stores the block of lane `LANE`. The lane is a constant, because an index at run time would
/// force the state into memory.
#[inline(always)]
fn store<const LANE: usize>(v: &[Lanes; 16], key_stream: &mut [[u8; BLOCK_BYTES]; LANES]) {
    for (bytes, lanes) in key_stream[LANE].as_chunks_mut::<4>().0.iter_mut().zip(v) {
        *bytes = lanes[LANE].to_le_bytes();
    }
}

/// Computes a double round (RFC 8439, section 2.3) on all lanes.
#[inline(always)]
fn double_round(v: &mut [Lanes; 16]) {
    for lane in 0..LANES {
        let mut words = [0; 16];
        for (word, lanes) in words.iter_mut().zip(&*v) {
            *word = lanes[lane];
        }
        two_quarter_rounds!(words, [0 4 8 12] [1 5 9 13]);
        two_quarter_rounds!(words, [2 6 10 14] [3 7 11 15]);
        two_quarter_rounds!(words, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(words, [2 7 8 13] [3 4 9 14]);
        for (lanes, word) in v.iter_mut().zip(words) {
            lanes[lane] = word;
        }
    }
}
