//! Poly1305 as a universal hash.

use super::generation::universal_hash::{KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash};
use super::generation::{Array, BlockSizeUser, KeySizeUser, ParBlocksSizeUser, U16, U32, U64, with_bytes};

/// A key of 32 bytes, for one message.
pub type Key = Array<u8, U32>;
/// A block of 16 bytes.
pub type Block = Array<u8, U16>;
/// A tag of 16 bytes.
pub type Tag = Array<u8, U16>;

/// Length of a key in bytes.
pub const KEY_SIZE: usize = 32;
/// Length of a block in bytes.
pub const BLOCK_SIZE: usize = crate::poly1305::BLOCK_BYTES;

/// [`crate::Poly1305`] under the traits of the crate `universal-hash`.
#[derive(Clone, Debug)]
pub struct Poly1305(crate::Poly1305);

impl Poly1305 {
    /// Adds `data`, whose last block may be short, and returns the tag of the whole message (RFC
    /// 8439, section 2.5).
    #[must_use]
    pub fn compute_unpadded(mut self, data: &[u8]) -> Tag {
        self.0.update(data);
        self.0.tag().into()
    }
}

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl KeyInit for Poly1305 {
    fn new(key: &Key) -> Self {
        Self(crate::Poly1305::new(key.as_ref()))
    }
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Poly1305 {
    type ParBlocksSize = U64;
}

impl UhfBackend for Poly1305 {
    fn proc_block(&mut self, block: &Block) {
        self.0.update(block);
    }

    fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
        self.update(blocks);
    }
}

impl UniversalHash for Poly1305 {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(self);
    }

    fn update(&mut self, blocks: &[Block]) {
        with_bytes(blocks, |bytes| self.0.update(bytes));
    }

    fn update_padded(&mut self, data: &[u8]) {
        self.0.update(data);
        self.0.pad();
    }

    fn finalize(mut self) -> Tag {
        self.0.tag().into()
    }
}

impl From<crate::Poly1305> for Poly1305 {
    /// Converts a started message, which stays on the same backend.
    fn from(poly1305: crate::Poly1305) -> Self {
        Self(poly1305)
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}
