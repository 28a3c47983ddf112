//! The key stream in whole blocks, with a block counter that wraps around to 0.

use core::fmt;
use core::marker::PhantomData;

use sealane_simd::Level;

use super::state::State;
use super::{BLOCK_BYTES, ChaCha, KEY_BYTES, Layout};
use crate::backend::Backend;
use crate::wipe::wipe;

/// A key stream and the number of its next block.
#[derive(Clone)]
pub struct Blocks<L: Layout> {
    state: State,
    counter: u64,
    level: Level,
    layout: PhantomData<L>,
}

impl<L: Layout> fmt::Debug for Blocks<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").field("backend", &self.level).finish_non_exhaustive()
    }
}

impl<L: Layout> Blocks<L> {
    /// Returns the key stream from block 0, on the backend of [`Backend::detect`].
    pub(crate) fn new<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &L::Nonce) -> Self {
        let mut blocks = Self { state: [0; 16], counter: 0, level: Backend::detect().level(), layout: PhantomData };
        L::fill_state::<ROUNDS>(key, nonce, blocks.level, &mut blocks.state);
        blocks
    }

    pub(crate) fn counter(&self) -> u64 {
        self.counter
    }

    /// Moves to another block. If the counter has 32 bits, the upper half of `counter` is 0.
    pub(crate) fn set_counter(&mut self, counter: u64) {
        self.counter = counter;
    }

    /// Combines `data`, which consists of whole blocks, with the key stream.
    pub(crate) fn apply<const ROUNDS: usize>(&mut self, mut data: &mut [u8]) {
        let last = if L::COUNTER_64 { u64::MAX } else { u32::MAX.into() };
        while !data.is_empty() {
            let blocks_to_end = u128::from(last - self.counter) + 1;
            let blocks = blocks_to_end.min((data.len() / BLOCK_BYTES) as u128) as usize;
            let (head, rest) = data.split_at_mut(blocks * BLOCK_BYTES);
            ChaCha::<ROUNDS, L>::apply_blocks(self.level, &mut self.state, self.counter, head);
            self.counter = self.counter.wrapping_add(blocks as u64) & last;
            data = rest;
        }
    }
}

impl<L: Layout> Drop for Blocks<L> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}
