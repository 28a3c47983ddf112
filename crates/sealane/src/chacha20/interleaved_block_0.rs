//! The start of a message on vectors, interleaved with block 0 on integers. This saves a set or a
//! group for block 0 where the start of the message fills whole ones. [`super::rows`] explains sets
//! and groups.

use sealane_simd::{CpuClass, Simd};

use super::paired::{self, SET_BYTES};
use super::sets::xor_sets;
use super::single::IntegerBlock0;
use super::state::State;
use super::{BLOCK_BYTES, horizontal};

/// Returns whether [`xor`] takes the first `bytes` of a message: two sets, one group, or two.
///
/// One set takes as long with block 0 in a second set. Three sets and seven sets fit with block 0
/// into a group and into two groups. Five and six sets would take 0.95 times as long with block 0
/// on integers, and would need 7 KB of code.
#[inline(always)]
pub(crate) const fn takes<S: Simd>(class: CpuClass, bytes: usize) -> bool {
    S::TUNING.block_0_beside_vectors.of(class) && matches!(bytes.div_ceil(BLOCK_BYTES), 8 | 16 | 32)
}

/// Combines `data`, whose length [`takes`] accepts, with ChaCha20's key stream from block 1 on.
/// Writes the first half of block 0 to `key`. All callers share one copy of the function for each
/// shape.
#[inline(always)]
pub(crate) fn xor<S: Simd>(token: S, state: &State, key: &mut [u8; 32], data: &mut [u8]) {
    macro_rules! interleaved {
        ($key_stream:expr) => {
            token.enter_apart(
                #[inline(always)]
                |token| {
                    let mut block_0 = IntegerBlock0::new(state);
                    let key_stream = $key_stream(
                        token,
                        state,
                        1,
                        #[inline(always)]
                        || block_0.double_round(),
                    );
                    // Block 0 is written before the call below, so that its words are not spilled.
                    block_0.write_first_half(state, key);
                    xor_sets(token, &key_stream, data);
                },
            )
        };
    }
    match data.len().div_ceil(SET_BYTES) {
        2 => interleaved!(horizontal::key_stream_interleaved::<S, 2>),
        4 => interleaved!(paired::one_interleaved),
        8 => interleaved!(paired::two_interleaved),
        _ => unreachable!("`takes` allows no other length"),
    }
}
