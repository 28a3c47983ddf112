//! Haraka v2 on vectors of AES blocks.
//!
//! N is the number of blocks in a state: 2 for Haraka-256, 4 for Haraka-512. A lane of a vector
//! holds one block. The state of a hash takes the same lane of N vectors.

#![allow(
    clippy::redundant_closure,
    reason = "the name of a function is called by a function that is compiled without the features"
)]

use sealane_simd::{AesBlocks, AesToken, Block, Columns, Scalar, SlicedBlocks};

use crate::wipe::wipe;

/// Computes the hash of each input.
///
/// # Panics
/// If the numbers of outputs and inputs differ.
#[inline(always)]
pub(super) fn many<T: AesToken, const IN: usize, const N: usize, const ROUNDS: usize>(
    token: T,
    constants: &[Block],
    inputs: &[[u8; IN]],
    outputs: &mut [[u8; 32]],
) {
    const { assert!(IN == 16 * N && (N == 2 || N == 4)) };
    const { assert!(ROUNDS == 5 || ROUNDS == 6, "Haraka v2 has 5 or 6 rounds") };
    assert_eq!(inputs.len(), outputs.len(), "one output for each input");
    let (inputs, outputs) = if const { T::Blocks::IN_FLIGHT >= 4 * N } {
        groups::<T, IN, N, 4, ROUNDS>(token, constants, inputs, outputs)
    } else {
        (inputs, outputs)
    };
    let (inputs, outputs) = if const { T::Blocks::IN_FLIGHT >= 2 * N } {
        groups::<T, IN, N, 2, ROUNDS>(token, constants, inputs, outputs)
    } else {
        (inputs, outputs)
    };
    let (inputs, outputs) = groups::<T, IN, N, 1, ROUNDS>(token, constants, inputs, outputs);
    if const { T::Blocks::BLOCKS == 1 } || inputs.is_empty() {
        return;
    }
    if const { <T::Narrower as AesToken>::Blocks::BLOCKS < T::Blocks::BLOCKS } {
        return many::<T::Narrower, IN, N, ROUNDS>(token.narrower(), constants, inputs, outputs);
    }
    // Only portable code reaches this point. `in_one_vector` takes about 3/2 of the time that
    // `group` takes for one of its N vectors.
    let in_one = const { SlicedBlocks::BLOCKS / N };
    if inputs.len().div_ceil(in_one) * 3 > N * 2 {
        return group::<T, IN, N, 1, ROUNDS>(token, constants, inputs, outputs);
    }
    for (inputs, outputs) in inputs.chunks(in_one).zip(outputs.chunks_mut(in_one)) {
        let mut states = [[[0; 16]; N]; MAX_IN_ONE];
        for (state, input) in states.iter_mut().zip(inputs) {
            state.copy_from_slice(input.as_chunks().0);
        }
        in_one_vector::<N, ROUNDS>(constants, &mut states);
        for ((state, input), output) in states.iter().zip(inputs).zip(outputs) {
            *output = xor(truncated(state), &truncated(input.as_chunks().0));
        }
        wipe(states.as_flattened_mut());
    }
}

/// Does the same as [`many`], for a number of inputs that is known at compile time.
#[inline(always)]
fn together<T: AesToken, const IN: usize, const N: usize, const ROUNDS: usize, const COUNT: usize>(
    token: T,
    constants: &[Block],
    inputs: &[[u8; IN]; COUNT],
) -> [[u8; 32]; COUNT] {
    let mut outputs = [[0; 32]; COUNT];
    many::<T, IN, N, ROUNDS>(token, constants, inputs, &mut outputs);
    outputs
}

/// Computes the hash of one input.
#[inline(always)]
pub(crate) fn one<T: AesToken, const IN: usize, const N: usize, const ROUNDS: usize>(
    token: T,
    constants: &[Block],
    input: &[u8; IN],
) -> [u8; 32] {
    let [output] = together::<T, IN, N, ROUNDS, 1>(token, constants, core::array::from_ref(input));
    output
}

/// Returns whether that many states of `N` blocks are best processed together.
const fn at_once<T: AesToken, const N: usize>(states: usize) -> bool {
    states <= T::Blocks::BLOCKS || states * N <= T::Blocks::IN_FLIGHT * T::Blocks::BLOCKS
}

