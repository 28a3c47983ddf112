//! Two groups of key stream, and Poly1305 on integers at the same time. [`super::rows`] explains
//! groups.

use sealane_simd::Simd;

use super::paired::{Groups, SET_BYTES};
use super::sets::xor_split;

/// Combines two groups, the bytes of `data` from `pair` on, with the key stream from block
/// `counter` on. The last set may be incomplete. Starts two accumulators of Poly1305, adds the
/// blocks of `data` from `blocks` on, as they are before that, half of them to each, and returns
/// both. All callers share one copy of this function.
pub(crate) fn xor_two<S: Simd>(
    token: S,
    groups: &Groups<'_, S::Words>,
    counter: u32,
    r: [u64; 3],
    data: &mut [u8],
    blocks: usize,
    pair: usize,
) -> [[u64; 3]; 2] {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let blocks = data[blocks..].as_chunks().0.first_chunk().expect("all blocks");
            let (key_stream, sums) = groups.two_beside_poly1305(token, counter, r, blocks);
            let (first, rest) = data[pair..].split_first_chunk_mut::<SET_BYTES>().expect("all sets of a pair");
            xor_split(token, &key_stream, first, rest);
            sums
        },
    )
}
