//! The names that differ between the generations of the RustCrypto traits. This is the generation
//! of `aead` 0.5, `cipher` 0.4 and `universal-hash` 0.5.

pub(super) use aead_05 as aead;
pub(super) use cipher_04 as cipher;
pub(super) use universal_hash_05 as universal_hash;

pub(super) use aead::consts::{U4 as R8, U6 as R12, U8, U10 as R20, U12, U16, U24, U32, U64};
pub(super) use aead::generic_array::GenericArray as Array;
pub(super) use cipher::{Counter, StreamBackend, StreamClosure};
pub(super) use universal_hash::crypto_common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};

use crate::chacha20::BLOCK_BYTES;
use crate::poly1305::BLOCK_BYTES as HASH_BLOCK_BYTES;
use crate::wipe::wipe;

/// Returns the number of bytes used in the current block, in the form that `SeekNum` expects: 0 for
/// a whole block.
pub(super) fn last_byte(used: u8) -> u8 {
    used % BLOCK_BYTES as u8
}

/// Calls `f` with the bytes of the blocks, in their order. This generation has no safe way to view
/// several blocks as bytes, so they are copied.
pub(super) fn with_bytes(blocks: &[Array<u8, U16>], mut f: impl FnMut(&[u8])) {
    if let [block] = blocks {
        return f(block);
    }
    let mut copies = [[0; HASH_BLOCK_BYTES]; 128];
    for blocks in blocks.chunks(copies.len()) {
        let copies = &mut copies[..blocks.len()];
        for (copy, block) in copies.iter_mut().zip(blocks) {
            *copy = (*block).into();
        }
        f(copies.as_flattened());
        wipe(copies.as_flattened_mut());
    }
}
