//! The names that differ between the generations of the RustCrypto traits. This is the generation
//! of `aead` 0.6, `cipher` 0.5 and `universal-hash` 0.6.
//!
//! The files beside this one are also compiled for the previous generation: [`crate::rustcrypto05`]
//! has another file with the name of this one.

pub(super) use aead::array::Array;
pub(super) use aead::consts::{U8, U12, U16, U24, U32, U64};
pub(super) use cipher::StreamCipherCounter as Counter;
pub(super) use cipher::{StreamCipherBackend as StreamBackend, StreamCipherClosure as StreamClosure};
pub(super) use universal_hash::common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};
pub(super) use {aead, cipher, universal_hash};

/// 8 rounds.
#[derive(Clone, Copy, Debug)]
pub struct R8;

/// 12 rounds.
#[derive(Clone, Copy, Debug)]
pub struct R12;

/// 20 rounds.
#[derive(Clone, Copy, Debug)]
pub struct R20;

/// Returns the number of bytes used in the current block, from 1 to the length of a block, in the
/// form that `SeekNum` expects.
pub(super) fn last_byte(used: u8) -> u8 {
    used
}

/// Calls `f` with the bytes of the blocks, in their order.
pub(super) fn with_bytes(blocks: &[Array<u8, U16>], mut f: impl FnMut(&[u8])) {
    f(Array::cast_slice_to_core(blocks).as_flattened());
}
