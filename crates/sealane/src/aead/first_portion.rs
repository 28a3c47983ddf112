//! The first blocks of a message, which are computed together with block 0, on CPUs with products
//! of 52 bits for Poly1305. [`crate::chacha20::rows`] explains sets and groups.

use sealane_simd::{CpuClass, Simd};

use super::construction::{message_block, one_time_key};
use crate::chacha20::paired::{self, GROUP_BLOCKS, SET_BYTES};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, interleaved_block_0};
use crate::poly1305::Short;

/// Bytes of a group of blocks.
pub(super) const GROUP_BYTES: usize = GROUP_BLOCKS * BLOCK_BYTES;
/// Bytes of two groups.
pub(super) const PAIR_BYTES: usize = 2 * GROUP_BYTES;

/// The part of a message whose key stream is computed together with block 0. Other parts are pairs
/// of groups, and the last one may be incomplete. The number of bytes that fill no pair decides
/// which part this is:
/// - enough for an incomplete pair: this part is the first pair;
/// - few: they are the end of the message. Its key stream fits in the set with block 0, and this
///   part is that end and the first pair;
/// - some number between: they are the start of the message, and this part is that start.
pub(super) struct FirstPortion {
    shape: Shape,
    /// The number of the portion's bytes at the start of the message.
    pub(super) head: usize,
    /// The number of the portion's bytes at the end of the message.
    pub(super) tail: usize,
}

/// The vectors of the first portion.
enum Shape {
    /// Block 0 and the blocks after it, in the sets or groups that they fill.
    Consecutive,
    /// Sets or groups, and block 0 on integers at the same time.
    InterleavedBlock0,
    /// A group, and beside it a set with block 0 and the last blocks of the message.
    GroupAndSet,
    /// Two groups, and beside them a set with block 0 and the last blocks of the message.
    PairAndSet,
}

impl FirstPortion {
    /// Chooses the blocks and their shape for a message of `length` bytes.
    #[inline(always)]
    pub(super) fn of<S: Simd>(class: CpuClass, length: usize) -> Self {
        const PAIR_BLOCKS: usize = PAIR_BYTES / BLOCK_BYTES;
        let blocks = 1 + length.div_ceil(BLOCK_BYTES);
        let behind_pairs = length % PAIR_BYTES;
        let odd = (blocks - 1) % PAIR_BLOCKS + 1;
        let head = length.min(if odd == 1 { PAIR_BYTES } else { (odd - 1) * BLOCK_BYTES });
        match odd {
            _ if interleaved_block_0::takes::<S>(class, head) => {
                Self { shape: Shape::InterleavedBlock0, head, tail: 0 }
            }
            1..=4 if blocks > PAIR_BLOCKS => {
                let tail = if behind_pairs < SET_BYTES { behind_pairs } else { 0 };
                Self { shape: Shape::PairAndSet, head: length.min(PAIR_BYTES), tail }
            }
            17..=20 if S::TUNING.interleave_group_and_set.of(class) => {
                let tail = behind_pairs.saturating_sub(GROUP_BYTES);
                Self { shape: Shape::GroupAndSet, head: length.min(GROUP_BYTES), tail }
            }
            _ => Self { shape: Shape::Consecutive, head, tail: 0 },
        }
    }

    /// Combines `data`, the first `head` bytes of the message, with the key stream. Returns the
    /// authenticator of the message. All callers share one copy of this function.
    ///
    /// `set` is all zeros. Its start becomes the first half of block 0. If the portion has bytes at
    /// the end of the message, their key stream is behind block 0.
    pub(super) fn xor<S: Simd>(
        &self,
        token: S,
        state: &State,
        length: usize,
        set: &mut [u8; SET_BYTES],
        data: &mut [u8],
    ) -> Short {
        token.enter_apart(
            #[inline(always)]
            |token| {
                let last = message_block(length - self.tail);
                match self.shape {
                    Shape::InterleavedBlock0 => {
                        let key = set.first_chunk_mut().expect("half of block 0");
                        interleaved_block_0::xor(token, state, key, data);
                    }
                    Shape::PairAndSet => paired::xor_two_and_set(token, state, last, set, data),
                    Shape::GroupAndSet => paired::xor_one_and_set(token, state, last, set, data),
                    Shape::Consecutive => paired::xor_behind_block_0(token, state, set, data),
                }
            },
        );
        Short::new(one_time_key(set))
    }
}