/// Writes a function that hashes `$count` inputs: together, or in two halves if [`at_once`] says
/// no. A loop over the halves would go through memory.
macro_rules! halves {
    ($name:ident, $count:literal = 2 * $half:literal by $of_half:path) => {
        #[inline(always)]
        pub(super) fn $name<T: AesToken, const IN: usize, const N: usize, const ROUNDS: usize>(
            token: T,
            constants: &[Block],
            inputs: &[[u8; IN]; $count],
        ) -> [[u8; 32]; $count] {
            if const { at_once::<T, N>($count) } {
                return together::<T, IN, N, ROUNDS, $count>(token, constants, inputs);
            }
            let [first, second] = inputs.as_chunks::<$half>().0 else { unreachable!("two halves") };
            let mut outputs = [[0; 32]; $count];
            outputs[..$half].copy_from_slice(&$of_half(token, constants, first));
            outputs[$half..].copy_from_slice(&$of_half(token, constants, second));
            outputs
        }
    };
}

halves!(two, 2 = 2 * 1 by together::<T, IN, N, ROUNDS, 1>);
halves!(four, 4 = 2 * 2 by two::<T, IN, N, ROUNDS>);
halves!(eight, 8 = 2 * 4 by four::<T, IN, N, ROUNDS>);

/// Computes the permutation of Haraka-512 on one state.
#[inline(always)]
pub(super) fn permute<T: AesToken, const ROUNDS: usize>(token: T, constants: &[Block], state: &mut [u8; 64]) {
    let blocks = state.as_chunks_mut::<16>().0;
    if const { T::Blocks::BLOCKS == 1 } {
        let constants = &constants[..const { 8 * ROUNDS }];
        let load = |n: usize| {
            T::Blocks::load(
                token,
                #[inline(always)]
                |_| &blocks[n],
            )
        };
        let mut vectors = [[load(0), load(1), load(2), load(3)]];
        rounds::<T, 4, 1, ROUNDS>(constants, &mut vectors);
        for n in 0..4 {
            vectors[0][n].store(
                #[inline(always)]
                |_, block| blocks[n] = block,
            );
        }
    } else if const { <T::Narrower as AesToken>::Blocks::BLOCKS < T::Blocks::BLOCKS } {
        permute::<T::Narrower, ROUNDS>(token.narrower(), constants, state);
    } else {
        let mut states = [[[0; 16]; 4]; MAX_IN_ONE];
        states[0].copy_from_slice(blocks);
        in_one_vector::<4, ROUNDS>(constants, &mut states);
        blocks.copy_from_slice(&states[0]);
        wipe(states.as_flattened_mut());
    }
}

/// Hashes inputs in whole groups: as many as `G` vectors have lanes. Returns the inputs that are
/// left, and their outputs.
#[inline(always)]
fn groups<'a, T: AesToken, const IN: usize, const N: usize, const G: usize, const ROUNDS: usize>(
    token: T,
    constants: &[Block],
    mut inputs: &'a [[u8; IN]],
    mut outputs: &'a mut [[u8; 32]],
) -> (&'a [[u8; IN]], &'a mut [[u8; 32]]) {
    let size = const { G * T::Blocks::BLOCKS };
    while inputs.len() >= size {
        let (input, later_inputs) = inputs.split_at(size);
        let (output, later_outputs) = core::mem::take(&mut outputs).split_at_mut(size);
        group::<T, IN, N, G, ROUNDS>(token, constants, input, output);
        (inputs, outputs) = (later_inputs, later_outputs);
    }
    (inputs, outputs)
}

/// Hashes one group: at least one input, and at most as many as `G` vectors have lanes. Unused
/// lanes repeat the last input.
#[inline(always)]
fn group<T: AesToken, const IN: usize, const N: usize, const G: usize, const ROUNDS: usize>(
    token: T,
    constants: &[Block],
    inputs: &[[u8; IN]],
    outputs: &mut [[u8; 32]],
) {
    let constants = &constants[..const { 2 * N * ROUNDS }];
    let lanes = const { T::Blocks::BLOCKS };
    let last = inputs.len() - 1;
    let load = |g: usize, n: usize| {
        T::Blocks::load(
            token,
            #[inline(always)]
            |lane| &inputs[(lanes * g + lane).min(last)].as_chunks().0[n],
        )
    };
    let mut state = [[T::Blocks::zeros(token); N]; G];
    for (g, state) in state.iter_mut().enumerate() {
        for (n, vector) in state.iter_mut().enumerate() {
            *vector = load(g, n);
        }
    }
    rounds::<T, N, G, ROUNDS>(constants, &mut state);
    for (g, state) in state.iter_mut().enumerate() {
        if const { !T::Blocks::SUMS_IN_MEMORY } {
            for (n, vector) in state.iter_mut().enumerate() {
                *vector = vector.xor(load(g, n));
            }
        }
        T::Blocks::columns(
            state,
            #[inline(always)]
            |vectors| truncate(vectors),
        );
        for (i, half) in state[..2].iter().enumerate() {
            half.store(
                #[inline(always)]
                |lane, block| {
                    if let Some(output) = outputs.get_mut(lanes * g + lane) {
                        output.as_chunks_mut().0[i] = block;
                    }
                },
            );
        }
    }
    if const { T::Blocks::SUMS_IN_MEMORY } {
        for (output, input) in outputs.iter_mut().zip(inputs) {
            *output = xor(*output, &truncated(input.as_chunks().0));
        }
        // Portable code keeps its vectors in memory.
        state = [[T::Blocks::zeros(token); N]; G];
        zeroize::optimization_barrier(&state);
    }
}

