//! Two groups of key stream, interleaved with Poly1305 on integers. [`super::rows`] explains
//! groups.

use sealane_simd::Simd;

use super::paired::{Groups, SET_BYTES};
use super::sets::xor_split;

/// Poly1305 on integers, interleaved with the rounds of two groups.
pub(crate) trait ScalarPoly1305 {
    /// The sum of all blocks.
    type Sum;

    /// Returns r, as [`sealane_simd::PendingPoly1305`] has it.
    fn r(&self) -> [u64; 3];

    /// Returns the sum of all blocks from the sums of both halves.
    fn join(&self, halves: [[u64; 3]; 2]) -> Self::Sum;
}

/// Combines two groups, the bytes of `data` from `pair` on, with the key stream from block
/// `counter` on. The last set may be incomplete. At the same time, adds the
/// [`POLY1305_BLOCKS_PER_PAIR`](sealane_simd::POLY1305_BLOCKS_PER_PAIR) blocks of `data` from the
/// byte at `blocks` on, as they are before. Returns their sum. All callers share one copy of this
/// function.
pub(crate) fn xor_two<S: Simd, I: ScalarPoly1305>(
    token: S,
    groups: &Groups<'_, S::Words>,
    counter: u32,
    integers: &I,
    data: &mut [u8],
    blocks: usize,
    pair: usize,
) -> I::Sum {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let blocks = data[blocks..].as_chunks().0.first_chunk().expect("all blocks");
            let (key_stream, halves) = groups.two_with_poly1305(token, counter, integers.r(), blocks);
            // Both halves are joined while the key stream is transposed.
            let sum = integers.join(halves);
            let (first, rest) = data[pair..].split_first_chunk_mut::<SET_BYTES>().expect("all sets of a pair");
            xor_split(token, &key_stream, first, rest);
            sum
        },
    )
}
