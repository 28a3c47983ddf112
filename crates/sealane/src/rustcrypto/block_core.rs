//! The stream ciphers under the traits for whole blocks.

use core::fmt;
use core::marker::PhantomData;

use super::generation::cipher::{
    Block, BlockSizeUser, Iv, IvSizeUser, KeyIvInit, KeySizeUser, ParBlocks, ParBlocksSizeUser, StreamCipherCore,
    StreamCipherSeekCore,
};
use super::generation::{StreamBackend, StreamClosure, U16, U32, U64};
use super::rounds::Rounds;
use super::stream::{Key, Variant};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::blocks::Blocks;
use crate::wipe::wipe;

/// A ChaCha key stream in blocks of 64 bytes, for [`StreamCipherCore`] and
/// `StreamCipherCoreWrapper`.
///
/// The stream ciphers of this module are faster: they take any number of bytes in one call of a
/// kernel.
pub struct ChaChaCore<R: Rounds, V: Variant> {
    blocks: Blocks<V>,
    rounds: PhantomData<R>,
}

impl<R: Rounds, V: Variant> ChaChaCore<R, V> {
    /// Returns the number of the next block.
    #[must_use]
    pub fn get_block_pos(&self) -> V::Counter {
        V::Counter::try_from(self.blocks.counter()).ok().expect("a counter of the layout")
    }

    /// Sets the number of the next block.
    pub fn set_block_pos(&mut self, block: V::Counter) {
        self.blocks.set_counter(block.into());
    }
}

impl<R: Rounds, V: Variant> KeySizeUser for ChaChaCore<R, V> {
    type KeySize = U32;
}

impl<R: Rounds, V: Variant> IvSizeUser for ChaChaCore<R, V> {
    type IvSize = V::IvSize;
}

impl<R: Rounds, V: Variant> KeyIvInit for ChaChaCore<R, V> {
    fn new(key: &Key, nonce: &Iv<Self>) -> Self {
        Self { blocks: R::blocks(key.as_ref(), V::nonce_of_layout(nonce)), rounds: PhantomData }
    }
}

impl<R: Rounds, V: Variant> BlockSizeUser for ChaChaCore<R, V> {
    type BlockSize = U64;
}

impl<R: Rounds, V: Variant> ParBlocksSizeUser for ChaChaCore<R, V> {
    type ParBlocksSize = U16;
}

impl<R: Rounds, V: Variant> StreamBackend for ChaChaCore<R, V> {
    fn gen_ks_block(&mut self, block: &mut Block<Self>) {
        block.fill(0);
        R::apply(&mut self.blocks, block);
    }

    fn gen_par_ks_blocks(&mut self, blocks: &mut ParBlocks<Self>) {
        self.gen_tail_blocks(blocks);
    }

    fn gen_tail_blocks(&mut self, blocks: &mut [Block<Self>]) {
        let mut key_stream = [[0; BLOCK_BYTES]; 16];
        for blocks in blocks.chunks_mut(key_stream.len()) {
            let key_stream = &mut key_stream[..blocks.len()];
            key_stream.fill([0; BLOCK_BYTES]);
            R::apply(&mut self.blocks, key_stream.as_flattened_mut());
            for (block, key_stream) in blocks.iter_mut().zip(key_stream) {
                block.copy_from_slice(key_stream);
            }
        }
        wipe(key_stream.as_flattened_mut());
    }
}

impl<R: Rounds, V: Variant> StreamCipherCore for ChaChaCore<R, V> {
    fn remaining_blocks(&self) -> Option<usize> {
        let last = if V::COUNTER_64 { u64::MAX } else { u32::MAX.into() };
        usize::try_from(last - self.blocks.counter()).ok()
    }

    fn process_with_backend(&mut self, f: impl StreamClosure<BlockSize = U64>) {
        f.call(self);
    }
}

impl<R: Rounds, V: Variant> StreamCipherSeekCore for ChaChaCore<R, V> {
    type Counter = V::Counter;

    fn get_block_pos(&self) -> V::Counter {
        self.get_block_pos()
    }

    fn set_block_pos(&mut self, block: V::Counter) {
        self.set_block_pos(block);
    }
}

impl<R: Rounds, V: Variant> Clone for ChaChaCore<R, V> {
    fn clone(&self) -> Self {
        Self { blocks: self.blocks.clone(), rounds: PhantomData }
    }
}

impl<R: Rounds, V: Variant> fmt::Debug for ChaChaCore<R, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaCore").field("double_rounds", &R::COUNT).finish_non_exhaustive()
    }
}

// The key stream wipes itself.
impl<R: Rounds, V: Variant> zeroize::ZeroizeOnDrop for ChaChaCore<R, V> {}
