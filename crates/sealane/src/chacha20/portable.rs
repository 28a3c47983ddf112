//! Vertical ChaCha in plain Rust, shaped so that the compiler vectorises it for whatever the target always has.
//!
//! A vector type over arrays does not do: the compiler takes the arrays apart into 256 scalars and spills them. What it
//! does turn into vectors is a loop over lanes that stays a loop, with the state in memory.

use sealane_simd::Simd;

use super::kernel::{State, nothing, xor_bytes, xor_rows};
use super::{BLOCK_BYTES, horizontal};
use crate::wipe::wipe;

/// Blocks made at once. Enough that the loops are not unrolled before they are vectorised.
const LANES: usize = 16;
/// Bytes made at once.
pub(super) const GROUP_BYTES: usize = LANES * BLOCK_BYTES;
/// Length in bytes from which a group that is only partly needed is faster than single blocks, as measured.
const MIN_BYTES: usize = if VECTORS { 384 } else { GROUP_BYTES + 1 };

/// Whether the compiler has vectors for this target. Without them single blocks, whose words stay in registers, are faster.
const VECTORS: bool = cfg!(any(target_feature = "sse2", target_feature = "neon", target_feature = "simd128"));

type Lanes = [u32; LANES];

/// Exclusive or of up to [`GROUP_BYTES`] of data with the key stream from block `counter` on.
#[inline(always)]
pub(super) fn apply<S: Simd, const ROUNDS: usize, const WIDE: bool>(
    token: S,
    state: &State,
    mut counter: u64,
    data: &mut [u8],
) {
    if data.len() >= MIN_BYTES {
        return group::<ROUNDS, WIDE>(state, counter, data);
    }
    for block in data.chunks_mut(BLOCK_BYTES) {
        xor_rows(&horizontal::key_stream::<S, (), ROUNDS, WIDE, 1>(token, state, counter, &mut nothing()), block);
        counter = counter.wrapping_add(1);
    }
}

#[inline(never)]
fn group<const ROUNDS: usize, const WIDE: bool>(state: &State, counter: u64, data: &mut [u8]) {
    let mut initial = [[0; LANES]; 16];
    for (lanes, &word) in initial.iter_mut().zip(state) {
        *lanes = [word; LANES];
    }
    let block = |lane: usize| counter.wrapping_add(lane as u64);
    for (lane, word) in initial[12].iter_mut().enumerate() {
        *word = block(lane) as u32;
    }
    if WIDE {
        for (lane, word) in initial[13].iter_mut().enumerate() {
            *word = (block(lane) >> 32) as u32;
        }
    }

    let mut v = initial;
    for _ in 0..ROUNDS / 2 {
        quarter_round(&mut v, [0, 4, 8, 12]);
        quarter_round(&mut v, [1, 5, 9, 13]);
        quarter_round(&mut v, [2, 6, 10, 14]);
        quarter_round(&mut v, [3, 7, 11, 15]);
        quarter_round(&mut v, [0, 5, 10, 15]);
        quarter_round(&mut v, [1, 6, 11, 12]);
        quarter_round(&mut v, [2, 7, 8, 13]);
        quarter_round(&mut v, [3, 4, 9, 14]);
    }

    let mut key_stream = [0; BLOCK_BYTES];
    for (lane, block) in data.chunks_mut(BLOCK_BYTES).enumerate() {
        for (bytes, (word, initial)) in key_stream.as_chunks_mut::<4>().0.iter_mut().zip(v.iter().zip(&initial)) {
            *bytes = word[lane].wrapping_add(initial[lane]).to_le_bytes();
        }
        xor_bytes(block, &key_stream);
    }
    wipe(&mut key_stream);
    wipe(v.as_flattened_mut());
    wipe(initial.as_flattened_mut());
}

/// RFC 8439, section 2.1, on all lanes.
#[inline(always)]
fn quarter_round(v: &mut [Lanes; 16], [a, b, c, d]: [usize; 4]) {
    let (mut va, mut vb, mut vc, mut vd) = (v[a], v[b], v[c], v[d]);
    for lane in 0..LANES {
        va[lane] = va[lane].wrapping_add(vb[lane]);
        vd[lane] = (vd[lane] ^ va[lane]).rotate_left(16);
        vc[lane] = vc[lane].wrapping_add(vd[lane]);
        vb[lane] = (vb[lane] ^ vc[lane]).rotate_left(12);
        va[lane] = va[lane].wrapping_add(vb[lane]);
        vd[lane] = (vd[lane] ^ va[lane]).rotate_left(8);
        vc[lane] = vc[lane].wrapping_add(vd[lane]);
        vb[lane] = (vb[lane] ^ vc[lane]).rotate_left(7);
    }
    (v[a], v[b], v[c], v[d]) = (va, vb, vc, vd);
}