/// Computes the permutation. Each round applies two AES rounds to each block, and then mixes the
/// columns (section 2.1).
#[inline(always)]
fn rounds<T: AesToken, const N: usize, const G: usize, const ROUNDS: usize>(
    constants: &[Block],
    state: &mut [[T::Blocks; N]; G],
) {
    for round in 0..ROUNDS {
        let (keys, _) = constants[2 * N * round..2 * N * (round + 1)].as_chunks();
        T::Blocks::two_rounds(state, &keys[0], &keys[1]);
        for state in &mut *state {
            T::Blocks::columns(
                state,
                #[inline(always)]
                |vectors| mix(vectors),
            );
        }
    }
}

/// Computes MIX (section 2.1), which permutes the columns. The new blocks of Haraka-256 are columns
/// 0, 4, 1, 5 and 2, 6, 3, 7. The new blocks of Haraka-512 are columns 3, 11, 7, 15; 8, 0, 12, 4;
/// 9, 1, 13, 5; and 2, 10, 6, 14.
#[inline(always)]
fn mix<C: Columns, const N: usize>(mut state: [C; N]) -> [C; N] {
    match state.as_mut_slice() {
        [a, b] => (*a, *b) = (a.interleave_low(*b), a.interleave_high(*b)),
        [a, b, c, d] => {
            let (ab_low, ab_high) = (a.interleave_low(*b), a.interleave_high(*b));
            let (cd_low, cd_high) = (c.interleave_low(*d), c.interleave_high(*d));
            *a = ab_high.interleave_high(cd_high);
            *b = cd_low.interleave_low(ab_low);
            *c = cd_low.interleave_high(ab_low);
            *d = ab_high.interleave_low(cd_high);
        }
        _ => unreachable!("states have 2 or 4 blocks"),
    }
    state
}

/// Computes the output of a state, and puts it into the first two blocks. For Haraka-512, it is
/// columns 2 and 3 of the first two blocks, and columns 0 and 1 of the other two (section 2.1).
#[inline(always)]
fn truncate<C: Columns, const N: usize>(mut state: [C; N]) -> [C; N] {
    if let [a, b, c, d] = state.as_mut_slice() {
        (*a, *b) = (a.high_halves(*b), c.low_halves(*d));
    }
    state
}

/// The number of Haraka-256 states that the vector of portable code holds.
const MAX_IN_ONE: usize = 4;

/// Computes the permutation on several whole states in one vector of portable code: block n of
/// state i is in lane N i + n.
///
/// Round keys and columns that differ between lanes cost more, but one AES round serves all blocks
/// of the states.
#[inline(always)]
fn in_one_vector<const N: usize, const ROUNDS: usize>(constants: &[Block], states: &mut [[[u8; 16]; N]; MAX_IN_ONE]) {
    const { assert!(SlicedBlocks::BLOCKS <= N * MAX_IN_ONE) };
    let constants = &constants[..const { 2 * N * ROUNDS }];
    let mut vector = SlicedBlocks::load(
        Scalar::new(),
        #[inline(always)]
        |lane| &states[lane / N][lane % N],
    );
    for keys in constants.chunks_exact(2 * N) {
        let (keys, _) = keys.as_chunks();
        vector.two_rounds_in_lanes::<N>(&keys[0], &keys[1]);
        vector.columns_in_lanes::<N>(
            #[inline(always)]
            |vectors| mix(vectors),
        );
    }
    vector.store(
        #[inline(always)]
        |lane, block| states[lane / N][lane % N] = block,
    );
    vector = SlicedBlocks::zeros(Scalar::new());
    zeroize::optimization_barrier(&vector);
}

/// Returns the part of a state that becomes the output: see [`truncate`].
#[inline(always)]
fn truncated(state: &[[u8; 16]]) -> [u8; 32] {
    let mut output = [0; 32];
    match state {
        [a, b] => output.copy_from_slice([*a, *b].as_flattened()),
        [a, b, c, d] => {
            let halves = [&a[8..], &b[8..], &c[..8], &d[..8]];
            for (output, half) in output.as_chunks_mut::<8>().0.iter_mut().zip(halves) {
                output.copy_from_slice(half);
            }
        }
        _ => unreachable!("states have 2 or 4 blocks"),
    }
    output
}

#[inline(always)]
fn xor(mut a: [u8; 32], b: &[u8; 32]) -> [u8; 32] {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
    a
}
