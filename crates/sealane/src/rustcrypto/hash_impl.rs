//! `universal_hash::UniversalHash`.

use universal_hash::array::Array;
use universal_hash::common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};
use universal_hash::consts::{U16, U32, U64};
use universal_hash::{KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash};

/// A block or a tag of 16 bytes.
pub type Block = Array<u8, U16>;

/// [`crate::Poly1305`] under the traits of the crate `universal-hash`.
#[derive(Clone, Debug)]
pub struct Poly1305(crate::Poly1305);

impl Poly1305 {
    /// Returns the tag of the message so far followed by `data`, whose last block may be short (RFC
    /// 8439, section 2.5).
    #[must_use]
    pub fn compute_unpadded(mut self, data: &[u8]) -> Block {
        self.0.update(data);
        self.0.finalize().into()
    }
}

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl KeyInit for Poly1305 {
    fn new(key: &Array<u8, U32>) -> Self {
        Self(crate::Poly1305::new(&key.0))
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
        self.0.update(Array::cast_slice_to_core(blocks).as_flattened());
    }
}

impl UniversalHash for Poly1305 {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(self);
    }

    fn update(&mut self, blocks: &[Block]) {
        self.0.update(Array::cast_slice_to_core(blocks).as_flattened());
    }

    fn finalize(self) -> Block {
        self.0.finalize().into()
    }
}

impl From<crate::Poly1305> for Poly1305 {
    /// The same message, on the same backend.
    fn from(poly1305: crate::Poly1305) -> Self {
        Self(poly1305)
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}
